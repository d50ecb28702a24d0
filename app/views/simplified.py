"""A candidate beside its simplified form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..numbers import milliseconds, percent, reported_cell, signed, spread
from ..words import clean, gap_word
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console

_SLOWER = 1.5
"""Ratio to the original's CPU time from which a warning appears; a smaller ratio may be noise."""


def print_simplified(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a candidate and its simplified form with gap, size and time."""
    word = gap_word(document["valid_before"]["reference_kinds"])
    table = new_table(f"candidate {document['candidate']}, {word} on the validation split")
    table.add_column("version", no_wrap=True)
    for column in (*columns(document), "statements", "nodes", "CPU ms"):
        table.add_column(column, justify="right")
    for row in rows(document):
        table.add_row(*row)
    console.print(table, soft_wrap=False)
    console.print(verdict(document), markup=False, soft_wrap=False)
    for row in document.get("never_true") or ():
        said = f"never true on a validation instance: line {row['line']}, if {row['condition']}"
        console.print(clean(said), markup=False, soft_wrap=False)


def columns(document: Mapping[str, Any]) -> tuple[str, str]:
    """What two columns of quality say: a gap and its interval, or a reported score and its change."""
    reported = "reported_score" in document["valid_before"]
    return ("reported score (unverified)", "change") if reported else ("mean gap", "95 % interval")


def _quality(figures: Mapping[str, Any]) -> tuple[str, str]:
    if "reported_score" in figures:
        score, _, change = reported_cell(figures).partition(" ")
        return score, change.strip("[]")
    return percent(figures["mean_gap_percent"]), spread(figures)


def rows(document: Mapping[str, Any]) -> list[tuple[str, str, str, str, str, str]]:
    """Rows of version, what `columns` names, statements, syntax-tree nodes, CPU milliseconds."""
    return [
        (
            name,
            *_quality(figures),
            str(document[f"statements_{when}"]),
            str(document[f"nodes_{when}"]),
            milliseconds(figures["cpu_seconds_median"]),
        )
        for name, when in (("as found", "before"), ("simplified", "after"))
        for figures in (document[f"valid_{when}"],)
    ]


def verdict(document: Mapping[str, Any]) -> str:
    """The result of a simplification and the test behind it, in words."""
    names = "; expressions that the field has a name for bear it" if document.get("renamed") else ""
    if not document["accepted"]:
        tried = document["tried"]
        if document["complete"]:
            return f"nothing can go: all of {tried} variants were worse or failed{names}"
        return f"the first {tried} variants were worse or failed; --evaluations tries more{names}"
    bounds = document["loss_difference_ci95_percent"]
    shown = "" if bounds is None else f" [{signed(bounds[0], '.3f')}, {signed(bounds[1], '.3f')}]"
    change = signed(document["loss_difference_percent"], ".3f")
    return (
        f"{document['accepted']} of {document['tried']} variants kept; mean loss changed by "
        f"{change} points{shown}, paired over validation instances; "
        "refused is a variant that is worse than the original at the one-sided level "
        f"{document['level']:g}{names}{_slower(document)}"
    )


def _slower(document: Mapping[str, Any]) -> str:
    """A warning if the simplified form is much slower, because a variant is never refused for its time."""
    before, after = (document[f"valid_{when}"]["cpu_seconds_median"] for when in ("before", "after"))
    if not before or not after or after < _SLOWER * before:
        return ""
    return f"; it takes {after / before:.1f} times the CPU time of the original (median of an execution)"
