"""What the pages of one run and of two show beside the live figures; apart from `web`, which serves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...evaluators.base import ScoreStatus
from ...evaluators.figures import Figures
from ...evolve.store.progress import Relative, children, latest_events, losses_over_iterations, relatives
from ...evolve.store.reader import BASELINE
from ...evolve.store.statistics import seconds_by_use
from ...evolve.store.tally import Tally
from ...problems.base import SPLITS
from ..formatting import clean, milliseconds, percent, usd
from ..runs.champions import SPLIT, timed_programs
from ..runs.figures import REPORTED, instance_row, knows_future, trust
from ..runs.record import SHORT, RunRecord, metric_rows
from ..runs.stored_run import stored_drawings
from ..runs.summary import summarise
from .history import ancestry, loss, unified
from .overview import COLUMNS, champion_notes, champion_rows
from .plots.quality import judged_split
from .report_answers import answers, cost_words, headline_of, source_of, tiles
from .watch import snapshot

_EVENTS = 100
_LEAVES = 24
_NODES = 400
_MOST_STEPS = 60
_OTHERS = 150
_INSTANCES = 200
_FAILURES = 5
MOST_POINTS = 1200
"""Points of a curve that a page gets (count)."""


def run_facts(record: RunRecord) -> dict[str, Any]:
    """What changes with the best candidate and the end alone: verdict, times, lineage, spending."""
    summary = summarise(record.folder, record.reader)
    best = None if summary["best"] is None else summary["best"]["candidate"]
    split = judged_split(record)
    kept = stored_drawings(record.reader)
    headline = headline_of(record, summary, split)
    found = answers(record, summary, headline, None if best is None else source_of(record, best))
    return {
        "best": best,
        "status": summary["status"],
        "headline": {
            "text": clean(summary["headline"]["text"]),
            "verdict": summary["headline"]["verdict"],
            "split": split,
        },
        "problem": summary["problem"],
        "models": record.models,
        "unit": record.problem.get("unit"),
        "foreign": summary["foreign"],
        "unsafe_without": summary["unsafe_without"],
        "tiles": tiles(record, summary, headline, split),
        "answers": [told for told in found if told["target"] in ("trust", "reproduce")],
        "times": time_points(record, summary),
        "champions": [list(map(clean, row)) for row in champion_rows(summary)],
        "champion_columns": list(COLUMNS),
        "champion_notes": list(map(clean, champion_notes(summary))),
        "cost": cost_words(summary),
        "uses": [[use, seconds] for use, seconds in seconds_by_use(record.reader)],
        "calls": _calls(summary["models"]),
        "events": latest_events(record.reader, _EVENTS),
        "lineage": [] if best is None else [_step(step) for step in ancestry(record, best)[-_MOST_STEPS:]],
        "tree": lineage_tree(record, best),
        "drawn": None if kept is None else kept.instance,
        "instances": instances_of(record),
        "notes": list(map(clean, summary["notes"])),
    }


def instances_of(record: RunRecord) -> list[str]:
    """Instances whose answers can be drawn: those of the split that judges, else of training."""
    split = judged_split(record) or "train"
    return [id for id, instance in record.instances.items() if instance.split == split][:_INSTANCES]


def time_points(record: RunRecord, summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Programs by CPU time and mean gap on validation, with the exact method.

    Of other validated candidates there are the best 150. None where scores are only reported: an evaluator's
    time is not a program's.
    """
    if trust(record.reader) == REPORTED:
        return []
    champions = {row["candidate"] for row in summary["champions"]}
    founders: Mapping[str, str] = record.reader.record("founders") or {}
    others = 0
    found = []
    for one in timed_programs(record.reader):
        baseline = one.program.removeprefix(BASELINE)
        if baseline == one.program:
            baseline = founders.get(one.program, "")
        figures = record.figures(one.program, SPLIT)
        if figures is None or figures.mean_gap_percent is None:
            continue
        kind = "best" if one.program == record.best else "baseline" if baseline else "other"
        if kind == "other" and one.program in champions:
            kind = "class"
        others += kind == "other"
        if kind != "other" or others <= _OTHERS:
            name = clean(baseline) or one.program[:SHORT]
            found.append(
                {"name": name, "kind": kind, "seconds": one.seconds, "gap": figures.mean_gap_percent}
            )
    for row in summary["solver"]:
        gap = row["splits"][SPLIT]["mean_gap_percent"]
        if gap is not None:
            found.append(
                {"name": clean(row["solver"]), "kind": "solver", "seconds": row["time_seconds"], "gap": gap}
            )
    proof = summary["proof"]
    if proof is not None and not knows_future(record.reader):
        name = clean(f"exact: {', '.join(proof['methods'])}")
        found.append({"name": name, "kind": "exact", "seconds": proof["seconds_median"], "gap": 0.0})
    return found


