"""Pictures of the search: progress, front, archive, operators, rejections; arms of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ....evolve.measures import MEASURES
from ....evolve.store.progress import Point, exact_point, points
from ....evolve.store.progress import steps as steps_of
from ....evolve.store.statistics import failures_by_status, stopped, work
from ....evolve.store.statistics import operators as operators_of
from ....evolve.types import Elite
from ...formatting import count, one_line
from ...runs.figures import knows_future
from ...runs.record import SHORT, RunRecord
from . import quality
from .canvas import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LOSS,
    NAME,
    ORANGE,
    RED,
    WIDTH,
    above,
    fit_losses,
    logarithmic,
    logarithmic_times,
    new_axes,
    note_thinning,
    styled,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation


_FAR = 4.0
"""Points above this many times the start program's loss are left out, because they would flatten the rest."""
_NEAR = ((6, -11), (6, 5), (-6, -11), (-6, 5), (6, 16), (-6, 16))
"""Offsets of a name from its point (printer's points), in order of preference."""
_AWAY = tuple((x, y) for x in (40, 90, -40, 140) for y in (0, 14, -14, 28, -28, 42, -42, 56, -56))
"""Offsets of a name that a line joins to its point."""
_AXES = {
    "evaluations": "candidates evaluated (count)",
    "seconds": "wall time (s)",
    "usd": "cost of models (US$)",
}


def progress(record: RunRecord, over: str = "evaluations") -> Figure | None:
    """Best training loss so far over evaluations, seconds or dollars; None if dollars are unknown or 0."""
    steps = steps_of(record.reader)
    values = [getattr(step, over) for step in steps]
    if not steps or any(value is None for value in values) or (over == "usd" and not any(values)):
        return None
    done = work(record.reader)
    end = {"evaluations": done.evaluations, "seconds": done.seconds or 0.0, "usd": values[-1]}[over]
    figure, axes = new_axes()
    axes.step(
        [*values, end],
        [*[s.loss for s in steps], steps[-1].loss],
        where="post",
        color=BLUE,
        label="best so far",
    )
    axes.plot(values[1:], [s.loss for s in steps[1:]], "o", color=BLUE, markersize=4)
    lines = _reference_lines(record, axes, "train")
    fit_losses(axes.yaxis, [*[s.loss for s in steps], *lines])
    axes.set_xlabel(_AXES[over])
    axes.set_ylabel(LOSS)
    above(axes)
    return figure


def front(record: RunRecord) -> Figure | None:
    """Training loss against CPU time of all candidates: Pareto front, baselines, and the exact method."""
    every = points(record.reader)
    baselines = quality.baseline_points(record)
    if not every:
        return None
    most = _FAR * max(every[0].loss, min(p.loss for p in every))  # the first is the start program
    found = [p for p in every if p.loss <= most]
    near = [p for p in baselines if p.loss <= most]
    shown = thin(found)
    best = quality.front(found)
    figure, axes = new_axes(WIDTH, 3.8)
    axes.scatter(
        [1000 * p.seconds for p in shown], [p.loss for p in shown], s=8, color=GREY, label="candidates"
    )
    times = [1000 * p.seconds for p in best]
    losses = [p.loss for p in best]
    axes.step(times, losses, "o-", where="post", color=BLUE, markersize=4, label="Pareto front")
    axes.plot(
        [1000 * p.seconds for p in near],
        [p.loss for p in near],
        "D",
        color=ORANGE,
        markersize=5,
        label="baselines",
    )
    if (exact := exact_point(record.reader)) is not None:
        times = [1000 * exact.seconds]
        what = "bound that knows the future" if knows_future(record.reader) else "exact"
        axes.plot(times, [0.0], "*", color=INK, markersize=9, clip_on=False, label=f"{what} (wall time)")
    logarithmic_times(axes)
    fit_losses(axes.yaxis, [*[p.loss for p in (*found, *near)], *([] if exact is None else [0.0])])
    note_thinning(axes, len(shown), len(every), "candidates")
    axes.set_xlabel("CPU time per execution (ms, logarithmic)")
    axes.set_ylabel(LOSS)
    above(axes)
    _name({record.title(p.program): p for p in quality.front(near)}, axes, best, near)
    return figure


