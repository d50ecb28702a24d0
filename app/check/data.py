"""Whether `verify` looks at all of the instance, and how exactly: data are changed under honest answers."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...problems.base import Instance, Json, Number
from .bench import CALL_CPU_SECONDS, SEED, Bench, attempt
from .origins import MOST, Origin, all_origins

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
        counts: list[tuple[Origin, list[bool]]] = []
        for origin in some:
            values = origin.case.instance.public.get(key)
            if not isinstance(values, list) or not 4 <= len(values) <= LONGEST or time.process_time() > ends:
                break
            if all(value == values[0] for value in values):
                break
            counts.append((origin, [_matters(bench, origin, key, i, rng) for i in range(len(values))]))
        if len(counts) == len(some) and len({o.case.instance.id for o in some}) >= 3:
            _coverage(bench, key, counts)


def _coverage(bench: Bench, key: str, counts: list[tuple[Origin, list[bool]]]) -> None:
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


def _scattered(bench: Bench, key: str, counts: list[tuple[Origin, list[bool]]]) -> None:
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
    bench: Bench, key: str, counts: list[tuple[Origin, list[bool]]], where: str, rest: list[bool]
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


def _padding(counts: list[tuple[Origin, list[bool]]], key: str, side: int, ignored: int) -> bool:
    """Whether the ignored elements are the same in all instances: a dummy at the front, a depot."""
    parts = [origin.case.instance.public[key][::side][:ignored] for origin, _ in counts]
    return all(part == parts[0] for part in parts)


def _matters(bench: Bench, origin: Origin, key: str, index: int, rng: random.Random) -> bool:
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


def _threshold(bench: Bench, origin: Origin, path: tuple[int | str, ...], upwards: bool) -> float | None:
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

    good, bad = float(value), float(4 * value if upwards else 0)
    if not valid(good) or valid(bad):
        return None
    for _ in range(48):
        middle = (good + bad) / 2
        if valid(middle):
            good = middle
        else:
            bad = middle
    return good


def _loose(bench: Bench, name: str, pairs: list[tuple[Origin, float]]) -> None:
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
