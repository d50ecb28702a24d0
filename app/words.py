"""Words for people: text that cannot harm a terminal, counts with their nouns, bars and sparklines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

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
    marks, room = "`" * (longest + 1), " " if longest or not words else ""
    return f"{marks}{room}{words}{room}{marks}"


def one_line(text: str, width: int) -> str:
    """A clean text on one line of at most `width` characters."""
    words = " ".join(clean(text).split())
    return words if len(words) <= width else words[: max(0, width - 1)] + "…"


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
    low, high = min(numbers), max(numbers)
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
