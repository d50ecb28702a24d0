"""The arms of a comparison as curves over the budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...words import count
from .canvas import BLUE, GREEN, GREY, ORANGE, RED, WIDTH, above, logarithmic, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
            label = f"{arm['name']} ({arm['label']}, {count(len(arm['runs']), 'run')})"
            axes.step(spent, gaps, where="post", color=colour, linestyle=line, label=label)
            if all(p["ci95_percent"] for p in points):
                low, high = ([p["ci95_percent"][side] for p in points] for side in (0, 1))
                axes.fill_between(spent, low, high, step="post", color=colour, alpha=0.15, linewidth=0)
        logarithmic(axes.yaxis, max(0.01, least))
        axes.set_xlabel(document["unit"])
        axes.set_ylabel("best mean gap so far on validation\n(% of the reference, logarithmic)")
        axes.set_ylim(bottom=0)
        above(axes, columns=1)
    return figure
