"""The tree of lineages: the elites of the archive and their ancestors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....evolve.store.progress import Relative, relatives
from ...record.record import SHORT, RunRecord
from .canvas import INK, WIDTH, above, fit_losses, new_axes, note_thinning
from .search import LOSS
from .time import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST = 400
"""Candidates drawn at most, the elites with the smallest losses and their ancestors (count)."""


def tree(record: RunRecord) -> Figure | None:
    """Iteration and training loss of elites and their ancestors, lines to first parents."""
    archive = record.archive
    elites = [] if archive is None else sorted(archive.elites(), key=lambda e: -e.fitness)
    everyone = relatives(record.reader)
    shown: dict[str, Relative] = {}
    for elite in elites:
        line = _line(elite.candidate.id, everyone)
        new = {relative.id: relative for relative in line if relative.id not in shown}
        if len(shown) + len(new) > _MOST:
            break
        shown |= new
    if len(shown) < 2:
        return None
    figure, axes = new_axes(1.6 * WIDTH, 4.2)
    for relative in shown.values():
        parent = shown.get(relative.parent or "")
        if parent is not None:
            ends = [parent.iteration, relative.iteration], [parent.loss, relative.loss]
            axes.plot(*ends, color=COLOURS[relative.island % len(COLOURS)], linewidth=0.6, alpha=0.7)
    best = _line(record.best or "", everyone)
    axes.plot(
        [r.iteration for r in best], [r.loss for r in best], color=INK, linewidth=2, label="best candidate"
    )
    ids = {elite.candidate.id for elite in elites}
    for island in sorted({relative.island for relative in shown.values()}):
        members = [r for r in shown.values() if r.island == island]
        marks = axes.scatter(
            [r.iteration for r in members],
            [r.loss for r in members],
            s=[26 if r.id in ids else 8 for r in members],
            color=COLOURS[island % len(COLOURS)],
            label=f"island {island}",
            zorder=3,
        )
        marks.set_urls([f"#c-{r.id[:SHORT]}" if r.id in ids else None for r in members])
    fit_losses(axes.yaxis, [r.loss for r in shown.values()])
    axes.set_xlabel("iteration")
    axes.set_ylabel(LOSS)
    total = len({r.id for elite in elites for r in _line(elite.candidate.id, everyone)})
    note_thinning(axes, len(shown), total, "elites and ancestors")
    above(axes, columns=6)
    return figure


def _line(id: str, everyone: dict[str, Relative]) -> list[Relative]:
    """A candidate and its first parents, youngest first; a damaged record cannot make a circle of them."""
    line: list[Relative] = []
    relative = everyone.get(id)
    while relative is not None and (not line or relative.iteration < line[-1].iteration):
        line.append(relative)
        relative = everyone.get(relative.parent or "")
    return line
