"""Whether `verify` depends on all parts of an instance, and how exactly; one part of a check."""

from __future__ import annotations

import copy
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...problems.base import Instance, Json, Number
from .bench import CALL_CPU_SECONDS, MOST, SEED, Bench, HonestAnswer, all_origins, attempt

VARIANTS = 8
"""Other values that are put in place of each element (count)."""
CPU_SECONDS = 2.0
"""Of each check on changed data; a check that needs more finds nothing."""
LONGEST = 60
"""Elements of a list of which each is changed (count)."""
_TOLERANCES = [
    Fraction(t) for t in ("0.001", "0.002", "0.0025", "0.005", "0.01", "0.02", "0.025", "0.03", "0.05")
]
_NEAR = 1e-6
"""Distance from an integer, relative, within which a threshold is one."""


def verdict_of(bench: Bench, instance: Instance, answer: Json) -> tuple[str, Number | None]:
    """Status and objective of an answer to a changed instance; an exception on such a one is no fault."""
    verdict, error = attempt(lambda: bench.problem.verify(instance, copy.deepcopy(answer)), CALL_CPU_SECONDS)
    if error is not None or verdict is None:
        return "raised", None
    return str(verdict.status), verdict.objective


def changed(instance: Instance, path: tuple[int | str, ...], value: Any) -> Instance:
    """The instance with another value at a place of its public part."""
    public = copy.deepcopy(dict(instance.public))
    inside: Any = public
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return replace(instance, public=public)


def check_coverage(bench: Bench) -> None:
    """Every element of the instance's lists matters to some answer, if most elements matter to all."""
    ends = time.process_time() + CPU_SECONDS
    some = all_origins(bench)[:6]
    keys = [k for k, v in some[0].case.instance.public.items() if isinstance(v, list)] if some else []
    for key in keys:
        rng = random.Random(SEED)
        counts: list[tuple[HonestAnswer, list[bool]]] = []
        for origin in some:
            values = origin.case.instance.public.get(key)
            if not isinstance(values, list) or not 4 <= len(values) <= LONGEST or time.process_time() > ends:
                break
            if all(value == values[0] for value in values):
                break
            counts.append((origin, [_matters(bench, origin, key, i, rng) for i in range(len(values))]))
        if len(counts) == len(some) and len({o.case.instance.id for o in some}) >= 3:
            _coverage(bench, key, counts)


def _coverage(bench: Bench, key: str, counts: list[tuple[HonestAnswer, list[bool]]]) -> None:
    """Names the elements at one end, or anywhere, that matter to no answer, where the others do."""
    shortest = min(len(row) for _, row in counts)
    for side in (1, -1):
        rows = [row[::side] for _, row in counts]
        ignored = 0
        while ignored < shortest and not any(row[ignored] for row in rows):
            ignored += 1
        rest = [mattered for row in rows for mattered in row[ignored:]]
        if not (ignored and rest) or sum(rest) < 0.8 * len(rest) or _padding(counts, key, side, ignored):
            continue
        where = f"the {'first' if side == 1 else 'last'} {ignored} of {shortest}"
        _partly(bench, key, counts, where, rest)
        return
    _scattered(bench, key, counts)


def _scattered(bench: Bench, key: str, counts: list[tuple[HonestAnswer, list[bool]]]) -> None:
    """Names elements here and there, as a sample or a stride leaves them out, in lists of one length."""
    if len({len(row) for _, row in counts}) > 1:
        return
    columns = list(zip(*(row for _, row in counts), strict=True))
    ignored = [index for index, column in enumerate(columns) if not any(column)]
    rest = [mattered for column in columns if any(column) for mattered in column]
    publics = [origin.case.instance.public[key] for origin, _ in counts]
    alike = all(public[index] == publics[0][index] for public in publics for index in ignored)
    if 5 * len(ignored) < len(columns) or sum(rest) < 0.95 * len(rest) or not rest or alike:
        return
    where = f"those at {', '.join(map(str, ignored[:8]))}{', …' * (len(ignored) > 8)}"
    _partly(bench, key, counts, where, rest)


