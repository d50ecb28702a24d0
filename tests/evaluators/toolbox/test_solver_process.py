"""The solver's process: its hard limit, what survives it, and what becomes of it when its parent is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gapsmith import Sense
from gapsmith.evaluators.toolbox import SolverError, safe_bound
from gapsmith.evaluators.toolbox.process import run_worker

WORKER = {"workers": 1, "seed": 0}
OVERRUN = {**WORKER, "seconds": 1000}  # the worker believes in a long limit, so only the parent can end it


def market_split() -> str:
    """A hard model in the worker's own form, minimised."""
    import random

    stream = random.Random(1)
    columns = [[0, 0, 1, True] for _ in range(40)] + [[1, 0, 5000, True] for _ in range(10)]
    rows = []
    for k in range(5):
        shares = [stream.randint(0, 99) for _ in range(40)]
        side = sum(shares) // 2
        rows.append([side, side, [*range(40), 40 + k, 45 + k], [*shares, 1, -1]])
    return json.dumps({"columns": columns, "offset": 0, "rows": rows})


@pytest.mark.parametrize("solver", ["highs", pytest.param("cbc", marks=pytest.mark.slow)])
def test_a_solver_that_overruns_is_killed(solver: str) -> None:
    """The process is gone soon after the limit; with HiGHS its incumbent and bound survive it."""
    report = run_worker(solver, market_split(), OVERRUN, 0.5)
    assert report.ended == "killed"
    assert "killed" in report.note
    if solver == "highs":
        assert report.solution is not None
        assert report.bound == 0


def test_a_limit_without_an_incumbent_has_no_solution() -> None:
    """Of an integer model without a feasible point so far HiGHS still has values, which are no solution."""
    model = json.loads(market_split())
    model["columns"] = model["columns"][:40]
    model["rows"] = [[low, high, places[:40], shares[:40]] for low, high, places, shares in model["rows"]]
    report = run_worker("highs", json.dumps(model), WORKER, 0.2)
    assert (report.ended, report.solution) == ("limit", None)


def test_a_process_that_fails_says_why() -> None:
    """A worker that raises is an error with its last line, not an unknown outcome."""
    with pytest.raises(SolverError, match=r"code 1: .*JSONDecodeError"):
        run_worker("highs", "no model", WORKER, 1.0)


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_must_be_positive(seconds: float) -> None:
    """A limit that limits nothing is refused."""
    with pytest.raises(ValueError, match="expected a number > 0"):
        run_worker("highs", market_split(), WORKER, seconds)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_solver_dies_with_its_parent() -> None:
    """A killed campaign leaves no solver behind that computes on."""
    code = (
        "import sys\n"
        "from gapsmith.evaluators.toolbox.process import run_worker\n"
        "run_worker('highs', sys.stdin.read(), {'workers': 1, 'seed': 0}, 300.0)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    parent.stdin.write(market_split().encode())
    parent.stdin.close()
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    worker = _wait_for(lambda: children.read_text().split())[0]
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    _wait_for(lambda: not _alive(int(worker)))


@pytest.mark.parametrize(
    ("bound", "sense", "safe"),
    [
        (411.99999999956, Sense.MINIMISE, 412),
        (98.00000000000024, Sense.MINIMISE, 98),
        (411.3, Sense.MINIMISE, 412),
        (45.99999999999999, Sense.MAXIMISE, 46),
        (46.9, Sense.MAXIMISE, 46),
        (-3.0000001, Sense.MINIMISE, -3),
        (3_000_000_000.9, Sense.MINIMISE, 2_999_999_998),  # noise may be as large as three units here
    ],
)
def test_bounds_are_rounded_to_the_safe_side(bound: float, sense: Sense, safe: int) -> None:
    """Noise never turns a bound of n into n + 1, and a fraction of a unit is used where it is no noise."""
    assert safe_bound(bound, sense, integral=True) == safe


def test_real_bounds_are_loosened() -> None:
    """Without integrality a bound gives way by a millionth, in the direction that its sense allows."""
    assert 99.9 < safe_bound(100.0, Sense.MINIMISE, integral=False) < 100
    assert 100 < safe_bound(100.0, Sense.MAXIMISE, integral=False) < 100.1


@pytest.mark.slow
@pytest.mark.parametrize(
    "order", ["highspy, ortools.sat.python.cp_model", "ortools.sat.python.cp_model, highspy"]
)
def test_both_solvers_can_be_imported_in_one_process(order: str) -> None:
    """From release 1.15 highspy and OR-Tools exclude each other; the declared range must not."""
    for order in ("highspy, ortools.sat.python.cp_model", "ortools.sat.python.cp_model, highspy"):
        subprocess.run(
            [sys.executable, "-c", f"import {order}, pulp; assert pulp.HiGHS().available()"], check=True
        )


def _alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def _wait_for(condition: object) -> list[str]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = condition()  # type: ignore[operator]
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("waited 20 s in vain")
