"""Prints the arms of a comparison; apart from its verb, as all tables are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..formatting import (
    UNKNOWN,
    UNVERIFIED,
    clean,
    count,
    far_note,
    figure,
    gap_cell,
    gap_word,
    signed,
    small_note,
    time_words,
    usd,
)
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console

_SPLIT_NAMES = {"valid": "validation", "test": "test"}
_AMOUNTS = {
    "evaluations": "{:,.0f} evaluations",
    "executions": "{:,.0f} executions",
    "cpu": "{:,.1f} CPU seconds",
    "usd": "${:,.4f}",
}


def print_comparison(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a comparison: the arms at their common budget, their progress, and the paired tests."""
    budget = _AMOUNTS[document["by"]].format(document["budget"])
    console.print(
        f"{clean(document['problem'])} at {budget} a run ({document['unit']})", markup=False, style="bold"
    )
    _print_arms(console, document)
    if _is_reported(document):
        for (letter, _), pair in zip(_lettered(document)[1:], document["pairs"], strict=True):
            where, counts = _counted(letter, pair)
            console.print(f"{where}: {counts}", markup=False, soft_wrap=False)
        for line in (UNVERIFIED, *(f"note: {clean(note)}" for note in document["notes"])):
            console.print(line, markup=False, soft_wrap=False)
        return
    _print_progress(console, document)
    for (letter, _), pair in zip(_lettered(document)[1:], document["pairs"], strict=True):
        console.print(_verdict(letter, pair), markup=False, soft_wrap=False)
        _print_times(console, letter, pair["times"])
    shown = {
        (f"pairs of {pair['paired_by']}", pair["pairs"])
        for pair in document["pairs"]
        if pair["ci95_percent"] is not None
    }
    for line in small_note(sorted(shown)):
        console.print(line, markup=False, soft_wrap=False)
    _print_hypervolumes(console, document)
    for note in document["notes"]:
        console.print(f"note: {clean(note)}", markup=False, soft_wrap=False)


def _is_reported(document: Mapping[str, Any]) -> bool:
    """Whether the scores of the arms were only reported, so that there are no gaps to show."""
    arms = document["arms"]
    return any("reported" in arm["valid"]["reference_kinds"] for arm in arms if arm["valid"])


def _print_arms(console: Console, document: Mapping[str, Any]) -> None:
    kinds: dict[str, int] = {}
    for letter, arm in _lettered(document):
        kinds |= arm["valid"]["reference_kinds"] if arm["valid"] else {}  # None: none valid in the budget
        line = f"{letter}: {clean(arm['name'])}, {clean(arm['label'])}, {count(len(arm['runs']), 'run')}"
        console.print(line, markup=False, soft_wrap=False)
    word = gap_word(kinds) if kinds else "gap"
    reported = _is_reported(document)
    unit = "mean [change over the start program]" if reported else "percent: mean of ratios [95 % interval]"
    table = new_table(f"{word} of the champions, {unit}")
    table.add_column("arm", no_wrap=True)
    for column in ("validation", "test"):
        table.add_column(column, justify="right", no_wrap=True)
    for column in ("evaluations", "CPU s", "cost"):
        table.add_column(column, justify="right")
    for letter, arm in _lettered(document):
        cost = UNKNOWN if not arm["cost_usd"] else usd(arm["cost_usd"])
        gaps = [gap_cell(arm[split]) for split in _SPLIT_NAMES]
        table.add_row(letter, *gaps, f"{arm['evaluations']:,.0f}", f"{arm['cpu_seconds']:,.1f}", cost)
    console.print(table, soft_wrap=False)
    several = any(len(arm["runs"]) > 1 for arm in document["arms"])
    over = "runs, from four on (of a single run: over instances)" if several else "instances"
    words = f"{'' if reported else f'intervals over {over}; '}evaluations, CPU, cost: mean of a run"
    far = far_note(arm[split] for arm in document["arms"] for split in _SPLIT_NAMES)
    for line in (words, *far):
        console.print(line, markup=False, soft_wrap=False)


def _lettered(document: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The arms, each with a short name: A, B, …, Z, A2, …"""
    return [
        (chr(ord("A") + n % 26) + (str(n // 26 + 1) if n >= 26 else ""), arm)
        for n, arm in enumerate(document["arms"])
    ]


def _print_progress(console: Console, document: Mapping[str, Any]) -> None:
    table = new_table("best so far on validation: mean gap by share of budget")
    table.add_column("arm", no_wrap=True)
    first = document["arms"][0]["progress"]
    for point in first:
        share = point["spent"] / document["budget"]
        table.add_column("start" if not share else f"{share:.0%}", justify="right", no_wrap=True)
    for letter, arm in _lettered(document):
        table.add_row(letter, *[figure(point["valid_mean_gap_percent"]) for point in arm["progress"]])
    console.print(table, soft_wrap=False)


def _print_times(console: Console, letter: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Prints the best of both arms within each time class."""
    if not rows:
        return
    table = new_table("best within each CPU time on validation: mean loss, percent")
    table.add_column("time", justify="right", no_wrap=True)
    for column in ("A", letter, f"A − {letter}", "p (Holm)"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        edge = row["time_class_seconds"]
        p = row["p_value_holm"]
        table.add_row(
            UNKNOWN if edge is None else f"≤ {time_words(edge)}",
            figure(row["a_loss_percent"]),
            figure(row["b_loss_percent"]),
            signed(row["difference_percent"]),
            UNKNOWN if p is None else f"{p:.3g}",
        )
    console.print(table, soft_wrap=False)


def _print_hypervolumes(console: Console, document: Mapping[str, Any]) -> None:
    """Prints one number for each arm's front of time and loss."""
    volumes = [(letter, arm["hypervolume"]) for letter, arm in _lettered(document)]
    if all(volume is None for _, volume in volumes):
        return
    words = ", ".join(f"{letter} {UNKNOWN if v is None else f'{v:.3f}'}" for letter, v in volumes)
    console.print(f"hypervolume of log time and loss (start program alone: 0): {words}", markup=False)


def _counted(letter: str, pair: Mapping[str, Any]) -> tuple[str, str]:
    """Which arms and split a comparison is about, and how often the first arm is better."""
    where = f"A − {letter} on the {_SPLIT_NAMES[pair['split']]} split"
    one = "seed" if pair["paired_by"] == "seeds" else "instance"
    counts = f"A better on {count(pair['wins'], one)}, equal on {pair['ties']}, worse on {pair['losses']}"
    return where, counts


def _verdict(letter: str, pair: Mapping[str, Any]) -> str:
    """The comparison of the first arm with another arm, in words."""
    where, counts = _counted(letter, pair)
    one = "seed" if pair["paired_by"] == "seeds" else "instance"
    if pair["difference_percent"] is None:
        return f"{where}: no mean difference, a run failed on an instance or all references are 0; {counts}"
    low_high = ""
    if pair["ci95_percent"] is not None:
        low_high = f" [{', '.join(map(signed, pair['ci95_percent']))}]"
    p = "no p value of a single pair" if pair["p_value"] is None else f"p = {pair['p_value']:.3g}"
    return (
        f"{where}: {signed(pair['difference_percent'])} points{low_high}, {p} "
        f"({pair['test']} on {count(pair['pairs'], one)}); "
        f"{counts}"
    )
