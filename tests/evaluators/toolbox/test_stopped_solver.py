"""Solvers that are stopped early: their answers, their CPU time, and their rows beside the baselines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import Anytime
from gapsmith.problems.base import Sense

RULES = [
    f"{name}-rule" for name in ("job-shop", "blocking-job-shop", "task-graph", "memory-mapping", "flow-shop")
]
WHOLE = ["job-shop", "blocking-job-shop", "task-graph", "memory-mapping", "flow-shop", "multi-knapsack"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [*WHOLE, *RULES, "gpu-fleet"])
def test_a_stopped_solver_is_no_better_than_the_reference(name: str) -> None:
    """The answer is valid, no better than the reference, and no worse than twice (or half) of it; more effort
    does no harm, and the same effort gives the same answer."""
    loaded = load_problem(name)
    assert isinstance(loaded.references, Anytime)
    instance = loaded.instances("train", 1)[0]
    reference = loaded.references.reference(instance, 20).value
    runs = [loaded.references.incumbent(instance, effort) for effort in (0.1, 0.1, 0.3)]
    values = [run.verdict.objective for run in runs if run.verdict is not None]
    assert len(values) == 3
    first, again, later = (float(value) for value in values if value is not None)
    assert first == again
    if loaded.problem.sense is Sense.MINIMISE:
        assert reference <= later <= first <= 2 * reference
    else:
        assert reference / 2 <= first <= later <= reference
    assert all(0 < run.cpu_seconds < 60 for run in runs)


@pytest.mark.slow
def test_a_solver_has_rows_beside_the_baselines(gapsmith: Callable[..., Any]) -> None:
    """One row for each effort, with gap, CPU time and counts against a baseline, in JSON and in the table."""
    words = ("baselines", "multi-knapsack", "--split", "valid", "--set", "problem.valid_per_stratum=1")
    document = json.loads(gapsmith(*words, "--solver", "0.01", "--solver", "0.05", "--json").stdout)
    assert list(document["solver"]) == ["cp-sat, effort 0.01", "cp-sat, effort 0.05"]
    assert not set(document["solver"]) & set(document["baselines"])
    for row in document["solver"].values():
        assert 0 <= row["mean_gap_percent"] < 50
        assert 0 < row["cpu_seconds_median"] < 60
        assert sum(row["pairs"].values()) == row["instances"]
    assert "cp-sat, effort 0.01" in gapsmith(*words, "--solver", "0.01").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tsp", "--solver", "1"), "tsp has no solver that can be stopped early"),
        (("job-shop", "--solver", "0"), "--solver 0: expected deterministic seconds above 0"),
        (("job-shop", "--solver", "nan"), "--solver nan: expected deterministic seconds above 0"),
        (("job-shop", "--solver", "soon"), "expected a number"),
    ],
)
def test_a_wrong_solver_flag_is_said(
    gapsmith: Callable[..., Any], words: tuple[str, ...], message: str
) -> None:
    """A problem without such a solver and an effort out of range are usage errors, not tracebacks."""
    done = gapsmith("baselines", *words, "--split", "valid", "--set", "problem.valid_per_stratum=1")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_run_keeps_its_solver_as_a_rival_at_its_time(
    gapsmith: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`show --solver` stores a row for each effort; the table of times and the report show them from then on,
    and they are the figures of the same solver beside the baselines."""
    monkeypatch.chdir(tmp_path)
    sizes = [f"problem.{split}_per_stratum=1" for split in ("train", "valid", "test")]
    words = [word for text in sizes for word in ("--set", text)]
    run = ("run", "multi-knapsack", "--iterations", "2", "--workers", "1", *words, "--json")
    name = json.loads(gapsmith(*run).stdout)["run"]
    first = json.loads(gapsmith("show", name, "--solver", "0.01", "--json").stdout)
    assert [row["solver"] for row in first["solver"]] == ["cp-sat, effort 0.01"]
    assert "cp-sat, effort 0.05" in gapsmith("show", name, "--solver", "0.05", "--solver", "0.05").stdout
    document = json.loads(gapsmith("show", name, "--json").stdout)
    assert {row["effort"] for row in document["solver"]} == {0.01, 0.05}
    assert document["champions"] == first["champions"]
    beside = ("baselines", "multi-knapsack", "--split", "test", *words, "--solver", "0.05", "--json")
    row = json.loads(gapsmith(*beside).stdout)["solver"]["cp-sat, effort 0.05"]
    (later,) = [row for row in document["solver"] if row["effort"] == 0.05]
    assert later["splits"]["test"]["fitness"] == row["fitness"]
    times = [row["time_seconds"] for row in document["solver"]]
    assert times == sorted(times)
    assert all(0 < seconds < 60 for seconds in times)
    assert gapsmith("report", name).returncode == 0
    for page in ("report.md", "report.html"):
        assert "cp-sat, effort 0.05" in (tmp_path / "runs" / name / page).read_text("utf-8")
