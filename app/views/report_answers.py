"""Five questions about a run with short answers; apart from the report's layout, which it heads."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from ...evaluators.intervals import FEW
from ...evolve.budget import StopReason
from ...evolve.store.reader import BASELINE
from ...evolve.store.statistics import failures_by_status
from ...evolve.types import Candidate, Origin
from ..formatting import (
    FOREIGN,
    UNVERIFIED,
    clean,
    count,
    counts,
    duration,
    gap_word,
    layers,
    one_line,
    percent,
    reference_kinds,
    reported_cell,
    signed,
    standings,
    unsafe,
    usd,
)
from ..plugins.loader import BUILT_INS
from ..runs.advice import callable_here, source_of_baseline
from ..runs.champions import Conclusion
from ..runs.figures import REPORTED
from ..runs.record import SHORT, RunRecord
from ..runs.standalone import is_stepwise
from .report_tables import cell

_IDEA = 240
"""Longest idea of a model that is quoted (characters)."""
_SPLITS = {"train": "training", "valid": "validation", "test": "test"}
_BUDGETS = {
    StopReason.ITERATIONS: "the budget of iterations",
    StopReason.EVALUATIONS: "the budget of evaluations",
    StopReason.EXECUTIONS: "the budget of executions",
    StopReason.CPU: "the budget of CPU time",
    StopReason.SECONDS: "the budget of wall time",
    StopReason.PATIENCE: "the patience, iterations without a new best,",
    StopReason.TOKENS: "the budget of tokens",
    StopReason.COST: "the budget of dollars",
}
_ANSWERS = {
    Conclusion.BETTER: ("good", "Yes, beyond noise."),
    Conclusion.WORSE: ("bad", "No, it is worse beyond noise."),
    Conclusion.UNDECIDED: ("open", "Not shown: the difference is within noise."),
    Conclusion.NO_IMPROVEMENT: ("open", "No: the search found nothing better than what it began with."),
    Conclusion.UNTESTED: ("open", "Not tested yet."),
    Conclusion.UNVERIFIED: (
        "open",
        "Only its own evaluator says so, and there is no textbook to compare with.",
    ),
    Conclusion.NOTHING: ("bad", "No: there is no feasible candidate."),
}


def headline_of(record: RunRecord, summary: Mapping[str, Any], split: str | None) -> dict[str, Any] | None:
    """The run's headline, and figures of what it names on the split that judges."""
    if split is None or summary["best"] is None:
        return None
    best = summary["best"]["splits"][split]
    start = (summary["start"] or {"splits": {}})["splits"].get(split)
    baseline = summary["headline"]["baseline"]
    figures = None if baseline is None else record.figures(BASELINE + baseline, split)
    return {
        "best": best,
        "start": start,
        "text": clean(summary["headline"]["text"]),
        "proven": summary["headline"]["verdict"] == "better",
        "worse": summary["headline"]["verdict"] == "worse",
        "optimal": set(best["reference_kinds"]) == {"optimum"},
        "baseline": baseline,
        "baseline_figures": None if figures is None else figures.as_json(),
        "kinds": reference_kinds(best["reference_kinds"])
        + (" for one who knows the future" if summary["knows_future"] else ""),
        "proofs": standings(summary["proofs"]),
        "of_baseline": set(best["reference_kinds"]) == {"baseline"},
        "word": gap_word(best["reference_kinds"]),
        "instances": count(best["instances"], "instance"),
    }


def source_of(record: RunRecord, id: str) -> str:
    """A candidate's files as one text."""
    files = record.candidate(id).files
    if len(files) == 1:
        return next(iter(files.values())).rstrip()
    return "\n".join(f"# {path}\n{text.rstrip()}\n" for path, text in files.items())


