"""Whether verdicts depend on each part of an instance's public data: an unchecked limit shows here."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .bench import Bench
from .data import changed, verdict_of
from .origins import Origin, all_origins

CPU_SECONDS = 2.0
"""CPU seconds after which no further part is changed; parts that were not changed are not named."""
_ORIGINS = 6
"""Answers under which each part is changed (count)."""
_FIELDS = 12
"""An object with more keys than this has labels rather than names (count)."""
_COLUMNS = 4
"""Rows with more columns than this are a matrix rather than records (count)."""
_NUMBERS: tuple[Callable[[float], float], ...] = (
    lambda value: 0,
    lambda value: -value - 1,
    lambda value: 2 * value + 1,
    lambda value: value // 2,
    lambda value: value + 1,
    lambda value: 1000 * value + 1000,
)
"""Values that replace all numbers of a part."""
_LIMITS = re.compile(r"\b(at most|at least|(no|not) more than|exceed\w*|fits?|limit\w*|up to|within)\b")
"""Words of a statement about a number that limits answers."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the public data: a key, a field below that key, or this field of each element.

    Attributes:
        key: of `public`.
        each: whether the value is a list, and the part is a field of each element.
        field: below the key; None for all of the value.
    """

    key: str
    each: bool = False
    field: str | int | None = None

    @property
    def words(self) -> str:
        """The part as Python names it."""
        inside = "[…]" if self.each else ""
        return self.key + inside + ("" if self.field is None else f"[{self.field!r}]")

    def counts(self, public: Mapping[str, Any]) -> bool:
        """Whether the part is a number, or a list of numbers."""
        value = public[self.key]
        rows = value if self.each else [value]
        values = rows if self.field is None else [row[self.field] for row in rows]
        flat = [one for some in values for one in (some if isinstance(some, list) else [some])]
        return all(isinstance(one, int | float) for one in flat)

    def put(self, value: Any, change: Callable[[Any], Any]) -> Any:
        """The key's value with this part changed."""
        if self.field is None:
            return change(value)
        value = copy.deepcopy(value)
        for inside in value if self.each else [value]:
            inside[self.field] = change(inside[self.field])
        return value


def check_ignored(bench: Bench) -> None:
    """Names the parts of the public data that no verdict depends on: as a finding where they are limits.

    Limits are numbers. A part that only helps candidates is as good as any, so without words of the statement
    this is no fault.
    """
    plain: list[str] = []
    hidden = any(case.instance.hidden for case in bench.cases)  # verify may read the same there
    publics = [origin.case.instance.public for origin in all_origins(bench)[:_ORIGINS]]
    for part in ignored(bench):
        name = part.key if part.field is None else part.field
        rule = next((s for s in _sentences(bench.problem.statement) if _limited_by(s, name)), None)
        if rule is None or hidden or not all(part.counts(public) for public in publics):
            plain.append(f"`{part.words}`")
            continue
        bench.report.add(
            "ignored-data",
            sent=f"answers of all programs, after `{part.words}` of the instance was set to other values",
            got="the same verdicts and objectives, whatever stood there",
            why=f"the statement says: {rule} But no verdict depends on it, so a candidate may break it",
            fix=f"check instance.public[{part.key!r}] in verify, or say in the statement what else it is for",
        )
    if plain:
        bench.report.unseen.append(
            f"what {', '.join(plain)} of the instance {'is' if len(plain) == 1 else 'are'} for: no verdict "
            "and no objective changed when other values stood there; what an answer has to keep to, verify "
            "has to check"
        )


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.;:?!])\s+", " ".join(text.split()))


def _limited_by(sentence: str, name: str | int) -> bool:
    """Whether a sentence names a part, and sets a limit; a column of rows has a number for a name."""
    if isinstance(name, int):
        return False
    return re.search(rf"\b{re.escape(name)}\b", sentence) is not None and bool(_LIMITS.search(sentence))


def ignored(bench: Bench) -> list[Part]:
    """The parts on which no verdict and no objective of any answer depends; none without answers.

    A part that also is hidden is left out, for `verify` may read that, and so is a number that is the length
    of a list: `verify` may count.
    """
    ends = time.process_time() + CPU_SECONDS
    some = all_origins(bench)[:_ORIGINS]
    named: list[Part] = []
    for part in _common(some):
        if Part(part.key) in named:
            continue
        if time.process_time() > ends:
            break
        if not any(_matters(bench, origin, part) for origin in some):
            named.append(part)
    return named


def _common(some: list[Origin]) -> list[Part]:
    """The parts that all instances have, each key before its fields."""
    if not some:
        return []
    every = [list(_parts(origin)) for origin in some]
    return [part for part in every[0] if all(part in parts for parts in every)]


def _parts(origin: Origin) -> Iterator[Part]:
    public, hidden = origin.case.instance.public, origin.case.instance.hidden or {}
    lengths = {len(value) for value in (*public.values(), *hidden.values()) if isinstance(value, list | dict)}
    for key, value in public.items():
        if key in hidden or (type(value) is int and value in lengths):
            continue
        yield Part(key)
        if isinstance(value, dict) and len(value) <= _FIELDS:
            yield from (Part(key, field=field) for field in value)
        elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            yield from (Part(key, True, field) for field in value[0] if all(field in row for row in value))
        elif isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            columns = {len(row) for row in value}
            if len(columns) == 1 and max(columns) <= _COLUMNS and len(value) > max(columns):
                yield from (Part(key, True, column) for column in range(max(columns)))


def _matters(bench: Bench, origin: Origin, part: Part) -> bool:
    """Whether some change of a part changes the verdict on an answer, or the objective."""
    instance = origin.case.instance
    before, value = ("valid", origin.objective), instance.public[part.key]
    for change in _CHANGES:
        other = part.put(value, change)
        if (
            other != value
            and verdict_of(bench, changed(instance, (part.key,), other), origin.answer) != before
        ):
            return True
    return False


def _with_numbers(value: Any, change: Callable[[float], float]) -> Any:
    """A copy of a value with all numbers in it changed; texts and booleans too, as well as they can be."""
    if isinstance(value, dict):
        return {key: _with_numbers(inside, change) for key, inside in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inside, change) for inside in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return change(value)
    return "" if value is None else f"{value}x"


def _shorter(value: Any) -> Any:
    """The first half of a list; anything else as it is."""
    return value[: len(value) // 2] if isinstance(value, list) else value


def _turned(value: Any) -> Any:
    """A list from its end to its beginning; anything else as it is."""
    return value[::-1] if isinstance(value, list) else value


_CHANGES: tuple[Callable[[Any], Any], ...] = (
    *(lambda value, change=change: _with_numbers(value, change) for change in _NUMBERS),
    _shorter,
    _turned,
)
