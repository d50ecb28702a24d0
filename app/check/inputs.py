"""Attacks by inputs: changed, left out, asked for early, or items numbered otherwise; one part of a check."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...evaluators.base import EvaluationStatus
from ...evaluators.evaluator import GapEvaluator
from ...problems.base import Dialogue, Instance, Interactive, Json, Number, Verdict, canonical_json
from ...sandbox.base import MAIN_FILE, Limits, Sandbox
from .bench import MOST, SEED, Bench, HonestAnswer, SampleCase, all_origins, attempt, in_time
from .findings import shorten
from .programs import run

if TYPE_CHECKING:
    from ...problems.base import Instance

_SPOIL = """

def _spoil(value):
    if isinstance(value, dict):
        for key in list(value):
            _spoil(value[key])
            if isinstance(value[key], (int, float)):
                value[key] = 0
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _spoil(item)
            if isinstance(item, (int, float)):
                value[index] = 0
        del value[len(value) // 2:]
    elif hasattr(value, "fill"):
        try:
            value.fill(0)
        except ValueError:
            pass


_honest = {entry}


def {entry}(*args, **kwargs):
    {before}
    result = _honest(*args, **kwargs)
    {after}
    return result
"""
_CALL = "_spoil([*args]); _spoil(kwargs)"
_LEAVE_OUT = """

_honest = {entry}


def {entry}(**kwargs):
    import json
    if json.dumps(kwargs, sort_keys=True) == {text!r}:
        raise RuntimeError("left out")
    return _honest(**kwargs)
"""


def check_spoiled(bench: Bench, sandbox: Sandbox) -> None:
    """A program that changes its inputs in place gains nothing by it."""
    entry = bench.problem.entry_point
    name, text = next(iter(bench.problem.start_programs().items()))
    if not sandbox.describe(text, entry).entry_point or f"class {entry}" in text:
        return
    for before, after in ((_CALL, "pass"), ("pass", _CALL)):
        spoiled = text + _SPOIL.format(entry=entry, before=before, after=after)
        for case in bench.cases[:2]:
            honest = case.answers.get(name)
            if honest is not None and bench.beats(honest[1], case.reference):
                continue  # sense or bound is wrong; that the inputs were changed is not what gains here
            answer, failure, _ = run(sandbox, bench, spoiled, case.instance)
            if failure is not None:
                continue
            sent = f"{name} changing its inputs in place, on {case.instance.id}"
            verdict = bench.judge(case.instance, answer, sent)
            objective = None if verdict is None else verdict.objective
            if objective is not None and bench.beats(objective, case.reference):
                bench.report.add(
                    "inputs-changed",
                    sent=sent,
                    got=f"valid, objective {objective}, better than the bound",
                    why="the objective was computed from inputs that the candidate had changed",
                    fix="let verify use its own instance alone; give copies to the candidate in a driver",
                )


def check_left_out(bench: Bench, sandbox: Sandbox) -> None:
    """A program that fails on one instance has no fitness, however good it is on the others."""
    cases = [case for case in bench.cases if case.reference is not None][:2]
    if len(cases) < 2 or isinstance(bench.problem, Interactive) or hasattr(bench.problem, "driver"):
        return
    entry = bench.problem.entry_point
    _, text = next(iter(bench.problem.start_programs().items()))
    if f"class {entry}" in text:
        return
    public = json.dumps(dict(cases[1].instance.public), sort_keys=True)
    if len(public) > 20_000:
        return
    cheat = text + _LEAVE_OUT.format(entry=entry, text=public)
    references = {case.instance.id: case.reference for case in cases}
    evaluator = GapEvaluator(
        bench.problem,
        {"train": [case.instance for case in cases]},
        lambda instance: references[instance.id],  # type: ignore[arg-type,return-value]
        limits=Limits(),
        seed=SEED,
        policy="check",
    )
    evaluation = evaluator.evaluate(evaluator.program({MAIN_FILE: cheat}), "train", sandbox)
    if evaluation.status is EvaluationStatus.COMPLETE:
        bench.report.add(
            "instance-left-out",
            sent=f"a program that raises on {cases[1].instance.id}",
            got=f"a complete evaluation, fitness {evaluation.fitness}",
            why="candidates would leave out what is hard",
            fix="report this: it is Gapsmith's own fault",
        )


_LINES = (
    b"null",
    b"NaN",
    b"-1",
    b"1e999",
    b"true",
    b"[",
    b"[[[[",
    b"{}",
    b'"x"',
    b"\xff\xfe",
    b"9" * 400,
    b"0.5",
)

_STEPS = 3
"""Decisions that are sent to see what is revealed (count)."""


def check_dialogue(bench: Bench) -> None:
    """An interactive instance starts alike whatever comes last, and takes any line without breaking."""
    if not isinstance(bench.problem, Interactive):
        return
    for case in bench.cases[:3]:
        _starts_alike(bench, case)
        for line in _LINES:
            dialogue = bench.problem.dialogue(case.instance)
            said, error = attempt(lambda d=dialogue, x=line: (d.next(b""), d.next(x)))  # type: ignore[misc]
            if error is None:
                _recorded(bench, case, line, dialogue, ended=said is not None and said[1] is None)
            elif not isinstance(error, ValueError):
                bench.report.add(
                    "dialogue-raises",
                    sent=f"{line[:20]!r} as first decision on {case.instance.id}",
                    got=f"{type(error).__name__}: {error}",
                    why="a candidate's line is untrusted input; only ValueError ends the execution in order",
                    fix="catch what parsing raises and raise ValueError with a sentence",
                )


def _recorded(bench: Bench, case: SampleCase, line: bytes, dialogue: Dialogue, *, ended: bool) -> None:
    """After each line that a dialogue accepts, its answer is JSON; before its end it may have none."""
    answer, error = attempt(dialogue.answer)
    if error is None:
        _, error = attempt(lambda: canonical_json(answer))
    elif not ended:
        return
    if error is not None:
        bench.report.add(
            "dialogue-answer",
            sent=f"{line[:20]!r} as first decision on {case.instance.id}, then answer()",
            got=f"{type(error).__name__}: {error}",
            why="the record is what verify judges and what is stored; it must be plain JSON without NaN",
            fix="raise ValueError in next() for a line that is no decision, before it is recorded",
        )


def _starts_alike(bench: Bench, case: SampleCase) -> None:
    """Compares the first lines with those of an instance that differs in its last hidden values only."""
    problem = bench.problem
    assert isinstance(problem, Interactive)
    end = _other_end(case.instance)
    if end is None:
        return
    changed, place = end
    steps = min(_STEPS, place // 4)  # a dialogue may tell of a few items together
    first, _ = attempt(lambda: _revealed(problem.dialogue(case.instance), steps))
    other, error = attempt(lambda: _revealed(problem.dialogue(changed), steps))
    again, _ = attempt(lambda: _revealed(problem.dialogue(case.instance), steps))
    if error is None and first != other:
        difference = next((pair for pair in zip_longest(first or (), other or ()) if pair[0] != pair[1]), ())
        bench.report.add(
            "reveals-ahead",
            sent=f"the first lines of {case.instance.id}, and again with another last hidden value",
            got=" and ".join(shorten(repr(line), 160) for line in difference),
            why="the first lines tell of what comes last; a candidate can look ahead",
            fix="send the next item only",
        )
    if first != again:
        bench.report.add(
            "dialogue-pure",
            sent=f"dialogue({case.instance.id}) twice",
            got=f"{shorten(repr(first), 160)} and {shorten(repr(again), 160)}",
            why="an execution could not be repeated",
            fix="make a fresh stepper that shares nothing with earlier ones",
        )


def _revealed(dialogue: Dialogue, steps: int) -> list[bytes | None]:
    """The first line, and the following ones as long as 0 is a valid decision."""
    lines = [dialogue.next(b"")]
    for _ in range(steps):
        if lines[-1] is None:
            break
        try:
            lines.append(dialogue.next(b"0"))
        except ValueError:
            break
    return lines


def _other_end(instance: Instance) -> tuple[Instance, int] | None:
    """The instance with the last two different values of its longest hidden list exchanged, and where."""
    hidden: dict[str, Any] = dict(instance.hidden or {})
    sequences = [(len(v), k) for k, v in hidden.items() if isinstance(v, list) and len(v) > 3]
    if not sequences:
        return None
    key = max(sequences)[1]
    values = list(hidden[key])
    other = next((i for i in range(len(values) - 2, 1, -1) if values[i] != values[-1]), None)
    if other is None:
        return None
    values[other], values[-1] = values[-1], values[other]
    return dataclasses.replace(instance, hidden={**hidden, key: values}), other


# Attacks with item numbers: items numbered otherwise are the same instance.
#
# Where public part and answer show which numbers are items, the kit numbers them at random. The same answer,
# renumbered, must have the same objective, and an answer that follows the numbers alone must gain nothing.

LEAST = 4
"""Fewest items of an instance, and fewest instances, that allow a conclusion (count)."""
RELABELLINGS = 20
_ROUNDS = 3
Leaves = list[Any]


@dataclass(frozen=True, slots=True)
class Labels:
    """One reading of which numbers are items.

    Attributes:
        values: whether an answer's values are items (a sequence); if not, its positions are (an assignment).
        references: whether lists of small integers in the public part name items (edges, predecessors).
    """

    values: bool
    references: bool

    def count(self, instance: Instance, answer: Json) -> int | None:
        """Number of items; None if instance and answer do not fit this reading."""
        if not isinstance(answer, list):
            return None
        leaves = _leaves(answer)
        if not leaves or any(type(leaf) is not int for leaf in leaves):
            return None
        lengths = {len(value) for value in instance.public.values() if isinstance(value, list)}
        if not self.values:
            flat = len(leaves) == len(answer)
            return len(answer) if flat and (len(answer) in lengths or self.references) else None
        if len(set(leaves)) != len(leaves) or min(leaves) < 0:
            return None
        if sorted(leaves) == list(range(len(leaves))) and (len(leaves) in lengths or self.references):
            return len(leaves)
        return next((number for number in sorted(lengths) if number > max(leaves)), None)

    def instance(self, instance: Instance, new: Sequence[int]) -> Instance:
        """The instance whose item `i` is called `new[i]`."""
        public = {key: self._part(value, new) for key, value in instance.public.items()}
        return replace(instance, public=public)

    def answer(self, answer: Any, new: Sequence[int]) -> Json:
        """The same answer to that instance."""
        return _renamed(answer, new) if self.values else _moved(answer, new)

    def _part(self, value: Any, new: Sequence[int]) -> Any:
        if not isinstance(value, list):
            return value
        names = self.references and all(type(v) is int and 0 <= v < len(new) for v in _leaves(value))
        nested = all(isinstance(row, list) for row in value)
        if len(value) != len(new):
            if nested and value and all(len(row) == len(new) for row in value):
                return [_moved(row, new) for row in value]
            return _renamed(value, new) if names and nested else value
        if nested and all(len(row) == len(new) for row in value):  # a square matrix
            return _moved([_moved(row, new) for row in value], new)
        return _moved(_renamed(value, new) if names and nested else value, new)


READINGS = tuple(Labels(values, references) for values in (True, False) for references in (False, True))


def check_labels(bench: Bench) -> None:
    """The numbers of items neither change what an answer is worth nor tell part of the answer."""
    some = all_origins(bench)[:MOST]
    labels = _reading(bench, some)
    if labels is None:
        bench.report.unseen.append(
            "whether item numbers matter: it is not plain which numbers of instance and answer are items; "
            "number the items of an instance otherwise by hand, and compare"
        )
        return
    _told(bench, labels, some)


def _reading(bench: Bench, some: list[HonestAnswer]) -> Labels | None:
    """The reading under which renumbered answers keep their objectives; a finding if some of them do not.

    Where a renumbered answer is refused, the reading is wrong rather than `verify`: the order of hours, say.
    """
    rng = random.Random(SEED)
    best: tuple[int, int, Labels, str] | None = None
    for labels in READINGS:
        same = tried = refused = 0
        got = ""
        for origin in in_time(o for o in some if _items(labels, o) >= LEAST):
            for new in _renumberings(rng, _items(labels, origin), _ROUNDS):
                objective = _objective(bench, labels, origin.case, origin.answer, new)
                tried = tried + 1
                refused = refused + (objective is None)
                same += objective == origin.objective or _equal(bench, objective, origin.objective)
                if objective != origin.objective:
                    got = f"{origin.words}: objective {origin.objective}, renumbered {objective}"
        if tried and same == tried:
            return labels
        if same and not refused and (best is None or same * best[1] > best[0] * tried):
            best = same, tried, labels, got
    if best is None or 2 * best[0] <= best[1]:
        return None
    bench.report.add(
        "labels-matter",
        sent="instances whose items are numbered otherwise, with the same answers",
        got=f"another objective for {best[1] - best[0]} of {best[1]}, as {best[3]}",
        why="what an answer is worth depends on how items are numbered: a candidate scores by the numbers",
        fix="treat all items alike in verify: no first item, no slice, no range that ends early",
    )
    return None


def _told(bench: Bench, labels: Labels, some: list[HonestAnswer]) -> None:
    """Answers that follow the numbers alone are no better than the same answers to renumbered instances."""
    rng = random.Random(SEED)
    wins: dict[str, list[HonestAnswer]] = {}
    cases = list({o.case.instance.id: o for o in some if _items(labels, o) >= LEAST}.values())
    for origin in in_time(cases, 2.0):
        for words, answer in _by_number(labels, origin, _items(labels, origin)):
            count = _items(labels, origin)
            own = _objective(bench, labels, origin.case, answer, range(count))
            if own is None:
                continue
            others = [
                _objective(bench, labels, origin.case, answer, new, keep=True)
                for new in _renumberings(rng, count, RELABELLINGS)
            ]
            valid = [other for other in others if other is not None]
            if 2 * len(valid) > RELABELLINGS and all(bench.better(own, other) for other in valid):
                wins.setdefault(words, []).append(origin)
    for words, won in wins.items():
        if len(won) >= LEAST:
            bench.report.add(
                "labels-tell",
                sent=f"{words}, to {len(cases)} instances, and to each with its items numbered at random",
                got=f"better than with each of {RELABELLINGS} random numberings on {len(won)} of them, "
                f"as {won[0].case.instance.id}",
                why="the order in which items stand tells part of the answer; a candidate that follows it "
                "scores without a method",
                fix="shuffle the items of every instance with its random stream; if their order means "
                "something, say so in the statement",
            )
            return


def _by_number(labels: Labels, origin: HonestAnswer, count: int) -> Iterator[tuple[str, Json]]:
    """Answers that look at nothing but item numbers, in the form of an answer that is valid."""
    answer: Any = origin.answer
    if labels.values:
        if all(type(part) is int for part in answer) and len(answer) == count:
            yield "items in the order of their numbers", [*range(count)]
            yield "items in the reverse order of their numbers", [*reversed(range(count))]
        return
    groups = len(set(answer))
    for size in (2, 3, 4):
        yield f"{size} items with successive numbers together", [i // size for i in range(count)]
    yield f"items dealt out to {groups} groups in turn", [i % groups for i in range(count)]
    yield f"items in {groups} groups of successive numbers", [i * groups // count for i in range(count)]


def _objective(
    bench: Bench, labels: Labels, case: SampleCase, answer: Json, new: Sequence[int], keep: bool = False
) -> Number | None:
    """Objective of an answer to the renumbered instance; with `keep` the answer itself stays as it is."""
    instance = labels.instance(case.instance, new)
    sent = answer if keep else labels.answer(answer, new)
    verdict, error = attempt(partial(bench.problem.verify, instance, sent))
    proper = error is None and isinstance(verdict, Verdict)  # a wrong reading makes nonsense of an instance
    return verdict.objective if proper else None


def _equal(bench: Bench, left: Number | None, right: Number) -> bool:
    return left is not None and not bench.better(left, right) and not bench.better(right, left)


def _items(labels: Labels, origin: HonestAnswer) -> int:
    return labels.count(origin.case.instance, origin.answer) or 0


def _renumberings(rng: random.Random, count: int, number: int) -> Iterator[list[int]]:
    for _ in range(number):
        yield rng.sample(range(count), count)


def _leaves(value: Any) -> Leaves:
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list) else [value]


def _renamed(value: Any, new: Sequence[int]) -> Any:
    return [_renamed(part, new) for part in value] if isinstance(value, list) else new[value]


def _moved(values: list[Any], new: Sequence[int]) -> list[Any]:
    moved = [*values]
    for position, value in enumerate(values):
        moved[new[position]] = value
    return moved
