"""Pictures of a campaign over time: its islands, and what it spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....evolve.store.progress import costs_over_time, island_steps
from ....evolve.store.work import work
from ...record.record import RunRecord
from .canvas import BLUE, GREEN, GREY, INK, ORANGE, RED, WIDTH, above, fit_losses, new_axes, thin
from .search import LOSS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)
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
        x, y = [p[0] for p in points], [p[1] for p in points]
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
