"""Words, numbers and TOML for people: harmless text, counts with nouns, figures with units."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..evaluators.intervals import FEW, FEWEST
from ..evaluators.numbers import FAR_FACTOR
from ..evolve.timing import edge, time_class
from ..sandbox import unseen

UNKNOWN = "–"
"""What stands where a value is not known."""

_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]")
UNVERIFIED = "unverified: scores are what the task's own evaluator reported, and a program can forge its own"
"""What is said of scores that nothing verified."""
FOREIGN = "foreign: not signed by this user, so nothing in it is taken on trust"
"""What is said of a run that was made or changed elsewhere."""

SHORTER = (
    "shorter: --set evaluation.reference_seconds=S, fewer instances, or "
    "`gapsmith references compute` at another time"
)
"""How to wait less for references."""

_BLOCKS = "▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
# What Markdown reads as more than itself; a `_` within a word is none, and names are full of them.
_MARKUP = re.compile(r"[\\`*~|<>&$@\[\]]|(?<![^\W_])_|_(?![^\W_])|(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
_BEGINNING = re.compile(r"^(\d{1,9}+(?=[.)](?: |$))|(?=#{1,6}+(?: |$)|[+-](?: |$)|-{2}|={2}))")
_KIND_WORDS = {
    "optimum": ("optimum", "optima"),
    "bound": ("bound", "bounds"),
    "best_known": ("best known value", "best known values"),
    "baseline": ("best baseline value", "best baseline values"),
    "reported": ("score of the start program, unverified", "scores of the start program, unverified"),
}


def clean(text: str) -> str:
    """A text without characters that nobody sees; line ends stay, tabs become spaces."""
    return unseen.clean(text, tab="    ")


def escaped(document: str) -> str:
    """A JSON document in which characters that nobody sees are written as escapes; it says the same."""
    return _NOT_ASCII.sub(lambda m: json.dumps(m[0])[1:-1] if unseen.unseen(m[0]) else m[0], document)


def inert(text: str) -> str:
    """A clean text on one line that Markdown shows as it is, also in a cell of a table."""
    words = _MARKUP.sub(r"\\\g<0>", " ".join(clean(text).split()))
    return _BEGINNING.sub(r"\g<0>\\", words, count=1)  # a heading, list, or rule


def code_span(text: str) -> str:
    """A clean text on one line as Markdown's code, which no back-tick in the text ends."""
    words = " ".join(clean(text).split())
    longest = max((len(run) for run in re.findall(r"`++", words)), default=0)
    marks = "`" * (longest + 1)
    room = " " if longest or not words else ""
    return f"{marks}{room}{words}{room}{marks}"


def one_line(text: str, width: int) -> str:
    """A clean text on one line of at most `width` characters."""
    words = " ".join(clean(text).split())
    return words if len(words) <= width else words[: max(0, width - 1)] + "…"


def json_text(document: Any, **options: Any) -> str:
    """A document as JSON that every reader takes: null where a number is beyond all floats.

    What is computed of a record's huge numbers may be that.

    Args:
        document: to be written.
        options: of `json.dumps`.
    """
    try:
        return json.dumps(document, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_finite(document), allow_nan=False, **options)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


_CHECKABLE = "proved by construction or dual bound"
_STANDINGS = {
    **dict.fromkeys(("arithmetic", "dual", "construction"), _CHECKABLE),
    "solver": "certified by a solver",
    "literature": "from the literature",
}


