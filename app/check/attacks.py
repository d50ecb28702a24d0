"""Attacks on `verify` by hostile and damaged answers, claims and colliding keys; one part of a check."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ...evaluators.numbers import far_beyond
from ...problems.answers import Ratings
from ...problems.base import Interactive, Json, Number, Sense, VerdictStatus, canonical_json
from ...problems.offers import HasAnswerKind
from .answers import HOSTILE, Path, aliases, at, damages, leaves, lists, numbers, objects, put, step
from .bench import (
    MOST,
    SEED,
    Bench,
    HonestAnswer,
    SampleCase,
    all_origins,
    attempt,
    fields,
    origins,
    put_all,
    send,
)
from .findings import shorten

_FIXES = {
    "boolean-aliases": "ask for `type(x) is int`: isinstance(True, int) holds",
    "float-aliases": "ask for `type(x) is int` where integers are meant",
    "text-aliases": "ask for the type; do not convert what a candidate returned",
    "not-a-number": "refuse what is not finite: comparisons with NaN are always false",
    "partial-answers": "compare lengths, and that every part is there; `zip` stops at the shorter list",
    "doubled-answers": "compare with the set of all parts: each exactly once",
    "range-ignored": "refuse values outside of their range",
    "negative-aliases": "refuse negative positions: x[-1] is the last element in Python",
}
LEAST_ANSWERS = 40
"""Least number of answers that the search tries from each start, whatever the time (count)."""


def check_hostile(bench: Bench) -> None:
    """Hostile and constant answers get a verdict, and none is better than the bound."""
    for case in bench.cases[:2]:
        for words, answer in HOSTILE.items():
            sent = f"{words} as answer to {case.instance.id}"
            verdict = bench.judge(case.instance, answer, sent)
            if verdict is not None and verdict.objective is not None:
                _compare(bench, case, verdict.objective, sent)
        _out_of_form(bench, case)


def _out_of_form(bench: Bench, case: SampleCase) -> None:
    """Sends what is nearly of the stated kind of answer; none of it is accepted."""
    problem = bench.problem
    kind = problem.answer_kind if isinstance(problem, HasAnswerKind) else None
    if kind is None or isinstance(problem, Interactive):
        return  # decisions are looked at one by one, in their dialogue
    for words, answer in kind.hostile(case.instance.public).items():
        sent = f"{words} in an answer to {case.instance.id}"
        verdict = bench.judge(case.instance, answer, sent)
        if verdict is not None and verdict.objective is not None:
            bench.report.add(
                "answer-kind",
                sent=sent,
                got=f"valid, objective {verdict.objective}",
                why=f"the statement says: {kind.sentence(case.instance.public)}",
                fix="refuse what kind.fault(answer, instance.public) names, before anything else",
            )


def check_types(bench: Bench) -> None:
    """A number in the guise of another type, or what is no number, is not accepted."""
    rng = random.Random(SEED)
    kind = bench.problem.answer_kind if isinstance(bench.problem, HasAnswerKind) else None
    real = kind is not None and "float" in kind.type  # a whole number is a number there too
    real = real or any(isinstance(v, float) for o in origins(bench) for _, v in leaves(o.answer))
    for origin in all_origins(bench)[:MOST]:
        for change in aliases(origin.answer, rng):
            if change.name == "float-aliases" and real:
                continue
            sent = f"answer of {origin.program} to {origin.case.instance.id} with {change.words}"
            verdict = bench.judge(origin.case.instance, change.answer, sent)
            if verdict is not None and verdict.status is VerdictStatus.VALID:
                bench.report.add(
                    change.name,
                    sent=sent,
                    got=f"valid, objective {verdict.objective}",
                    why="the answer is not of the stated form; what it means depends on Python's conversions",
                    fix=_FIXES[change.name],
                )


def check_damage(bench: Bench) -> None:
    """Missing, doubled and absurd parts are noticed: a change of each kind is refused or costs something.
    One accepted change proves nothing (a redundant part may be left out); all changes of a kind do.
    """
    rng = random.Random(SEED)
    seen: dict[str, list[tuple[str, Number | None, Number]]] = defaultdict(list)
    for origin in origins(bench)[:4]:
        for change in damages(origin.answer, rng):
            sent = f"answer of {origin.program} to {origin.case.instance.id} with {change.words}"
            verdict = bench.judge(origin.case.instance, change.answer, sent)
            objective = None if verdict is None else verdict.objective
            seen[change.name].append((sent, objective, origin.objective))
            if objective is not None:
                _compare(bench, origin.case, objective, sent)
    kind = bench.problem.answer_kind if isinstance(bench.problem, HasAnswerKind) else None
    if isinstance(kind, Ratings):  # any finite number is a rating, so none is out of range
        seen.pop("range-ignored", None)
        seen.pop("negative-aliases", None)
    for name, results in seen.items():
        accepted = [(sent, new, old) for sent, new, old in results if new is not None]
        free = all(not bench.better(old, new) for _, new, old in accepted)
        if name in _FIXES and len(accepted) >= 3 and free and 2 * len(accepted) > len(results):
            sent, new, old = accepted[0]
            bench.report.add(
                name,
                sent=sent,
                got=f"valid, objective {new} (whole answer: {old}); "
                f"so were {len(accepted)} of {len(results)} such answers, none of them worse",
                why="a candidate scores by leaving work out or by making parts up",
                fix=_FIXES[name],
            )


def search(bench: Bench, seconds: float) -> None:
    """Climbs from valid answers by random changes, in search of objectives better than a bound, or far
    better than all known ones.

    Where no bound is proven, no single answer is an alarm: every instance is searched, for twice the time.
    """
    rng = random.Random(SEED)
    starts = origins(bench)
    proven = [o for o in starts if o.case.reference is not None and o.case.reference.bound is not None]
    if not proven:
        seconds *= 2
    tried = 0
    for origin in proven or starts:
        share = time.monotonic() + seconds / len(proven or starts)
        answer = origin.answer
        best = origin.objective
        last = "nothing"
        ends = tried + LEAST_ANSWERS
        while tried < ends or time.monotonic() < share:
            move = step(answer, rng)
            if move is None:
                break
            tried += 1
            words, changed = move
            sent = f"changed answer of {origin.program} to {origin.case.instance.id}, lastly {words}"
            verdict = bench.judge(origin.case.instance, changed, sent)
            if verdict is None or verdict.objective is None or bench.better(best, verdict.objective):
                continue
            answer = changed
            best = verdict.objective
            last = words
            sent = f"{shorten(repr(answer), 160)} ({last})"
            if _compare(bench, origin.case, best, sent) or _far(bench, origin.case, best, sent):
                break
    bench.report.measured["search_answers"] = tried


def _far(bench: Bench, case: SampleCase, objective: Number, sent: str) -> bool:
    """Notes an objective far better than all that is known, where nothing is proven; True if it is."""
    objectives = [value for _, value in case.answers.values()]
    objectives += [case.reference.value] if case.reference is not None else []
    minimise = bench.problem.sense is Sense.MINIMISE
    best = min(objectives) if minimise else max(objectives)
    late = case.reference is None and bench.loaded.references is not None
    proven = case.reference is not None and case.reference.bound is not None
    if late or proven or objective == 0 or not far_beyond(objective, best, minimise):
        return False  # random changes may well reach 0 conflicts or 0 delays
    bench.report.add(
        "far-beyond-known",
        sent=sent,
        got=f"valid, objective {objective}; the best that is known for {case.instance.id} is {best}",
        why="a few random changes beat everything that is known by a large factor: verify accepts what is "
        "infeasible, or the programs and the reference say nothing",
        fix="check this answer by hand against the statement; give a proven bound, or a stronger baseline",
    )
    return True


def check_pure(bench: Bench) -> None:
    """`verify` depends on its arguments alone and changes neither of them."""
    every = origins(bench)
    first = {o.case.instance.id: bench.judge(o.case.instance, o.answer, "a valid answer") for o in every}
    for origin in reversed(every):
        instance = origin.case.instance
        own = canonical_json(origin.answer)
        again = None
        try:
            again = bench.problem.verify(instance, origin.answer)
        except Exception as error:
            bench.report.add(
                "verify-pure",
                sent=f"the same valid answer to {instance.id} again",
                got=f"{type(error).__name__}: {error}",
                why="a record could not be verified later",
                fix="keep no state between calls",
            )
        changed = ["the instance"] * (replace(instance).digest != instance.digest)
        changed += ["the answer"] * (canonical_json(origin.answer) != own)
        if changed or again != first[instance.id]:
            bench.report.add(
                "verify-pure",
                sent=f"the same valid answer to {instance.id} again",
                got=f"{changed[0]} was changed" if changed else f"{again} after {first[instance.id]}",
                why="scores would depend on what was verified before",
                fix="copy what is sorted or popped; no clock, no random numbers, no attributes of self",
            )


def check_untouched(bench: Bench) -> None:
    """After all answers, refused ones included, the sample instances are what they were."""
    for case in bench.cases:
        if replace(case.instance).digest != case.instance.digest:
            bench.report.add(
                "verify-pure",
                sent=f"answers to {case.instance.id}, some of which were refused",
                got="the instance was changed",
                why="scores would depend on what was verified before: a candidate could use an instance up",
                fix="copy what is sorted, popped or marked, on the way to a refusal too",
            )


def _compare(bench: Bench, case: SampleCase, objective: Number, sent: str) -> bool:
    """Notes an objective that is better than the proven bound; True if it is."""
    if case.reference is None or not bench.beats(objective, case.reference):
        return False
    bench.report.add(
        "beats-reference",
        sent=sent,
        got=f"valid, objective {objective}, {case.reference.kind.value} {case.reference.bound} "
        f"of {case.instance.id}",
        why="either verify accepts what is infeasible or the bound is false; candidates will find it",
        fix="check this answer by hand against the statement",
    )
    return True


# Attacks by claims: numbers in an answer that change its objective but not the solution.

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
        gains: list[tuple[HonestAnswer, str, Number]] = []
        near: list[tuple[HonestAnswer, str, Number]] = []
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


def _added(bench: Bench, origin: HonestAnswer, names: list[str]) -> bool:
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


def _told(bench: Bench, origin: HonestAnswer, answer: Json, words: str) -> bool:
    gain = _gain(bench, origin, answer, words)
    if gain is not None:
        _believed(bench, *gain)
    return gain is not None


def _claimed(
    bench: Bench, origin: HonestAnswer, path: Path, claim: int | float
) -> tuple[HonestAnswer, str, Number] | None:
    words = f"{'.'.join(map(str, path))}: {at(origin.answer, path)} → {claim}"
    return _gain(bench, origin, put(origin.answer, path, claim), words)


def _gain(
    bench: Bench, origin: HonestAnswer, answer: Json, words: str
) -> tuple[HonestAnswer, str, Number] | None:
    objective = send(bench, origin, answer, words)
    if objective is None or not bench.better(objective, origin.objective):
        return None
    return origin, words, objective


def _believed(bench: Bench, origin: HonestAnswer, words: str, objective: Number) -> None:
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


# Whether `verify` takes numbers into a set before it looks at their range: some sets take quadratic time.

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


def _seconds(bench: Bench, origin: HonestAnswer, answer: Json) -> float:
    """CPU seconds of a verdict."""
    started = time.process_time()
    attempt(lambda: bench.problem.verify(origin.case.instance, answer))
    return time.process_time() - started
