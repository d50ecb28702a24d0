"""Writes the report as one HTML page and as Markdown, from the same data; code is highlighted here."""

from __future__ import annotations

import base64
import hashlib
import io
import keyword
import re
import secrets
import shlex
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from ...evolve.store.statistics import failure_examples, failures_by_status, operators
from ...prompts.text import fence
from ...sandbox.unseen import clean as seen
from ..formatting import (
    UNVERIFIED,
    clean,
    code_span,
    count,
    counts,
    duration,
    gap_cell,
    inert,
    interval,
    layers,
    milliseconds,
    percent,
    reaches,
    usd,
)
from ..formatting import figure as figure_of
from ..runs.advice import hurried
from ..runs.figures import REPORTED, model_figures, notes, trust
from ..runs.folders import CONFIG_NAME
from ..runs.record import SHORT, RunRecord, stored_simplification
from ..runs.standalone import evaluate_command
from ..runs.summary import summarise, test_used
from .candidate import columns, rows, verdict
from .history import unified, winners
from .history import verdict as together
from .overview import COLUMNS, champion_notes, champion_rows, looks_words, stopped_words
from .plots.canvas import page_part
from .plots.kinds import KINDS
from .plots.quality import judged_split
from .plots.search import candidate_links
from .report_answers import answers, calls_words, cost_words, headline_of, source_of, tiles
from .report_tables import candidates_of, heat, packed, programs
from .tables import far_notes, training_lines

if TYPE_CHECKING:
    from jinja2 import Environment


# Highlights Python code as HTML; splits the code into tokens, escapes all of it, and never runs it.