def usd(value: float | None) -> str:
    """US dollars, four decimals below one."""
    if value is None:
        return "cost not known"
    return f"${value:.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def count(number: int, one: str, many: str | None = None) -> str:
    """A count with its noun: `1 instance`, `1,200 instances`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def reference_kinds(kinds: Mapping[str, int]) -> str:
    """Kinds of reference in words: `80 optima, 20 bounds`."""
    return ", ".join(count(n, *_KIND_WORDS.get(kind, (kind, kind))) for kind, n in kinds.items())


def standings(proofs: Mapping[str, int]) -> str:
    """Who stands behind proofs: `60 proved by construction or dual bound, 40 certified by a solver`.

    What arithmetic, a dual bound or a construction proves, anybody can check; a solver has to be believed.
    """
    counts = dict.fromkeys(_STANDINGS.values(), 0)
    for proof, number in proofs.items():
        counts[_STANDINGS[proof]] += number
    return ", ".join(f"{number:,} {words}" for words, number in counts.items() if number)


def unsafe(layers: Sequence[str]) -> str:
    """What stands beside every result that was made without a layer of the sandbox."""
    return f"UNSAFE: run without sandbox layer {', '.join(layers)}"


def reaches(names: Sequence[str]) -> str:
    """What stands beside a program that reached for more than its task needs."""
    shown = ", ".join(clean(str(name)) for name in names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (
        f"WARNING: the program reaches for the interpreter or the system ({shown}{more}): read it before use"
    )


def layers(active: Mapping[str, bool]) -> str:
    """Which sandbox layers were on while programs ran, in words."""
    if not active:
        return "layers not recorded"
    missing = [name for name, on in active.items() if not on]
    return f"without layer {', '.join(missing)}" if missing else f"all layers on ({', '.join(active)})"


def counts(numbers: Mapping[str, int]) -> str:
    """Counts by name, largest first: `duplicate 12, syntax 3`."""
    ordered = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in ordered)


def bar(share: float, width: int) -> str:
    """A horizontal bar, `share` in [0, 1] of `width` characters."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest].strip() if rest else "")


def sparkline(values: Iterable[float], width: int) -> str:
    """A line of blocks, low to high; more values than `width` are thinned evenly, the last one kept."""
    numbers = list(values)
    if len(numbers) > width:
        step = (len(numbers) - 1) / max(1, width - 1)
        numbers = [numbers[round(i * step)] for i in range(width)]
    if not numbers:
        return ""
    low = min(numbers)
    high = max(numbers)
    span = high - low
    return "".join(_BLOCKS[round((n - low) / span * 7) if span else 0] for n in numbers)


def gap_word(kinds: Mapping[str, int]) -> str:
    """`optimality gap` only where every reference is an optimum or a bound; no gap for reported scores."""
    from ..evaluators.figures import optimality

    if "reported" in kinds:
        return "reported score (unverified)"
    if optimality(kinds):
        return "optimality gap" if set(kinds) == {"optimum"} else "optimality gap (to optimum or bound)"
    return "gap to best known" if "best_known" in kinds else "gap to best baseline"


# Numbers as people read them, each with its unit.

_LARGE = 1e6


def percent(value: float | None, digits: int = 2) -> str:
    """A percentage, from 100 on without decimals, from 10⁶ on with an exponent; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e} %"
    return "–" if value is None else f"{value:z.{digits if abs(value) < 100 else 0}f} %"


def signed(value: float, form: str = ".2f") -> str:
    """A difference with its sign, `+0.12` or `-0.12`; what rounds to zero is `+0.00`, never `-0.00`.

    Args:
        value: the difference.
        form: digits as in a format string.
    """
    return format(value, f"+z{form}")


def figure(value: float | None) -> str:
    """A percentage without its sign, with as many digits as say something; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e}"
    return "–" if value is None else f"{value:z.2f}" if abs(value) < 100 else f"{value:.0f}"


def gap_cell(figures: Mapping[str, Any] | None, form: Callable[[float | None], str] = figure) -> str:
    """Mean gap with its 95 % interval or counts, marked where it is too good to be believed; or a score."""
    if figures is None:
        return "–"
    if figures["failed"]:
        return f"failed on {figures['failed']}"
    if "reported_score" in figures:
        return reported_cell(figures)
    text = f"{form(figures['mean_gap_percent'])} {spread(figures)}".strip()
    return f"{text} {far_mark(figures)}".strip()


def reported_cell(figures: Mapping[str, Any]) -> str:
    """Mean reported score, and by how much it differs from the start program's: `0.9598 [+0.012]`."""
    score = figures["reported_score"]
    change = figures["change"]
    return "–" if score is None or change is None else f"{score:.5g} [{signed(change, '.3g')}]"


def far_mark(figures: Mapping[str, Any]) -> str:
    """`(2?)` if two objectives are far better than a reference without proof, else empty."""
    far = figures.get("far_beyond")
    return f"({far}?)" if far else ""


