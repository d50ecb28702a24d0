"""The result of a campaign as `run`, `resume` and `show RUN` print it, read from the store alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...evolve.store.course import Counts, counts
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.store.statistics import tested
from ...evolve.store.tally import Tally
from ...problems.base import SPLITS
from .advice import advice, better_left_out, hurried, unanswered
from .champions import best_of_time, champions, headline, proof, solver_rows, steered_by_time, time_budget
from .figures import (
    REPORTED,
    candidate_summary,
    knows_future,
    model_figures,
    newest_page,
    notes,
    proofs,
    splits,
    trust,
)
from .folders import LOG_NAME
from .signature import is_own
from .stored_run import progress_of

# What a run's document says of its workbench: looks that were taken, where its champion is specialised.

KINDS = ("submit", "probe", "experiment", "instance", "compare", "read", "note")


def operation_counts(reader: Reader) -> dict[str, int]:
    """Kind → operations that were not refused, the one under way and those that a kill ended too (counts)."""
    found = counts(reader)
    return {kind: (made := found.get(kind, Counts())).done + made.broken for kind in KINDS}


def experiment_seconds(reader: Reader) -> tuple[float, float | None]:
    """CPU seconds that experiments used, and that they may use together; None for no limit."""
    used = counts(reader).get("experiment", Counts()).cpu_seconds
    allowed = (reader.record("bench") or {}).get("experiment_cpu_seconds")
    return used, None if allowed is None else float(allowed)


def workbench(reader: Reader) -> dict[str, Any]:
    """The part of a run's document on its workbench; empty for a run without one."""
    if reader.record("bench") is None:
        return {}
    return {
        "workbench": {
            "operations": operation_counts(reader),
            "experiment_cpu_seconds": list(experiment_seconds(reader)),
            "neighbours": reader.record("neighbours"),
        }
    }


def summarise(folder: Path, reader: Reader) -> dict[str, Any]:
    """The document of a campaign under the field names of the JSON contract."""
    start = reader.record("start")
    champion = reader.record("champion")
    models = model_figures(reader)
    done = progress_of(folder, reader, Tally())
    best = best_summary(reader, champion)
    document = {
        "run": folder.resolve().name,
        "problem": (reader.record("problem") or {}).get("name"),
        "status": done["status"],
        "stop_reason": done["stop_reason"],
        "seed": ((reader.record("config") or {}).get("campaign") or {}).get("seed"),
        **{name: done[name] for name in ("iterations", "evaluations", "executions", "rejections")},
        "usage": {
            **{
                name: sum(row[name] for row in models if row["operator"])
                for name in ("tokens_in", "tokens_out")
            },
            **{name: done[name] for name in ("model_calls", "cost_usd", "wall_seconds")},
        },
        "start": None if start is None else candidate_summary(reader, start),
        "best": best,
        "trust": trust(reader),
        "generalisation": None if trust(reader) == REPORTED else generalisation(best),
        "baselines": {name: splits(reader, BASELINE + name) for name in reader.baselines()},
        "claims": reader.record("claims") or [],
        "champions": champions(reader),
        "proof": proof(reader),
        "knows_future": knows_future(reader),
        "proofs": proofs(reader.references().values()),
        "solver": solver_rows(reader),
        "timing": reader.record("timing"),
        "time_budget_seconds": time_budget(reader),
        "steered_by_time": steered_by_time(reader),
        "test_evaluations": test_evaluations(reader),
        "foreign": not is_own(reader),
        "unsafe_without": list(reader.record("unsafe_without") or ()),
        "layers": dict(reader.record("layers") or {}),
        "models": models,
        "notes": [
            *notes(reader),
            *filter(None, [reader.record("ending")]),
            *_faults(folder, reader),
            *hurried(reader),
            *unanswered(reader, models),
        ],
        "page": newest_page(reader),
        **workbench(reader),
    }
    document["headline"] = headline(reader, document)
    return {**document, "advice": advice(reader, document, better_left_out(reader))}