def _partly(
    bench: Bench, key: str, counts: list[tuple[HonestAnswer, list[bool]]], where: str, rest: list[bool]
) -> None:
    origin = counts[0][0]
    bench.report.add(
        "partly-checked",
        sent=f"{origin.words}, after elements of {key!r} were set to other values one by one",
        got=f"{where} changed no verdict and no objective, for {len(counts)} answers; "
        f"{sum(rest)} of {len(rest)} other changes did",
        why="a part of the instance is not looked at, so a candidate need not do that part of the work",
        fix="check the whole list: no slice, sample or range that ends early, no `zip` with a shorter list",
    )


def _padding(counts: list[tuple[HonestAnswer, list[bool]]], key: str, side: int, ignored: int) -> bool:
    """Whether the ignored elements are the same in all instances: a dummy at the front, a depot."""
    parts = [origin.case.instance.public[key][::side][:ignored] for origin, _ in counts]
    return all(part == parts[0] for part in parts)


def _matters(bench: Bench, origin: HonestAnswer, key: str, index: int, rng: random.Random) -> bool:
    """Whether some other value of one element changes the verdict on an answer."""
    instance = origin.case.instance
    before = ("valid", origin.objective)
    values = instance.public[key]
    for value in _variants(values, index, rng):
        if verdict_of(bench, changed(instance, (key, index), value), origin.answer) != before:
            return True
    return False


def _variants(values: list[Any], index: int, rng: random.Random) -> Iterator[Any]:
    value = values[index]
    if isinstance(value, bool) or not isinstance(value, int | float):
        for _ in range(VARIANTS):
            yield _mixed(values, rng)
        if isinstance(value, list) and any(isinstance(v, int | float) for v in value):
            yield [v * 1000 + 1000 if isinstance(v, int | float) else v for v in value]
        return
    yield from (value * 1000 + 1000, 0, -value * 1000 - 1000, value + 1, value - 1)


def _mixed(values: list[Any], rng: random.Random) -> Any:
    """An element made of the parts of others."""
    value = copy.deepcopy(rng.choice(values))
    if isinstance(value, list | dict):
        for step in range(len(value)) if isinstance(value, list) else list(value):
            other = rng.choice(values)
            if isinstance(other, dict) == isinstance(value, dict) and (
                step in other if isinstance(other, dict) else isinstance(step, int) and step < len(other)
            ):
                value[step] = copy.deepcopy(other[step])
    return value


def check_tolerance(bench: Bench) -> None:
    """A limit of the instance holds exactly: an answer breaks it as soon as the limit is below what it uses.

    The data of an instance are integers, so the least limit that an answer keeps is one too. If `verify`
    loosens a limit by a percent, this least value is an integer divided by 1.01.
    """
    ends = time.process_time() + CPU_SECONDS
    every = all_origins(bench)[:MOST]
    if len(every) < 3 or not all(_integral(o.case.instance.public) for o in every):
        return
    names = list(every[0].case.instance.public)
    for name in names:
        for place in _places(every[0].case.instance.public[name]):
            for upwards in (False, True):
                pairs = []
                for origin in every:
                    if time.process_time() > ends:
                        return
                    pairs.append((origin, _threshold(bench, origin, (name, *place), upwards)))
                _loose(bench, ".".join(map(str, (name, *place))), [(o, t) for o, t in pairs if t is not None])


