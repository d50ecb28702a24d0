"""Attacks by form and by item: guises, order, repeated or missing items; one part of a check."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ...problems.base import Json, Number
from .answers import Path, at, damages, leaves, numbers, objects, put
from .bench import (
    MOST,
    SEED,
    Bench,
    HonestAnswer,
    all_origins,
    common,
    fields,
    groups,
    in_time,
    mapped,
    origins,
    put_all,
    send,
    with_copy,
    without,
)

_HUGE = 10.0**200
_LARGE = 10.0**6


def check_keys(bench: Bench) -> None:
    """An object has one form: no second name for a key, and no meaning in the order of keys."""
    for origin in in_time(all_origins(bench)[:MOST]):
        for path in objects(origin.answer)[:3]:
            whole = at(origin.answer, path)
            _order(bench, origin, path, whole)
            for key in list(whole)[:2] + list(whole)[-1:]:
                for alias in _guises(key):
                    if alias in whole:
                        continue
                    renamed = {alias if k == key else k: v for k, v in whole.items()}
                    words = f"key {key!r} as {alias!r}"
                    _alias(bench, origin, put(origin.answer, path, renamed), words, None)
                    more = {**whole, alias: whole[next(k for k in whole if k != key or len(whole) == 1)]}
                    words = f"key {alias!r} beside {key!r}"
                    _alias(bench, origin, put(origin.answer, path, more), words, origin.objective)


def check_texts(bench: Bench) -> None:
    """A number that is sent as a text has one form."""
    for origin in in_time(all_origins(bench)[:MOST]):
        for path, value in leaves(origin.answer):
            if isinstance(value, str) and value.strip().lstrip("-").isdigit():
                for alias in _guises(value):
                    _alias(bench, origin, put(origin.answer, path, alias), f"{value!r} as {alias!r}", None)
                break


def _guises(key: str) -> Iterator[str]:
    """Other texts that a conversion reads as the same number."""
    if key.lstrip("-").isdigit() and key.isascii():
        sign, digits = ("-", key[1:]) if key.startswith("-") else ("", key)
        yield f"{sign}0{digits}"
        yield f" {key}"
        yield f"{key}\n"
        yield f"{key}.0"
        yield f"{sign}{digits[0]}_{digits[1:]}" if len(digits) > 1 else f"{sign}0_{digits}"
        yield sign + "".join(chr(0xFF10 + int(digit)) for digit in digits)
        if not sign:
            yield f"+{key}"
    elif key:
        yield f" {key}"
        yield key.swapcase()


def _alias(bench: Bench, origin: HonestAnswer, answer: Json, words: str, same: Number | None) -> None:
    """Sends a key's alias; beside the key `verify` may only ignore it, so the objective stays `same`."""
    objective = send(bench, origin, answer, words)
    if objective is None or (same is not None and objective == same):
        return
    bench.report.add(
        "key-aliases",
        sent=f"{origin.words} with {words}",
        got=f"valid, objective {objective}; {origin.objective} before",
        why="one item has several names, so it can be given several times or counted under another name",
        fix="look keys up in {str(i): i for i in range(n)}, and compare set(answer) with set(that); do not "
        "convert a key with int()",
    )


def _order(bench: Bench, origin: HonestAnswer, path: Path, whole: dict[str, Any]) -> None:
    turned = put(origin.answer, path, dict(reversed(whole.items())))
    objective = send(bench, origin, turned, "its keys in reverse order")
    if objective == origin.objective:
        return
    bench.report.add(
        "key-order",
        sent=f"{origin.words} with its keys in reverse order",
        got="refused" if objective is None else f"objective {objective}; {origin.objective} before",
        why="objects have no order: a record is kept with sorted keys, and would be judged differently later",
        fix="go through the instance's items in their order and look each of them up in the answer",
    )


def check_huge(bench: Bench) -> None:
    """What is refused stays refused when all numbers are huge: no comparison with infinity or NaN."""
    rng = random.Random(SEED)
    for origin in in_time(all_origins(bench)[:MOST]):
        places = numbers(origin.answer)
        if not places:
            continue
        for change in [*damages(origin.answer, rng, 2), None]:
            base, words = (origin.answer, "") if change is None else (change.answer, f"{change.words} and ")
            if change is not None and send(bench, origin, base, change.words) is not None:
                continue
            verdicts = []
            for factor in (_LARGE, _HUGE):
                scaled = _scaled(base, factor)
                verdicts.append(send(bench, origin, scaled, f"{words}all numbers times {factor:g}"))
            large, huge = verdicts
            if huge is None or large is not None:
                continue
            if change is None and not bench.better(huge, origin.objective):
                continue
            bench.report.add(
                "overflow",
                sent=f"{origin.words} with {words}all numbers times {_HUGE:g}",
                got=f"valid, objective {huge}; refused with all numbers times {_LARGE:g}",
                why="a square or a sum of huge numbers is infinity or NaN, and a comparison with it lets "
                "everything pass",
                fix="refuse numbers out of a stated range first; then compute in integers or Fraction",
            )


def _scaled(answer: Json, factor: float) -> Json:
    def times(_: int, value: Any) -> Any:
        return value * int(factor) if isinstance(value, int) else value * factor

    return mapped(answer, numbers(answer), times)


def check_unbounded(bench: Bench) -> None:
    """No number can be made ever larger, or ever more negative, for an ever better objective."""
    for origin in in_time(all_origins(bench)[:MOST]):
        places: list[tuple[str, list[Path]]] = [("all numbers", numbers(origin.answer))]
        for pattern, paths in groups(origin.answer).items():
            name = ".".join(map(str, pattern))
            places += [(f"every {name}", paths)]
            places += [(f"one {name}", [path]) for path in {paths[0]: 0, paths[-1]: 0}]
        for where, paths in places:
            for sign in (-1, 1):
                _runaway(bench, origin, where, paths, sign)


