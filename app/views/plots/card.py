"""The picture that goes with a link to a run: verdict, gap against time, code; apart from the report."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...formatting import clean, percent
from ...runs.champions import Conclusion
from ...runs.record import RunRecord
from ..report import excerpt
from ..run_page import time_points
from .canvas import BLUE, FAINT, GREEN, GREY, INK, ORANGE, RED, render, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME = "share.png"
_INCHES = (6.0, 3.15)
"""At 200 dots an inch these are 1200 × 630 pixels."""
_TONES = {Conclusion.BETTER: GREEN, Conclusion.WORSE: RED, Conclusion.NOTHING: RED}
_LOOKS = {
    "other": ("o", GREY, 3),
    "baseline": ("D", ORANGE, 14),
    "class": ("o", BLUE, 14),
    "solver": ("s", GREEN, 14),
    "exact": ("*", GREEN, 40),
    "best": ("o", BLUE, 40),
}
_FAR = 4.0
"""Gaps beyond so many times the median are not drawn: they would press all others together."""


def card(record: RunRecord, summary: Mapping[str, Any], code: str | None) -> bytes | None:
    """The picture as a PNG of 1200 × 630 pixels; None without a feasible candidate."""
    if code is None or summary["best"] is None:
        return None
    headline = summary["headline"]
    points = time_points(record, summary)
    lines = excerpt(code, str(record.problem.get("entry_point") or "")).splitlines()
    text = clean(headline["text"])
    sentence = "\n".join(textwrap.wrap(f"{text[:1].upper()}{text[1:]}.", 62)[:3])
    with styled():
        from matplotlib.figure import Figure

        figure = Figure(figsize=_INCHES, facecolor="white")
        ink = _TONES.get(Conclusion(headline["verdict"]), INK)
        figure.text(0.035, 0.95, sentence, size=10, weight="bold", color=ink, va="top")
        wide = 52 if points else 100
        shown = "\n".join(line if len(line) <= wide else f"{line[: wide - 1]}…" for line in lines)
        figure.text(0.035, 0.68, clean(str(summary["problem"])), size=7, color=GREY, va="top")
        figure.text(0.035, 0.62, shown, size=6, family="DejaVu Sans Mono", va="top", linespacing=1.6)
        if points:
            _draw(figure.add_axes((0.6, 0.27, 0.37, 0.4)), points)
        figure.text(0.035, 0.05, _certificate(record, summary), size=7, color=INK)
        return render(figure, "png", NAME)


def _certificate(record: RunRecord, summary: Mapping[str, Any]) -> str:
    """Who vouches for the figures, and the command that checks them; nobody for scores only reported."""
    command = f"gapsmith verify {shlex.quote(clean(record.name))}.zip"
    if summary["headline"]["verdict"] == Conclusion.UNVERIFIED:
        return "Scores reported by the task's own evaluator; unverified. Made with Gapsmith."
    if record.unsafe or record.foreign:
        why = "made without a sandbox layer" if record.unsafe else "a foreign record"
        return f"Not certified: {why}.  Check it:  {command}"
    return f"Certified by Gapsmith.  Check it:  {command}"


def _draw(axes: Axes, points: Sequence[Mapping[str, Any]]) -> None:
    """Mean gap on validation against CPU time, both logarithmic but for gaps near 0."""
    gaps = sorted(point["gap"] for point in points if point["kind"] != "other" and point["gap"] > 0)
    most = _FAR * gaps[len(gaps) // 2] if gaps else 1.0
    shown = [point for point in points if point["gap"] <= most]
    for kind, (marker, colour, size) in _LOOKS.items():
        x = [1000 * max(point["seconds"], 1e-5) for point in shown if point["kind"] == kind]
        y = [point["gap"] for point in shown if point["kind"] == kind]
        axes.scatter(x, y, s=size, marker=marker, color=colour, zorder=3)
    best = next((point for point in shown if point["kind"] == "best"), None)
    if best is not None:
        words = f"best candidate {percent(best['gap'])}"
        place = (1000 * max(best["seconds"], 1e-5), best["gap"])
        axes.annotate(words, place, (-5, -9), textcoords="offset points", size=6, color=BLUE, ha="right")
    axes.set_xscale("log")
    least = next((gap for gap in gaps if gap > 0), 1.0)
    if gaps and gaps[-1] > 10 * least:
        axes.set_yscale("symlog", linthresh=least)
    axes.set_ylim(bottom=0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(labelsize=6)
    axes.grid(visible=True, color=FAINT, linewidth=0.3)
    axes.set_xlabel("CPU time of an instance (ms)", size=6)
    axes.set_ylabel("mean gap on validation (%)", size=6)