def _places(value: Any) -> list[tuple[int, ...]]:
    if type(value) is int:
        return [()]
    if isinstance(value, list) and value and all(type(v) is int for v in value):
        return [(index,) for index in sorted({0, len(value) // 2, len(value) - 1})]
    return []


def _integral(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_integral(v) for v in value.values())
    if isinstance(value, list):
        return all(_integral(v) for v in value)
    return not isinstance(value, float)


def _threshold(
    bench: Bench, origin: HonestAnswer, path: tuple[int | str, ...], upwards: bool
) -> float | None:
    """The value at a place at which the answer stops being valid; None if it never does."""
    instance = origin.case.instance
    value: Any = instance.public
    try:
        for step in path:
            value = value[step]
    except (KeyError, IndexError):
        return None
    if type(value) is not int or value < 20:
        return None

    def valid(number: float) -> bool:
        return verdict_of(bench, changed(instance, path, number), origin.answer)[0] == "valid"

    good = float(value)
    bad = float(4 * value if upwards else 0)
    if not valid(good) or valid(bad):
        return None
    for _ in range(48):
        middle = (good + bad) / 2
        if valid(middle):
            good = middle
        else:
            bad = middle
    return good


def _loose(bench: Bench, name: str, pairs: list[tuple[HonestAnswer, float]]) -> None:
    """Names a tolerance that explains all thresholds of a limit, if they are not limits by themselves."""
    values = [threshold for _, threshold in pairs]
    fractions = [value for value in values if not _whole(value)]
    if len(set(values)) < 3 or len(fractions) < 2 or 2 * len(fractions) < len(values):
        return
    for tolerance in _TOLERANCES:
        for factor in (1 + tolerance, 1 - tolerance, 1 / (1 + tolerance), 1 / (1 - tolerance)):
            if all(_whole(value * float(factor)) for value in values):
                origin, value = pairs[0]
                bench.report.add(
                    "tolerance",
                    sent=f"{origin.words}, after {name!r} was set to {value:.6g}",
                    got=f"valid, where the limit of integer data is {value * float(factor):.6g}; so with "
                    f"{len(values)} answers, each {float(tolerance):.1%} off",
                    why="every candidate may break this limit by that much, and will",
                    fix="compare integers or Fraction without a tolerance; scale data to integers if need be",
                )
                return


def _whole(value: float) -> bool:
    return abs(value - round(value)) <= _NEAR * max(1.0, abs(value))


# Whether verdicts depend on each part of an instance's public data: an unchecked limit shows here.

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
class AnswerPart:
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


def ignored(bench: Bench) -> list[AnswerPart]:
    """The parts on which no verdict and no objective of any answer depends; none without answers.

    A part that also is hidden is left out, for `verify` may read that, and so is a number that is the length
    of a list: `verify` may count.
    """
    ends = time.process_time() + CPU_SECONDS
    some = all_origins(bench)[:_ORIGINS]
    named: list[AnswerPart] = []
    for part in _common(some):
        if AnswerPart(part.key) in named:
            continue
        if time.process_time() > ends:
            break
        if not any(_ignored_matters(bench, origin, part) for origin in some):
            named.append(part)
    return named


def _common(some: list[HonestAnswer]) -> list[AnswerPart]:
    """The parts that all instances have, each key before its fields."""
    if not some:
        return []
    every = [list(_parts(origin)) for origin in some]
    return [part for part in every[0] if all(part in parts for parts in every)]


def _parts(origin: HonestAnswer) -> Iterator[AnswerPart]:
    public = origin.case.instance.public
    hidden = origin.case.instance.hidden or {}
    lengths = {len(value) for value in (*public.values(), *hidden.values()) if isinstance(value, list | dict)}
    for key, value in public.items():
        if key in hidden or (type(value) is int and value in lengths):
            continue
        yield AnswerPart(key)
        if isinstance(value, dict) and len(value) <= _FIELDS:
            yield from (AnswerPart(key, field=field) for field in value)
        elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            yield from (
                AnswerPart(key, True, field) for field in value[0] if all(field in row for row in value)
            )
        elif isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            columns = {len(row) for row in value}
            if len(columns) == 1 and max(columns) <= _COLUMNS and len(value) > max(columns):
                yield from (AnswerPart(key, True, column) for column in range(max(columns)))


def _ignored_matters(bench: Bench, origin: HonestAnswer, part: AnswerPart) -> bool:
    """Whether some change of a part changes the verdict on an answer, or the objective."""
    instance = origin.case.instance
    before = ("valid", origin.objective)
    value = instance.public[part.key]
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


def changes_of(part: Part) -> tuple[Callable[[Any], Any], ...]:
    """Changes of a part: numbers alone where it is a column."""
    return _CHANGES if part.field is None else _CHANGES[: len(_NUMBERS)]