def answers(
    record: RunRecord, summary: Mapping[str, Any], headline: Mapping[str, Any] | None, code: str | None
) -> list[dict[str, str]]:
    """The five questions, each with `answer`, a `tone` (good, bad, open or none), a command and a section."""
    tone, words = _ANSWERS[Conclusion(summary["headline"]["verdict"])]
    words = _undecided(summary["headline"]) or words
    name = shlex.quote(record.name)
    return [
        {"question": "What is the best heuristic?", "tone": "", "target": "code", "command": ""}
        | {"answer": _best(record, summary, code)},
        {"question": "Is it better than the textbook?", "tone": tone, "target": "result", "command": ""}
        | {"answer": f"{words} {_comparison(summary)} {_ahead(summary)}".strip()},
        {"question": "Can I trust it?", "target": "trust", "command": f"gapsmith verify {name}"}
        | _trust(record, summary, headline),
        {"question": "What did it cost?", "tone": "", "target": "cost", "command": ""}
        | {"answer": _spent(record, summary)},
        {"question": "How do I use it?", "tone": "", "target": "reproduce"} | _use(record, summary),
    ]


def tiles(
    record: RunRecord, summary: Mapping[str, Any], headline: Mapping[str, Any] | None, split: str | None
) -> list[dict[str, str]]:
    """Gaps of best candidate, best baseline and start program on the split that judges, each in a tile."""
    if headline is None or split is None:
        return []
    reported = summary.get("trust") == REPORTED
    champion = "champion" if split == "test" else "best candidate so far"
    id = summary["best"]["candidate"]
    baseline = _founder(record, record.candidate(id))
    name = id[:SHORT] if baseline is None else f"{id[:SHORT]} = {clean(baseline)}"
    found = [
        (champion, name, headline["best"]),
        ("best baseline", clean(headline["baseline"] or ""), headline["baseline_figures"]),
        ("start program", "", headline["start"]),
    ]
    return [
        {
            "what": what,
            "name": name,
            "gap": gap if reported or gap[:1] in "–f" else f"{gap} %",
            "interval": bounds,
        }
        for what, name, figures in found
        if figures is not None
        for gap, bounds in (cell(figures),)
    ]


def _founder(record: RunRecord, candidate: Candidate) -> str | None:
    """The baseline that a candidate is, if the search began with it."""
    names: Mapping[str, str] = record.reader.record("founders") or {}
    start = candidate.operator if candidate.iteration == 0 else ""  # a start program is called as its source
    return names.get(candidate.id) or (start if start in record.reader.baselines() else None)


def _best(record: RunRecord, summary: Mapping[str, Any], code: str | None) -> str:
    best = summary["best"]
    if best is None or code is None:
        waiting = "none yet" if summary["status"] == "running" else "none"
        failed = counts(failures_by_status(record.reader))
        rejected = counts(summary["rejections"])
        reasons = [
            f"candidates failed: {failed}" if failed else "",
            f"proposals rejected: {rejected}" if rejected else "",
        ]
        return ". ".join([waiting.capitalize(), *[r.capitalize() for r in reasons if r]]) + "."
    candidate = record.candidate(best["candidate"])
    baseline = _founder(record, candidate)
    made = clean(candidate.operator or candidate.origin.value)
    when = f"made at iteration {candidate.iteration} (operator {made})"
    if baseline is not None:
        when = f"which is the baseline {clean(baseline)}: the search began with it"
    elif not candidate.iteration:
        when = f"there from the start ({made})"
    lines = len(code.splitlines())
    split = summary["headline"]["split"]
    gap = percent(summary["headline"]["champion_percent"])
    size = count(lines, "line")
    if summary.get("trust") == REPORTED:
        score = reported_cell(best["splits"][split])
        found = f"Candidate {best['candidate'][:SHORT]}, {size}, {when}"
        return f"{found}; reported score {score} on {_SPLITS[split]}."
    idea = one_line(candidate.idea, _IDEA)
    author = "Whoever submitted it" if candidate.origin is Origin.SUBMIT else "Its author, a model,"
    said = f" {author} says: {idea}" if idea else ""
    text = f"Candidate {best['candidate'][:SHORT]}, {size}, {when}; mean gap {gap} on {_SPLITS[split]}."
    if _behind(summary["headline"]):
        text += f" The baseline {clean(summary['headline']['baseline'])} has a smaller one."
    return f"{text}{said}"


