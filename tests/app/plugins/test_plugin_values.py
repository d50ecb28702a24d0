"""Values of the wrong kind from a plug-in end in one sentence that names it, never in an exception."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.base import ProofKind, Reference, ReferenceKind, ScoreStatus, encode_reference
from gapsmith.evaluators.cache import Cache, ReferenceCache
from gapsmith.evaluators.scoring import fitness, score
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
        (Fraction(1, 10**5000), "a denominator beyond 10^1000 as objective, expected an int"),
        (1e301, "1e+301 as objective"),
        (math.nan, "nan as objective"),
        (True, "True as objective"),
        ("3", "'3' as objective"),
        (np.int64(3), "np.int64(3) as objective"),
    ],
)
def test_objectives_that_cannot_be_scored_are_named(objective: Any, words: str) -> None:
    """NaN, booleans, texts, NumPy integers and numbers too long to be written are no objectives."""
    found = scored(Verdict(VerdictStatus.VALID, objective))
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert f"odd: verify gave {words}" in found.message


@pytest.mark.parametrize(
    ("objective", "reference", "scale", "words"),
    [
        (1e300, 1e-10, 1, "gave 1e+300 as objective, expected one that is at most 10^301 times the ref"),
        (10**299, 0, Fraction(1, 10**12), "10^301 times the instance's scale away"),
        (1e299, 0.0, Fraction(1, 10**12), "10^301 times the instance's scale away"),
    ],
)
def test_a_gap_beyond_floats_is_no_score(objective: Any, reference: Any, scale: Any, words: str) -> None:
    """An answer so bad that its gap is infinite, or cannot be computed, neither scores nor ends a run."""
    instance = Instance("i", "test", "s", {}, scale, "test")
    known = Reference(reference, ReferenceKind.BEST_KNOWN, None, None, "none", "1", None, "test")
    execution = Execution(ExecutionStatus.OK, answer=[], cpu_seconds=0.1)
    found = score(Odd(Verdict.valid(objective)), instance, known, execution)  # type: ignore[arg-type]
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert words in (found.message or "")


SOUND = [0, -7, Fraction(1, 10**999), 10**300, Fraction(7, 3), 0.5, -1e300, np.float64(2.5)]


@pytest.mark.parametrize("value", SOUND)
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


def test_a_kept_reference_that_is_none_any_more_is_made_anew(tmp_path: Path) -> None:
    """A cache may hold what an earlier version took: an infinite bound does not end the command."""
    instance = Instance("i", "test", "s", {}, 1, "test")
    sound = Reference.optimum(3, ProofKind.DUAL, "x", "1", None, "x")
    cache = Cache(tmp_path)
    problem: Any = SimpleNamespace(name="odd", version="1")
    references: Any = SimpleNamespace(version="1", reference=lambda instance, seconds: sound)
    kept = ReferenceCache(cache, problem, references, "origin")
    broken = {**encode_reference(sound), "value": "-inf", "bound": "-inf"}
    cache.put("reference", kept._key(instance), {"limit": 1.0, "reference": broken})
    assert kept.get(instance, 1.0) is None
    assert kept.get_or_compute(instance, 1.0) == kept.get(instance, 1.0) == sound


PARTS = {"id": "a-1", "split": "a", "stratum": "s", "public": {"n": 1}, "scale": 1, "source": "x"}


@pytest.mark.parametrize("part", ["id", "split", "stratum"])
@pytest.mark.parametrize(
    ("name", "got"),
    [
        (3, "got 3,"),
        (None, "got None,"),
        (["a"], "got ['a'],"),
        ("", "got '',"),
        (" ", "got ' ',"),
        ("a\nb", r"got 'a\nb',"),
        ("a\x1b[2J", r"got 'a\x1b[2J',"),
        ("a\u2028b", r"got 'a\u2028b',"),
        ("a\u202eb", r"got 'a\u202eb',"),
        ("a\ud800", r"got 'a\ud800',"),
        ("x" * 501, "got 'xxx"),
    ],
)
def test_names_that_cannot_be_shown_are_refused(part: str, name: Any, got: str) -> None:
    """Ids, sets and strata are printed in tables: what is no short line of text is named and refused."""
    with pytest.raises(
        ValueError, match=f"^instance( a-1)? {part}: got .* expected a text of 1 to 500"
    ) as caught:
        Instance(**{**PARTS, part: name})
    assert got in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", ["train/../1", "x" * 500, "Größe 3 \u3000 例", "a b", "rdd=0.2 tf=0.6"])
def test_other_names_are_taken_as_they_are(name: str) -> None:
    """Letters of any script, blanks and signs are fine."""
    assert Instance(**{**PARTS, "id": name, "split": name, "stratum": name}).id == name


@pytest.mark.parametrize("part", ["public", "hidden"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"n": 1, "m": np.int64(3)}, "['m']: got np.int64(3) (Object of type int64"),
        ({"m": [1, [np.float32(3)]]}, "['m']: got [1, [np.float32(3.0)]] (Object of type float32"),
        ({"m": np.zeros((2, 2))}, "['m']: got array([[0., 0.], [0., 0.]]) (Object of type ndarray"),
        ({"m": {(0, 1): 5}}, "['m']: got {(0, 1): 5} (keys must be str"),
        ({"m": {1, 2}}, "['m']: got {1, 2} (Object of type set"),
        ({"m": math.nan}, "['m']: got nan (Out of range float"),
        ({"m": ["\ud800"]}, r"['m']: got ['\ud800'] ("),
        ({1: 2, "m": 3}, ": got the key 1, expected texts as keys"),
        ([[1], [2]], ": got [[1], [2]], expected a mapping"),
        (7, ": got 7, expected a mapping"),
    ],
)
def test_what_is_no_plain_json_is_named(part: str, value: Any, words: str) -> None:
    """The message names the instance, the part and the key, what is there and which types are fine."""
    with pytest.raises(ValueError, match=f"^instance a-1 {part}") as caught:
        Instance(**{**PARTS, part: value})
    assert f"{part}{words}" in str(caught.value)
    assert "expected a mapping" in str(caught.value) or "texts as keys" in str(caught.value)


def test_an_integer_too_long_to_write_is_named() -> None:
    """Python refuses to write integers of more than 4300 digits, in JSON and in messages."""
    with pytest.raises(ValueError, match=r"^instance a-1 public\['m'\]: got a value of type int .*4300"):
        Instance(**{**PARTS, "public": {"m": 10**5000}})


def test_a_proper_verdict_is_scored() -> None:
    """The same door lets a verdict through."""
    assert scored(Verdict(VerdictStatus.VALID, 3)).objective == 3


@pytest.mark.parametrize(
    ("reference", "objective", "expected"),
    [
        (Reference.optimum(8.0, ProofKind.SOLVER, "s", "1", 0.1, "t"), 8.0 - 4e-9, 0.0),
        (Reference.proven_bound(8.0, ProofKind.SOLVER, "s", "1", 0.1, "t"), 8.0 - 4e-9, 0.0),
        (Reference.optimum(8, ProofKind.SOLVER, "s", "1", 0.1, "t"), 8.0 - 4e-9, 0.0),
        (Reference.optimum(8.0, ProofKind.SOLVER, "s", "1", 0.1, "t"), 8.5, -0.0625),
        (Reference.optimum(8, ProofKind.SOLVER, "s", "1", 0.1, "t"), 9, -0.125),
        (Reference(8.0, ReferenceKind.BEST_KNOWN, None, None, "s", "1", None, "t"), 7.0, 0.125),
        (Reference(8, ReferenceKind.BEST_KNOWN, None, None, "s", "1", None, "t"), 7, 0.125),
    ],
)
def test_the_noise_of_a_float_wins_nothing(reference: Reference, objective: Any, expected: float) -> None:
    """Within the tolerance of a proven bound the fitness is at most 0; the record keeps the difference."""
    instance = Instance("i", "test", "s", {}, 1, "test")
    execution = Execution(ExecutionStatus.OK, answer=[], cpu_seconds=0.1)
    problem: Any = Odd(Verdict.valid(objective))
    found = score(problem, instance, reference, execution)
    assert (found.status, found.objective, found.excess) == (
        ScoreStatus.OK,
        objective,
        objective - reference.value,
    )
    assert fitness([found], [instance]) == expected