def _faults(folder: Path, reader: Reader) -> list[str]:
    """One sentence if errors in Gapsmith's own code cost proposals."""
    count = len(reader.events("fault"))
    if not count:
        return []
    lost = "1 proposal was" if count == 1 else f"{count} proposals were"
    return [f"{lost} lost to an error in Gapsmith itself, please report it: {folder / LOG_NAME} names each"]


def best_candidate(reader: Reader) -> str | None:
    """Id of the champion; until it is chosen, of the best candidate on validation, or else on training.

    Start programs are validated before the search: as long as nothing else was, training decides. A time
    budget leaves those candidates alone that are within it on validation.
    """
    champion = reader.record("champion")
    if champion is not None:
        return str(champion)
    if (limit := time_budget(reader)) is not None:
        quick = best_of_time(reader, limit)
        return None if quick is None else quick.program
    starts = reader.record("starts") or ()
    validated = [id for id, _ in reader.best("valid")]
    if any(id not in starts for id in validated):
        return validated[0]
    return reader.leader() or next(iter(validated), None)


def best_summary(reader: Reader, champion: str | None) -> dict[str, Any] | None:
    """Summary of the best candidate; None if no candidate is feasible."""
    id = champion or best_candidate(reader)
    return None if id is None else candidate_summary(reader, id)


def generalisation(best: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Mean losses of the best candidate by split, in percent of max(|reference|, scale), and how they differ.

    The generalisation gap is the loss on test minus that in training, in points. None until both are known.
    """
    figures = {} if best is None else {split: best["splits"][split] for split in SPLITS}
    losses = {
        split: None if row is None or row["fitness"] is None else -100 * row["fitness"] + 0.0
        for split, row in figures.items()
    }
    test = losses.get("test")
    train = losses.get("train")
    if test is None or train is None:
        return None
    return {
        "loss_percent": losses,
        "instances": {split: row and row["instances"] for split, row in figures.items()},
        "gap_points": test - train,
    }


def test_evaluations(reader: Reader) -> int:
    """Number of candidates evaluated on the test split, without the first start program.

    The first start program is always tested beside the champion; another start program is tested only as
    champion, so that test counts.
    """
    start = reader.record("start")
    return sum(program != start for program in tested(reader))


def test_used(summary: Mapping[str, Any]) -> bool:
    """Whether any candidate of a campaign's document has a figure on the test split."""
    start = summary["start"]
    return summary["test_evaluations"] > 0 or (start is not None and start["splits"]["test"] is not None)


def group_summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Mean, 95 % interval and range of the best candidates' mean gaps over the runs of a group.

    Where scores are only reported there are no gaps: each split has `reported_score` with these figures.
    """
    from ...evaluators.intervals import mean_interval

    def figures(split: str, key: str) -> tuple[int, dict[str, Any]]:
        bests = [run["best"]["splits"][split] for run in runs if run["best"]]
        values = [best.get(key) for best in bests if best]
        numbers = [value for value in values if value is not None]
        interval = mean_interval(numbers)
        return len(numbers), {
            "mean": sum(numbers) / len(numbers) if numbers else None,
            "ci95": None if interval is None else list(interval),
            "range": [min(numbers), max(numbers)] if numbers else None,
        }

    reported = any(run.get("trust") == REPORTED for run in runs)
    result: dict[str, Any] = {"runs": len(runs), **({"trust": REPORTED} if reported else {})}
    for split in SPLITS:
        count, gap = figures(split, "mean_gap_percent")
        result[split] = {
            "runs": count,
            "mean_gap_percent": gap["mean"],
            "mean_gap_ci95_percent": gap["ci95"],
            "mean_gap_percent_range": gap["range"],
        }
        if reported:
            count, score = figures(split, "reported_score")
            result[split] |= {"runs": count, "reported_score": score}
    return result