def _name(named: Mapping[str, Point], axes: Axes, steps: Sequence[Point], others: Sequence[Point]) -> None:
    """Writes each point's name clear of steps, marks and other names; a name without room is left out.

    The axes must have their final scales.
    """
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    axes.figure.draw_without_rendering()  # type: ignore[union-attr]  # lays the axes out
    marks = [axes.transData.transform((1000 * p.seconds, p.loss)) for p in (*steps, *others)]
    line = [Bbox([(a[0], a[1] - 1), (b[0], a[1] + 1)]) for a, b in pairwise(marks[: len(steps)])]
    taken = line + [Bbox.from_bounds(x - 3, y - 3, 6, 6) for x, y in marks]
    taken += [text.get_window_extent() for text in axes.texts]
    for name, point in named.items():
        for place in (*_NEAR, *_AWAY):
            text = _write(axes, name, point, place)
            text.get_window_extent()  # puts the words in their place
            box = Text.get_window_extent(text)  # of the words alone, without the line
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1
            if inside and axes.bbox.y0 <= box.y0 and box.y1 <= axes.bbox.y1 and not box.count_overlaps(taken):
                taken.append(box)
                break
            text.remove()


def _write(axes: Axes, name: str, point: Point, place: tuple[int, int]) -> Annotation:
    """Writes a name at an offset from its point, joined to it by a line if it is away."""
    line = {"arrowstyle": "-", "linewidth": 0.5, "color": GREY, "shrinkA": 0, "shrinkB": 3}
    note = axes.annotate(
        name,
        (1000 * point.seconds, point.loss),
        xytext=place,
        textcoords="offset points",
        fontsize=8,
        ha="left" if place[0] > 0 else "right",
        arrowprops=line if place in _AWAY else None,
    )
    note.set_in_layout(False)  # a name does not move the axes that its place was found in
    return note


def archive(record: RunRecord) -> Figure | None:
    """Cells of the archive over its first two measures, coloured by the loss of their best elite."""
    rebuilt = record.archive
    elites = [] if rebuilt is None else rebuilt.elites()
    if rebuilt is None or not elites:
        return None
    best: dict[tuple[int, int], Elite] = {}
    for elite in elites:
        x, y, *_ = (*elite.cell, 0, 0)
        best.setdefault((x, y), elite)
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize, SymLogNorm
    from matplotlib.patches import Rectangle

    losses = [-100 * elite.fitness for elite in best.values()]
    low = min(losses)
    high = max(losses)
    colours = colormaps["viridis_r"]
    norm = Normalize(low, high)
    if 0 <= low < high:  # one useless elite would make all others look alike
        norm = SymLogNorm(max(0.001, min(loss for loss in losses if loss > 0)), vmin=low, vmax=high)
    scale = ScalarMappable(norm, colours)
    figure, axes = new_axes(WIDTH, 3.8)
    for (x, y), elite in best.items():
        loss = -100 * elite.fitness + 0.0
        red, green, blue, _ = colour = colours(float(norm(loss)))
        cell = Rectangle((x, y), 1, 1, facecolor=colour, edgecolor=INK, linewidth=0.5)
        cell.set_url(f"#c-{elite.candidate.id[:SHORT]}")
        axes.add_patch(cell)
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        axes.text(
            x + 0.5,
            y + 0.5,
            in_cell(loss),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if dark else "black",
        )
    _edges(axes, rebuilt.space.names)
    figure.colorbar(scale, ax=axes, label="loss of the elite (%)", format=lambda value, _: f"{value:g}")
    return figure


def in_cell(loss: float) -> str:
    """A loss (percent) with two digits or more, never as a power of ten."""
    return f"{loss:.0f}" if abs(loss) >= 99.5 else f"{loss:.2g}"


def candidate_links(record: RunRecord, kind: str) -> dict[str, str] | None:
    """Address → name of the links in a picture of candidates; None for other pictures."""
    rebuilt = record.archive
    if kind not in ("archive", "tree"):
        return None
    return {
        f"#c-{(id := e.candidate.id[:SHORT])}": f"candidate {id}, loss {-100 * e.fitness + 0.0:.2f} %"
        for e in ([] if rebuilt is None else rebuilt.elites())
    }


