"""Programs that somebody outside the search brought; each is an iteration, recorded like every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from .archive import Archive
from .counters import SearchCounters
from .course import RecordedCourse
from .iteration import Ask, Sharing
from .racing import Races
from .types import Candidate, Origin, Proposal


@dataclass(frozen=True, slots=True)
class Submission:
    """A program from outside.

    Attributes:
        parent: id of the candidate that it is said to come from.
        proposal: its text, and the submitter's idea.
    """

    parent: str
    proposal: Proposal


class Asked(Protocol):
    """The parts of a search that opening an iteration needs and changes."""

    @property
    def archive(self) -> Archive:
        """The elites."""

    @property
    def races(self) -> Races:
        """Whom a candidate races."""

    @property
    def sharing(self) -> Sharing:
        """Which iterations wait for an outcome."""

    @property
    def tally(self) -> SearchCounters:
        """How many iterations were asked for."""


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

    def ask(self, search: Asked) -> Ask | None:
        """Opens the next iteration of a search if it is a submission; None if it is not.

        The program races on the island of the best elite, and the hardest instances come first: the submitter
        is to learn the most from a race that ends early.
        """
        number = search.tally.asked + 1
        submission = self._by_number.get(number)
        best = search.archive.best
        if submission is None or best is None:
            return None
        search.tally.asked = number
        incumbent = search.races.incumbent(best.island, best)
        return search.sharing.open(
            Ask(
                number,
                best.island,
                (submission.parent,),
                incumbent=None if incumbent is None else incumbent.candidate.id,
                race=None
                if incumbent is None
                else search.races.race(best.island, incumbent, incumbent, True),
                point=submission.proposal,
                submitted=True,
            )
        )
