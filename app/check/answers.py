"""Hostile answers, and perturbations of a valid one: the ammunition of the attacks, as plain JSON values."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...problems.base import Json

_NESTED: Any = []
for _ in range(60):
    _NESTED = [_NESTED]

HOSTILE: dict[str, Any] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "minus one": -1,
    "a huge integer": 10**30,
    "a huge negative integer": -(10**30),
    "a large integer": 10**9,
    "a fraction": 0.5,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "an empty text": "",
    "a text": "0, 1, 2",
    "an empty list": [],
    "an empty object": {},
    "a list of an empty list": [[]],
    "a list of null": [None],
    "lists nested 60 deep": _NESTED,
    "an object": {"answer": 1},
    "a list of NaN": [float("nan")] * 3,
    "a list of huge integers": [10**30, -(10**30)],
    "a list of texts": ["0", "1", "2"],
    "a list of objects": [{}, {}],
    "a million zeros": [0] * 1_000_000,
    "fifty thousand different integers": list(range(50_000)),
}
"""Answers that are never right; any verdict on them will do, an exception will not."""

Path = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Perturbation:
    """A kind of change.

    Attributes:
        name: of the kind.
        words: what was done to one place, for a finding.
        answer: the changed answer.
    """

    name: str
    words: str
    answer: Json


def numbers(answer: Json) -> list[Path]:
    """Places of all numbers (not booleans) in an answer."""
    return [p for p, v in _walk(answer) if isinstance(v, int | float) and not isinstance(v, bool)]


def _named_numbers(answer: Json) -> list[Path]:
    """Places of numbers that have a name: claims, rather than elements of a list."""
    return [path for path in numbers(answer) if path and isinstance(path[-1], str)]


def lists(answer: Json) -> list[Path]:
    """Places of all lists that are not empty."""
    return [p for p, v in _walk(answer) if isinstance(v, list) and v]


def objects(answer: Json) -> list[Path]:
    """Places of all objects that are not empty."""
    return [p for p, v in _walk(answer) if isinstance(v, dict) and v]


def leaves(answer: Json) -> list[tuple[Path, Any]]:
    """Place and value of everything that is neither list nor object."""
    return [(path, value) for path, value in _walk(answer) if not isinstance(value, list | dict)]


def at(answer: Json, path: Path) -> Any:
    """The value at a place."""
    value: Any = answer
    for key in path:
        value = value[key]
    return value


def put(answer: Json, path: Path, value: Any) -> Json:
    """A copy of an answer with another value at a place."""
    if not path:
        return copy.deepcopy(value)  # type: ignore[no-any-return]
    changed = copy.deepcopy(answer)
    at(changed, path[:-1])[path[-1]] = value
    return changed


def aliases(answer: Json, rng: random.Random, sites: int = 6) -> Iterator[Perturbation]:
    """The same numbers in other types: booleans, floats, texts; and values that are no numbers at all."""
    places = numbers(answer)
    integers = [p for p in places if isinstance(at(answer, p), int)]
    for path in _some(integers, rng, sites):
        value = at(answer, path)
        if value in (0, 1):
            yield Perturbation("boolean-aliases", f"{value} → {bool(value)}", put(answer, path, bool(value)))
        if abs(value) < 2**53:
            yield Perturbation("float-aliases", f"{value} → {float(value)}", put(answer, path, float(value)))
    for path in _some(places, rng, sites):
        value = at(answer, path)
        yield Perturbation("text-aliases", f"{value} → {str(value)!r}", put(answer, path, str(value)))
        yield Perturbation("not-a-number", f"{value} → NaN", put(answer, path, float("nan")))
        yield Perturbation("not-a-number", f"{value} → infinity", put(answer, path, float("inf")))
        yield Perturbation("not-a-number", f"{value} → null", put(answer, path, None))


def damages(answer: Json, rng: random.Random, sites: int = 6) -> Iterator[Perturbation]:
    """Changes that a verification has to notice somewhere: parts missing, doubled, far out of range."""
    for path in _some(lists(answer), rng, sites):
        yield from _damaged_list(answer, path, rng)
    for path in _some(objects(answer), rng, sites):
        whole = at(answer, path)
        key = rng.choice(sorted(whole))
        rest = {k: v for k, v in whole.items() if k != key}
        yield Perturbation("partial-answers", f"key {key!r} left out", put(answer, path, rest))
    for path in _named_numbers(answer)[:sites] + _some(numbers(answer), rng, sites):
        for value in (10**9, -(10**9)):
            yield Perturbation("range-ignored", f"{at(answer, path)} → {value}", put(answer, path, value))
    for path in _some(numbers(answer), rng, sites):
        inside = at(answer, path[:-1]) if path else None
        value = at(answer, path)
        if isinstance(inside, list) and isinstance(value, int) and value >= 0:
            alias = value - 1 - max(v for v in inside if isinstance(v, int))
            yield Perturbation("negative-aliases", f"{value} → {alias}", put(answer, path, alias))


def _damaged_list(answer: Json, path: Path, rng: random.Random) -> Iterator[Perturbation]:
    whole = at(answer, path)
    size = len(whole)
    for kept in sorted({size - 1, size // 2, 1} - {size}):
        words = f"only the first {kept} of {size} elements"
        yield Perturbation("partial-answers", words, put(answer, path, whole[:kept]))
    for extra in (whole[-1:], whole[: max(1, size // 2)], whole):
        words = f"{len(extra)} elements appended again"
        yield Perturbation("doubled-answers", words, put(answer, path, whole + extra))
    for index in _some(range(size), rng, 3):
        words = f"element {index} left out"
        yield Perturbation("gaps", words, put(answer, path, whole[:index] + whole[index + 1 :]))
        copied = [*whole]
        copied[index] = whole[index - 1]
        words = f"element {index} replaced by the one before"
        yield Perturbation("copies", words, put(answer, path, copied))


def step(answer: Json, rng: random.Random) -> tuple[str, Json] | None:
    """One random change of an answer, for a search; None if there is nothing to change."""
    sequences = lists(answer)
    places = numbers(answer)
    moves = ["swap", "drop", "copy", "extend"] * bool(sequences) + ["number"] * bool(places)
    if not moves:
        return None
    move = rng.choice(moves)
    if move == "number":
        path = rng.choice(places)
        value = at(answer, path)
        change = rng.choice([value + 1, value - 1, -value, 0, 1, value * 2, 10**9, -(10**9), -1])
        return f"{value} → {change}", put(answer, path, change)
    path = rng.choice(sequences)
    whole = list(at(answer, path))
    i = rng.randrange(len(whole))
    j = rng.randrange(len(whole))
    if move == "swap":
        whole[i], whole[j] = whole[j], whole[i]
    elif move == "drop":
        del whole[i]
    elif move == "copy":
        whole[i] = copy.deepcopy(whole[j])
    else:
        whole.append(copy.deepcopy(whole[j]))
    return f"{move} in a list", put(answer, path, whole)


def _walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*path, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _walk(item, (*path, key))


def _some(places: Any, rng: random.Random, count: int) -> list[Any]:
    """At most `count` of some places, drawn without replacement."""
    return rng.sample(list(places), min(count, len(places)))
