"""Validation in the background: chooses champions, never steers the search."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future

from ..evaluators.base import Evaluation
from .base import Candidate, Elite
from .executor import Job
from .state import Ports

SPLIT = "valid"


class Validation:
    """Evaluations on the validation split: what is found and what is under way."""

    def __init__(self, ports: Ports) -> None:
        """Takes where evaluations are made and recorded."""
        self.found: dict[str, Evaluation] = {}
        self.executions = 0
        self.cpu_seconds = 0.0
        self._ports = ports
        self._under_way: dict[Future[Evaluation], str] = {}

    @property
    def futures(self) -> Iterable[Future[Evaluation]]:
        """What is under way."""
        return tuple(self._under_way)

    def asked(self, id: str) -> bool:
        """Whether a candidate was validated or is being validated."""
        return id in self.found or id in self._under_way.values()

    def start(self, candidate: Candidate) -> None:
        """Validates a candidate once; one that is in the record already is not run again."""
        if self.asked(candidate.id):
            return
        # Counted when it starts: what a budget sees may not depend on how fast it is.
        self.executions += len(self._ports.evaluator.instances(SPLIT))
        found = self._ports.store.read.evaluation(candidate.id, SPLIT)
        if found is not None:
            self._take(candidate.id, found)
        else:
            job = Job(self._ports.evaluator.program(candidate.files), SPLIT)
            self._under_way[self._ports.executor.submit(job)] = candidate.id

    def start_best(self, elites: Iterable[Elite]) -> None:
        """Validates the best of some elites that was not validated yet."""
        fresh = [elite for elite in elites if not self.asked(elite.candidate.id)]
        if fresh:
            self.start(max(fresh, key=lambda e: (e.fitness, e.candidate.id)).candidate)

    def collect(self) -> None:
        """Records what has ended."""
        for done in [future for future in self._under_way if future.done()]:
            id = self._under_way.pop(done)
            evaluation = done.result()
            self._ports.store.put_evaluation(id, evaluation, self._ports.evaluator.version)
            self._take(id, evaluation)

    def _take(self, id: str, evaluation: Evaluation) -> None:
        self.found[id] = evaluation
        self.cpu_seconds += sum(score.cpu_seconds for score in evaluation.scores)
