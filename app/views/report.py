"""Writes the report as one self-contained HTML page and as Markdown, both from the same data."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evolve.archive import unique
from ...evolve.store.reader import BASELINE
from ...evolve.store.work import failures_by_status, operators
from ...prompts.text import fence
from ...sandbox.unseen import clean as seen
from ..numbers import duration, gap_cell, interval, milliseconds, percent
from ..record.model_figures import model_figures, notes
from ..record.record import SHORT, RunRecord
from ..record.runs import CONFIG_NAME
from ..record.simplified import kept
from ..record.standalone import evaluate_command
from ..record.summary import summarise, test_used
from ..words import clean, count, counts, gap_word, inert, layers, reaches, reference_kinds, usd
from .highlight import code_html
from .history import unified
from .overview import stopped_words
from .plots.canvas import page_part
from .plots.kinds import KINDS
from .plots.quality import compared, judged_split
from .plots.search import archive_links
from .simplified import rows, verdict
from .tables import far_notes, generalisation_lines
from .winners import verdict as together
from .winners import winners

if TYPE_CHECKING:
    from jinja2 import Environment

SPLIT_NAMES = {"train": "training", "valid": "validation", "test": "test"}
_CODE_BYTES = 350_000
_DIFF_BYTES = 150_000
_MOST_STEPS = 40
_HOTTEST = 50.0
"""Gaps of this size and above have the full colour in the heat map (percent)."""
_MOST_OPERATORS = 40


def context(record: RunRecord) -> dict[str, Any]:
    """All data of the report; `best` is None without a feasible candidate."""
    summary = summarise(record.folder, record.reader)
    split = judged_split(record)
    best = record.best
    headline = _headline(record, summary, split)
    return {
        "run": record.name,
        "summary": summary,
        "problem": {key: record.problem.get(key) for key in ("name", "version", "origin", "unit", "sense")},
        "models": record.models,
        "started": (record.reader.record("created") or "")[:16].replace("T", " "),
        "best": best,
        "split": split,
        "split_name": SPLIT_NAMES.get(split or "", ""),
        "test_used": test_used(summary),
        "headline": headline,
        "judged": None if headline is None else _judged(headline, split),
        "cost": _cost(summary),
        "programs": _programs(record),
        "heat": _heat(record, split),
        "lineage": _lineage(record),
        "elites": _elites(record),
        "operators": [vars_of(o) for o in operators(record.reader)[:_MOST_OPERATORS]],
        "model_rows": _models(record),
        "far": far_notes(summary),
        "generalisation": "; ".join(generalisation_lines(summary["generalisation"])),
        "notes": [clean(note) for note in notes(record.reader)],
        "rejections": dict(record.reader.rejections()),
        "failures": failures_by_status(record.reader),
        "stopped": stopped_words(record.reader),
        "twins": len(record.reader.events("twin")),
        "winners": _winners(record),
        "code": None if best is None else clean(_source(record, best)),
        "simplified": _simplified(record),
        "events": [e.data for e in record.reader.events("beyond_bound")],
        "versions": record.reader.record("versions") or {},
        "unsafe": list(record.reader.record("unsafe_without") or ()),
        "layers": layers(record.layers),
        "reached": reaches(reached) if best is not None and (reached := record.reached(best)) else None,
        "digest": record.problem.get("digest"),
        "config": _config_text(record),
        "commands": _commands(record),
    }


def html(record: RunRecord, found: Mapping[str, Any] | None = None) -> str:
    """`report.html`: one self-contained page with its pictures; the page loads nothing from the network."""
    found = found or context(record)
    pictures = {}
    for name, kind in KINDS.items():
        figure = kind.draw(record)
        if figure is not None:
            links = archive_links(record) if name == "archive" else None
            shown = {e["address"] for e in found["elites"]["rows"]}
            links = None if links is None else {a: t for a, t in links.items() if a in shown}
            pictures[name] = {"svg": page_part(figure, name, kind.caption, links), "caption": kind.caption}
    elites = {row["id"] for row in found["elites"]["rows"]}
    template = _environment(True).get_template("report.html.jinja")
    return seen(template.render(found, pictures=pictures, shown_elites=elites), tab="\t")


def markdown(record: RunRecord, found: Mapping[str, Any] | None = None) -> str:
    """`report.md`: the same report as Markdown, without pictures."""
    return seen(
        _environment(False).get_template("report.md.jinja").render(found or context(record)), tab="\t"
    )


def vars_of(value: Any) -> dict[str, Any]:
    """Fields of a slotted dataclass."""
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _environment(escape: bool) -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader(__package__, "templates"),
        autoescape=escape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "quoted": shlex.quote,
        "percent": percent,
        "interval": interval,
        "milliseconds": milliseconds,
        "clean": clean,
        "inert": inert,
        "plain": lambda value: inert(str(value or "–")),
        "counts": counts,
        "usd": usd,
        "fence": fence,
        "mean": _mean,
        "python": code_html,
    }
    return environment


def _mean(figures: Mapping[str, Any] | None) -> str:
    """Mean gap with its 95 % interval."""
    return gap_cell(figures, percent)


def _headline(record: RunRecord, summary: Mapping[str, Any], split: str | None) -> dict[str, Any] | None:
    """The run's headline, and figures of what it names on the split that judges."""
    if split is None or summary["best"] is None:
        return None
    best, start = summary["best"]["splits"][split], (summary["start"] or {"splits": {}})["splits"].get(split)
    baseline = summary["headline"]["baseline"]
    figures = None if baseline is None else record.figures(BASELINE + baseline, split)
    return {
        "best": best,
        "start": start,
        "text": clean(summary["headline"]["text"]),
        "proven": summary["headline"]["verdict"] == "better",
        "baseline": baseline,
        "baseline_figures": None if figures is None else figures.as_json(),
        "kinds": reference_kinds(best["reference_kinds"]),
        "word": gap_word(best["reference_kinds"]),
        "instances": count(best["instances"], "instance"),
    }


