"""Hostile policies, small instances, references beside verdicts; apart, as each plays or solves something."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, islice, permutations, product
from typing import Any, Protocol, runtime_checkable

from ...evaluators.base import Reference, ReferenceKind
from ...problems.answers import Assignment, Choice, Permutation, Subset, Values
from ...problems.answers.expression import count
from ...problems.answers.kind import AnswerKind
from ...problems.base import HasAnswerKind, Instance, Interactive, Json, Number
from ...problems.required import Infeasible
from .bench import SEED, Bench, SampleCase, all_origins, attempt
from .coverage import AnswerPart, changes_of
from .findings import shorten

_FEW = 0.5
"""Probability that a few decisions are changed."""
_STARTS = 3
"""Further climbs on the smallest instance, where plays take least (count)."""
_ONE_ITEM = 0.5
"""Probability that one amount of a decision is at its bound in place of all."""
_SMALL = (3, 4, 5)
"""Sizes of small instances (count)."""
_MOST_ANSWERS = 6000
"""Answers of a small instance that are all tried (count)."""
_REFERENCE_SECONDS = 2.0
_CHANGED = 6
"""Changes of a part with which references are computed (count)."""
_ALONE = 2
"""Numbers of a draw that are small while the others are not (count)."""
_PLAYS = 10
"""Least number of plays on each instance, whatever the time (count)."""


@runtime_checkable
class Played(Protocol):
    """A problem whose dialogue can be played in this process."""

    def steps(self, instance: Instance) -> Any:
        """A dialogue: `asked`, and `decide(decision)`."""

    def decide(self, question: Mapping[str, Any]) -> Any:
        """A decision of the author's own."""


@runtime_checkable
class DrawsSmall(Protocol):
    """A problem that draws small instances; `sizes` names whole numbers of a draw with their defaults."""

    sizes: Mapping[str, int]

    def small(self, seed: int, sizes: Mapping[str, int]) -> Instance:
        """An instance with these numbers."""


def check_policies(bench: Bench, seconds: float) -> None:
    """Plays policies for some CPU seconds that go for the bounds of decisions: none beats what is proven.

    Each starts from the author's own decisions, changes some, and goes on as the author would.
    """
    kind = bench.problem.answer_kind if isinstance(bench.problem, HasAnswerKind) else None
    if not (isinstance(bench.problem, Played) and kind is not None):
        if isinstance(bench.problem, Interactive):
            bench.report.unseen.append(
                "hostile policies: the dialogue is a class of its own, so only single answers were sent to it"
            )
        return
    cases = [*_small_cases(bench), *[case for case in bench.cases if case.reference is not None][:1]]
    rng = random.Random(SEED)
    for case in [*cases[:1] * _STARTS, *cases]:
        _climb(bench, case, kind, rng, time.process_time() + seconds / (_STARTS + len(cases)))


def _climb(bench: Bench, case: SampleCase, kind: AnswerKind, rng: random.Random, ends: float) -> None:
    """Changes decisions as long as that pays; ends at the first play that beats the bound."""
    best = _played(bench, case, kind, [], {})
    plays = 0
    while best is not None and (plays < _PLAYS or time.process_time() < ends):
        plays += 1
        decisions, objective, questions = best
        ways = _ways(questions, rng)
        found = _played(bench, case, kind, decisions, ways, rng)
        if found is None or bench.better(objective, found[1]):
            continue
        best = found
        if bench.beats(found[1], case.reference):
            assert case.reference is not None
            bench.report.add(
                "hostile-policy",
                sent=f"decisions of a policy on {case.instance.id}: {shorten(repr(found[0]), 160)}",
                got=f"valid, objective {found[1]}, better than the proven bound {case.reference.bound}",
                why="dialogue or objective allow what the reference does not; candidates will find it",
                fix="state the bounds of each decision by its kind, and limits over several by require",
            )
            return


def _ways(questions: list[Mapping[str, Any]], rng: random.Random) -> dict[int, str]:
    """Some decisions that are made otherwise: a few at random, or all where a number is large or small."""
    way = rng.choice(("lowest", "highest", "random"))
    seen = [_numbers(question) for question in questions]
    names = sorted(set.intersection(*map(set, seen))) if seen else []
    if not names or rng.random() < _FEW:
        few = rng.sample(range(len(questions)), min(len(questions), rng.choice((1, 1, 2, 5))))
        return {place: rng.choice(("lowest", "highest", "random")) for place in few}
    name = rng.choice(names)
    limit = rng.choice(seen)[name]
    sign = rng.choice((-1, 1))
    return {place: way for place, numbers in enumerate(seen) if sign * numbers[name] > sign * limit}


