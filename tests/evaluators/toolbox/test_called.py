"""Methods that are called in a process of their own: their results, and what they noted before a kill."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from gapsmith.evaluators.bin_packing.references import BinPackingReferences
from gapsmith.evaluators.classics.tour_proof import certified
from gapsmith.evaluators.serving.bound import evaluate, prices
from gapsmith.evaluators.serving.references import KvSchedulingReferences
from gapsmith.evaluators.toolbox import SolverError, call
from gapsmith.problems.base import Instance

METHODS = """
import time

def sums(numbers, seconds, note):
    return {"sum": sum(numbers), "seconds": seconds}

def overruns(first, seconds, note):
    note(first)
    note(first + 1)
    time.sleep(1000)

def silent(seconds, note):
    time.sleep(1000)

def fails(seconds, note):
    raise ValueError("no such tour")
"""

OVERRUNS = """
import os, sys, time
sys.path.remove(os.path.dirname(__file__))
del sys.modules["highspy"]
import highspy
runs = 0
solve = highspy.Highs.run

def run(solver):
    global runs
    runs += 1
    return solve(solver) if runs <= {after} else time.sleep(1000)

highspy.Highs.run = run
"""


@pytest.fixture
def overrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """HiGHS in processes that start from now on heeds no limit after so many runs."""

    def after(runs: int) -> None:
        (tmp_path / "highspy.py").write_text(OVERRUNS.format(after=runs))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        monkeypatch.setattr("gapsmith.evaluators.toolbox.called.SPARE_SECONDS", 1.0)

    return after


@pytest.fixture
def methods(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of methods that the process finds too."""
    (tmp_path / "methods_of_a_test.py").write_text(METHODS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr("gapsmith.evaluators.toolbox.called.SPARE_SECONDS", 0.5)
    return importlib.import_module("methods_of_a_test")


def test_a_call_returns_what_the_method_returns(methods: ModuleType) -> None:
    """Arguments and result are JSON; the seconds are those of the call."""
    assert call(methods.sums, {"numbers": [1, 2, 3]}, 7.0) == {"sum": 6, "seconds": 7.0}


def test_a_method_that_overruns_leaves_what_it_noted_last(methods: ModuleType) -> None:
    """The process is killed, and the second note counts."""
    began = time.monotonic()
    assert call(methods.overruns, {"first": 41}, 0.5) == 42
    assert time.monotonic() - began < 500


def test_a_method_that_has_noted_a_result_overruns_little(
    methods: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long patience is for methods without a result; one with a result ends soon after its limit."""
    monkeypatch.setattr("gapsmith.evaluators.toolbox.called.SPARE_SECONDS", 1e6)
    monkeypatch.setattr("gapsmith.evaluators.toolbox.process.GRACE_SECONDS", 0.2)
    assert call(methods.overruns, {"first": 41}, 0.3) == 42


def test_a_method_that_notes_nothing_is_an_error(methods: ModuleType) -> None:
    """The message names the method, the seconds and what to do."""
    with pytest.raises(SolverError, match=r"silent: got no result within 0\.5 s .* give more seconds"):
        call(methods.silent, {}, 0.5)


def test_a_method_that_fails_says_why(methods: ModuleType) -> None:
    """The last line of its error is kept."""
    with pytest.raises(SolverError, match=r"fails: .* no such tour"):
        call(methods.fails, {}, 5.0)


def test_a_bound_is_noted_before_branching() -> None:
    """What survives a kill of a tour's branching is a certificate with a bound below the answer's length."""
    public = {"distances": [[abs(i * i % 17 - j * j % 17) + 3 for j in range(17)] for i in range(17)]}
    for i in range(17):
        public["distances"][i][i] = 0
    noted: list[dict[str, int]] = []
    last = certified(public, 30.0, None, 1, noted.append)
    assert noted
    assert all(0 < note["bound"] <= last["value"] for note in noted)


def _instance(public: dict[str, Any]) -> Instance:
    return Instance("drawn", "test", "drawn", public, 1, "drawn by a test", None)


def test_columns_that_overrun_leave_the_first_bound(overrun: Callable[[int], None]) -> None:
    """Bins: the linear programme proves the optimum 9; where it is killed, volume has proved 8."""
    sizes = [16, 15, 14, 14, 14, 13, 13, 13, 13, 12, 12, 12, 12, 11, 10, 9, 8, 8, 7, 6, 5]
    instance = _instance({"sizes": sizes, "capacity": 30})
    whole = BinPackingReferences().compute(instance, 20.0)
    assert (whole.kind, whole.value, whole.proof) == ("optimum", 9, "dual")
    overrun(0)
    cut = BinPackingReferences().compute(instance, 0.5)
    assert (cut.kind, cut.value, cut.proof) == ("bound", 8, "arithmetic")


def test_prices_that_overrun_leave_the_coarse_ones(overrun: Callable[[int], None]) -> None:
    """Requests: a kill in the second programme leaves the prices of the first one, which prove less."""
    public = {"workers": 1, "memory": 30, "arrivals": [0] * 9, "prompts": [8, 9, 10] * 3, "outputs": [6] * 9}
    coarse, fine = (evaluate(public, prices(public, 20.0, rounds)) for rounds in (4, 1))
    assert sum(public["outputs"]) < coarse < fine
    references = KvSchedulingReferences()
    assert references.compute(_instance(public), 20.0).value == fine
    overrun(1)
    cut = references.compute(_instance(public), 2.0)
    assert (cut.value, cut.proof) == (coarse, "dual")