_STRINGS = {
    number
    for name in ("STRING", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")  # the latter from 3.12 on
    if (number := getattr(tokenize, name, None)) is not None
}


def code_html(text: str) -> str:
    """Code with keywords, strings, numbers and comments in spans of class k, s, n, c.

    A text that is not Python comes back escaped and otherwise unchanged.
    """
    try:
        spans = list(_spans(text))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return escape(text)
    parts = []
    done = 0
    for start, end, kind in spans:
        parts += [escape(text[done:start]), f'<span class="{kind}">{escape(text[start:end])}</span>']
        done = end
    return "".join([*parts, escape(text[done:])])


def _spans(text: str) -> Iterator[tuple[int, int, str]]:
    """Yields (start, end, class) of each token that has a class, in order; positions in characters."""
    begins = [0]
    for line in text.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    for token in tokenize.generate_tokens(io.StringIO(text, newline="\n").readline):
        kind = _kind(token)
        start, end = (begins[row - 1] + column for row, column in (token.start, token.end))
        if kind and start < end:
            yield start, end, kind


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type in _STRINGS:
        return "s"
    if token.type == tokenize.NAME and keyword.iskeyword(token.string):
        return "k"
    return {tokenize.NUMBER: "n", tokenize.COMMENT: "c"}.get(token.type, "")


SPLIT_NAMES = {"train": "training", "valid": "validation", "test": "test"}
_DIFF_BYTES = 60_000
_MOST_STEPS = 40
_MOST_OPERATORS = 40
_MOST_BYTES = 1_450_000
"""Size up to which a page has room for the texts of candidates."""
_WRAPPED = 70
"""A line of a statement of so many characters goes on in the next one."""
_EXCERPT = 6
_METHOD = re.compile(r"[ \t]{1,8}def [a-zA-Z]")
_WIDE_LINE = 110
_TITLES = {
    "front": "Gap against CPU time",
    "answers": "Answers: best candidate and best baseline",
    "progress": "Best training loss so far",
    "scatter": "Instance by instance",
    "islands": "Best training loss of each island",
    "spent": "CPU time by use",
}
"""Headings of pictures that no other heading or folded part names."""
_REPORTED_TITLES = {"front": "Loss against CPU time"}
"""Those where scores are only reported, so that there is no gap."""
_TOP = 15
"""Rows of the candidate list that the page shows without its script."""


def context(record: RunRecord) -> dict[str, Any]:
    """All data of the report; `best` is None without a feasible candidate."""
    summary = summarise(record.folder, record.reader)
    split = judged_split(record)
    best = record.best
    headline = headline_of(record, summary, split)
    code = None if best is None else clean(source_of(record, best))
    rejections = dict(record.reader.rejections())
    failures = failures_by_status(record.reader)
    return {
        "run": record.name,
        "summary": summary,
        "problem": _problem(record),
        "models": record.models,
        "started": (record.reader.record("created") or "")[:16].replace("T", " "),
        "best": best,
        "split": split,
        "split_name": SPLIT_NAMES.get(split or "", ""),
        "test_used": test_used(summary),
        "headline": headline,
        "tiles": tiles(record, summary, headline, split),
        "answers": answers(record, summary, headline, code),
        "advice": [{name: clean(text) for name, text in line.items()} for line in summary["advice"]],
        "judged": None if headline is None else _judged(headline, split),
        "cost": cost_words(summary),
        "brief": f"{duration(summary['usage']['wall_seconds'])}, {calls_words(summary['usage'])}",
        "programs": programs(record),
        "heat": heat(record, split),
        "lineage": _lineage(record),
        "operators": [vars_of(o) for o in operators(record.reader)[:_MOST_OPERATORS]],
        "model_rows": _models(record),
        "far": far_notes(summary),
        "champions": champion_rows(summary),
        "champion_columns": COLUMNS,
        "champion_notes": champion_notes(summary),
        "generalisation": "; ".join(training_lines(summary)),
        "notes": [clean(note) for note in [*notes(record.reader), *hurried(record.reader)]],
        "workbench": looks_words(summary["workbench"]) if "workbench" in summary else None,
        "rejections": rejections,
        "failures": failures,
        "failure_examples": [(status, clean(text)) for status, text in failure_examples(record.reader, 3)],
        "stopped": stopped_words(record.reader),
        "twins": len(record.reader.events("twin")),
        "winners": _winners(record),
        "code": code,
        "lines": 0 if code is None else len(code.splitlines()),
        "code_lines": "" if code is None else count(len(code.splitlines()), "line"),
        "excerpt": None if code is None else excerpt(code, str(record.problem.get("entry_point") or "")),
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
    candidates = candidates_of(record)
    pictures = {}
    for name, kind in KINDS.items():
        figure = kind.draw(record) if kind.on_page else None
        if figure is not None:
            caption = kind.caption_of(record)
            links = candidate_links(record, name)
            pictures[name] = {"svg": page_part(figure, name, caption, links), "caption": caption}
    style, script = (
        files(__package__).joinpath("templates", n).read_text() for n in ("report.css", "report.js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = _environment(True).get_template("report.html.jinja")
    top = sorted((c for c in candidates if c["loss"] is not None), key=lambda c: (c["loss"], c["iteration"]))
    mark = secrets.token_hex(16)  # no record can hold it
    text = seen(
        page.render(
            found,
            pack=mark,
            pictures=pictures,
            style=style,
            script=script,
            script_digest=digest,
            top=top[:_TOP],
            first_pictures=_first(pictures, found["summary"]["trust"] == REPORTED),
            titles=_TITLES if found["summary"]["trust"] != REPORTED else {**_TITLES, **_REPORTED_TITLES},
            total=len(candidates),
        ),
        tab="\t",
    )
    first, last = text.split(mark)
    room = _MOST_BYTES - len(text.encode("utf-8", "replace"))
    return first + packed(candidates, found["best"], room) + last


def _first(pictures: Mapping[str, Any], reported: bool) -> list[str]:
    """Pictures of the first screen: of reported scores the course: their times are no programs."""
    choices = (() if reported else ("front", "answers")), ("progress", "spent" if reported else "scatter")
    return next((found for names in choices if (found := [name for name in names if name in pictures])), [])


def markdown(record: RunRecord, found: Mapping[str, Any] | None = None) -> str:
    """`report.md`: the same report as Markdown, without pictures."""
    return seen(
        _environment(False).get_template("report.md.jinja").render(found or context(record)), tab="\t"
    )


def excerpt(code: str, entry: str, most: int = _EXCERPT) -> str:
    """The first lines of a program that do something: of its entry point, else of the text, at most `most`.

    Of a class they are those of its first public method. Comments, docstrings, imports and empty lines are
    left out; nothing of the text is run.
    """
    lines = code.splitlines()
    heads = (f"def {entry}(", f"class {entry}:", f"class {entry}(")
    begin = next((n for n, line in enumerate(lines) if line.startswith(heads)), 0)
    if lines[begin : begin + 1] and lines[begin].startswith("class "):
        methods = (n for n in range(begin, len(lines)) if _METHOD.match(lines[n]))
        begin = next(methods, begin)
    kept = list(_doing(lines[begin:])) or list(_doing(lines))
    shown = [line if len(line) <= _WIDE_LINE else f"{line[:_WIDE_LINE]}…" for line in kept[:most]]
    return dedent("\n".join(shown))


def _doing(lines: Sequence[str]) -> Iterator[str]:
    """Lines that are no comment, docstring, import or empty line."""
    quote = ""
    for line in lines:
        text = line.strip()
        if quote:
            quote = "" if quote in text else quote
        elif text[:3] in ('"""', "'''"):
            quote = "" if text.count(text[:3]) > 1 else text[:3]
        elif text and not text.startswith(("#", "import ", "from ")):
            yield line.rstrip()


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
        "code": code_span,
        "plain": lambda value: inert(str(value or "–")),
        "counts": counts,
        "usd": usd,
        "fence": fence,
        "mean": _mean,
        "figure": figure_of,
        "capitalised": lambda text: text[:1].upper() + text[1:],
        "python": code_html,
        "flowing": flowing,
    }
    return environment


def flowing(text: str) -> str:
    """A text whose lines were wrapped by hand, with its paragraphs as one line each; lists stay lists."""
    lines: list[str] = []
    wrapped = False
    for line in text.splitlines():
        if wrapped and (line[:1].isalnum() or line[:1] in ("`", "(")):
            lines[-1] += f" {line}"
        else:
            lines.append(line)
        wrapped = len(line) >= _WRAPPED
    return "\n".join(lines)


def _mean(figures: Mapping[str, Any] | None) -> str:
    """Mean gap with its 95 % interval."""
    return gap_cell(figures, percent)


def _problem(record: RunRecord) -> dict[str, Any]:
    """What the run recorded of its problem; older runs have no statement, sets and strata."""
    names = ("name", "version", "origin", "unit", "sense", "statement", "strata")
    sets = record.problem.get("sets") or {}
    return {key: record.problem.get(key) for key in names} | {
        "sets": [(SPLIT_NAMES[split], sets[split]) for split in SPLIT_NAMES if split in sets]
    }


def _judged(headline: Mapping[str, Any], split: str | None) -> str:
    """How the figures were judged, in words; only the test split took no part in the search."""
    if headline["best"].get("trust") == "reported":
        return f"{UNVERIFIED[0].upper()}{UNVERIFIED[1:]}. Nothing is proved."
    proofs = f" (of all references {headline['proofs']})" if headline["proofs"] else ""
    words = (
        f"Every gap is to {headline['kinds']}{proofs}. Answers were judged outside the candidate's process, "
    )
    words += "in exact arithmetic"
    if split != "test":
        return f"{words}, on instances that took part in choosing the candidate."
    unseen = "on instances that the search never saw"
    return f"{words}, {unseen}: the test split was used once the champion was chosen."


def _lineage(record: RunRecord) -> dict[str, Any]:
    """The latest steps from the start program to the best candidate, each with its diff."""
    best = record.best
    chain = [] if best is None else record.lineage(best)
    shown = chain[-_MOST_STEPS:]
    rows = []
    budget = _DIFF_BYTES
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


def _winners(record: RunRecord) -> dict[str, Any] | None:
    """The best elite of each stratum and instance; None without a feasible candidate.

    None where scores are reported too: all repetitions are one instance.
    """
    if record.best is None or record.archive is None or trust(record.reader) == REPORTED:
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
    document = None if record.best is None else stored_simplification(record, record.best)
    if document is None or not (document["accepted"] or document.get("renamed")):
        return None
    return {
        "columns": columns(document),
        "rows": rows(document),
        "verdict": verdict(document),
        "code": clean(next(iter(document["files"].values())).rstrip()),
    }


def _config_text(record: RunRecord) -> str:
    """The configuration without the secret, because other people and models may read the report."""
    from ..formatting import dump

    config = record.config
    if (config.get("evaluation") or {}).get("secret"):
        config = {**config, "evaluation": {**config["evaluation"], "secret": "in the run's campaign.toml"}}
    return clean(dump(config))


def _commands(record: RunRecord) -> Sequence[tuple[str, str]]:
    name = shlex.quote(record.name)
    config = str(record.folder / CONFIG_NAME)
    return (
        (f"gapsmith verify {name}", "run the best candidate again and compare every answer with the record"),
        (f"gapsmith best {name} -o best.py", "the heuristic as a program that runs alone"),
        (evaluate_command(record, "best.py", judged_split(record)), "score that file on the same instances"),
        (shlex.join(["gapsmith", "run", config]), "run the same campaign again"),
    )