def _calls(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Calls, tokens and cost of each model; its first row holds all of its operators."""
    first = {row["model"]: row for row in reversed(rows)}
    return [
        [
            clean(model),
            f"{row['calls']:,}",
            f"{row['tokens_in'] + row['tokens_out']:,}",
            usd(row["cost_usd"]),
        ]
        for model, row in first.items()
    ]


def _step(step: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": step["candidate"][:SHORT],
        "iteration": step["iteration"],
        "made": clean(step["operator"] or step["origin"]),
        "idea": clean(step["idea"])[:300],
        "loss_percent": step["training_loss_percent"],
        "change_percent": step["change_percent"],
    }


def lineage_tree(record: RunRecord, best: str | None) -> list[dict[str, Any]]:
    """The best candidates by training loss with their ancestors, parents before children.

    Each has `id`, `parent` (None at a root), `iteration`, `island`, `loss_percent`, and whether it is of the
    champion's `line`.
    """
    everyone = relatives(record.reader)
    leaders = sorted(everyone.values(), key=lambda one: (one.loss, one.iteration))[:_LEAVES]
    shown: dict[str, Relative] = {}
    line: set[str] = set()
    for id in [best, *(one.id for one in leaders)]:
        ancestors: list[Relative] = []
        one = everyone.get(id or "")
        while one is not None and one.id not in shown and len(ancestors) < _NODES:
            ancestors.append(one)
            older = everyone.get(one.parent or "")
            one = older if older is not None and older.iteration < one.iteration else None
        if len(shown) + len(ancestors) <= _NODES:
            shown |= {one.id: one for one in ancestors}
        line = line or {one.id for one in ancestors}
    return [
        {
            "id": one.id[:SHORT],
            "parent": one.parent[:SHORT] if one.parent in shown else None,
            "iteration": one.iteration,
            "island": one.island,
            "loss_percent": one.loss,
            "line": one.id in line,
        }
        for one in sorted(shown.values(), key=lambda one: (one.iteration, one.id))
    ]


def candidate_page(record: RunRecord, id: str) -> dict[str, Any]:
    """A candidate's source, changes to the parent, idea, scores by group, and why it failed."""
    candidate = record.candidate(id)
    parent = candidate.parents[0] if candidate.parents else None
    evaluation = record.evaluation(id, "train")
    failures = [
        clean(f"{row['instance']}: {row['status'].replace('_', ' ')} {row['message'] or ''}")
        for score in (() if evaluation is None else evaluation.scores)
        if score.status is not ScoreStatus.OK
        for row in [instance_row(score, record.instances[score.instance])]
    ]
    reported = trust(record.reader) == REPORTED
    return {
        "id": id[:SHORT],
        "iteration": candidate.iteration,
        "island": candidate.island,
        "made": clean(candidate.operator or candidate.origin.value),
        "idea": clean(candidate.idea),
        "parent": parent and parent[:SHORT],
        "parents": [parent[:SHORT] for parent in candidate.parents],
        "children": children(record.reader, id),
        "training_loss_percent": loss(record, id),
        "status": None if evaluation is None else evaluation.status.value,
        "failures": failures[:_FAILURES],
        "groups": [] if reported else _groups(record, id),
        "metrics": metric_rows(record, id) if reported else [],
        "source": clean("\n".join(candidate.files.values())),
        "diff": "" if parent is None else unified(record, parent, id),
    }


def _groups(record: RunRecord, id: str) -> list[list[str]]:
    """Rows of stratum, then mean gap on training, validation and test; the first row is all of them."""
    strata = {split: record.strata(id, split) for split in SPLITS}
    whole = [record.figures(id, split) for split in SPLITS]
    names = sorted({name for found in strata.values() for name in found})
    rows = [["all", *map(_gap, whole)]]
    rows += [[clean(name), *(_gap(strata[split].get(name)) for split in SPLITS)] for name in names]
    seconds = [None if f is None else f.as_json()["cpu_seconds_median"] for f in whole]
    times = ["–" if s is None else f"{milliseconds(s)} ms" for s in seconds]
    return [*rows, ["CPU time, median", *times]]


def _gap(figures: Figures | None) -> str:
    return percent(None if figures is None else figures.mean_gap_percent)


def progress_points(record: RunRecord) -> list[list[Any]]:
    """Iteration, id, training loss and count of candidates of each stretch of iterations, its best alone."""
    return [
        [row["iteration"], row["id"][:SHORT], row["loss_percent"], row["of"]]
        for row in losses_over_iterations(record.reader, MOST_POINTS)
    ]


def side(record: RunRecord) -> dict[str, Any]:
    """One of two runs that are compared: what it came to, what it did, and its curve."""
    now = snapshot(record, Tally())
    summary = summarise(record.folder, record.reader)
    curve = list(zip(now["progress_evaluations"], now["progress"], strict=True))
    step = -(-len(curve) // MOST_POINTS) or 1
    return {
        "run": clean(record.name),
        "text": clean(summary["headline"]["text"]),
        "verdict": summary["headline"]["verdict"],
        "problem": record.problem.get("digest"),
        "models": record.models,
        "figures": {name: now[name] for name in _FIGURES},
        "curve": [*curve[::step], *curve[-1:]],
    }


_FIGURES = (
    *("status", "best", "best_gap_percent", "training_loss_percent", "iterations", "evaluations"),
    *("executions", "cpu_seconds", "wall_seconds", "model_calls", "tokens", "cost_usd", "failed", "stopped"),
)
