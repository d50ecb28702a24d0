"""Shows a running campaign from another process: read-only, and cheap however long the campaign is."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.store.progress import mean_score
from ...evolve.store.reader import EventRow
from ...evolve.store.tally import Tally
from ..formatting import UNKNOWN, clean, count, counts, duration, percent, signed, sparkline, usd
from ..runs.figures import REPORTED, trust
from ..runs.record import SHORT, RunRecord, open_record
from ..runs.stored_run import progress_of
from .history import loss

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

LEAST_SECONDS = 1.0
"""Shortest pause between two snapshots, wall seconds."""
_RATE_SECONDS = 10.0
_SHARE = 0.02
"""Share of one core that watching may use: the pause grows with the CPU time of a snapshot."""


def snapshot(record: RunRecord, tally: Tally | None = None) -> dict[str, Any]:
    """The present state of a campaign, as JSON; with the tally of earlier looks only what is new is read."""
    reader = record.reader
    tally = tally or Tally()
    done = progress_of(record.folder, reader, tally)
    best = record.best
    return {
        "run": record.name,
        "unsafe_without": record.unsafe,
        **done,
        "best": best,
        "best_gap_percent": tally.validation_gap(reader, best),
        **_reported(record, best),
        "training_loss_percent": None if best is None else loss(record, best),
        "progress": [-100 * fitness + 0.0 for _, fitness in tally.bests],
        "progress_evaluations": [evaluations for evaluations, _ in tally.bests],
        "islands": _islands(tally),
        "events": [
            {"iteration": event.iteration, "kind": event.kind, "candidate": _subject(event)}
            for event in tally.events
        ],
    }


def _subject(event: EventRow) -> str | None:
    """Id of the candidate that an event is about; None for other events."""
    id = event.data.get("candidate")
    return id if isinstance(id, str) else None


def _reported(record: RunRecord, best: str | None) -> dict[str, Any]:
    """Best scores where they are only reported, else nothing."""
    if trust(record.reader) != REPORTED:
        return {}
    scores = {split: mean_score(record.reader, best, split) for split in ("valid", "train")}
    return {
        "trust": REPORTED,
        "best_reported_score": scores["valid"],
        "training_reported_score": scores["train"],
    }


def _islands(tally: Tally) -> list[dict[str, Any]]:
    return [
        {
            "island": island.number,
            "candidates": island.candidates,
            "training_loss_percent": None if island.fitness is None else -100 * island.fitness + 0.0,
        }
        for island in tally.islands
    ]


def panel(now: Mapping[str, Any], speed: str = "") -> Table:
    """A snapshot as a table of words and texts."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, text in rows(now, speed):
        table.add_row(Text(name, style="bold"), Text(clean(text)))
    return table


def rows(now: Mapping[str, Any], speed: str = "") -> list[tuple[str, str]]:
    """What a panel shows, as (word, text); `speed` is the executions per second lately."""
    reason = f" ({now['stop_reason']})" if now["stop_reason"] else ""
    work = f"{count(now['iterations'], 'iteration')}, {count(now['evaluations'], 'evaluation')}, "
    work += f"{count(now['executions'], 'execution')} in {duration(now['wall_seconds'])}"
    sign = -1 if now.get("trust") == REPORTED else 1
    islands = [f"{i['island']}: {_loss(sign, i['training_loss_percent'])}" for i in now["islands"]]
    course = now["progress"]
    bars = sparkline([sign * loss for loss in course], 40)
    progress = ""
    if course:
        what = "smallest training loss" if sign > 0 else "largest change of the training score"
        progress = f"{what} {_loss(sign, course[0])} {bars} {_loss(sign, course[-1])}"
    return [
        ("run", f"{now['run']}, {now['status']}{reason}"),
        ("work", work + (f", {speed} executions/s" if speed else "")),
        ("budget", budget_words(now)),
        ("best", f"{(now['best'] or 'none yet')[:SHORT]}, {quality(now)}"),
        ("progress", progress),
        ("islands", ", ".join(islands) or UNKNOWN),
        ("rejected", counts(now["rejections"]) or "nothing"),
        ("incomplete", f"{count(now['failed'], 'candidate')} failed, {now['stopped']:,} stopped early"),
        ("cost", spending(now)),
        ("events", ", ".join(f"{e['kind']} at {e['iteration']}" for e in now["events"]) or "none"),
    ]


