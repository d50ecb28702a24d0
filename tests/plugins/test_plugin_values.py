"""Values of the wrong kind from a plug-in end in one sentence that names it, never in an exception."""

from __future__ import annotations

from typing import Any

import pytest
from gapsmith.evaluators.base import Reference, ReferenceKind, ScoreStatus
from gapsmith.evaluators.scoring import score
from gapsmith.problems.base import Instance, Sense, Verdict, VerdictStatus
from gapsmith.sandbox.base import Execution, ExecutionStatus


class Odd:
    """A problem whose `verify` gives whatever it is told to."""

    name, sense, unit = "odd", Sense.MINIMISE, "coins"

    def __init__(self, gives: Any) -> None:
        self.gives = gives

    def verify(self, instance: Instance, answer: Any) -> Any:
        """The value itself, or what a function returns."""
        return self.gives() if callable(self.gives) else self.gives


def scored(gives: Any) -> Any:
    """The score of an answer on which `verify` gives this."""
    instance = Instance("i", "test", "s", {}, 1, "test")
    reference = Reference(1, ReferenceKind.BEST_KNOWN, None, None, "none", "1", None, "test")
    execution = Execution(ExecutionStatus.OK, answer=[], cpu_seconds=0.1)
    return score(Odd(gives), instance, reference, execution)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        (None, "odd: verify gave None, expected a Verdict"),
        (7, "odd: verify gave 7, expected a Verdict"),
        ((True, 3), "odd: verify gave (True, 3), expected a Verdict"),
        (lambda: 10**5000, "odd: verify gave a value of type int, expected a Verdict"),
        (lambda: Verdict.invalid(5), "violations: got (5,), expected sentences"),  # type: ignore[arg-type]
        (
            lambda: Verdict("infeasible", None, ("x",)),  # type: ignore[arg-type]
            "status: got 'infeasible', expected a VerdictStatus",
        ),
    ],
)
def test_what_is_no_verdict_is_no_score(gives: Any, words: str) -> None:
    """A forgotten `return`, a bare number or a verdict of odd parts is blamed on the problem's `verify`."""
    found = scored(gives)
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert words in found.message


def test_a_proper_verdict_is_scored() -> None:
    """The same door lets a verdict through."""
    assert scored(Verdict(VerdictStatus.VALID, 3)).objective == 3
