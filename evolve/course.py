"""The course of a campaign: order and outcomes of its iterations, and which programs came from outside.

A course is recorded or live. `resume` follows the recorded steps with their recorded outcomes, then goes on
live; `replay` follows the recorded steps and computes their outcomes again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from ..evaluators.base import Evaluation
from .archive import Archive
from .store.reader import Reader
from .store.rows import IterationRow
from .store.schema import StoreError
from .tuning import OPERATOR
from .types import Candidate, Elite, Origin, Proposal, Rejection


class TellOrder(StrEnum):
    """The order of telling outcomes: as submitted (offline, scripted) or as they arrive (real models)."""

    SUBMITTED = "submitted"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Course:
    """The recorded steps of a campaign.

    Attributes:
        steps: the number of an iteration where it was opened, minus that number where it was closed.
        late: iterations that are admitted only when they are closed: another one had the same text first,
            whichever was opened first.
        open: iterations that were never closed, but have a candidate.
    """

    steps: tuple[int, ...]
    late: frozenset[int] = frozenset()
    open: frozenset[int] = frozenset()
    _told: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        told = frozenset(-step for step in self.steps if step < 0)
        object.__setattr__(self, "_told", told)

    def admits(self, number: int) -> bool:
        """Whether the text of an iteration is admitted as soon as the iteration is opened."""
        return number in self.open or (number in self._told and number not in self.late)


@dataclass(frozen=True, slots=True)
class Pace:
    """How many iterations are under way, and when they are closed; all constants of a run.

    Attributes:
        in_flight: iterations without an outcome (count), never the number of workers.
        order: of telling.
        waits: whether the proposer waits for a model and so runs in threads.
        course: the recorded steps to follow; None for a live campaign.
    """

    in_flight: int
    order: TellOrder = TellOrder.SUBMITTED
    waits: bool = False
    course: Course | None = None


@runtime_checkable
class HasCourse(Protocol):
    """A proposer that answers from a record."""

    @property
    def course(self) -> Course | None:
        """The record's course, None where outcomes were told in the order of asking."""


class RecordedCourse:
    """What the store of a campaign says of its iterations.

    Attributes:
        told: iterations with an outcome (count), which a resumed campaign repeats without executions.
    """

    def __init__(self, read: Reader) -> None:
        """Reads all iterations; candidates and evaluations are read on demand."""
        self._read = read
        self._iterations = {iteration.number: iteration for iteration in read.iterations()}
        self.told = sum(iteration.told is not None for iteration in self._iterations.values())

    def __iter__(self) -> Iterator[int]:
        return iter(self._iterations)

    def __contains__(self, number: int) -> bool:
        return number in self._iterations

    def __getitem__(self, number: int) -> IterationRow:
        return self._iterations[number]

    def made(self, number: int) -> Candidate | Rejection | None:
        """The candidate or rejection that an iteration's proposal became; None if there was no proposal
        yet.
        """
        iteration = self._iterations[number]
        if iteration.candidate is not None:
            return self._read.candidate(iteration.candidate)
        return iteration.rejection

    def evaluation(self, candidate: Candidate, prefix: int | None = None) -> Evaluation | None:
        """The training evaluation of a candidate on a prefix of the pool (count), by default on all it saw.

        None if it has none yet.
        """
        return self._read.evaluation(candidate.id, "train", prefix)

    def elite(self, id: str, archive: Archive, island: int | None = None, prefix: int | None = None) -> Elite:
        """A candidate with its training evaluation, whether or not it still holds a cell.

        Args:
            id: of a candidate with a complete training evaluation.
            archive: the archive whose cells the elite is put into.
            island: by default the candidate's own.
            prefix: see `evaluation`.

        Raises:
            StoreError: there is no such candidate.
        """
        candidate = self._read.candidate(id)
        evaluation = None if candidate is None else self.evaluation(candidate, prefix)
        if candidate is None or evaluation is None:
            raise StoreError(f"candidate {id}: not in the store, expected the parent of an iteration")
        return archive.elite(candidate, evaluation, candidate.island if island is None else island)

    def opened(
        self, number: int, archive: Archive, *, shared: bool = False
    ) -> tuple[list[Elite], Elite | None]:
        """The elites and the incumbent of an iteration that is still open; of one that was told, none.

        Where replies are `shared` also those of the last iteration, whose reply may hold a program more.
        """
        iteration = self._iterations[number]
        if iteration.told is not None and not (shared and number + 1 not in self._iterations):
            return [], None
        found = [
            None if id is None else self.elite(id, archive, prefix=iteration.prefix)
            for id in (iteration.incumbent, *iteration.parents, *iteration.inspirations)
        ]
        return [elite for elite in found[1:] if elite is not None], found[0]

    def points(self, archive: Archive) -> Mapping[int, tuple[Elite, Proposal | Rejection]]:
        """The points of tuning by iteration: the elite whose numbers were changed, and the text."""
        points: dict[int, tuple[Elite, Proposal | Rejection]] = {}
        for number, iteration in self._iterations.items():
            made = self.made(number)
            if made is not None and is_point(made):
                elite = self.elite(iteration.parents[0], archive, iteration.island, iteration.prefix)
                points[number] = elite, made if isinstance(made, Rejection) else _proposed(made)
        return points


def is_point(made: Candidate | Rejection | None) -> bool:
    """Whether a recorded candidate or rejection is a point of tuning; models also tune, in their own way."""
    return made is not None and made.operator == OPERATOR


def _proposed(candidate: Candidate) -> Proposal:
    return Proposal(candidate.files, candidate.origin, candidate.operator)


@dataclass(frozen=True, slots=True)
class Submission:
    """A program from outside.

    Attributes:
        parent: id of the candidate that it is said to come from.
        proposal: its text, and the submitter's idea.
    """

    parent: str
    proposal: Proposal


class Submissions:
    """Which iterations are submissions; the search is asked for nothing there."""

    def __init__(self, submissions: Mapping[int, Submission] | None = None) -> None:
        """Takes those of a record (number of the iteration → submission)."""
        self._by_number = dict(submissions or {})

    @classmethod
    def of(cls, recorded: RecordedCourse) -> Submissions:
        """Those of a recorded campaign."""
        found: dict[int, Submission] = {}
        for number in recorded:
            made = recorded.made(number)
            if isinstance(made, Candidate) and made.origin is Origin.SUBMIT:
                proposal = Proposal(made.files, made.origin, made.operator, idea=made.idea)
                found[number] = Submission(made.parents[0], proposal)
        return cls(found)

    def __bool__(self) -> bool:
        return bool(self._by_number)

    def add(self, number: int, submission: Submission) -> None:
        """Makes the iteration of this number a submission."""
        self._by_number[number] = submission

    def get(self, number: int) -> Submission | None:
        """The submission of an iteration; None if the search is asked there."""
        return self._by_number.get(number)
