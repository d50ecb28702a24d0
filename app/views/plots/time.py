"""Pictures over time: islands, spending, gap against time; apart from `kinds`, which names all pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....evolve.store.progress import costs_over_time, island_steps
from ....evolve.store.reader import BASELINE
from ....evolve.store.statistics import work
from ....evolve.timing import edge
from ...runs.champions import SPLIT, TimedProgram, class_champions, proof, solver_rows, timed_programs
from ...runs.record import RunRecord
from ...runs.references import knows_future
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
_LEAST_SECONDS = 1e-5
"""Shorter times are drawn here, because a logarithmic axis has no 0."""


def _place(program: TimedProgram) -> tuple[float, float]:
    """Milliseconds and loss of a program."""
    return 1000 * max(_LEAST_SECONDS, program.seconds), -100 * program.fitness + 0.0


def front(record: RunRecord) -> Figure | None:
    """Validation loss against CPU time of all validated programs, with the champions of the time classes."""
    every = timed_programs(record.reader)
    champions = class_champions(record.reader)
    if not champions:
        return None
    most = _FAR * max(-100 * champions[0].fitness, 0.01)
    near = [one for one in every if -100 * one.fitness <= most]

    figure, axes = new_axes(WIDTH, 3.8)
    founders = set(record.reader.record("founders") or ())
    known = founders | {one.program for one in every if one.program.startswith(BASELINE)}
    candidates = [_place(one) for one in near if one.program not in known]
    baselines = [_place(one) for one in near if one.program in known]
    shown = thin(candidates)
    axes.plot([x for x, _ in shown], [y for _, y in shown], "o", color=GREY, markersize=3, label="candidates")
    axes.plot(
        [x for x, _ in baselines],
        [y for _, y in baselines],
        "D",
        color=ORANGE,
        markersize=5,
        label="baselines",
    )
    best = [_place(one) for one in champions]
    x = [x for x, _ in best]
    y = [y for _, y in best]
    axes.step(x, y, "o-", where="post", color=BLUE, markersize=6, label="best of its time class")
    exact = proof(record.reader)
    times = [*x, *[x for x, _ in (*candidates, *baselines)]]
    if exact is not None and exact["proven"] == exact["instances"]:
        times.append(1000 * exact["seconds_median"])
        what = "bound that knows the future" if knows_future(record.reader) else "exact"
        label = f"{what} (median wall time)"
        axes.plot(times[-1:], [0.0], "*", color=INK, markersize=10, clip_on=False, label=label)
    solver = [
        (1000 * row["time_seconds"], -100 * fitness + 0.0)
        for row in solver_rows(record.reader)
        if (fitness := row["splits"][SPLIT]["fitness"]) is not None and -100 * fitness <= most
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
    for number in {one.time_class for one in every}:
        if (last := edge(number)) is not None:
            axes.axvline(1000 * last, color=FAINT, linewidth=0.8, linestyle=":", zorder=0)
    logarithmic_times(axes)
    axes.set_xlim(0.6 * min(times), 1.8 * max(times))
    losses = [*[-100 * one.fitness + 0.0 for one in near], *[y for _, y in solver]]
    fit_losses(axes.yaxis, [*losses, *([] if exact is None else [0.0])])
    note_thinning(axes, len(shown), len(candidates), "candidates")
    axes.set_xlabel("CPU time of an instance above the sandbox's floor (ms, logarithmic)")
    axes.set_ylabel("validation loss (%, logarithmic)")
    above(axes)
    return figure
