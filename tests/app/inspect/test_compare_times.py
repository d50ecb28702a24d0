"""`compare` by time: the best of both arms in each class, Holm's correction, and the hypervolume."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.analysis.compare import Front, _with_holm
from gapsmith.app.runs.champions import TimedProgram

Say = Callable[..., Any]


def _front(*points: tuple[float, float], start: float | None = 10.0, limit: float = 1.0) -> Front:
    """A front of (CPU seconds, loss in percent)."""
    programs = tuple(
        TimedProgram(f"p{number}", seconds, -loss / 100, None)  # type: ignore[arg-type]
        for number, (seconds, loss) in enumerate(points)
    )
    return Front(programs, {}, start, limit)


def test_the_hypervolume_is_the_area_that_was_worked_out_by_hand() -> None:
    """From 1 ms to 1 s: a third of the axis at gain 0.5, two thirds at 0.9."""
    front = _front((0.0005, 5.0), (0.010, 1.0), (0.5, 3.0))
    assert front.hypervolume() == pytest.approx(1 / 3 * 0.5 + 2 / 3 * 0.9)


def test_the_start_program_alone_has_none_and_the_perfect_rule_all() -> None:
    """0 and 1 are the ends of the scale, and worse programs than the start take nothing away."""
    assert _front((0.002, 10.0)).hypervolume() == 0.0
    assert _front((0.002, 10.0), (0.002, 25.0)).hypervolume() == 0.0
    assert _front((0.0001, 0.0)).hypervolume() == 1.0
    assert _front((0.0001, 0.0), start=0.0).hypervolume() is None
    assert _front((0.0001, 0.0), start=None).hypervolume() is None


def test_a_further_program_never_lowers_the_hypervolume() -> None:
    """Dominated points change nothing; a slow perfect one adds the rest of the axis."""
    some = _front((0.002, 5.0)).hypervolume()
    assert _front((0.002, 5.0), (0.01, 6.0)).hypervolume() == pytest.approx(some)
    more = _front((0.002, 5.0), (0.1, 0.0)).hypervolume()
    assert some is not None
    assert more == pytest.approx(some + 0.5 * (1 - math.log(100) / math.log(1000)))


def test_p_values_are_corrected_step_by_step() -> None:
    """Holm's procedure: times 3, 2, 1, never falling, at most 1."""
    rows = _with_holm([{"p_value": p} for p in (0.03, 0.01, 0.9, None)])
    assert [row["p_value_holm"] for row in rows] == [pytest.approx(0.06), pytest.approx(0.03), 0.9, None]


@pytest.mark.slow
def test_two_runs_are_compared_class_by_class(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """The difference of each row is that of its losses, and both arms have a hypervolume."""
    names = ("20260105-100000-smtt-one", "20260106-100000-smtt-two")
    for seed, name in enumerate(names, start=1):
        make_run(tmp_path / name, candidates=25, seed=seed)
    document = say("compare", *names, "--json", runs=tmp_path).document
    rows = document["pairs"][0]["times"]
    assert rows
    for row in rows:
        assert row["difference_percent"] == pytest.approx(row["a_loss_percent"] - row["b_loss_percent"])
        assert row["p_value"] <= row["p_value_holm"] <= 1
    assert all(0 < arm["hypervolume"] <= 1 for arm in document["arms"])
    said = say("compare", *names, runs=tmp_path)
    assert "best within each CPU time" in said.out
    assert f"A {document['arms'][0]['hypervolume']:.3f}" in said.out
    assert max(map(len, said.out.splitlines())) <= 140
