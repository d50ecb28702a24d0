"""Attacks on what an answer counts: items that are repeated, missing, or out of range at a few positions."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator

from ...problems.base import Json, Number
from .answers import Path, at, put
from .bench import SEED, Bench
from .origins import (
    MOST,
    Origin,
    all_origins,
    common,
    fields,
    groups,
    in_time,
    put_all,
    send,
    with_copy,
    without,
)

SITES = 6
"""Places of each answer that are changed (count)."""


def check_items(bench: Bench) -> None:
    """A permutation has each number once, and nothing is gained by counting an item twice."""
    some = all_origins(bench)[:MOST]
    if len(some) < 2:
        return
    for pattern in common(some):
        places = [groups(o.answer)[pattern] for o in some]
        values = [[at(o.answer, path) for path in paths] for o, paths in zip(some, places, strict=True)]
        if not all(isinstance(v, int) for row in values for v in row):
            continue
        _positions(bench, some, places)
        if all(len(set(row)) == len(row) for row in values):
            permutation = all(_contiguous(row) for row in values)
            ordered = permutation and _only_orders(all_origins(bench), pattern)
            _repeats(bench, some, places, permutation=permutation, ordered=ordered)


def _contiguous(row: list[int]) -> bool:
    return max(row) - min(row) == len(row) - 1


def _only_orders(every: list[Origin], pattern: Path) -> bool:
    """Whether all answers to an instance are orders of the same items, and some instance has two orders."""
    orders: dict[str, list[list[int]]] = defaultdict(list)
    for origin in every:
        row = [at(origin.answer, path) for path in groups(origin.answer).get(pattern, [])]
        orders[origin.case.instance.id].append(row)
    alike = all(len({tuple(sorted(row)) for row in rows}) == 1 for rows in orders.values())
    whole = all(row and len(set(row)) == len(row) for rows in orders.values() for row in rows)
    return alike and whole and any(row != rows[0] for rows in orders.values() for row in rows)


def _repeats(
    bench: Bench, some: list[Origin], places: list[list[Path]], *, permutation: bool, ordered: bool
) -> None:
    """Sends answers in which an item is there twice, or is not there at all.

    Args:
        permutation: the changed answers hold each number of a range once.
        ordered: so do all answers of the problem's programs, in different orders; then no repeat may be
            accepted, whether it scores better or not.
    """
    rng = random.Random(SEED)
    accepted: list[tuple[Origin, str, Number, Number]] = []
    gains: dict[str, list[tuple[Origin, str, Number, Number]]] = defaultdict(list)
    valid: dict[str, int] = defaultdict(int)
    sent = 0
    for origin, paths in in_time(zip(some, places, strict=True)):
        short = _shortened(bench, some, origin, paths)
        for kind, before, words, answer in _changes(origin, paths, short, permutation, rng):
            objective = send(bench, origin, _counted(some, origin, answer), words)
            repeat = ordered and kind in {"copied", "all"}
            sent += repeat
            if objective is None:
                continue
            if repeat:
                accepted.append((origin, words, before, objective))
                continue
            valid[kind] += 1
            if bench.better(objective, before):
                gains[kind].append((origin, words, before, objective))
    if accepted:
        _repeat_accepted(bench, accepted, sent)
    for kind, seen in gains.items():
        if len(seen) < 2 or 2 * len(seen) < valid[kind]:
            continue
        origin, words, before, objective = seen[0]
        what = "repeated-items" if kind != "missing" else "missing-items"
        bench.report.add(
            what,
            sent=f"{origin.words} with {words}",
            got=f"valid, objective {objective}, better than {before} without the change; "
            f"{len(seen)} of {valid[kind]} accepted answers of this kind were better",
            why="every program gives each number at most once: a candidate scores by repeating what is cheap "
            "or leaving out what is costly",
            fix="after the look at types, length and range, compare len(set(…)) with the number of items; if "
            "repeats are meant, add a baseline that repeats an item",
        )


def _repeat_accepted(bench: Bench, accepted: list[tuple[Origin, str, Number, Number]], sent: int) -> None:
    """Names an accepted repeat where only permutations are honest; if any gains, the one that gains most."""
    better = [entry for entry in accepted if bench.better(entry[3], entry[2])]
    origin, words, before, objective = max(
        better or accepted[:1], key=lambda entry: abs(float(entry[3]) - float(entry[2]))
    )
    bench.report.add(
        "repeated-items",
        sent=f"{origin.words} with {words}",
        got=f"valid, objective {objective}, {before} without the change; {len(accepted)} of {sent} answers "
        f"with a repeat were accepted, {len(better)} of them better than without it",
        why="every answer of every program is an order of the same items, each once: a candidate scores by "
        "repeating what is cheap and leaving out what is costly",
        fix="after the look at types, length and range, compare len(set(…)) with the number of items; if "
        "repeats are meant, add a baseline that repeats an item",
    )


def _changes(
    origin: Origin,
    paths: list[Path],
    short: tuple[Json, Number, list[Path]] | None,
    permutation: bool,
    rng: random.Random,
) -> Iterator[tuple[str, Number, str, Json]]:
    """Kind, objective to compare with, words and answer of each change."""
    if permutation:
        for index in rng.sample(range(len(paths)), min(SITES, len(paths))):
            value, other = at(origin.answer, paths[index]), at(origin.answer, paths[index - 1])
            words = f"{value} replaced by {other}, which is there already"
            yield "copied", origin.objective, words, put(origin.answer, paths[index], other)
            yield "missing", origin.objective, f"{value} left out", without(origin.answer, paths[index])
        for value in in_time(sorted(at(origin.answer, path) for path in paths)):
            words = f"every number replaced by {value}"
            yield "all", origin.objective, words, put_all(origin.answer, paths, value)
    if short is not None:
        answer, objective, rest = short
        for path in rest[:SITES]:
            doubled = with_copy(answer, path)
            if doubled is not None:
                words = f"{len(rest)} items, of which {at(answer, path)} is there twice"
                yield "doubled", objective, words, doubled


def _shortened(
    bench: Bench, some: list[Origin], origin: Origin, paths: list[Path]
) -> tuple[Json, Number, list[Path]] | None:
    """A valid answer with fewer items, its objective, and the places that are left; None without one."""
    answer = origin.answer
    for path in reversed(paths[len(paths) // 2 :]):
        answer = without(answer, path)
    half = paths[: len(paths) // 2]
    answer = _counted(some, origin, answer)
    objective = send(bench, origin, answer, f"only the first {len(half)} of {len(paths)} items")
    return None if objective is None else (answer, objective, half)


def _counted(some: list[Origin], origin: Origin, answer: Json) -> Json:
    """The answer with those numbers corrected that, in every program's answer, are the length of a list."""
    for path in list(fields(origin.answer)):
        for key in _lists(origin.answer):
            if all(_length(o.answer, key) == _number(o.answer, path) for o in some):
                answer = put(answer, path, _length(answer, key))
    return answer


