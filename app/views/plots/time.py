"""Pictures over time: islands, spending, gap against time; apart from `kinds`, which names all pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ....evaluators.base import Evaluation
from ....evaluators.figures import of_evaluation
from ....evolve.store.progress import Point, costs_over_time, island_steps
from ....evolve.store.reader import BASELINE
from ....evolve.store.statistics import work
from ....evolve.timing import edge, time_class
from ...formatting import one_line
from ...runs.champions import SPLIT, TimedProgram, class_champions, proof, solver_rows, timed_programs
from ...runs.figures import REPORTED, knows_future, trust
from ...runs.record import SHORT, RunRecord
from .canvas import (
    BLUE,
    COLOURS,
    FAINT,
    GREY,
    INK,
    LOSS,
    ORANGE,
    WIDTH,
    above,
    fit_losses,
    logarithmic_times,
    new_axes,
    note_thinning,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LINES = ("-", "--", ":", "-.")
_MOST_ISLANDS = 12


def islands(record: RunRecord) -> Figure | None:
    """Best training loss so far of each island over evaluations; None for a single island."""
    steps = island_steps(record.reader)
    if len(steps) < 2:
        return None
    end = work(record.reader).evaluations
    figure, axes = new_axes()
    for number, (island, points) in enumerate(list(steps.items())[:_MOST_ISLANDS]):
        x = [p[0] for p in points]
        y = [p[1] for p in points]
        axes.step(
            [*x, end],
            [*y, y[-1]],
            where="post",
            color=COLOURS[number % len(COLOURS)],
            linestyle=_LINES[number // len(COLOURS) % len(_LINES)],
            label=f"island {island}",
        )
    fit_losses(axes.yaxis, [loss for points in steps.values() for _, loss in points])
    axes.set_xlabel("candidates evaluated (count)")
    axes.set_ylabel(LOSS)
    above(axes, columns=4)
    return figure


def spent(record: RunRecord) -> Figure | None:
    """CPU seconds by use as stacked areas over wall time; US dollars as a line where models were paid."""
    found = costs_over_time(record.reader)
    if not found:
        return None
    points = thin(found, 400)
    hours = points[-1].seconds > 2 * 3600
    x = [p.seconds / (3600 if hours else 1) for p in points]
    figure, axes = new_axes(WIDTH, 3.3)
    axes.stackplot(
        x,
        [p.failed for p in points],
        [p.training for p in points],
        [p.validation for p in points],
        labels=["failed and stopped", "training", "validation and test"],
        colors=[GREY, BLUE, ORANGE],
        linewidth=0,
    )
    axes.set_xlabel("wall time (h)" if hours else "wall time (s)")
    axes.set_ylabel("CPU time of executions (s)")
    axes.set_xlim(0, max(x[-1], 1e-9))
    axes.set_ylim(bottom=0)
    if points[-1].usd:
        money = axes.twinx()
        money.step(x, [p.usd for p in points], where="post", color=INK, linewidth=1.2, label="US dollars")
        money.set_ylabel("calls of models (US$, line)")
        money.set_ylim(bottom=0)
        money.grid(visible=False)
        money.spines["right"].set_visible(True)
    above(axes)
    return figure


# Gap against time: champions of the time classes, and the exact method where the record has its times.

_FAR = 4.0
_LONGEST = 24
"""Of a name in the legend (characters)."""
_LEAST_SECONDS = 1e-5
"""Shorter times are drawn here, because a logarithmic axis has no 0."""


def _amount(record: RunRecord, evaluation: Evaluation) -> float | None:
    """Mean gap in percent, None without one; the loss of scores that are only reported, which have no gap."""
    if trust(record.reader) == REPORTED:
        return None if evaluation.fitness is None else -100 * evaluation.fitness + 0.0
    return of_evaluation(evaluation, record.instances).mean_gap_percent


def _points(record: RunRecord, programs: Sequence[TimedProgram]) -> list[Point]:
    """Time and gap of the programs that have a gap."""
    return [
        Point(one.program, max(_LEAST_SECONDS, one.seconds), amount)
        for one in programs
        if (amount := _amount(record, one.evaluation)) is not None
    ]


def _draw(axes: Axes, points: Sequence[Point], mark: str, **look: Any) -> None:
    """Draws points, if there are any, so that the legend names only what is there."""
    if points:
        axes.plot([1000 * p.seconds for p in points], [p.loss for p in points], mark, **look)


def front(record: RunRecord) -> Figure | None:
    """Mean gap on validation against CPU time, with best candidate, best baseline and time classes."""
    every = _points(record, timed_programs(record.reader))
    best = _points(record, class_champions(record.reader))
    if not best:
        return None
    most = _FAR * max(best[0].loss, 0.01)
    near = [one for one in every if one.loss <= most]
    figure, axes = new_axes(WIDTH, 3.8)
    names: dict[str, str] = {
        id: BASELINE + name for id, name in (record.reader.record("founders") or {}).items()
    }
    baselines = [one for one in near if one.program in names or one.program.startswith(BASELINE)]
    candidates = [one for one in near if one not in baselines]
    shown = thin(candidates)
    _draw(axes, shown, "o", color=GREY, markersize=3, label="candidates")
    _draw(axes, baselines, "D", color=ORANGE, markersize=5, label="baselines")
    steps = {"color": BLUE, "markersize": 6, "drawstyle": "steps-post", "markerfacecolor": "none"}
    _draw(axes, best, "o-", **steps, label="best of its time class")
    champion = [one for one in near if one.program == record.best]
    rival = [one for one in baselines if names.get(one.program, one.program) == record.rival]
    if rival:
        name = one_line(str(record.rival).removeprefix(BASELINE), _LONGEST)
        look = {"color": ORANGE, "markersize": 8, "markeredgecolor": INK}
        _draw(axes, rival, "D", **look, label=f"best baseline {name}")
    if champion:
        _draw(
            axes,
            champion,
            "o",
            color=BLUE,
            markersize=9,
            label=f"best candidate {champion[0].program[:SHORT]}",
        )
    times = [1000 * one.seconds for one in (*near, *best)]
    exact = proof(record.reader)
    if exact is not None and exact["proven"] == exact["instances"]:
        times.append(1000 * exact["seconds_median"])
        what = "bound that knows the future" if knows_future(record.reader) else "exact"
        label = f"{what} (wall time)"
        axes.plot(times[-1:], [0.0], "*", color=INK, markersize=10, clip_on=False, label=label)
    solver = [
        (1000 * row["time_seconds"], gap)
        for row in solver_rows(record.reader)
        if (gap := row["splits"][SPLIT]["mean_gap_percent"]) is not None and gap <= most
    ]
    if solver:
        times += [x for x, _ in solver]
        axes.plot(
            [x for x, _ in solver],
            [y for _, y in solver],
            "s--",
            color=INK,
            markersize=5,
            label="solver, stopped",
        )
    for number in {time_class(one.seconds) for one in every}:
        if (last := edge(number)) is not None:
            axes.axvline(1000 * last, color=FAINT, linewidth=0.8, linestyle=":", zorder=0)
    logarithmic_times(axes)
    axes.set_xlim(0.6 * min(times), 1.8 * max(times))
    losses = [*[one.loss for one in near], *[y for _, y in solver]]
    fit_losses(axes.yaxis, [*losses, *([] if exact is None else [0.0])])
    note_thinning(axes, len(shown), len(candidates), "candidates")
    axes.set_xlabel("CPU time of an instance above the sandbox's floor (ms, logarithmic)")
    reported = trust(record.reader) == REPORTED
    axes.set_ylabel(f"validation {'loss' if reported else 'gap'} (%, logarithmic)")
    above(axes, columns=2)
    return figure
