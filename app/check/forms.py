"""Attacks by form: keys and texts in several guises, keys in another order, huge numbers, trivial answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from ...problems.base import Json, Number
from .answers import Path, at, damages, leaves, numbers, objects, put
from .bench import SEED, Bench
from .origins import MOST, Origin, all_origins, groups, in_time, mapped, origins, put_all, send

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


def _alias(bench: Bench, origin: Origin, answer: Json, words: str, same: Number | None) -> None:
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


def _order(bench: Bench, origin: Origin, path: Path, whole: dict[str, Any]) -> None:
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


def _runaway(bench: Bench, origin: Origin, where: str, paths: list[Path], sign: int) -> None:
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
        better, every = [], [o for o in origins(bench) if not _proven_best(bench, o)]
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


def _proven_best(bench: Bench, origin: Origin) -> bool:
    """Whether nothing could be better: a proven bound is reached."""
    reference = origin.case.reference
    return reference is not None and reference.bound == origin.objective
