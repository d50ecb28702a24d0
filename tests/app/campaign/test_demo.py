"""The first command: a campaign, pictures of two answers, a report, and what the exact method takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.commands.demo import DEMOS
from gapsmith.app.plugins.built_ins import BUILT_INS

Command = Callable[..., Any]


def test_what_can_be_shown_is_listed(command: Command) -> None:
    """Each is a built-in problem; another name is refused with the list."""
    assert {*DEMOS} <= {*BUILT_INS}
    assert [row["name"] for row in json.loads(command("demo", "--list", "--json").stdout)] == [*DEMOS]
    done = command("demo", "knapsack")
    assert done.returncode == 2
    assert all(name in done.stderr for name in DEMOS)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_demonstration_draws_two_answers_and_names_its_report(command: Command) -> None:
    """The chart, the headline, the report and the exact method stand in this order."""
    done = command("demo", "--budget", "2it")
    assert done.returncode == 0
    parts = [
        "drawn on one scale",
        "makespan",
        "on test",
        "the whole report: ",
        "exact method (cp-sat): 20 of 20",
    ]
    places = [done.stdout.index(part) for part in parts]
    assert places == sorted(places)
    report = done.stdout.partition("the whole report: ")[2].splitlines()[0]
    assert "<svg" in Path(report).read_text()
