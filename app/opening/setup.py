"""From a configuration to a problem with its instances, references and evaluator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.cache import Cache
from ...evaluators.evaluator import GapEvaluator
from ...evolve.executor import ThreadExecutor
from ...problems.base import Instance, InstanceFileError, ReadsInstances
from ...sandbox.base import Limits, Sandbox
from ..door.plugins import LoadedProblem, load_problem
from ..errors import INVALID, USAGE, UserError
from .secret import keyed

if TYPE_CHECKING:
    from ...evolve.store.store import Store
    from ...sandbox.policy import Policy
    from ..config import Config

Notify = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done and how much there is (counts)."""

_FILE_ENDINGS = (".csv", ".json", ".jsonl", ".txt")


@dataclass(frozen=True, slots=True)
class Setup:
    """A problem ready to be searched or evaluated."""

    loaded: LoadedProblem
    config: Config
    policy: Policy
    evaluator: GapEvaluator
    cache: Cache
    instances_from: str

    @property
    def workers(self) -> int:
        """Sandbox slots at work (count)."""
        return self.config.run.workers or os.cpu_count() or 1

    def open_slot(self) -> Sandbox:
        """A sandbox slot under this setup's policy.

        Raises:
            SandboxError: candidates cannot be run safely here.
        """
        from ...sandbox.slot import open_sandbox

        return open_sandbox(self.policy)

    def layers(self) -> dict[str, bool]:
        """Sandbox layer → whether it was on in every slot that was opened under this setup's policy."""
        from ...sandbox.slot import active_layers

        return active_layers(self.policy)

    def record_layers(self, store: Store) -> None:
        """Stores them with a run; a layer that was missing in an earlier part of the run stays so."""
        earlier = store.read.record("layers") or {}
        store.set("layers", {name: on and earlier.get(name, True) for name, on in self.layers().items()})

    @contextmanager
    def executor(self) -> Iterator[ThreadExecutor]:
        """As many slots as there are workers, ended afterwards."""
        self.evaluator.prepare()  # forks, so before there are threads
        executor = ThreadExecutor(self.evaluator, self.open_slot, self.workers)
        try:
            yield executor
        finally:
            executor.close()
            self.evaluator.close()

    def modules(self) -> tuple[str, ...]:
        """Top-level names of the modules that a candidate may import."""
        return tuple(sorted({name.partition(".")[0] for name in self.policy.modules}))


def policy_of(config: Config) -> Policy:
    """The sandbox's import policy and layers under a configuration."""
    from ...sandbox.policy import Policy

    standard = Policy()
    extra = [m for m in config.sandbox.modules if m not in standard.modules]
    return Policy(modules=(*standard.modules, *extra), without=frozenset(config.sandbox.without))


def limits_of(config: Config) -> Limits:
    """What one execution may use under a configuration."""
    section = config.sandbox
    return Limits(section.cpu_seconds, int(section.memory_mb * 2**20), int(section.output_kb * 2**10))


def open_problem(config: Config) -> LoadedProblem:
    """The problem that a configuration names, with its parameters, drawn with the secret that it names.

    Raises:
        ProblemError: it cannot be found or used.
    """
    return keyed(load_problem(config.campaign.problem, config.problem), config.evaluation.secret)


def names_file(text: str) -> bool:
    """Whether a text that may name a set means a file: it exists, has a folder or a file's ending."""
    path = Path(text)
    return path.exists() or len(path.parts) > 1 or path.suffix in _FILE_ENDINGS


def read_file(loaded: LoadedProblem, path: Path) -> Sequence[Instance]:
    """The instances of a user's file.

    Raises:
        UserError: the problem reads no files, or this one cannot be read.
    """
    if not isinstance(loaded.problem, ReadsInstances):
        raise UserError(USAGE, f"{loaded.name}: reads no instance files", "name one of its sets instead")
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "no such file"
        raise UserError(INVALID, f"{path}: {what}, expected a file with instances")
    try:
        instances = loaded.problem.read_instances(path)
    except InstanceFileError as error:
        raise UserError(INVALID, str(error), f"format: `gapsmith problems show {loaded.name}`") from error
    except OSError as error:
        raise UserError(INVALID, f"{path}: {error.strerror}, expected a file with instances") from error
    if not instances:
        raise UserError(INVALID, f"{path}: no instances, expected at least one")
    return instances
