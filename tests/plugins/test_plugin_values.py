"""Values of the wrong kind from a plug-in end in one sentence that names it, never in an exception."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.base import ProofKind, Reference, ReferenceKind, ScoreStatus
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


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (10**400, "a number beyond 10^300 as objective, expected an int"),
        (Fraction(10**301, 3), "a number beyond 10^300"),
        (-(10**300) - 1, "a number beyond 10^300"),
        (1e301, "1e+301 as objective"),
        (math.nan, "nan as objective"),
        (True, "True as objective"),
        ("3", "'3' as objective"),
        (np.int64(3), "np.int64(3) as objective"),
    ],
)
def test_objectives_that_cannot_be_scored_are_named(objective: Any, words: str) -> None:
    """NaN, booleans, texts, NumPy integers and numbers beyond 10^300 are no objectives."""
    found = scored(Verdict(VerdictStatus.VALID, objective))
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert f"odd: verify gave {words}" in found.message


@pytest.mark.parametrize("value", [0, -7, 10**300, Fraction(7, 3), 0.5, -1e300, np.float64(2.5)])
def test_numbers_that_can_be_scored(value: Any) -> None:
    """Integers, fractions and finite floats make references and objectives alike."""
    assert Reference.optimum(value, ProofKind.DUAL, "x", "1", None, "x").bound == value
    assert scored(Verdict.valid(value)).objective == value


KNOWN = {
    "value": 3,
    "kind": ReferenceKind.BOUND,
    "bound": 3,
    "proof": ProofKind.DUAL,
    "solver": "x",
    "version": "1",
    "seconds": None,
    "source": "x",
}
NOT_PROVEN = {"kind": ReferenceKind.BEST_KNOWN, "bound": None, "proof": None}


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"value": "3"}, "Reference value: got '3', expected an int, a Fraction or a finite float"),
        ({"value": True, "bound": True}, "Reference value: got True, expected"),
        ({"value": None, **NOT_PROVEN}, "Reference value: got None, expected"),
        ({"value": np.int64(3)}, "Reference value: got np.int64(3), expected"),
        ({"value": math.nan, **NOT_PROVEN}, "Reference value: got nan, expected"),
        ({"value": 10**400, **NOT_PROVEN}, "Reference value: got a number beyond 10^300"),
        ({"bound": -(10**400)}, "Reference bound: got a number beyond 10^300"),
        ({"bound": -math.inf}, "Reference bound: got -inf, expected"),
        ({"kind": "bound"}, "Reference kind: got 'bound', expected ReferenceKind.OPTIMUM, "),
        ({"proof": "dual"}, "Reference proof: got 'dual', expected None, ProofKind.ARITHMETIC, "),
        ({"bound": None}, "proof must be given iff there is a bound"),
    ],
)
def test_what_is_no_reference_is_refused(parts: dict[str, Any], words: str) -> None:
    """A reference whose numbers, kind or proof are of another type says so where it is made."""
    with pytest.raises(ValueError, match=re.escape(words)):
        Reference(**{**KNOWN, **parts})


def test_a_proper_verdict_is_scored() -> None:
    """The same door lets a verdict through."""
    assert scored(Verdict(VerdictStatus.VALID, 3)).objective == 3
