"""Attacks on `verify`: is anything accepted that should not be, or better than what is proven?"""

from __future__ import annotations

import random
import time
from collections import defaultdict
from dataclasses import replace

from ...evaluators.numbers import far_beyond
from ...problems.answers import Ratings
from ...problems.base import Interactive, Number, Sense, VerdictStatus, canonical_json
from ...problems.offers import HasAnswerKind
from .answers import HOSTILE, aliases, damages, leaves, step
from .bench import SEED, Bench, Case
from .findings import shorten
from .origins import MOST, all_origins, origins

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


def _out_of_form(bench: Bench, case: Case) -> None:
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
        answer, best, last = origin.answer, origin.objective, "nothing"
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
            answer, best, last = changed, verdict.objective, words
            sent = f"{shorten(repr(answer), 160)} ({last})"
            if _compare(bench, origin.case, best, sent) or _far(bench, origin.case, best, sent):
                break
    bench.report.measured["search_answers"] = tried


def _far(bench: Bench, case: Case, objective: Number, sent: str) -> bool:
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


def _compare(bench: Bench, case: Case, objective: Number, sent: str) -> bool:
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
