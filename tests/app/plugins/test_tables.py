"""Tables of programs on a terminal of 80 columns: names stay whole, figures give way."""

from __future__ import annotations

import io
from typing import Any

import pytest
from gapsmith.app.commands import baselines
from gapsmith.app.views.tables import print_figures, small_sets
from rich.console import Console

LONG = "an-eighteen-letter"
FIGURES: dict[str, Any] = {
    "mean_gap_percent": 13.21,
    "mean_gap_ci95_percent": [13.0, 13.4],
    "ratio_of_sums_percent": 13.21,
    "mean_excess": 53.17,
    "solved": 0,
    "instances": 100,
    "cpu_seconds_median": 0.0111,
    "failed": 5,
    "reference_kinds": {"optimum": 100},
    "pairs": {"wins": 100, "ties": 0, "losses": 0},
}


def printed(width: int, *names: str) -> list[str]:
    """Lines of a table of programs that did alike."""
    out = Console(file=io.StringIO(), width=width)
    print_figures(out, "bins, valid", dict.fromkeys(names, FIGURES), "bins", {"dual": 2})
    return out.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [70, 80, 140])
def test_names_are_whole(width: int) -> None:
    """A name of 18 characters stands on one line with all its figures, in no more columns than there are."""
    lines = printed(width, LONG, "short")
    assert max(map(len, lines)) <= width
    assert any(line.startswith(f"{LONG}  ") and "100/0/0" in line for line in lines), lines


def test_what_is_left_out_is_said() -> None:
    """A narrow table is without the excess and says so; a wide one has it and explains it."""
    assert any(line.startswith("left out of a narrow table: excess, ") for line in printed(80, LONG))
    wide = printed(140, LONG)
    assert any("53.17" in line for line in wide)
    assert "excess: mean bins worse than the reference" in wide
    assert not any(line.startswith("left out") for line in wide)


@pytest.mark.parametrize(("instances", "said"), [(29, True), (30, False)])
def test_intervals_of_few_instances_are_qualified(instances: int, said: bool) -> None:
    """Below 30 instances a line says what an interval is worth; without an interval there is none."""
    out = Console(file=io.StringIO(), width=140)
    few = FIGURES | {"instances": instances}
    print_figures(out, "bins, valid", {"first": few, "second": few}, "bins", {})
    words = "95 % intervals are wide, can end beyond all of them, and may be 90 %"
    line = f"few values (instances {instances}):"
    assert out.file.getvalue().count(f"{line}\n  {words}\n") == said  # type: ignore[attr-defined]
    assert small_sets({"splits": {"train": few, "valid": None, "test": few}}) == (
        [f"few values (training {instances}, test {instances}):", f"  {words}"] if said else []
    )
    assert (
        small_sets({"splits": {"train": few | {"mean_gap_ci95_percent": None}, "valid": None, "test": None}})
        == []
    )


def test_longer_names_are_folded_where_they_must() -> None:
    """A name that a terminal has no room for goes on in the next line, not before 18 characters."""
    name = "a-name-that-is-longer-than-most.py"
    (first,) = [line.split()[0] for line in printed(80, name) if line.startswith("a-name")]
    assert name.startswith(first)
    assert 18 <= len(first) < len(name)
    assert any(line.startswith(f"{name}  ") for line in printed(140, name))


def test_strata_stand_under_whole_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table by stratum begins anew where names do not fit side by side."""
    out = Console(file=io.StringIO(), width=80)
    monkeypatch.setattr(baselines, "console", lambda: out)
    names = [f"{LONG[:-1]}{number}" for number in range(5)]
    cell = {"mean_gap_percent": 5.26}
    entry = {"strata": {"jobs=100 longest=20": cell, "jobs=100 longest=90": cell}}
    baselines._print_strata({"baselines": dict.fromkeys(names, entry)})
    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= 80
    heads = [line.split()[1:] for line in lines if line.startswith("stratum")]
    assert [name for head in heads for name in head] == names
