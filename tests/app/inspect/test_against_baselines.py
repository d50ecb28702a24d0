"""Pages and pictures of a run whose references are the best baseline: losses may be below 0."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.runs.record import open_record
from gapsmith.app.views.plots import quality
from gapsmith.app.views.plots import quality as quality_module
from gapsmith.app.views.plots.canvas import fit_losses, new_axes
from gapsmith.app.views.plots.kinds import KINDS, Kind


@pytest.fixture
def run(tmp_path: Path, make_run: Callable[..., Path]) -> Path:
    """A finished run whose references are said to be values of the best baseline."""
    folder = make_run(tmp_path / "20260102-203301-smtt-aaaa", candidates=8)
    with sqlite3.connect(folder / "archive.sqlite") as store:
        store.execute("UPDATE instance_references SET kind = 'baseline'")
    return folder


def test_captions_name_no_mark_that_is_not_drawn(run: Path) -> None:
    """Without a proof there is no star and 0 is no optimum; without a stopped solver there are no squares."""
    with open_record(run, checked=False) as record:
        captions = {name: kind.caption_of(record) for name, kind in KINDS.items()}
    assert not re.search("The star|Squares|optimal", " ".join(captions.values()))
    assert "lower is better, 0 is the best baseline" in captions["progress"]
    assert captions["pareto"].endswith("Above four times the start program's loss nothing is drawn.")


def test_captions_of_proven_references_name_the_star(runs: Path) -> None:
    """Where the references are optima, the picture has a star and the caption its meaning."""
    with open_record(runs / "20260102-203301-smtt-aaaa", checked=False) as record:
        assert "The star is" in KINDS["pareto"].caption_of(record)
        assert "0 is optimal" in KINDS["progress"].caption_of(record)


def test_a_linear_axis_is_not_called_logarithmic(run: Path) -> None:
    """Losses below 0 make their axis linear, and the label says so; losses above 0 keep a logarithmic one."""

    def drawn(losses: list[float]) -> str:
        def make(_: Any) -> Any:
            figure, axes = new_axes()
            axes.set_ylabel("training loss (%, logarithmic)")
            fit_losses(axes.yaxis, losses)
            return figure

        with open_record(run, checked=False) as record:
            figure = Kind("A picture.", make).draw(record)
        assert figure is not None
        return str(figure.axes[0].get_ylabel())

    assert drawn([-10.0, 50.0]) == "training loss (%)"
    assert drawn([0.1, 50.0]) == "training loss (%, logarithmic)"


def test_the_line_of_equals_passes_losses_below_zero(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points of a better program lie below 0, and the line reaches as far as they do."""
    monkeypatch.setattr(quality_module, "losses", lambda record, program, split: {"i-1": -20.0, "i-2": 0.0})
    with open_record(run, checked=False) as record:
        figure = quality.scatter(record)
    assert figure is not None
    assert (
        list(figure.axes[0].lines[0].get_xdata()) == list(figure.axes[0].lines[0].get_ydata()) == [-20, 0.1]
    )