def _behind(headline: Mapping[str, Any]) -> bool:
    """Whether the best baseline's gap is smaller than the champion's."""
    champion = headline["champion_percent"]
    baseline = headline["baseline_percent"]
    return champion is not None and baseline is not None and bool(baseline < champion)


def _comparison(summary: Mapping[str, Any]) -> str:
    """The best baseline and the champion in figures, with the paired test."""
    headline = summary["headline"]
    if headline["baseline"] is None or headline["champion_percent"] is None:
        return ""
    text = (
        f"Best baseline {clean(headline['baseline'])} {percent(headline['baseline_percent'])}, "
        f"best candidate {percent(headline['champion_percent'])} on {_SPLITS[headline['split']]}"
    )
    claim = headline["claim"]
    if claim is None:
        return f"{text}."
    p = claim["p_value"]
    chance = "" if p is None else f", p = {p:.2g}" if p >= 0.0001 else ", p < 0.0001"
    return (
        f"{text}: {claim['wins']} instances better, {claim['ties']} equal, {claim['losses']} worse{chance}."
    )


def _undecided(headline: Mapping[str, Any]) -> str:
    """What an undecided test says: nothing differs, an answer is missing, or how wide the noise is."""
    claim = headline["claim"]
    if claim is None or Conclusion(headline["verdict"]) is not Conclusion.UNDECIDED:
        return ""
    if claim["ties"] == claim["instances"]:
        return f"No: the two are equal on each of {count(claim['instances'], 'instance')}."
    if claim["difference_percent"] is None:
        return "Not shown: an answer is missing, so that there is no mean difference."
    words = (
        f"Not shown: the difference of {signed(claim['difference_percent'])} points of loss is within noise"
    )
    if claim["ci95_percent"] is None:
        return f"{words}."
    low, high = claim["ci95_percent"]
    return f"{words}, its 95 % interval [{signed(low)}, {signed(high)}]; more test instances would narrow it."


def _ahead(summary: Mapping[str, Any]) -> str:
    """Names the best baseline on the test split where another one is the best on validation."""
    headline = summary["headline"]
    rivals = {
        name: splits["test"]["mean_gap_percent"]
        for name, splits in summary["baselines"].items()
        if splits["test"] and splits["test"]["mean_gap_percent"] is not None
    }
    if headline["split"] != "test" or headline["baseline"] not in rivals:
        return ""
    name = min(rivals, key=lambda name: (rivals[name], name))
    if rivals[name] >= min(rivals[headline["baseline"]], headline["champion_percent"] or 0.0):
        return ""
    ahead = f"{clean(name)} has {percent(rivals[name])} there"
    return f"{ahead}, but the comparison is with the best baseline on validation."


def _trust(
    record: RunRecord, summary: Mapping[str, Any], headline: Mapping[str, Any] | None
) -> dict[str, str]:
    """What speaks against the figures, or else how they were judged."""
    against = []
    if record.unsafe:
        against.append(unsafe(record.unsafe))
    if summary["foreign"]:
        against.append(FOREIGN)
    if summary["best"] is not None and record.reached(summary["best"]["candidate"]):
        against.append("the program reaches for more than its task needs")
    if record.reader.events("beyond_bound"):
        against.append("an answer went beyond a proven bound")
    if headline is not None and headline["best"]["instances"] < FEW:
        against.append(
            f"{headline['instances']} are few, so that a 95 % interval is wide, can end beyond all "
            "of them, and may hold 9 times in 10 only"
        )
    if summary["test_evaluations"] > 1:
        against.append(f"the test split was seen {summary['test_evaluations']} times")
    if headline is None:
        text = "There are no figures to trust." if not against else f"Take care: {clean('; '.join(against))}."
        return {"answer": text, "tone": "open" if against else ""}
    if summary.get("trust") == REPORTED:
        return {"answer": f"{UNVERIFIED.capitalize()}.", "tone": "open"}
    kinds = f"Gaps are to {headline['kinds']}, and answers were judged outside the candidate's process"
    split = summary["headline"]["split"]
    if split == "test":
        kinds += f", on {headline['instances']} that the search never saw"
    else:
        against.append(f"{_SPLITS[split]} instances took part in the search and flatter the candidate")
    sandbox = f"sandbox: {layers(record.layers)}" if record.layers else ""
    words = [kinds, *([sandbox] if sandbox and not record.unsafe else [])]
    text = "; ".join(words) + "." + (f" Take care: {clean('; '.join(against))}." if against else "")
    return {"answer": text, "tone": "open" if against else "good"}


