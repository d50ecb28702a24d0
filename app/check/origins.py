"""Valid answers of the problem's own programs, where attacks start, and groups of like values in them."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from ...problems.base import Json, Number, canonical_json
from .answers import Path, at, numbers, put
from .bench import Bench, Case

MOST = 8
"""Answers from which an attack starts (count)."""
CPU_SECONDS = 1.0
"""CPU seconds after which an attack starts from no further answer."""
T = TypeVar("T")
LABEL = "*"
"""Stands in a pattern for any position of a list, or any key of an object whose keys are labels."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A valid answer of the problem's own program, from which an attack starts."""

    case: Case
    program: str
    answer: Json
    objective: Number

    @property
    def words(self) -> str:
        """The answer in words, for a finding."""
        return f"answer of {self.program} to {self.case.instance.id}"


def origins(bench: Bench) -> list[Origin]:
    """One valid answer for each sample instance that has one, the smallest instance first."""
    return [
        Origin(case, name, answer, objective)
        for case in bench.cases
        for name, (answer, objective) in list(case.answers.items())[:1]
    ]


def all_origins(bench: Bench) -> list[Origin]:
    """Different valid answers of all programs; each instance has one before any instance has a second one."""
    ranked: list[tuple[int, int, Origin]] = []
    for place, case in enumerate(bench.cases):
        seen: set[str] = set()
        for name, (answer, objective) in case.answers.items():
            text = canonical_json(answer)
            if text not in seen:
                ranked.append((len(seen), place, Origin(case, name, answer, objective)))
            seen.add(text)
    ranked.sort(key=lambda entry: entry[:2])
    return [origin for _, _, origin in ranked]


def in_time(items: Iterable[T], cpu_seconds: float = CPU_SECONDS) -> Iterator[T]:
    """The items until CPU seconds are used up; the first one always."""
    started = time.process_time()
    for number, item in enumerate(items):
        if number and time.process_time() - started > cpu_seconds:
            return
        yield item


def send(bench: Bench, origin: Origin, answer: Json, words: str) -> Number | None:
    """Objective of a changed answer to an origin's instance; None if it is refused."""
    verdict = bench.judge(origin.case.instance, answer, f"{origin.words} with {words}")
    return None if verdict is None else verdict.objective


def groups(answer: Json) -> dict[Path, list[Path]]:
    """Pattern → places of the numbers that mean the same kind of thing.

    `items[3]` and `items[4]` are alike, and so are the values of an object whose keys are labels; the two
    numbers of `[type, slices]` are not.
    """
    folders: dict[Path, list[Path]] = {}
    for path in numbers(answer):
        pattern = tuple(
            LABEL if _labels(at(answer, path[:depth])) else step for depth, step in enumerate(path)
        )
        folders.setdefault(pattern, []).append(path)
    return {pattern: paths for pattern, paths in folders.items() if LABEL in pattern}


def common(some: list[Origin]) -> list[Path]:
    """Patterns of groups that every answer has with four numbers or more."""
    every = [{p for p, paths in groups(o.answer).items() if len(paths) >= 4} for o in some]
    return sorted(set.intersection(*every), key=repr) if every else []


def without(answer: Json, path: Path) -> Json:
    """A copy of an answer without one element of a list or one key of an object."""
    changed = copy.deepcopy(answer)
    inside: Any = at(changed, path[:-1])
    del inside[path[-1]]
    return changed


def with_copy(answer: Json, path: Path) -> Json | None:
    """A copy of an answer with one element of its list once more at the end; None if it is in no list."""
    inside = at(answer, path[:-1])
    if not isinstance(inside, list):
        return None
    return put(answer, path[:-1], [*inside, copy.deepcopy(at(answer, path))])


def mapped(answer: Json, paths: list[Path], change: Callable[[int, Json], Json]) -> Json:
    """A copy of an answer with the values at some places changed; `change` takes position and value."""
    changed = copy.deepcopy(answer)
    for position, path in enumerate(paths):
        if not path:
            return change(position, changed)
        inside = at(changed, path[:-1])
        inside[path[-1]] = change(position, inside[path[-1]])
    return changed


def put_all(answer: Json, paths: list[Path], new: int) -> Json:
    """A copy of an answer with one number at many places; where a float was, as a float."""
    return mapped(answer, paths, lambda _, value: float(new) if isinstance(value, float) else new)


def fields(answer: Json) -> Iterator[Path]:
    """Places of numbers that stand alone: under a name, or beside lists and objects."""
    for path in numbers(answer):
        if path and not _labels(at(answer, path[:-1])) and LABEL not in _pattern(answer, path):
            yield path


def _pattern(answer: Json, path: Path) -> Path:
    return tuple(LABEL if _labels(at(answer, path[:d])) else step for d, step in enumerate(path))


def _labels(value: Json) -> bool:
    """Whether a list holds things of one kind, or an object has labels rather than names as keys."""
    if isinstance(value, list):
        plain = [not isinstance(item, list | dict) for item in value]
        return all(plain) or not any(plain)
    if isinstance(value, dict):
        digits = all(key.strip().lstrip("-").isdigit() for key in value)
        alike = len(value) >= 4 and len({type(item) for item in value.values()}) == 1
        return bool(value) and (digits or alike)
    return False