def _lists(answer: Json) -> list[Path]:
    if isinstance(answer, dict):
        return [(key,) for key, value in answer.items() if isinstance(value, list)]
    if isinstance(answer, list):
        return [(index,) for index, value in enumerate(answer) if isinstance(value, list)]
    return []


def _length(answer: Json, path: Path) -> int | None:
    value = _value(answer, path)
    return len(value) if isinstance(value, list) else None


def _number(answer: Json, path: Path) -> int | None:
    value = _value(answer, path)
    return value if type(value) is int else -1


def _value(answer: Json, path: Path) -> Json:
    try:
        return at(answer, path)  # type: ignore[no-any-return]
    except (KeyError, IndexError, TypeError):
        return None


def _positions(bench: Bench, some: list[Origin], places: list[list[Path]]) -> None:
    """A value out of range is refused at every position, not at most of them."""
    free: list[tuple[Origin, str, Number]] = []
    refused = tried = 0
    for origin, paths in zip(some[:4], places[:4], strict=True):
        spread = sorted(
            {*range(4), *range(len(paths) - 4, len(paths)), len(paths) // 2} & set(range(len(paths)))
        )
        for index in spread:
            words = f"10^9 in place of {at(origin.answer, paths[index])} at position {index} of {len(paths)}"
            objective = send(bench, origin, put(origin.answer, paths[index], 10**9), words)
            tried += 1
            refused += objective is None
            if objective is not None and not bench.better(origin.objective, objective):
                free.append((origin, words, objective))
    if len(free) >= 2 and 2 * refused > tried:
        origin, words, objective = free[0]
        bench.report.add(
            "partly-checked",
            sent=f"{origin.words} with {words}",
            got=f"valid, objective {objective}; at {refused} of {tried} positions the same value was refused",
            why="a rule that is checked for some positions only is broken at the others",
            fix="check every element: no slice, no `zip` with a shorter list, no range that ends early",
        )