def _spent(record: RunRecord, summary: Mapping[str, Any]) -> str:
    status = summary["status"].capitalize()
    reason = summary["stop_reason"]
    if reason in _BUDGETS:
        status += f": {_BUDGETS[reason]} was spent"
    elif reason not in (None, summary["status"]):
        status += f" ({clean(str(reason))})"
    return f"{cost_words(summary)}. {status}."


def _use(record: RunRecord, summary: Mapping[str, Any]) -> dict[str, str]:
    name = shlex.quote(record.name)
    if summary["best"] is None:
        if summary["status"] == "running":
            return {"answer": "Wait: the campaign is running.", "command": f"gapsmith watch {name}"}
        return {
            "answer": "There is nothing to use; see why each candidate failed.",
            "command": f"gapsmith show {name}",
        }
    headline = summary["headline"]
    source = callable_here(source_of_baseline(record.reader, str(headline["baseline"])), record.reader)
    if record.foreign and summary["problem"] not in BUILT_INS:
        source = f"gapsmith show {name}"  # no command opens a file that another machine's record names
    instead = headline["verdict"] in (Conclusion.NO_IMPROVEMENT, Conclusion.WORSE)
    undecided = headline["verdict"] == Conclusion.UNDECIDED
    if headline["baseline"] is not None and (instead or (undecided and _behind(headline))):
        why = "Nothing shows that the champion is better: use" if undecided else "Use"
        return {"answer": f"{why} the best baseline instead.", "command": source}
    if record.reader.record("champion") is None and summary["status"] in ("interrupted", "running"):
        verb = "resume" if summary["status"] == "interrupted" else "watch"
        return {"answer": "Later: the champion is not chosen yet.", "command": f"gapsmith {verb} {name}"}
    if summary.get("trust") == REPORTED:
        return {"answer": "As its evaluator does.", "command": f"gapsmith best {name} -o best.py"}
    what = "an instance as JSON in, the answer as JSON out"
    if is_stepwise(record):
        what = "the instance as a JSON line in, then one revealed line at a time; one decision a line out"
    answer = f"As a program that needs no Gapsmith: {what}."
    if undecided and headline["baseline"] is not None:
        answer += f" Nothing shows that it is better than the best baseline: {source}."
    return {
        "answer": answer,
        "command": f"gapsmith best {name} -o best.py",
    }


def cost_words(summary: Mapping[str, Any]) -> str:
    """What a campaign did and spent, in words."""
    usage = summary["usage"]
    words = f"{count(summary['iterations'], 'iteration')}, {count(summary['evaluations'], 'evaluation')}, "
    words += f"{count(summary['executions'], 'execution')} in {duration(usage['wall_seconds'])}"
    return f"{words}; {calls_words(usage)}"


def calls_words(usage: Mapping[str, Any]) -> str:
    """Calls of models, their tokens and cost, in words."""
    if not usage["model_calls"]:
        return "no calls of models, no cost"
    tokens = f"{usage['tokens_in']:,} tokens in and {usage['tokens_out']:,} out"
    return f"{count(usage['model_calls'], 'call')} of models, {tokens}, {usd(usage['cost_usd'])}"