def _judged(headline: Mapping[str, Any], split: str | None) -> str:
    """How the figures were judged, in words; only the test split took no part in the search."""
    words = f"Every gap is to {headline['kinds']}. Answers were judged outside the candidate's process, "
    words += "in exact arithmetic"
    if split != "test":
        return f"{words}, on instances that took part in choosing the candidate."
    return (
        f"{words}, on instances that steered nothing: the test split was used once the champion was chosen."
    )


def _cost(summary: Mapping[str, Any]) -> str:
    usage = summary["usage"]
    words = f"{count(summary['iterations'], 'iteration')}, {count(summary['evaluations'], 'evaluation')}, "
    words += f"{count(summary['executions'], 'execution')} in {duration(usage['wall_seconds'])}"
    if not usage["model_calls"]:
        return words + "; no calls of models, no cost"
    tokens = f"{usage['tokens_in']:,} tokens in and {usage['tokens_out']:,} out"
    return f"{words}; {count(usage['model_calls'], 'call')} of models, {tokens}, {usd(usage['cost_usd'])}"


def _programs(record: RunRecord) -> list[dict[str, Any]]:
    """One row for each compared program, with its figures on the three splits."""
    rows = []
    for program in compared(record):
        figures = {s: record.figures(program, s) for s in SPLIT_NAMES}
        rows.append(
            {
                "name": record.title(program),
                "is_best": program == record.best,
                "splits": {s: None if f is None else f.as_json() for s, f in figures.items()},
            }
        )
    return rows


def _heat(record: RunRecord, split: str | None) -> dict[str, Any] | None:
    """Strata × programs: mean gap, and a heat in [0, 1] on a logarithmic scale."""
    if split is None:
        return None
    programs = compared(record)
    table = {p: record.strata(p, split) for p in programs}
    names = sorted({name for row in table.values() for name in row})
    gaps = {p: {n: f.mean_gap_percent for n, f in row.items()} for p, row in table.items()}
    most = max([1.0, *[g for row in gaps.values() for g in row.values() if g is not None]])
    most = min(most, _HOTTEST)  # otherwise one useless baseline would make all other cells pale
    rows = [
        {
            "stratum": name,
            "cells": [
                {"gap": (g := gaps[p].get(name)), "heat": _heat_of(g, most), "best": p == record.best}
                for p in programs
            ],
        }
        for name in names
    ]
    return {"programs": [record.title(p) for p in programs], "rows": rows}