def _runaway(bench: Bench, origin: HonestAnswer, where: str, paths: list[Path], sign: int) -> None:
    last: Number = origin.objective
    for size in (10**3, 10**6, 10**9):
        changed = put_all(origin.answer, paths, sign * size)
        objective = send(bench, origin, changed, f"{where} set to {sign * size}")
        if objective is None or not bench.better(objective, last):
            return
        last = objective
    bench.report.add(
        "unbounded",
        sent=f"{origin.words} with {where} set to {sign * 1000}, {sign * 10**6} and {sign * 10**9}",
        got=f"valid each time and better each time, at last {last}; {origin.objective} before",
        why="an objective without end is no problem's: the value is not held to its range",
        fix="refuse what is out of range: negative durations and amounts, and more than there is",
    )


def check_trivial(bench: Bench) -> None:
    """No trivial answer is better than the answers of all the problem's programs."""
    trivial: dict[str, Callable[[Json], Json]] = {
        "an empty list": lambda answer: [],
        "an empty object": lambda answer: {},
        "an empty text": lambda answer: "",
        "its lists empty": lambda answer: [] if isinstance(answer, list) else _emptied(answer),
        "every number 0": lambda answer: put_all(answer, numbers(answer), 0),
    }
    for words, make in trivial.items():
        better = []
        every = [o for o in origins(bench) if not _proven_best(bench, o)]
        for origin in every:
            objective = send(bench, origin, make(origin.answer), words)
            best = [value for _, value in origin.case.answers.values()]
            if objective is not None and all(bench.better(objective, value) for value in best):
                better.append((origin, objective))
        if len(better) >= 2 and len(better) == len(every):
            origin, objective = better[0]
            bench.report.add(
                "trivial-answers",
                sent=f"{words} as answer to {origin.case.instance.id}",
                got=f"valid, objective {objective}; the programs of the problem reach {origin.objective}",
                why="an answer that does nothing wins on every instance",
                fix="check that all of the work is there before the objective is computed",
            )


def _emptied(answer: Json) -> Json:
    if not isinstance(answer, dict):
        return answer
    return {key: [] if isinstance(value, list) else value for key, value in answer.items()}


def _proven_best(bench: Bench, origin: HonestAnswer) -> bool:
    """Whether nothing could be better: a proven bound is reached."""
    reference = origin.case.reference
    return reference is not None and reference.bound == origin.objective


# Attacks on what an answer counts: items that are repeated, missing, or out of range at a few positions.

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


def _only_orders(every: list[HonestAnswer], pattern: Path) -> bool:
    """Whether all answers to an instance are orders of the same items, and some instance has two orders."""
    orders: dict[str, list[list[int]]] = defaultdict(list)
    for origin in every:
        row = [at(origin.answer, path) for path in groups(origin.answer).get(pattern, [])]
        orders[origin.case.instance.id].append(row)
    alike = all(len({tuple(sorted(row)) for row in rows}) == 1 for rows in orders.values())
    whole = all(row and len(set(row)) == len(row) for rows in orders.values() for row in rows)
    return alike and whole and any(row != rows[0] for rows in orders.values() for row in rows)


def _repeats(
    bench: Bench, some: list[HonestAnswer], places: list[list[Path]], *, permutation: bool, ordered: bool
) -> None:
    """Sends answers in which an item is there twice, or is not there at all.

    Args:
        permutation: the changed answers hold each number of a range once.
        ordered: so do all answers of the problem's programs, in different orders; then no repeat may be
            accepted, whether it scores better or not.
    """
    rng = random.Random(SEED)
    accepted: list[tuple[HonestAnswer, str, Number, Number]] = []
    gains: dict[str, list[tuple[HonestAnswer, str, Number, Number]]] = defaultdict(list)
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


def _repeat_accepted(
    bench: Bench, accepted: list[tuple[HonestAnswer, str, Number, Number]], sent: int
) -> None:
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
    origin: HonestAnswer,
    paths: list[Path],
    short: tuple[Json, Number, list[Path]] | None,
    permutation: bool,
    rng: random.Random,
) -> Iterator[tuple[str, Number, str, Json]]:
    """Kind, objective to compare with, words and answer of each change."""
    if permutation:
        for index in rng.sample(range(len(paths)), min(SITES, len(paths))):
            value = at(origin.answer, paths[index])
            other = at(origin.answer, paths[index - 1])
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
    bench: Bench, some: list[HonestAnswer], origin: HonestAnswer, paths: list[Path]
) -> tuple[Json, Number, list[Path]] | None:
    """A valid answer with fewer items, its objective, and the places that are left; None without one."""
    answer = origin.answer
    for path in reversed(paths[len(paths) // 2 :]):
        answer = without(answer, path)
    half = paths[: len(paths) // 2]
    answer = _counted(some, origin, answer)
    objective = send(bench, origin, answer, f"only the first {len(half)} of {len(paths)} items")
    return None if objective is None else (answer, objective, half)


def _counted(some: list[HonestAnswer], origin: HonestAnswer, answer: Json) -> Json:
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


def _positions(bench: Bench, some: list[HonestAnswer], places: list[list[Path]]) -> None:
    """A value out of range is refused at every position, not at most of them."""
    free: list[tuple[HonestAnswer, str, Number]] = []
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