def _numbers(question: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of a question: its own, and what its lists have at a place that it names."""
    plain = {name: value for name, value in question.items() if type(value) in (int, float)}
    found: dict[str, float] = dict(plain)
    for name, values in question.items():
        for place, number in plain.items() if isinstance(values, list) else ():
            if type(number) is int and 0 <= number < len(values) and type(values[number]) in (int, float):
                found[f"{name}[{place}]"] = values[number]
    return found


def _played(
    bench: Bench,
    case: SampleCase,
    kind: AnswerKind,
    before: list[Json],
    ways: Mapping[int, str],
    rng: random.Random | None = None,
) -> tuple[list[Json], Number, list[Mapping[str, Any]]] | None:
    """Decisions, objective and questions of one play; None if it is refused.

    Args:
        before: decisions of the last play, which are taken again where they are allowed.
        ways: place of a decision → how it is made instead.
    """
    problem: Any = bench.problem
    decisions: list[Json] = []
    questions: list[Mapping[str, Any]] = []
    with suppress(Infeasible, ValueError, TypeError, ArithmeticError, LookupError):
        steps = problem.steps(case.instance)
        while steps.asked is not None:
            place = len(decisions)
            old = before[place] if place < len(before) else None
            if place in ways and rng is not None:
                decision = _decision(kind, ways[place], steps.asked, rng, problem.decide(steps.asked))
            elif ways and old is not None and kind.fault(old, steps.asked) is None:
                decision = old
            else:
                decision = problem.decide(steps.asked)
            questions.append(steps.asked)
            steps.decide(decision)
            decisions.append(decision)
        verdict = bench.judge(case.instance, decisions, "the decisions of a hostile policy")
        if verdict is not None and verdict.objective is not None:
            return decisions, verdict.objective, questions
    return None


def _decision(kind: AnswerKind, way: str, question: Mapping[str, Any], rng: random.Random, own: Json) -> Json:
    """A decision at a bound of its kind, the author's own with one amount at a bound, or a random one."""
    if way != "random" and isinstance(kind, Values):
        limits = [bounds[way == "highest"] for bounds in kind.bounds(question)]
        if isinstance(own, list) and len(own) == len(limits) and rng.random() < _ONE_ITEM:
            item = rng.randrange(len(own))
            return [*own[:item], limits[item], *own[item + 1 :]]
        return list(limits)
    if way != "random" and isinstance(kind, Choice):
        return 0 if way == "lowest" else count(kind.m, question) - 1
    drawn: Json = kind.draw(question, rng)
    return drawn


def plays_at_bounds(bench: Bench) -> Iterator[tuple[SampleCase, list[Json], Number]]:
    """Valid plays of which every decision that may be is as low, or as high, as its kind allows."""
    kind = bench.problem.answer_kind if isinstance(bench.problem, HasAnswerKind) else None
    if not isinstance(bench.problem, Played) or kind is None:
        return
    rng = random.Random(SEED)
    for case in bench.cases[:3]:
        for way in ("lowest", "highest"):
            for share in (1, 2, 10):
                ways = {place: way for place in range(10_000) if rng.random() * share < 1}
                if (found := _played(bench, case, kind, [], ways, rng)) is not None:
                    yield case, found[0], found[1]
                    break


def check_reference_parts(bench: Bench, seconds: float) -> None:
    """What a reference of a dialogue depends on, some verdict depends on too.

    Elsewhere a few answers prove nothing: a rule that no start program comes near may be judged all the same.
    Plays at the bounds of the kind come near.
    """
    if not isinstance(bench.problem, Played):
        return
    some = [(o.case, o.answer, o.objective) for o in all_origins(bench)[:6]]
    case = next((case for case in bench.cases if _proven(case.reference)), None)
    if case is None or not some:
        return
    some += list(plays_at_bounds(bench))
    ends = time.monotonic() + seconds
    for part in _parts(case.instance):
        if time.monotonic() > ends:
            return
        if not any(_matters(bench, *one, part) for one in some):
            _compare(bench, case, part, len(some), ends)


def _compare(bench: Bench, case: SampleCase, part: AnswerPart, answers: int, ends: float) -> None:
    """Notes a part on which the reference depends, though no verdict does."""
    assert case.reference is not None
    for change in changes_of(part)[:_CHANGED]:
        other = _with(case.instance, part, change)
        if other is None or time.monotonic() > ends:
            continue
        found, error = attempt(partial(bench.loaded.reference, other, _REFERENCE_SECONDS))
        if error is None and _proven(found) and found.value != case.reference.value:
            bench.report.add(
                "reference-disagrees",
                sent=f"{answers} valid answers and the reference of {case.instance.id}, after `{part.words}` "
                "was set to other values",
                got=f"the same verdicts and objectives, but reference {found.value} in place of "
                f"{case.reference.value}",
                why="the reference is of another problem than the one that answers are judged by",
                fix=f"use `{part.key}` in the objective or in a constraint, or take it out of the reference",
            )
            return


def _proven(reference: Reference | None) -> bool:
    return reference is not None and reference.kind is ReferenceKind.OPTIMUM


def _parts(instance: Instance) -> list[AnswerPart]:
    """Names of the instance, and columns of lists of equally long rows."""
    found = []
    for key, value in {**instance.public, **(instance.hidden or {})}.items():
        found.append(AnswerPart(key))
        rows = value if isinstance(value, list) and value and all(isinstance(r, list) for r in value) else []
        if len({len(row) for row in rows}) == 1:
            found += [AnswerPart(key, True, column) for column in range(len(rows[0]))]
    return found


def _with(instance: Instance, part: AnswerPart, change: Any) -> Instance | None:
    """The instance with a part changed; None where the change makes no difference or cannot be made."""
    hidden = dict(instance.hidden or {})
    public = dict(instance.public)
    home = public if part.key in public else hidden
    if part.key not in home:
        return None
    old = home[part.key]
    try:
        home[part.key] = part.put(old, change)
    except (TypeError, LookupError, ValueError):
        return None
    if home[part.key] == old:
        return None
    return replace(instance, public=public, hidden=hidden if instance.hidden is not None else None)


def _matters(bench: Bench, case: SampleCase, answer: Json, objective: Number, part: AnswerPart) -> bool:
    """Whether some change of a part changes the verdict on an answer."""
    for change in changes_of(part):
        other = _with(case.instance, part, change)
        if other is None:
            continue
        verdict, error = attempt(lambda other=other: bench.problem.verify(other, answer), 2.0)  # type: ignore[misc]
        if error is not None or verdict.objective != objective:
            return True
    return False


def check_small(bench: Bench) -> None:
    """On small instances, the best of all answers is the optimum that the reference says."""
    kind = bench.problem.answer_kind if isinstance(bench.problem, HasAnswerKind) else None
    if kind is None or isinstance(bench.problem, Interactive):
        return
    for case in _small_cases(bench):
        answers = list(islice(_every(kind, case.instance.public), _MOST_ANSWERS + 1))
        if not 0 < len(answers) <= _MOST_ANSWERS:
            continue
        best: tuple[Number, Json] | None = None
        for answer in answers:
            verdict = bench.judge(case.instance, answer, f"one of all answers to {case.instance.id}")
            if verdict is None:
                return
            objective = verdict.objective
            if objective is not None and (best is None or bench.better(objective, best[0])):
                best = objective, answer
        reference = case.reference
        if best is None or reference is None or reference.bound is None:
            continue
        exact = reference.kind is ReferenceKind.OPTIMUM
        if bench.beats(best[0], reference) or (exact and bench.better(reference.bound, best[0])):
            bench.report.add(
                "reference-disagrees",
                sent=f"all {len(answers)} answers to {case.instance.id}, {case.instance.public}",
                got=f"the best has objective {best[0]} ({shorten(repr(best[1]), 60)}), "
                f"the reference says {reference.kind.value} {reference.value}",
                why="the reference is of another problem than the one that answers are judged by",
                fix="compare the model with the objective term by term on this instance",
            )
            return


def _small_cases(bench: Bench) -> list[SampleCase]:
    """Small instances with their references: all numbers of a draw are small, or one of them is."""
    problem = bench.problem
    if not isinstance(problem, DrawsSmall) or bench.loaded.references is None:
        return []
    sizes = dict(problem.sizes)
    draws = [{name: min(_SMALL[0], size)} for name, size in list(sizes.items())[:_ALONE]]
    draws += [{name: min(most, size) for name, size in sizes.items()} for most in _SMALL]
    found = []
    for seed, chosen in enumerate(draws if sizes else ()):
        drawn, error = attempt(partial(problem.small, seed, chosen), 5.0)
        reference, late = attempt(partial(bench.loaded.reference, drawn, _REFERENCE_SECONDS))
        if error is None and late is None:
            found.append(SampleCase(drawn, reference))
    return found


def _every(kind: AnswerKind, names: Mapping[str, Any]) -> Iterator[Json]:
    """All answers of a kind; none for kinds whose answers are too many."""
    if isinstance(kind, Permutation):
        yield from map(list, permutations(range(count(kind.n, names))))
    elif isinstance(kind, Subset):
        items = range(count(kind.n, names))
        yield from map(list, chain.from_iterable(combinations(items, size) for size in range(len(items) + 1)))
    elif isinstance(kind, Assignment):
        yield from map(list, product(range(count(kind.m, names)), repeat=count(kind.n, names)))
    elif isinstance(kind, Values) and kind.integer:
        ranges = [range(int(low), int(high) + 1) for low, high in kind.bounds(names)]
        yield from map(list, product(*ranges))
