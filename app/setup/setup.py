"""The setup of a campaign: a problem, its instances, references, evaluator, sandbox policy and secret."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...evaluators.base import WHOLE, Reference
from ...evaluators.cache import Cache, cache_folder
from ...evaluators.evaluator import GapEvaluator
from ...evolve.admission import Admission
from ...problems.base import Instance, Keyed, Stateless
from ...problems.reported import Reported
from ...sandbox.base import Sandbox
from ..plugins.foreign import workshop_task
from ..plugins.loader import LoadedProblem
from ..plugins.sources import blame
from ..runs.signature import stored_key

if TYPE_CHECKING:
    from ...evolve.store.store import Store
    from ...sandbox.policy import Policy
    from ..config import Config


# The secret that hidden parts of instances are drawn with: one per installation, stored with each run.

FILE = "secret"


def with_secret(config: Config, loaded: LoadedProblem) -> Config:
    """A configuration that names the secret, the installation's unless given.

    The secret seeds hidden parts of instances, and the choice of a rule's decisions that are asked for again.
    The configuration of a problem with neither stays unchanged.
    """
    if config.evaluation.secret is not None or not isinstance(loaded.problem, Keyed | Stateless):
        return config
    section = replace(config.evaluation, secret=installation_secret())
    return config.model_copy(update={"evaluation": section})


def keyed(loaded: LoadedProblem, secret: str | None) -> LoadedProblem:
    """The problem whose instances are drawn with a secret; unchanged without a secret, or with nothing to
    hide.
    """
    if not secret or not isinstance(loaded.problem, Keyed):
        return loaded
    with blame(f"problem {loaded.name}: keyed(secret)"):
        return replace(loaded, problem=loaded.problem.keyed(secret))


def installed(loaded: LoadedProblem) -> LoadedProblem:
    """The problem as this installation draws it."""
    return keyed(loaded, installation_secret()) if isinstance(loaded.problem, Keyed) else loaded


def candidate_seed(config: Config) -> int:
    """Seed of the candidates' random streams; with a secret it does not tell which instance they are for."""
    seed = config.evaluation.instance_seed
    secret = config.evaluation.secret
    if not secret:
        return seed
    return int.from_bytes(hashlib.sha256(f"{secret}\0candidates\0{seed}".encode()).digest()[:16], "big")


def installation_secret() -> str:
    """Hex text of the installation's secret, made on first use.

    Raises:
        UserError: the file that holds it was damaged.
    """
    return stored_key(cache_folder() / FILE)


@dataclass(frozen=True, slots=True)
class Setup:
    """A problem ready to be searched or evaluated.

    Attributes:
        prefixes: sizes of the prefixes of the training instances (counts, ascending); see `evolve.pool`.
    """

    loaded: LoadedProblem
    config: Config
    policy: Policy
    evaluator: GapEvaluator
    cache: Cache
    instances_from: str
    prefixes: tuple[int, ...]

    @classmethod
    def of(
        cls,
        loaded: LoadedProblem,
        config: Config,
        splits: Mapping[str, Sequence[Instance]],
        reference: Callable[[str], Reference],
        cache: Cache,
        prefixes: tuple[int, ...] = (),
    ) -> Setup:
        """A setup over instances by split.

        Args:
            loaded, config, cache: of the setup; the configuration names limits and seeds of candidates.
            splits: name → instances.
            reference: of an instance's id.
            prefixes: of the training instances; by default all of them.
        """
        policy = config.sandbox.policy
        evaluator = GapEvaluator(
            loaded.problem,
            splits,
            lambda instance: reference(instance.id),
            limits=config.sandbox.limits,
            seed=candidate_seed(config),
            policy=policy.digest,
        )
        prefixes = prefixes or (len(splits.get("train", ())),)
        return cls(loaded, config, policy, evaluator, cache, ", ".join(splits), prefixes)

    def part(self, split: str) -> slice:
        """The instances of a split that programs are evaluated on before the search: of a pool, a prefix."""
        return slice(self.prefixes[0]) if split == "train" else WHOLE

    @property
    def divided(self) -> bool:
        """Whether jobs share the instances of a set; a rule that must be a function is audited once a job."""
        return not isinstance(self.loaded.problem, Stateless)

    def open_slot(self) -> Sandbox:
        """A sandbox slot under this setup's policy.

        Raises:
            SandboxError: candidates cannot be run safely here.
        """
        if isinstance(self.loaded.problem, Reported):
            from ...sandbox.trusted_evaluator import open_workshop

            return open_workshop(workshop_task(self.loaded.problem), self.policy)
        from ...sandbox.slot import open_sandbox

        return open_sandbox(self.policy)

    def admission(self, slot: Sandbox, plain: bool = False) -> Admission:
        """What examines proposals on a slot; `plain` as in `Admission`."""
        problem = self.loaded.problem
        seeded = bool(getattr(problem, "anew", 0))
        return Admission(slot, problem.entry_point, self.modules(), plain, seeded)

    def layers(self) -> dict[str, bool]:
        """Sandbox layer → whether it was on in every slot that was opened under this setup's policy."""
        from ...sandbox import slot, trusted_evaluator

        reported = isinstance(self.loaded.problem, Reported)
        return trusted_evaluator.active_layers(self.policy) if reported else slot.active_layers(self.policy)

    def record_layers(self, store: Store) -> None:
        """Stores them with a run; a layer that was missing in an earlier part of the run stays so."""
        earlier = store.read.record("layers") or {}
        layers = {name: on and earlier.get(name, True) for name, on in self.layers().items()}
        if layers != earlier:  # a write that says nothing new would make a sitting elsewhere begin again
            store.set("layers", layers)

    def modules(self) -> tuple[str, ...]:
        """Top-level names of the modules that a candidate may import; empty for whatever is installed."""
        if isinstance(self.loaded.problem, Reported):
            return ()
        return tuple(sorted({name.partition(".")[0] for name in self.policy.modules}))


# Progress of what comes before the search or beside it.

Notify = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is (counts)."""


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""