def far_note(some: Iterable[Mapping[str, Any] | None]) -> list[str]:
    """The sentence behind the mark, if any of some figures has it."""
    if not any(far_mark(figures) for figures in some if figures):
        return []
    return [
        f"(n?): on n instances {FAR_FACTOR} times better than the reference, which is not proven: look at "
        "the answers, the evaluator may accept what it should refuse"
    ]


def spread(figures: Mapping[str, Any]) -> str:
    """The 95 % interval of a mean gap; where two instances have a gap, too few for one, `(2 of 40)`."""
    if (bounds := figures["mean_gap_ci95_percent"]) is not None:
        return interval(bounds)
    if figures["mean_gap_percent"] is None or figures.get("solved") is None:
        return ""
    missed = figures["instances"] - figures["solved"]
    return f"({missed} of {figures['instances']})" if missed < FEWEST else ""


def few_note(some: Iterable[Mapping[str, Any] | None]) -> list[str]:
    """The sentence behind counts in place of an interval, if any of some figures has them."""
    if not any(figures and not figures["failed"] and spread(figures).startswith("(") for figures in some):
        return []
    return ["(n of m): a gap on n of m instances, too few for an interval"]


def small_note(counts: Iterable[tuple[str, int]]) -> list[str]:
    """The lines on intervals of few values, if any has fewer than `FEW`.

    Args:
        counts: what has an interval, and of how many values.
    """
    few = ", ".join(f"{what} {number}" for what, number in counts if number < FEW)
    words = "95 % intervals are wide, can end beyond all of them, and may be 90 %"
    return [f"few values ({few}):", f"  {words}"] if few else []


def interval(bounds: tuple[float, float] | list[float] | None) -> str:
    """A 95 % interval of percentages, empty when there is none; from 10 on one digit is enough."""
    return "" if bounds is None else "[" + ", ".join(_bound(value) for value in bounds) + "]"


def _bound(value: float) -> str:
    return f"{value:.1f}" if 10 <= abs(value) < 100 else figure(value)


AMOUNTS = {
    "seconds": "s",
    "iterations": "it",
    "evaluations": "eval",
    "executions": "exec",
    "cpu_seconds": "cpu",
    "tokens": "tok",
    "usd": "usd",
    "patience": "idle",
}
"""Key of `[budget]` → its unit in a value of `--budget`."""


def amount(key: str, limit: float) -> str:
    """A limit as a value of `--budget`: `400it`, `600s`; parts of a count or second beyond hundredths go."""
    return f"{limit:.2f}".rstrip("0").rstrip(".") + AMOUNTS[key]


def duration(seconds: float | None) -> str:
    """A time span: `12 s`, `3 min 20 s`, `2 h 05 min`; `–` when there is none."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def time_words(seconds: float) -> str:
    """A CPU time with two digits and its unit: `0.8 ms`, `16 ms`, `1.2 s`."""
    if seconds < 0.00995:
        return f"{seconds * 1000:.1f} ms".replace(".0 ms", " ms")
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def class_words(seconds: float) -> str:
    """The time class of a net CPU time, by its upper edge: `≤ 16 ms`."""
    limit = edge(time_class(seconds))
    return "slower" if limit is None else f"≤ {time_words(limit)}"


def milliseconds(seconds: float | None) -> str:
    """A short time in milliseconds, `–` when there is none."""
    return "–" if seconds is None else f"{seconds * 1000:.1f}"


# Writes configurations as TOML, which the standard library only reads.


def dump(document: Mapping[str, Any]) -> str:
    """TOML text of a configuration mapping; keys without a value and empty sections are left out."""
    import tomli_w

    return tomli_w.dumps({name: _set(part) for name, part in document.items() if part})


def toml_value(value: Any) -> str:
    """TOML text of a text, number, truth value or a list of them, on one line."""
    import tomli_w

    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").removesuffix("\n")


def _set(value: Any) -> Any:
    """A value without the keys of tables that have no value."""
    if isinstance(value, Mapping):
        return {key: _set(part) for key, part in value.items() if part is not None}
    return [_set(part) for part in value] if isinstance(value, list | tuple) else value
