"""Shows a running campaign from another process: read-only, and cheap however long the campaign is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.store.progress import mean_score
from ...evolve.store.reader import EventRow
from ...evolve.store.tally import Tally
from ..formatting import UNKNOWN, clean, count, counts, duration, percent, signed, sparkline, usd
from ..runs.figures import REPORTED, stop_reason, trust
from ..runs.folders import status
from ..runs.record import SHORT, RunRecord, open_record
from ..runs.stored_run import tallied_iterations
from .history import loss

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

LEAST_SECONDS = 1.0
"""Shortest pause between two snapshots, wall seconds."""
_SHARE = 0.02
"""Share of one core that watching may use: the pause grows with the CPU time of a snapshot."""


def snapshot(record: RunRecord, tally: Tally | None = None) -> dict[str, Any]:
    """The present state of a campaign, as JSON; with the tally of earlier looks only what is new is read."""
    reader = record.reader
    config = record.config
    tally = tally or Tally()
    tally.look(reader)
    reason = stop_reason(reader)
    done = tally.work
    asked = tally.calls
    best = record.best
    state = status(record.folder, reason)
    seconds = done.seconds if state == "running" else reader.record("search_seconds") or done.seconds
    return {
        "run": record.name,
        "status": state,
        "stop_reason": reason,
        "unsafe_without": record.unsafe,
        "iterations": tallied_iterations(config, tally),
        "evaluations": done.evaluations,
        "executions": tally.executions,
        "cpu_seconds": tally.cpu_seconds,
        "wall_seconds": seconds,
        "best": best,
        "best_gap_percent": tally.validation_gap(reader, best),
        **_reported(record, best),
        "training_loss_percent": None if best is None else loss(record, best),
        "progress": [-100 * fitness for _, fitness in tally.bests],
        "progress_evaluations": [evaluations for evaluations, _ in tally.bests],
        "islands": _islands(tally),
        "rejections": dict(sorted(tally.rejections.items(), key=lambda item: (-item[1], item[0]))),
        "failed": tally.failed,
        "stopped": tally.stopped,
        "model_calls": asked.calls,
        "tokens": asked.tokens,
        "cost_usd": asked.usd,
        "budget_used": {
            "iterations": tallied_iterations(config, tally),
            "evaluations": done.evaluations,
            "executions": tally.budgeted_executions,
            "seconds": seconds,
            "cpu_seconds": tally.cpu_seconds,
            "tokens": asked.tokens,
            "usd": asked.usd,
        },
        "budget": {k: v for k, v in (config.get("budget") or {}).items() if v is not None},
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


def panel(now: Mapping[str, Any], rate: float | None) -> Table:
    """A snapshot as rows; `rate` is the executions per second since the last snapshot."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, text in _rows(now, rate):
        table.add_row(Text(name, style="bold"), Text(clean(text)))
    return table


def _rows(now: Mapping[str, Any], rate: float | None) -> list[tuple[str, str]]:
    reason = f" ({now['stop_reason']})" if now["stop_reason"] else ""
    speed = "" if rate is None else f", {rate:.0f} executions/s"
    work = f"{count(now['iterations'], 'iteration')}, {count(now['evaluations'], 'evaluation')}"
    sign = -1 if now.get("trust") == REPORTED else 1
    found = [
        ("run", f"{now['run']}, {now['status']}{reason}"),
        ("work", f"{work} in {duration(now['wall_seconds'])}{speed}"),
        ("budget", _budget(now)),
        (
            "best",
            f"{(now['best'] or 'none yet')[:SHORT]}, {_quality(now)}",
        ),
        ("progress", sparkline([sign * loss for loss in now["progress"]], 40)),
    ]
    islands = [f"{i['island']}: {_loss(sign, i['training_loss_percent'])}" for i in now["islands"]]
    found.append(("islands", ", ".join(islands) or "–"))
    found.append(("rejected", counts(now["rejections"]) or "nothing"))
    failed = f"{count(now['failed'], 'candidate')} failed, {now['stopped']:,} stopped early"
    found.append(("incomplete", failed))
    cost = "no calls of models"
    if now["model_calls"]:
        cost = f"{count(now['model_calls'], 'call')}, {now['tokens']:,} tokens, {usd(now['cost_usd'])}"
    found.append(("cost", cost))
    found.append(("events", ", ".join(f"{e['kind']} at {e['iteration']}" for e in now["events"]) or "none"))
    return found


def _quality(now: Mapping[str, Any]) -> str:
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


_UNITS = {"cpu_seconds": "CPU seconds", "usd": "US dollars"}
"""Limit of a budget → its unit in words, where the name is not the word."""


def _budget(now: Mapping[str, Any]) -> str:
    used = now["budget_used"]
    left = []
    for name, limit in now["budget"].items():
        if used.get(name) is not None:
            rest = max(0, limit - used[name])
            digits = f"{rest:,.3g}" if rest < 100 else f"{rest:,.0f}"
            left.append(f"{digits} of {limit:,.6g} {_UNITS.get(name, name)} left")
        else:
            left.append(f"{name} {limit:,.6g}")
    return ", ".join(left) or "no limit"


def watch(folder: Path, console: Console, once: bool = False) -> None:
    """Shows a campaign until it ends; opens the store only for each snapshot."""
    if not console.is_terminal or once:
        _watch_lines(folder, console, once)
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        before: dict[str, Any] | None = None
        tally = Tally()
        while True:
            now, rate, pause = _look(folder, before, tally)
            live.update(panel(now, rate), refresh=True)
            if now["status"] != "running":
                return
            before = now
            time.sleep(pause)


def _watch_lines(folder: Path, console: Console, once: bool) -> None:
    """Prints a line when the number of iterations changes and the whole panel at the end (no terminal)."""
    before: dict[str, Any] | None = None
    tally = Tally()
    while True:
        now, rate, pause = _look(folder, before, tally)
        if now["status"] != "running" or once:
            console.print(panel(now, rate), soft_wrap=False)
            return
        if before is None or now["iterations"] != before["iterations"]:
            gap = percent(now["best_gap_percent"])
            console.print(f"iteration {now['iterations']}: best gap on validation {gap}", markup=False)
        before = now
        time.sleep(pause)


def _look(
    folder: Path, before: Mapping[str, Any] | None, tally: Tally
) -> tuple[dict[str, Any], float | None, float]:
    """A snapshot, the executions per second since `before`, and the seconds until the next snapshot."""
    spent = time.process_time()
    with open_record(folder, checked=before is None) as record:
        now = snapshot(record, tally)
    now["at"] = time.monotonic()
    rate = None
    if before is not None and now["at"] > before["at"]:
        rate = (now["executions"] - before["executions"]) / (now["at"] - before["at"])
    if before is None:  # the first look reads the whole run, later ones only what is new
        return now, rate, LEAST_SECONDS
    return now, rate, max(LEAST_SECONDS, (time.process_time() - spent) / _SHARE)
