"""What a solver's report proves: bounds rounded to the safe side, contradictions, units, and CBC's log."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.toolbox import Solved, SolverModelError, SolveStatus, safe_bound
from gapsmith.evaluators.toolbox.runners import cbc_log_bound, without_pandas
from gapsmith.evaluators.toolbox.solved import conclude, stronger
from gapsmith.problems.base import Sense

LOW = Sense.MINIMISE
HIGH = Sense.MAXIMISE


def _concluded(**other: Any) -> Solved:
    given: dict[str, Any] = {
        "ended": "optimal",
        "value": 7,
        "bound": 7,
        "solution": [3, 4],
        "names": ["a", "b"],
        "sense": LOW,
        "known_bound": None,
        "exact": True,
        "solver": "solver",
        "version": "1",
        "seconds": 0.5,
        "command": "command",
        "note": "",
    }
    return conclude(**(given | other))


@pytest.mark.parametrize(
    ("bound", "sense", "integral", "safe"),
    [
        (411.99999999956, LOW, True, 412),
        (412.00009, LOW, True, 412),
        (412.0002, LOW, True, 413),
        (411.2, LOW, True, 412),
        (-3.5, LOW, True, -3),
        (411.00000000044, HIGH, True, 411),
        (410.9998, HIGH, True, 410),
        (410.99991, HIGH, True, 411),
        (-3.5, HIGH, True, -4),
        (10.0**9 + 0.9, LOW, True, 10**9),
        (10.0**9 + 1.1, LOW, True, 10**9 + 1),
        (0.5, LOW, False, 0.5 - 1e-6),
        (0.5, HIGH, False, 0.5 + 1e-6),
        (4.0, LOW, False, 4.0 - 4e-6),
        (-4.0, HIGH, False, -4.0 + 4e-6),
    ],
)
def test_bounds_are_rounded_to_the_safe_side(bound: float, sense: Sense, integral: bool, safe: float) -> None:
    """Noise goes, and what is left is never beyond what the solver proved by more than that."""
    assert safe_bound(bound, sense, integral=integral) == pytest.approx(safe, abs=1e-12)


def test_the_tighter_of_two_bounds() -> None:
    """The larger lower bound, the smaller upper bound; equal ones too."""
    for left, right, low, high in ((2, 1, True, False), (1, 2, False, True), (2, 2, True, True)):
        assert stronger(left, right, LOW) == low
        assert stronger(left, right, HIGH) == high


@pytest.mark.parametrize(
    ("other", "status", "value", "bound", "proof"),
    [
        ({}, SolveStatus.OPTIMUM, 7, 7, ProofKind.SOLVER),
        ({"bound": 6}, SolveStatus.FEASIBLE, 7, 6, ProofKind.SOLVER),
        ({"sense": HIGH}, SolveStatus.OPTIMUM, 7, 7, ProofKind.SOLVER),
        ({"bound": None}, SolveStatus.FEASIBLE, 7, None, None),
        ({"bound": 6, "known_bound": 7}, SolveStatus.OPTIMUM, 7, 7, ProofKind.ARITHMETIC),
        ({"bound": 7, "known_bound": 6}, SolveStatus.OPTIMUM, 7, 7, ProofKind.SOLVER),
        ({"bound": 7, "known_bound": 7}, SolveStatus.OPTIMUM, 7, 7, ProofKind.ARITHMETIC),
        ({"bound": None, "known_bound": 5}, SolveStatus.FEASIBLE, 7, 5, ProofKind.ARITHMETIC),
        ({"bound": 8}, SolveStatus.FEASIBLE, 7, None, None),
        ({"bound": 8, "known_bound": 3}, SolveStatus.FEASIBLE, 7, 3, ProofKind.ARITHMETIC),
        ({"bound": 6, "sense": HIGH}, SolveStatus.FEASIBLE, 7, None, None),
        ({"bound": 8, "sense": HIGH}, SolveStatus.FEASIBLE, 7, 8, ProofKind.SOLVER),
        ({"bound": 8, "exact": False}, SolveStatus.UNKNOWN, None, None, None),
        (
            {"value": 7.0, "bound": 7.000001, "exact": False},
            SolveStatus.FEASIBLE,
            7.0,
            7.000001,
            ProofKind.SOLVER,
        ),
        ({"value": 7.0, "bound": 7.00001, "exact": False}, SolveStatus.UNKNOWN, None, None, None),
        (
            {"value": 0.1, "bound": 0.1000009, "exact": False},
            SolveStatus.FEASIBLE,
            0.1,
            0.1000009,
            ProofKind.SOLVER,
        ),
        ({"value": None, "solution": None}, SolveStatus.BOUND_ONLY, None, 7, ProofKind.SOLVER),
        ({"value": None, "solution": None, "bound": None}, SolveStatus.UNKNOWN, None, None, None),
        (
            {"value": None, "solution": None, "ended": "infeasible", "known_bound": 3},
            SolveStatus.INFEASIBLE,
            None,
            None,
            None,
        ),
    ],
)
def test_reports_become_results(
    other: dict[str, Any], status: SolveStatus, value: Any, bound: Any, proof: Any
) -> None:
    """Status, value, bound and proof of each kind of report."""
    solved = _concluded(**other)
    assert (solved.status, solved.value, solved.bound, solved.proof) == (status, value, bound, proof)
    assert (solved.solution is None) == (value is None)
    assert solved.by_name() == ({} if value is None else {"a": 3, "b": 4})


def test_an_exact_solution_refutes_the_callers_bound() -> None:
    """That bound is an error; at the bound itself all is well."""
    with pytest.raises(SolverModelError, match="known_bound 8"):
        _concluded(known_bound=8)
    assert _concluded(known_bound=7).status is SolveStatus.OPTIMUM
    assert _concluded(known_bound=8, exact=False).status is SolveStatus.BOUND_ONLY


def test_references_in_the_problems_unit() -> None:
    """Exact numbers stay exact, floats are multiplied; equal value and bound are an optimum."""
    cents = _concluded().as_reference(unit=Fraction(1, 100))
    assert (cents.kind, cents.value) == (ReferenceKind.OPTIMUM, Fraction(7, 100))
    whole = _concluded(bound=6).as_reference(unit=Fraction(1, 2))
    assert (whole.kind, whole.value) == (ReferenceKind.BOUND, 3)
    assert type(whole.value) is int
    real = _concluded(value=2.5, bound=2.25, exact=False)
    assert real.as_reference().value == 2.25
    assert real.as_reference(unit=4).value == 9.0
    assert real.as_reference(unit=4).kind is ReferenceKind.BOUND
    alone = _concluded(bound=None).as_reference()
    assert (alone.kind, alone.value, alone.bound) == (ReferenceKind.BEST_KNOWN, 7, None)
    with pytest.raises(SolverModelError, match="infeasible"):
        _concluded(value=None, solution=None, ended="infeasible").as_reference()
    with pytest.raises(SolverModelError, match="no bound and no solution"):
        _concluded(value=None, solution=None, bound=None).as_reference()


@pytest.mark.parametrize("sense", [LOW, HIGH])
def test_verified_objectives(sense: Sense) -> None:
    """Better than the model's value, up to the bound; worse, or beyond the bound, is an error."""
    sign = 1 if sense is LOW else -1
    open_run = _concluded(value=9 * sign, bound=6 * sign, sense=sense)
    assert open_run.as_reference(verified=9 * sign).kind is ReferenceKind.BOUND
    assert open_run.as_reference(verified=8 * sign).kind is ReferenceKind.BOUND
    met = open_run.as_reference(verified=6 * sign)
    assert (met.kind, met.value) == (ReferenceKind.OPTIMUM, 6 * sign)
    with pytest.raises(SolverModelError, match="worse"):
        open_run.as_reference(verified=10 * sign)
    with pytest.raises(SolverModelError, match="better than the"):
        open_run.as_reference(verified=5 * sign)
    nothing = _concluded(value=0.0, bound=-1.0 * sign, sense=sense, exact=False)
    assert nothing.as_reference(verified=0.5e-9 * sign).kind is ReferenceKind.BOUND
    with pytest.raises(SolverModelError, match="worse"):
        nothing.as_reference(verified=1.5e-9 * sign)
    without = _concluded(value=9 * sign, bound=None, sense=sense).as_reference(verified=8 * sign)
    assert (without.kind, without.value) == (ReferenceKind.BEST_KNOWN, 8 * sign)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("Lower bound:                    7.000\n", 7.498, 7.5),
        ("Lower bound:  1.5e+3\nLower bound: -2.000 \n", -1.502, -1.5),
        ("best possible 4 (1 s)\nbest possible 6.25 (2 s)\n", 6.748, 6.75),
        ("best possible -4e+06 (1 s)\n", -4000003.6, -4000003.5),
    ],
)
def test_bounds_in_the_log_of_cbc(tmp_path: Path, text: str, low: float, high: float) -> None:
    """The last bound, the offset added, is a little below what the rounded text says."""
    (tmp_path / "model").write_text(json.dumps({"offset": 0.5}), encoding="utf-8")
    assert cbc_log_bound(tmp_path) is None
    (tmp_path / "cbc.log").write_text(text, encoding="utf-8")
    found = cbc_log_bound(tmp_path)
    assert found is not None
    assert low <= found < high


def test_a_log_without_a_bound(tmp_path: Path) -> None:
    """No number is made up."""
    (tmp_path / "model").write_text(json.dumps({"offset": 0.5}), encoding="utf-8")
    (tmp_path / "cbc.log").write_text("Stopped on time\n", encoding="utf-8")
    assert cbc_log_bound(tmp_path) is None


def test_the_empty_pandas_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks through all loaded modules for their files meets no class in the place of a path."""
    monkeypatch.setitem(sys.modules, "pandas", sys)
    monkeypatch.delitem(sys.modules, "pandas")
    without_pandas()
    assert sys.modules["pandas"].__file__ is None
