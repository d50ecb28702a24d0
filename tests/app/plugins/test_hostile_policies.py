"""`problems check` names dialogues and references that judge another problem than the one that is stated."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from gapsmith.app.check.bench import Bench
from gapsmith.app.check.contract import draw
from gapsmith.app.check.findings import CheckReport
from gapsmith.app.check.policies import check_policies, check_reference_parts, check_small
from gapsmith.app.check.programs import check_programs, check_references, sample
from gapsmith.app.plugins.loader import load_problem
from gapsmith.sandbox.slot import open_sandbox

STATION = Path(__file__).parents[3] / "examples" / "charging_station.py"
MUTANTS = {
    "limit forgotten": (
        "gs.require(sum(power) <= limit,",
        "gs.require(True,",
    ),
    "negative power": ('gs.Values("cars", 0,', 'gs.Values("cars", -50,'),
    "a car's maximum ignored": ('"min(cars[i][0], cars[i][2])"', '"cars[i][0]"'),
    "penalty dropped": ("return cost + penalty * sum(needs)", "return cost"),
}
SETUPS = '''
"""Jobs of families on one machine; a job of another family than the one before needs a setup."""
import gapsmith as gs

problem = gs.problem("setups", minimise="minutes", answer=gs.Permutation("jobs"))


@problem.instances
def shop(rng, *, jobs: int = 7):
    return {"jobs": [[rng.randint(1, 9), rng.randrange(3)] for _ in range(jobs)], "setup": 4}


@problem.heuristic
def shortest(jobs, setup):
    return sorted(range(len(jobs)), key=lambda j: jobs[j][0])


@problem.objective
def completions(answer, jobs, setup):
    now = total = 0
    for place, j in enumerate(answer):
        changes = place and jobs[answer[place - 1]][1] != jobs[j][1]
        now += jobs[j][0] + (setup if changes else 0)
        total += now
    return total


@problem.reference
def every_order(jobs, setup):
    from itertools import permutations
    setup = FACTOR * setup
    return gs.optimum(min(completions(list(order), jobs, setup) for order in permutations(range(len(jobs)))))
'''


def examined(path: Path) -> CheckReport:
    """The report of the new checks on answers of the problem's own programs to two instances."""
    loaded = load_problem(str(path))
    bench = Bench(loaded, CheckReport(loaded.name), time.monotonic())
    assert draw(bench)
    sample(bench)
    bench.cases = bench.cases[:2]
    with open_sandbox() as sandbox:
        check_programs(bench, sandbox, 2.0)
    check_references(bench, 1.0)
    check_policies(bench, 6.0)
    check_small(bench)
    check_reference_parts(bench, 20.0)
    return bench.report


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_careless_station_is_named(tmp_path: Path, mutant: str) -> None:
    """A limit forgotten, a bound too wide and a penalty dropped are named."""
    old, new = MUTANTS[mutant]
    text = STATION.read_text("utf-8")
    assert text.count(old) == 1
    path = tmp_path / "station.py"
    path.write_text(text.replace(old, new), "utf-8")
    assert {one.check for one in examined(path).findings} & {"hostile-policy", "reference-disagrees"}


@pytest.mark.slow
def test_the_station_itself_passes() -> None:
    """No policy beats the clairvoyant day, and every part of it matters to some verdict."""
    assert examined(STATION).findings == []


@pytest.mark.slow
@pytest.mark.parametrize(("factor", "found"), [("1", set()), ("2", {"reference-disagrees"})])
def test_a_reference_with_doubled_setups_is_named(tmp_path: Path, factor: str, found: set[str]) -> None:
    """All orders of a few jobs show that the reference adds up other setups than the objective."""
    path = tmp_path / "setups.py"
    path.write_text(SETUPS.replace("FACTOR", factor), "utf-8")
    report = examined(path)
    assert {one.check for one in report.findings if one.check != "beats-reference"} == found
    if found:
        assert any("the best has objective" in one.got for one in report.findings)
