"""Whether `verify` takes numbers into a set before it looks at their range: some sets take quadratic time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from ...problems.base import Json
from .answers import Path, at, lists, numbers, objects, put
from .bench import Bench, attempt
from .origins import Origin, origins, put_all

_MODULUS = 2**61 - 1
"""Python's hash of an integer is the integer modulo this."""
COUNT = 3000
_SLOW_SECONDS = 0.02
_FACTOR = 6.0
_GROWTH = 2.5


def check_collisions(bench: Bench) -> None:
    """Integers of one hash cost `verify` no more than other large integers."""
    for origin in origins(bench)[:2]:
        for where, make in _answers(origin.answer):
            slow = _seconds(bench, origin, make(COUNT, _MODULUS))
            if slow < _SLOW_SECONDS or slow < _FACTOR * _seconds(bench, origin, make(COUNT, _MODULUS - 1)):
                continue
            if slow < _GROWTH * _seconds(bench, origin, make(COUNT // 2, _MODULUS)):
                continue  # a loop that is slow on any large answer, or a busy machine
            bench.report.add(
                "sets-before-ranges",
                sent=f"{origin.words} with {COUNT} multiples of 2^61 - 1 {where}",
                got=f"{slow:.2f} s of CPU time, four times as much for twice as many; other large integers "
                "take milliseconds",
                why="these integers have one hash: a set or dictionary of them takes quadratic time, and no "
                "signal ends it; one candidate could hold up a campaign for hours",
                fix="check type, length and range of every element before a set or dictionary is built",
            )
            return


def _answers(answer: Json) -> Iterator[tuple[str, Callable[[int, int], Json]]]:
    """Where colliding numbers go, and the answer with `count` multiples of a number there."""
    places: list[Path] = [()] + [path for path in lists(answer) if path]
    shown: set[Path] = set()
    for path in places:
        pattern = tuple("*" if isinstance(step, int) else step for step in path)
        if pattern in shown:
            continue
        shown.add(pattern)
        where = f"at {'.'.join(map(str, path))}" if path else "as a list"
        yield where, partial(_numbers_at, answer, path)
        inside = at(answer, path)
        if isinstance(inside, list) and inside and isinstance(inside[0], list | dict):
            yield f"in the elements {where}", partial(_elements_at, answer, path)
    for path in objects(answer)[:2]:
        yield "as keys", partial(_keys_at, answer, path)


def _numbers_at(answer: Json, path: Path, count: int, factor: int) -> Json:
    return put(answer, path, [i * factor for i in range(1, count + 1)])


def _keys_at(answer: Json, path: Path, count: int, factor: int) -> Json:
    return put(answer, path, {str(i * factor): 0 for i in range(1, count + 1)})


def _elements_at(answer: Json, path: Path, count: int, factor: int) -> Json:
    first = at(answer, path)[0]
    places = numbers(first)
    elements = [put_all(first, places, i * factor) for i in range(1, count + 1)]
    return put(answer, path, elements)


def _seconds(bench: Bench, origin: Origin, answer: Json) -> float:
    """CPU seconds of a verdict."""
    started = time.process_time()
    attempt(lambda: bench.problem.verify(origin.case.instance, answer))
    return time.process_time() - started
