"""Quantiles of CPU seconds are ranks, values that were measured; names in pictures lie apart."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from pathlib import Path

import gapsmith
import pytest
from gapsmith.app.formatting import figure, interval, percent, signed
from gapsmith.app.views.plots.canvas import fit_losses, new_axes
from gapsmith.app.views.plots.drawing import draw
from gapsmith.app.views.plots.search import _name, in_cell
from gapsmith.evaluators.base import ReferenceKind, Score, ScoreStatus
from gapsmith.evaluators.figures import figures
from gapsmith.evolve.store.progress import Point
from gapsmith.problems.base import Drawing, Instance, Shape
from matplotlib.text import Text


def quantiles(count: int) -> tuple[float | None, float | None]:
    """Median and 90th percentile of the CPU seconds 1, 2, …, `count`, measured in falling order."""
    instances = [Instance(f"i-{k}", "test", "all", {}, 1, "test") for k in range(count)]
    scores = [
        Score(i.id, ScoreStatus.OK, 1, 1, ReferenceKind.OPTIMUM, Fraction(0), 0, float(count - k))
        for k, i in enumerate(instances)
    ]
    found = figures(scores, instances)
    return found.cpu_seconds_median, found.cpu_seconds_p90


@pytest.mark.parametrize(
    ("count", "median", "p90"),
    [(1, 1, 1), (2, 1, 2), (3, 2, 3), (9, 5, 9), (10, 5, 9), (11, 6, 10), (40, 20, 36)],
)
def test_quantiles_are_nearest_ranks(count: int, median: int, p90: int) -> None:
    """The smallest value that at least half, or nine tenths, of all do not exceed."""
    assert quantiles(count) == (median, p90)


def test_ranks_are_exact_for_every_count() -> None:
    """No count loses a rank to the rounding of 0.9 · n."""
    for count in range(1, 121):
        assert quantiles(count) == (math.ceil(Fraction(count, 2)), math.ceil(Fraction(9 * count, 10)))


def test_nothing_has_no_quantiles() -> None:
    """Without scores there is no median."""
    assert quantiles(0) == (None, None)


def test_what_rounds_to_zero_has_no_minus() -> None:
    """A gap or difference of minus a thousandth of a point is printed as zero, others keep their sign."""
    assert [signed(value) for value in (-0.001, 0.0, -0.0, 0.126, -0.126)] == ["+0.00"] * 3 + [
        "+0.13",
        "-0.13",
    ]
    assert [signed(value, ".3f") for value in (-0.0004, -0.0006)] == ["+0.000", "-0.001"]
    assert (percent(-0.001), figure(-0.001), interval((-0.001, 0.5))) == ("0.00 %", "0.00", "[0.00, 0.50]")
    assert (percent(-0.01), figure(-0.01)) == ("-0.01 %", "-0.01")


def test_one_function_writes_signed_numbers() -> None:
    """No other file of the application formats a number with its sign, so no minus zero comes back."""
    folder = Path(gapsmith.__file__).parent / "app"
    others = [path.name for path in folder.rglob("*.py") if re.search(r":\+z?\.?\d", path.read_text("utf-8"))]
    assert others == []


def test_the_legend_in_a_terminal_shows_what_is_drawn() -> None:
    """Flat and upright lines have their own marks, in the picture and beside their groups' names."""
    from gapsmith.app.views.plots.drawing import in_terminal

    shapes = [
        Shape("rectangle", 0, 1, 5, 0.5, "", "job"),
        Shape("line", 3, 2, 0, 0.5, "", "due date"),
        Shape("line", 8, 0, -4, 0.2, "", "tardiness"),
    ]
    drawing = Drawing("a plan", "time", "", tuple(shapes))
    *picture, legend = in_terminal(drawing, 20, 6, 10, 3).plain.splitlines()
    assert legend == "█ job  │ due date  ─ tardiness"
    assert {"█", "│", "─"} <= set("".join(picture))


def test_rows_of_a_drawing_get_one_line_each_with_what_stands_in_them() -> None:
    """Six rows of height 1 take six lines, with texts where there is room; a stack takes the usual lines."""
    from gapsmith.app.views.plots.drawing import extent, in_terminal, lines

    rows = tuple(Shape("rectangle", row, row + 0.1, 5, 0.8, f"j{row}", "job") for row in range(6))
    drawing = Drawing("a plan", "time", "machine", rows)
    right, top = extent([drawing])
    height, top = lines([drawing], top)
    assert (height, top) == (6, 6.0)
    *picture, _ = in_terminal(drawing, 22, height, right, top).plain.splitlines()
    assert [line.strip(" █▌") for line in picture] == ["j5", "j4", "j3", "j2", "j1", "j0"]
    assert "j" not in in_terminal(drawing, 6, height, right, top).plain.splitlines()[0]
    stack = Drawing("loads", "GPU", "load", tuple(Shape("rectangle", 0, 1.5 * k, 1, 1.5) for k in range(6)))
    assert lines([stack], 9.0) == (14, 9.0)


