"""The setup of a campaign: a problem with its instances, references, evaluator and sandbox policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...evaluators.base import WHOLE, Reference
from ...evaluators.cache import Cache
from ...evaluators.evaluator import GapEvaluator
from ...evolve.admission import Admission
from ...problems.base import Instance, Stateless
from ...problems.reported import Reported
from ...sandbox.base import Sandbox
from ..door.foreign import workshop_task
from ..door.plugins import LoadedProblem
from .secret import candidate_seed

if TYPE_CHECKING:
    from ...evolve.store.store import Store
    from ...sandbox.policy import Policy
    from ..config import Config


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
            from ...sandbox.workshop import open_workshop

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
        from ...sandbox import slot, workshop

        reported = isinstance(self.loaded.problem, Reported)
        return workshop.active_layers(self.policy) if reported else slot.active_layers(self.policy)

    def record_layers(self, store: Store) -> None:
        """Stores them with a run; a layer that was missing in an earlier part of the run stays so."""
        earlier = store.read.record("layers") or {}
        store.set("layers", {name: on and earlier.get(name, True) for name, on in self.layers().items()})

    def modules(self) -> tuple[str, ...]:
        """Top-level names of the modules that a candidate may import; empty for whatever is installed."""
        if isinstance(self.loaded.problem, Reported):
            return ()
        return tuple(sorted({name.partition(".")[0] for name in self.policy.modules}))