def quality(now: Mapping[str, Any]) -> str:
    """Gap and loss of the best candidate, or its scores where they are only reported."""
    if now.get("trust") != REPORTED:
        gap = now["best_gap_percent"]
        loss = now["training_loss_percent"]
        return f"gap on validation {percent(gap)}, training loss {percent(loss)}"
    scores = [now["best_reported_score"], now["training_reported_score"]]
    valid, train = (UNKNOWN if score is None else f"{score:.5g}" for score in scores)
    return f"reported score {valid} on validation, {train} on training (unverified)"


def _loss(sign: int, loss: float | None) -> str:
    """An island's best training loss; of reported scores, the change over the start program."""
    return percent(loss) if sign > 0 or loss is None else f"{signed(-loss)} %"


_UNITS = {
    "seconds": "s in all",
    "cpu_seconds": "CPU seconds",
    "usd": "US dollars",
    "patience": "iterations of patience",
}
"""Limit of a budget → its unit in words, where the name is not the word."""


def budget_words(now: Mapping[str, Any]) -> str:
    """What is left of each limit, in words."""
    words = []
    for name, limit in now["budget"].items():
        unit = _UNITS.get(name, name)
        left = now["budget_left"].get(name)
        rest = "" if left is None else f"{_digits(left)} of "
        words.append(f"{rest}{limit:,.9g} {unit}" + (" left" if rest else ""))
    return ", ".join(words) or "no limit"


def _digits(left: float) -> str:
    return f"{left:,.3g}" if left < 100 else f"{left:,.0f}"


def spending(now: Mapping[str, Any]) -> str:
    """Calls of models, their tokens and cost."""
    if not now["model_calls"]:
        return "no calls of models"
    return f"{count(now['model_calls'], 'call')}, {now['tokens']:,} tokens, {usd(now['cost_usd'])}"


def line(now: Mapping[str, Any], speed: str, left: str = "") -> str:
    """A snapshot as one line of a terminal that shows no table.

    Args:
        now: the snapshot.
        speed: executions per second.
        left: what is said in place of what is left of the budget.
    """
    spent = f"{spending(now)}  " if now["model_calls"] else ""
    return (
        f"iteration {now['iterations']}  evaluations {now['evaluations']}  executions/s {speed}  "
        f"best {(now['best'] or 'none')[:SHORT]}, {quality(now)}  {spent}{left or budget_words(now)}"
    )


class Looks:
    """Looks again and again at a run whose campaign may be at work, here or in another process.

    Attributes:
        now: the snapshot of the last look; None before one.
    """

    def __init__(self, folder: Path) -> None:
        """Takes the folder of the run."""
        self.now: dict[str, Any] | None = None
        self._folder = folder
        self._tally = Tally()
        self._rates: deque[tuple[float, int]] = deque()

    def look(self) -> tuple[dict[str, Any], float]:
        """A snapshot, and the wall seconds until the next look, which grow with what this one took."""
        spent = time.process_time()
        first = self.now is None
        with open_record(self._folder, checked=first) as record:
            self.now = snapshot(record, self._tally)
        now = time.monotonic()
        self._rates.append((now, self.now["executions"]))
        while len(self._rates) > 2 and now - self._rates[0][0] > _RATE_SECONDS:
            self._rates.popleft()
        # The first look reads the whole run, later ones only what is new.
        pause = 0.0 if first else (time.process_time() - spent) / _SHARE
        return self.now, max(LEAST_SECONDS, pause)

    @property
    def speed(self) -> str:
        """Executions per second over the last seconds; empty before two looks."""
        if len(self._rates) < 2:
            return ""
        (then, before), (now, after) = self._rates[0], self._rates[-1]
        return f"{(after - before) / (now - then):.0f}" if now > then else ""


def watch(folder: Path, console: Console, once: bool = False) -> None:
    """Shows a campaign until it ends; opens the store only for each snapshot.

    Without a terminal, prints a line when the number of iterations changes and the whole panel at the end.
    """
    from rich.live import Live

    looks = Looks(folder)
    table = console.is_terminal and not once
    with Live(console=console, auto_refresh=False) if table else nullcontext() as live:
        while True:
            before = looks.now
            now, pause = looks.look()
            if live is not None:
                live.update(panel(now, looks.speed), refresh=True)
            if now["status"] != "running" or once:
                break
            if live is None and (before is None or now["iterations"] != before["iterations"]):
                console.print(clean(line(now, looks.speed or UNKNOWN)), markup=False)
            time.sleep(pause)
    if not table:
        console.print(panel(now, looks.speed), soft_wrap=False)
