"""A champion that fails on the test split is executed on all of it and compared on all of it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., tuple[dict[str, Any], Path]]
Command = Callable[..., subprocess.CompletedProcess[str]]


def _larger_in_test(problem: str, target: Path) -> Path:
    """The small problem with test instances of 12, 13 and 12 jobs, and a start program for 12 at most."""
    text = Path(problem).read_text("utf-8")
    changes = (
        ('"test": 2}', '"test": 3}'),
        ("for _ in range(12)]", "for _ in range(12 + (set == 'test' and number == 1))]"),
        ("sorted(range(len(times)), key=lambda j: 2", "sorted(range(12 + 0 * len(times)), key=lambda j: 2"),
    )
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    target.write_text(text, "utf-8")
    return target


@pytest.mark.slow
def test_a_failure_on_test_is_a_loss_and_ends_no_comparison(
    campaign: Run, command: Command, problem: str, tmp_path: Path
) -> None:
    """All test instances are scored, the failed one is lost, and no p value is made of the others."""
    mine = str(_larger_in_test(problem, tmp_path / "mine.py"))
    found = [
        campaign(name, campaign={"problem": mine, "seed": seed}, budget={"iterations": 6})
        for seed, name in enumerate(("one", "two"), start=1)
    ]
    summary, folder = found[0]
    champion = summary["best"]["candidate"]
    with sqlite3.connect(folder / "archive.sqlite") as database:
        statuses = [
            row[0]
            for row in database.execute(
                "SELECT x.status FROM executions x JOIN evaluations e ON e.id = x.evaluation "
                "WHERE e.split = 'test' AND e.program = ? ORDER BY x.instance",
                (champion,),
            )
        ]
    assert statuses == ["ok", "invalid_answer", "ok"]
    baseline = next(claim for claim in summary["claims"] if claim["against"] == "baseline shortest")
    assert baseline["instances"] == 3
    assert baseline["wins"] + baseline["ties"] + baseline["losses"] == 3
    assert baseline["losses"] >= 1
    assert (baseline["difference_percent"], baseline["p_value"]) == (None, None)
    done = command("compare", found[0][1].name, found[1][1].name, "--json")
    pair = json.loads(done.stdout)["pairs"][0]
    assert pair["wins"] + pair["ties"] + pair["losses"] == 3
    assert (pair["difference_percent"], pair["p_value"]) == (None, None)
    assert "a run failed on an instance" in command("compare", found[0][1].name, found[1][1].name).stdout