@pytest.mark.parametrize(
    "losses",
    [[0.0, 0.09, 0.4, 5.2], [1.1, 1.3], [0.0, 5.2, 6.1], [0.02, 0.9], [0.0], [7.0], [0.001, 900.0], []],
)
def test_an_axis_of_losses_has_numbers_that_can_be_read(losses: list[float]) -> None:
    """Two ticks or more within the axis, 0 apart from those of the logarithmic part."""
    _, axes = new_axes()
    fit_losses(axes.yaxis, losses)
    low, high = axes.get_ylim()
    ticks = sorted({*axes.yaxis.get_majorticklocs(), *axes.yaxis.get_minorticklocs()})
    shown = [tick for tick in ticks if low <= tick <= high]
    assert len(shown) > 1
    places = [axes.transData.transform((0, tick))[1] for tick in shown]
    assert all(above - below > 3 for below, above in itertools.pairwise(places))


@pytest.mark.parametrize(("height", "numbered"), [(0.8, True), (1.5, False)])
def test_rows_of_a_small_gantt_chart_are_numbered(height: float, numbered: bool) -> None:
    """Three machines have whole numbers beside their rows; loads keep an axis of amounts."""
    bars = tuple(Shape("rectangle", 0, row + 0.1, 5, height, "", "job") for row in range(3))
    axes = draw({"a": Drawing("a plan", "time", "machine", bars)}).axes[0]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert (labels == ["0", "1", "2"]) is numbered


@pytest.mark.parametrize(("loss", "text"), [(0.2711, "0.27"), (99.4, "99"), (99.6, "100"), (603.2, "603")])
def test_a_loss_in_a_cell_of_the_archive_is_a_plain_number(loss: float, text: str) -> None:
    """A useless elite has 603 % in its cell, not 6e+02."""
    assert in_cell(loss) == text


@pytest.mark.parametrize("crowd", [1, 3])
def test_names_in_the_picture_of_times_lie_apart(crowd: int) -> None:
    """Names overlap neither one another, nor a mark, nor the line of the front, and stay in the picture."""
    near = [Point(f"a{k}", 0.001 * (1 + 0.02 * k), 9.0 - 0.1 * k) for k in range(2 * crowd)]
    points = [*near, Point("c", 1.0, 0.5), Point("d", 1.05, 0.4)]
    steps = [Point("e", 0.001, 8.0), Point("f", 2.0, 0.3)]
    _, axes = new_axes()
    axes.plot([1000 * p.seconds for p in points], [p.loss for p in points], "D")
    axes.set_xscale("log")
    _name({f"local-search-{p.program}": p for p in points}, axes, steps, points)
    boxes = [Text.get_window_extent(text) for text in axes.texts]
    marks = [axes.transData.transform((1000 * p.seconds, p.loss)) for p in (*points, *steps)]
    line = marks[-2][1]
    assert len(boxes) == len(points)
    for box in boxes:
        assert box.count_overlaps(boxes) == 1
        assert not any(box.contains(*mark) for mark in marks)
        assert not box.y0 <= line <= box.y1
        assert axes.bbox.x0 <= box.x0 < box.x1 <= axes.bbox.x1
        assert axes.bbox.y0 <= box.y0 < box.y1 <= axes.bbox.y1


def test_a_drawing_numbers_its_rows_in_their_middles_and_writes_only_where_there_is_room() -> None:
    """A Gantt chart of four machines; flat and narrow rectangles have no text, a label is inside the axes."""
    from gapsmith.app.views.plots.drawing import draw

    bars = [Shape("rectangle", 0, row + 0.1, 50, 0.8, f"job {row}", "operation") for row in range(4)]
    bars += [Shape("rectangle", 60, 0.1, 1, 0.8, "narrow"), Shape("rectangle", 60, 1.1, 40, 0.01, "flat")]
    labels = [Shape("label", 0, 3.9, text="here"), Shape("label", 1, 3.9, text="too near")]
    line = Shape("line", 0, 4, 100, 0, "", "limit")
    (axes,) = draw({"best": Drawing("plan", "time", "machine", (*bars, *labels, line))}).axes
    assert dict(zip(axes.get_yticks(), (t.get_text() for t in axes.get_yticklabels()), strict=True)) == {
        0.5: "0",
        1.5: "1",
        2.5: "2",
        3.5: "3",
    }
    texts = {text.get_text(): text for text in axes.texts}
    assert {*texts} == {"job 0", "job 1", "job 2", "job 3", "here"}
    assert (texts["here"].get_ha(), texts["here"].get_va()) == ("left", "bottom")


def test_maps_stand_side_by_side_in_true_shape_and_groups_look_different() -> None:
    """One unit is as long upwards as to the right; a sixth route has the first one's colour, but dashes."""
    from gapsmith.app.views.plots.drawing import draw

    routes = tuple(Shape("line", 0, n, 100, 10, "", f"route {n}") for n in range(6))
    figure = draw({name: Drawing("map", "x", "y", routes) for name in ("best", "savings")})
    left, right = figure.axes
    assert (left.get_aspect(), right.get_aspect()) == (1.0, 1.0)
    assert left.get_gridspec().ncols == 2
    (legend,) = figure.legends
    looks = {(mark.get_color(), mark.get_linestyle()) for mark in legend.legend_handles}
    assert len(looks) == 6