def _heat_of(gap: float | None, most: float) -> float:
    if gap is None or gap <= 0:
        return 0.0
    return round(min(1.0, math.log1p(gap / 0.1) / math.log1p(most / 0.1)), 3)


def _lineage(record: RunRecord) -> dict[str, Any]:
    """The latest steps from the start program to the best candidate, each with its diff."""
    best = record.best
    chain = [] if best is None else record.lineage(best)
    shown = chain[-_MOST_STEPS:]
    rows, budget = [], _DIFF_BYTES
    before = chain[-len(shown) - 1] if len(chain) > len(shown) else None
    for candidate in shown:
        evaluation = record.evaluation(candidate.id, "train")
        text = "" if before is None else unified(record, before.id, candidate.id)
        budget -= len(text)
        rows.append(
            {
                "id": candidate.id,
                "short": candidate.id[:SHORT],
                "iteration": candidate.iteration,
                "origin": candidate.origin.value,
                "operator": clean(candidate.operator),
                "idea": clean(candidate.idea),
                "loss": None
                if evaluation is None or evaluation.fitness is None
                else -100 * evaluation.fitness + 0.0,
                "diff": text if budget > 0 else "",
            }
        )
        before = candidate
    return {"rows": rows, "shown": len(shown), "total": len(chain)}


def _elites(record: RunRecord) -> dict[str, Any]:
    """Code of the archive's elites, best first, until the page's size limit is reached."""
    archive = record.archive
    elites = [] if archive is None else unique(archive.elites())
    rows, budget = [], _CODE_BYTES
    for elite in elites:
        text = clean(_source(record, elite.candidate.id))
        budget -= len(code_html(text).encode("utf-8", "replace"))
        if budget < 0:
            break
        rows.append(
            {
                "id": elite.candidate.id,
                "short": elite.candidate.id[:SHORT],
                "address": f"#c-{elite.candidate.id}",
                "loss": -100 * elite.fitness + 0.0,
                "size": elite.candidate.description.nodes,
                "island": elite.island,
                "code": text,
            }
        )
    return {"rows": rows, "shown": len(rows), "total": len(elites)}


def _winners(record: RunRecord) -> dict[str, Any] | None:
    """The best elite of each stratum and instance; None without a feasible candidate."""
    if record.best is None or record.archive is None:
        return None
    found = winners(record)
    return {**found, "verdict": together(found)}


def _models(record: RunRecord) -> list[dict[str, Any]]:
    """Figures of each model and operator; see `model_figures`."""
    return [
        {**row, "model": clean(row["model"]), "operator": clean(row["operator"] or "all")}
        for row in model_figures(record.reader)
    ]


def _simplified(record: RunRecord) -> dict[str, Any] | None:
    """The best candidate's simplified form beside it, if `simplify` made one."""
    document = None if record.best is None else kept(record, record.best)
    if document is None or not (document["accepted"] or document.get("renamed")):
        return None
    return {
        "rows": rows(document),
        "verdict": verdict(document),
        "code": clean(next(iter(document["files"].values())).rstrip()),
    }


def _source(record: RunRecord, id: str) -> str:
    files = record.candidate(id).files
    if len(files) == 1:
        return next(iter(files.values())).rstrip()
    return "\n".join(f"# {path}\n{text.rstrip()}\n" for path, text in files.items())


def _config_text(record: RunRecord) -> str:
    """The configuration without the secret, because other people and models may read the report."""
    from ..config import dump

    config = record.config
    if (config.get("evaluation") or {}).get("secret"):
        config = {**config, "evaluation": {**config["evaluation"], "secret": "in the run's campaign.toml"}}
    return clean(dump(config))


def _commands(record: RunRecord) -> Sequence[tuple[str, str]]:
    name, config = shlex.quote(record.name), str(record.folder / CONFIG_NAME)
    return (
        (f"gapsmith verify {name}", "run the best candidate again and compare every answer with the record"),
        (f"gapsmith best {name} -o best.py", "the heuristic as a program that runs alone"),
        (evaluate_command(record, "best.py", judged_split(record)), "score that file on the same instances"),
        (shlex.join(["gapsmith", "run", config]), "run the same campaign again"),
    )
