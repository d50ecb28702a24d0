"""Attacks through programs: inputs changed, left out, asked for early; one part of a check."""

from __future__ import annotations

import dataclasses
import json
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from ...evaluators.base import EvaluationStatus
from ...evaluators.evaluator import GapEvaluator
from ...problems.base import Dialogue, Interactive, canonical_json
from ...sandbox.base import MAIN_FILE, Limits, Sandbox
from .bench import SEED, Bench, SampleCase, attempt
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
