"""Attacks by claims: numbers in an answer that change its objective but not the solution."""

from __future__ import annotations

from collections.abc import Iterator

from ...problems.base import Json, Number, Sense
from .answers import Path, at, objects, put
from .bench import Bench
from .origins import MOST, Origin, all_origins, fields, origins, send

_WORDS = (
    *("objective", "value", "cost", "score", "total", "length", "makespan", "fitness", "bound", "optimal"),
    *("valid", "feasible", "verified", "weight", "count", "n", "answer", "solution", "result", "penalty"),
)
MOST_WORDS = 60
"""Names of fields that are tried (count)."""


def check_claims(bench: Bench, words: list[str]) -> None:
    """No number that an answer claims about itself improves its objective."""
    _changed(bench)
    names = list(dict.fromkeys([*words, *_WORDS]))[:MOST_WORDS]
    for origin in origins(bench)[:2]:
        if _added(bench, origin, names):
            return


def _changed(bench: Bench) -> None:
    """Changes each number outside lists in the answers of all programs."""
    some = all_origins(bench)[:MOST]
    if len(some) < 2:
        return
    for path in fields(some[0].answer):
        gains: list[tuple[Origin, str, Number]] = []
        near: list[tuple[Origin, str, Number]] = []
        for origin in some:
            if path not in list(fields(origin.answer)):
                break
            value = at(origin.answer, path)
            for claim in _false(bench, value):
                gain = _claimed(bench, origin, path, claim)
                if gain is not None:
                    gains.append(gain)
                    break
            for factor in (0.991, 1.009):
                claim = type(value)(value * factor)
                gain = _claimed(bench, origin, path, claim)
                if gain is not None and gain[2] == claim:
                    near.append(gain)
        if len({id(origin) for origin, *_ in gains}) == len(some):
            _believed(bench, *gains[0])
        elif len(near) >= 2:
            origin, words, objective = near[0]
            bench.report.add(
                "tolerance",
                sent=f"{origin.words} with {words}",
                got=f"valid, objective {objective} as it was said, {origin.objective} before",
                why="what is wrong by 0.9 % is believed, so every candidate is 0.9 % better than it is",
                fix="compute the objective from the solution exactly; refuse a claim that differs",
            )


def _added(bench: Bench, origin: Origin, names: list[str]) -> bool:
    """Adds fields to the answer, or puts the answer into an object with fields; True if one was believed."""
    places: list[Path] = [()] if isinstance(origin.answer, dict) else []
    places += [path for path in objects(origin.answer)[:2] if path]
    for path in places:
        whole = at(origin.answer, path)
        for name in names:
            for claim in _false(bench, 0) if name not in whole else ():
                answer = put(origin.answer, path, {**whole, name: claim})
                if _told(bench, origin, answer, f"a field {name!r}: {claim} added"):
                    return True
    if not isinstance(origin.answer, dict):
        for outer in names:
            base = send(bench, origin, {outer: origin.answer}, f"itself inside an object as {outer!r}")
            for name in names if base is not None else ():
                for claim in _false(bench, 0) if name != outer else ():
                    answer = {outer: origin.answer, name: claim}
                    if _told(bench, origin, answer, f"a field {name!r}: {claim} beside it"):
                        return True
    return False


def _told(bench: Bench, origin: Origin, answer: Json, words: str) -> bool:
    gain = _gain(bench, origin, answer, words)
    if gain is not None:
        _believed(bench, *gain)
    return gain is not None


def _claimed(
    bench: Bench, origin: Origin, path: Path, claim: int | float
) -> tuple[Origin, str, Number] | None:
    words = f"{'.'.join(map(str, path))}: {at(origin.answer, path)} → {claim}"
    return _gain(bench, origin, put(origin.answer, path, claim), words)


def _gain(bench: Bench, origin: Origin, answer: Json, words: str) -> tuple[Origin, str, Number] | None:
    objective = send(bench, origin, answer, words)
    if objective is None or not bench.better(objective, origin.objective):
        return None
    return origin, words, objective


def _believed(bench: Bench, origin: Origin, words: str, objective: Number) -> None:
    bench.report.add(
        "believed-claim",
        sent=f"{origin.words} with {words}",
        got=f"valid, objective {objective}; without the change {origin.objective}",
        why="the solution is the same and its objective is better: the answer is believed on what it says of "
        "itself, and every candidate will say it",
        fix="compute objective, lengths and sums from the solution and the instance; read nothing else, or "
        "refuse it where it differs",
    )


def _false(bench: Bench, value: int | float) -> Iterator[int | float]:
    """Claims that no honest answer makes."""
    kind = type(value)
    yield from (kind(0), kind(-1))
    yield kind(-(10**9)) if bench.problem.sense is Sense.MINIMISE else kind(10**9)
    yield kind(10**9) if bench.problem.sense is Sense.MINIMISE else kind(-(10**9))
