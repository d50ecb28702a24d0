"""Programs that somebody outside the search brought; each is an iteration, recorded like every other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .course import RecordedCourse
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
