"""Validation in the background: chooses champions, never steers the search."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from ..evaluators.base import Evaluation, Evaluator
from .executor import EvaluationJob, Executor, leave
from .settings import constant, knob
from .store.store import Store
from .types import Candidate

SPLIT = "valid"


@dataclass(frozen=True)
class ValidationSettings:
    """When elites are validated during the search."""

    validate_every: int = constant(
        10, "told iterations between validations of an island's new best (count, >= 1)", ge=1
    )


@dataclass(frozen=True)
class ChampionSettings:
    """How the champion is chosen after the search."""

    champions: int = constant(10, "top elites that are validated at the end (count, >= 1)", ge=1)
    time_budget: float | None = knob(
        None,
        "most time of a champion (CPU seconds of an execution above the sandbox's floor, mean over "
        "validation, > 0); slower candidates stay parents; default: no limit",
        gt=0,
    )


class Validation:
    """Evaluations on the validation split, ended and under way.

    Attributes:
        evaluations: candidate → its evaluation.
        executions, cpu_seconds: what a budget counts of them (count, seconds).
        left_out: candidates that are not validated, as a budget of wall seconds has no time for them.
        postponed: whether nothing is validated now; whoever follows the record later validates it then.
    """

    def __init__(self, evaluator: Evaluator, executor: Executor, store: Store) -> None:
        """Takes what makes and records evaluations."""
        self.evaluations: dict[str, Evaluation] = {}
        self.executions = 0
        self.cpu_seconds = 0.0
        self.left_out: set[str] = set()
        self.postponed = False
        self._evaluator = evaluator
        self._executor = executor
        self._store = store
        self._under_way: dict[Future[Evaluation], str] = {}

    @property
    def futures(self) -> tuple[Future[Evaluation], ...]:
        """Evaluations under way."""
        return tuple(self._under_way)

    def has(self, id: str) -> bool:
        """Whether a candidate was validated, or is being validated."""
        return id in self.evaluations or id in self._under_way.values()

    def made(self, id: str) -> bool:
        """Whether a candidate's evaluation is made: the record may hold that of an earlier session."""
        return self.has(id) or self._store.read.evaluation(id, SPLIT) is not None

    def start(self, candidate: Candidate) -> None:
        """Validates a candidate once; does not repeat an evaluation that the record holds."""
        if self.postponed or self.has(candidate.id) or candidate.id in self.left_out:
            return
        # Counted when it starts, so that a budget does not depend on how fast a validation runs.
        self.executions += len(self._evaluator.instances(SPLIT))
        recorded = self._store.read.evaluation(candidate.id, SPLIT)
        if recorded is not None:
            self._take(candidate.id, recorded)
        else:
            job = EvaluationJob(self._evaluator.program(candidate.files), SPLIT)
            self._under_way[self._executor.submit(job)] = candidate.id

    def leave_out(self, candidate: Candidate) -> None:
        """Does not validate a candidate, unless that was done or is under way."""
        if not self.has(candidate.id):
            self.left_out.add(candidate.id)

    def abandon(self) -> None:
        """Leaves out what is under way: a budget of wall seconds is over."""
        self.collect()
        for future, id in self._under_way.items():
            leave(self._executor, future)
            self.left_out.add(id)
        self._under_way.clear()

    def take_up(self, candidate: Candidate) -> None:
        """Validates a candidate whether or not it was left out."""
        self.left_out.discard(candidate.id)
        self.start(candidate)

    def add(self, id: str, evaluation: Evaluation) -> None:
        """Takes the evaluation of a founder from before the search; no budget counts it."""
        self.evaluations[id] = evaluation

    def collect(self) -> None:
        """Records the evaluations that have ended."""
        for done in [future for future in self._under_way if future.done()]:
            id = self._under_way.pop(done)
            evaluation = done.result()
            self._store.put_evaluation(id, evaluation, self._evaluator.version)
            self._take(id, evaluation)

    def _take(self, id: str, evaluation: Evaluation) -> None:
        self.evaluations[id] = evaluation
        self.cpu_seconds += sum(score.cpu_seconds for score in evaluation.scores)
