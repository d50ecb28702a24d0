"""Answers of a workbench for people, in lines; apart from its verb, as all tables are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..formatting import clean, count, percent

if TYPE_CHECKING:
    from rich.console import Console

_LONG = ("text", "statement", "printed", "message", "explanation", "drawing", "answer", "signature", "calls")
_INDENT = "  "


def print_answer(console: Console, document: Mapping[str, Any]) -> None:
    """Prints the answer of an operation."""
    for line in lines(document):
        console.print(clean(line), markup=False, soft_wrap=True, highlight=False)


def lines(document: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """A document as indented lines; rows with the same fields are one line each; what is not known is left
    out.
    """
    pad = _INDENT * depth
    for key, value in document.items():
        words = key.replace("_", " ")
        if value is None or value == [] or value == {}:
            continue
        if key == "files":
            for path, text in value.items():
                yield f"{pad}--- {path}"
                yield str(text)
        elif isinstance(value, str) and (key in _LONG and ("\n" in value or len(value) > 80)):
            yield f"{pad}{words}:"
            yield from (f"{pad}{_INDENT}{line}" for line in value.splitlines())
        elif isinstance(value, Mapping):
            yield f"{pad}{words}:"
            yield from lines(value, depth + 1)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            yield from _rows(words, value, depth)
        else:
            yield f"{pad}{words}: {_plain(value)}"


def neighbour_lines(rows: Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    """Where a champion is specialised: a line for each named set that it was tried on."""
    if not rows:
        yield "neighbouring sets: none tried, as no other has references at hand within a minute"
        return
    yield "neighbouring sets (not part of the claim):"
    for row in rows:
        yield f"{_INDENT}{row['set']}: {_on_a_set(row)}"


def _on_a_set(row: Mapping[str, Any]) -> str:
    compared = row["paired"]
    verdict = {True: "specialised: worse beyond noise here", False: "not worse beyond noise"}.get(
        row["specialised"]
    )
    failures = row.get("failures") or {}
    failed = failures.get("champion", 0)
    if failed:
        beside = f" ({row['rival']}: {failures['rival']})" if "rival" in failures else ""
        end = "specialised" if row["specialised"] else verdict or "too few in common to say more"
        return f"champion fails on {failed} of {count(row['instances'], 'instance')}{beside}; {end}"
    if compared is None:
        return (
            "fails here"
            if row["specialised"]
            else f"{count(row['instances'], 'instance')}, nothing to compare with"
        )
    champion = percent(compared["mean_gap_percent"])
    rival = f"{row['rival']} {percent(compared['other_mean_gap_percent'])}"
    words = f"champion {champion}, {rival}, {compared['better']} better, {compared['worse']} worse of "
    return f"{words}{compared['instances']}; {verdict or 'too few to say more'}"


def _rows(words: str, rows: Sequence[Any], depth: int) -> Iterator[str]:
    pad = _INDENT * depth
    if words == "notes":
        yield f"{pad}{words}:"
        yield from (f"{pad}{_INDENT}- {row}" for row in rows)
        return
    if not all(isinstance(row, Mapping) for row in rows):
        yield f"{pad}{words}: {', '.join(_plain(row) for row in rows)}"
        return
    yield f"{pad}{words}:"
    for row in rows:
        short = {k: v for k, v in row.items() if v is not None and not (isinstance(v, str) and "\n" in v)}
        flat = {k: v for k, v in short.items() if not isinstance(v, Mapping | list)}
        yield f"{pad}{_INDENT}" + ", ".join(f"{k.replace('_', ' ')} {_plain(v)}" for k, v in flat.items())
        yield from lines({k: v for k, v in row.items() if k not in flat}, depth + 2)


def _plain(value: Any) -> str:
    if value is None:
        return "no limit"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