def operators(record: RunRecord) -> Figure | None:
    """Proposals of each operator, and how many became candidates or improved on their parent."""
    found = operators_of(record.reader)[:16]
    if not found:
        return None
    figure, axes = new_axes(WIDTH, 1.0 + 0.3 * len(found))
    names = [one_line(o.name, NAME) for o in found][::-1]
    for label, colour, values in (
        ("proposals", GREY, [o.proposals for o in found]),
        ("candidates", BLUE, [o.candidates for o in found]),
        ("better than their parent", GREEN, [o.gains for o in found]),
    ):
        axes.barh(names, values[::-1], color=colour, label=label, height=0.7)
    axes.set_xlabel("proposals (count)")
    axes.grid(visible=False, axis="y")
    above(axes)
    return figure


def rejections(record: RunRecord) -> Figure | None:
    """Rejected proposals and failed candidates by reason (count)."""
    rows = [
        (f"rejected: {name.replace('_', ' ')}", n, ORANGE) for name, n in record.reader.rejections().items()
    ]
    rows += [
        (f"failed: {name.replace('_', ' ')}", n, BLUE)
        for name, n in failures_by_status(record.reader).items()
    ]
    rows += [("stopped early", n, GREY) for n in (stopped(record.reader).candidates,) if n]
    if not rows:
        return None
    figure, axes = new_axes(WIDTH, 1.0 + 0.3 * len(rows))
    axes.barh(
        [r[0] for r in rows][::-1], [r[1] for r in rows][::-1], color=[r[2] for r in rows][::-1], height=0.7
    )
    axes.set_xlabel("proposals and candidates (count)")
    axes.grid(visible=False, axis="y")
    return figure


def _reference_lines(record: RunRecord, axes: Axes, split: str) -> list[float]:
    """Draws the losses of start program and best baseline as lines, and returns them (percent)."""
    losses = []
    baseline = record.best_baseline(split)
    for program, label, style in ((record.start, "start program", ":"), (baseline, "best baseline", "--")):
        evaluation = None if program is None else record.evaluation(program, split)
        if program is None or evaluation is None or evaluation.fitness is None:
            continue
        name = f"{label} ({record.title(program)})" if label == "best baseline" else label
        axes.axhline(-100 * evaluation.fitness, color=ORANGE, linestyle=style, linewidth=1.2, label=name)
        losses.append(-100 * evaluation.fitness)
    return losses


def _edges(axes: Axes, names: tuple[str, ...]) -> None:
    """Puts ticks at the bins of the archive's first two measures; an axis without a measure has one bin."""
    limits = []
    for position, axis in enumerate((axes.xaxis, axes.yaxis)):
        measure = MEASURES[names[position]] if position < len(names) else None
        edges = measure.edges if measure is not None else ()
        axis.set_ticks(list(range(1, len(edges) + 1)), [f"{edge:g}" for edge in edges])
        axis.set_label_text(measure.meaning if measure is not None else "")
        limits.append(len(edges) + 1)
    axes.set_xlim(0, limits[0])
    axes.set_ylim(0, limits[1])
    axes.grid(visible=False)


# The arms of a comparison as curves over the budget.


def curves(document: Mapping[str, Any]) -> Figure:
    """Best validation gap so far over the budget, one line for each arm, with its interval over runs."""
    with styled():
        figure, axes = new_axes(WIDTH, 4.0)
        least = 100.0
        for number, arm in enumerate(document["arms"]):
            colour = (BLUE, ORANGE, GREEN, RED, GREY)[number % 5]
            line = ("-", "--", ":")[number // 5 % 3]
            points = [p for p in arm["curve"] if p["valid_mean_gap_percent"] is not None]
            spent = [p["spent"] for p in points]
            gaps = [p["valid_mean_gap_percent"] for p in points]
            least = min([least, *[gap for gap in gaps if gap > 0]])
            name = f"{arm['name']} ({arm['label']}, {count(len(arm['runs']), 'run')})"
            axes.step(spent, gaps, where="post", color=colour, linestyle=line, label=one_line(name, 2 * NAME))
            if all(p["ci95_percent"] for p in points):
                low, high = ([p["ci95_percent"][side] for p in points] for side in (0, 1))
                axes.fill_between(spent, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
        logarithmic(axes.yaxis, max(0.01, least))
        axes.set_xlabel(document["unit"])
        axes.set_ylabel("best mean gap so far on validation\n(% of the reference, logarithmic)")
        axes.set_ylim(bottom=0)
        above(axes, columns=1)
    return figure
