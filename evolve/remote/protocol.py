"""Jobs and their results as lines of JSON: what a driver and its workers say to each other, by any transport.

A number is a text that keeps its type (`7/3` is a Fraction), and nothing is pickled. A line comes from
another process or machine, so it is checked before it is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from ...evaluators.base import (
    Evaluation,
    EvaluationStatus,
    Race,
    ReferenceKind,
    Score,
    ScoreStatus,
    checked_metrics,
)
from ...problems.base import decode_number, encode_number
from ...sandbox.base import Program, SandboxError
from ...sandbox.unseen import clean
from ..executor import EvaluationJob
from ..racing import PairedRace, TimedRace
from ..types import Proposal, Rejection
from .codec import COUNT, MAYBE, TEXT, LineError, columns, document_of, reading, texts_by_path, typed
from .proposals import Draft, decode_draft, decode_drafted, encode_draft, encode_drafted

_ROW = (TEXT, TEXT, TEXT, MAYBE, TEXT, MAYBE, MAYBE, (float, int), MAYBE, MAYBE)
"""Types of a score's columns; texts, the marks, may follow, and then a mapping, the metrics."""
_ROWS = frozenset(product(*_ROW))
_STATUSES = {status.value: status for status in ScoreStatus}
_number = lru_cache(maxsize=4096)(decode_number)
"""Cached, because the same numbers arrive often: references with each job, gaps with each duplicate."""
_KINDS = {kind.value: kind for kind in ReferenceKind}


_TOLD = 20_000
"""Longest text of an error that a worker tells (characters)."""


class WorkerFault(Exception):
    """A worker's own code failed on a job; the text is the worker's traceback."""


Work = EvaluationJob | Draft
"""What a worker does."""
Made = Evaluation | Proposal | Rejection
"""The result of work."""


def encode_work(number: int, work: Work) -> str:
    """The line of a job or draft; `number` comes back with the reply.

    Raises:
        TypeError: the race of a job is of a kind that no line can hold.
    """
    if isinstance(work, Draft):
        return json.dumps({"job": number, "draft": encode_draft(work)})
    program = work.program
    return json.dumps(
        {
            "job": number,
            "files": dict(program.files),
            "program": [program.entry_point, program.driver, program.anew],
            "split": work.split,
            "whole": work.whole,
            "race": None if work.race is None else _encode_race(work.race),
            "part": [work.first, work.last],
        }
    )


def decode_work(line: str) -> tuple[int, Work]:
    """The number and the job or draft of a line.

    Raises:
        LineError: the line holds neither.
    """
    with reading("job"):
        document = document_of(line)
        number = typed(document, "job", int)
        if "draft" in document:
            return number, decode_draft(typed(document, "draft", dict))
        split = typed(document, "split", str)
        whole = typed(document, "whole", bool)
        files = texts_by_path(document)
        entry_point, driver, anew = columns(document["program"], (TEXT, MAYBE, (int,)), "program")
        first, last = columns(document["part"], ((int,), COUNT), "part")
        race = None if document["race"] is None else _decode_race(document["race"])
        return number, EvaluationJob(
            Program(files, entry_point, driver, anew), split, whole, race, first, last
        )
    raise AssertionError


def encode_reply(number: int, outcome: Made | BaseException, trace: str = "") -> str:
    """The line of a result, or of the error that a person must know."""
    if isinstance(outcome, Evaluation):
        return json.dumps({"job": number, "evaluation": encode_evaluation(outcome)})
    if isinstance(outcome, Proposal | Rejection):
        return json.dumps({"job": number, "draft": encode_drafted(outcome)})
    if isinstance(outcome, SandboxError):
        return json.dumps({"job": number, "sandbox": [outcome.layer, outcome.reason, outcome.hint]})
    return json.dumps({"job": number, "fault": trace or repr(outcome)})


def decode_reply(line: str) -> tuple[int, Made | SandboxError | WorkerFault]:
    """The number of a job and its result.

    Raises:
        LineError: the line holds no reply.
    """
    with reading("reply"):
        document = document_of(line)
        number = typed(document, "job", int)
        if "evaluation" in document:
            return number, decode_evaluation(document["evaluation"])
        if "draft" in document:
            return number, decode_drafted(typed(document, "draft", dict))
        if "sandbox" in document:
            told = columns(document["sandbox"], (TEXT, TEXT, TEXT), "sandbox")
            return number, SandboxError(*[clean(text)[:_TOLD] for text in told])
        return number, WorkerFault(clean(typed(document, "fault", str))[-_TOLD:])
    raise AssertionError


def encode_evaluation(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as a JSON mapping; numbers as text."""
    return {
        "split": evaluation.split,
        "status": evaluation.status.value,
        "fitness": evaluation.fitness,
        "scores": [_encode_score(score) for score in evaluation.scores],
    }


def decode_evaluation(document: Mapping[str, Any]) -> Evaluation:
    """The evaluation that `encode_evaluation` wrote.

    Raises:
        LineError: the mapping holds no evaluation.
    """
    with reading("evaluation"):
        fitness = document["fitness"]
        if fitness is not None and type(fitness) is not float:
            raise LineError(f"fitness: got {fitness!r:.60}, expected a float or null")
        scores = tuple([_decode_score(row) for row in document["scores"]])
        status = EvaluationStatus(document["status"])
        return Evaluation(typed(document, "split", str), scores, status, fitness)
    raise AssertionError


def _encode_score(score: Score) -> list[Any]:
    numbers = [score.objective, score.reference, score.gap, score.excess]
    return [
        score.instance,
        score.status.value,
        score.reference_kind.value,
        *[None if number is None else encode_number(number) for number in numbers],
        score.cpu_seconds,
        score.answer_digest,
        score.message,
        *score.marks,
        *([] if score.metrics is None else [dict(score.metrics)]),
    ]


def _decode_score(row: Any) -> Score:
    """A score; there are dozens in a reply, so the checks are few and quick."""
    if tuple(map(type, row[: len(_ROW)])) not in _ROWS:
        raise LineError(f"score: got {row!r:.120}, expected {len(_ROW)} columns of other types")
    instance, status, kind, objective, reference, gap, excess, seconds, digest, message, *marks = row
    metrics = checked_metrics(marks.pop()) if marks and type(marks[-1]) is dict else None
    if not math.isfinite(seconds) or (marks and not all(type(mark) is str for mark in marks)):
        raise LineError(f"score of {instance:.60}: CPU seconds {seconds!r}, marks {marks!r:.60}")
    ratio = None if gap is None else _number(gap)
    return Score(
        instance,
        _STATUSES[status],
        None if objective is None else _number(objective),
        _number(reference),
        _KINDS[kind],
        Fraction(ratio) if isinstance(ratio, int) else ratio,
        None if excess is None else _number(excess),
        seconds,
        digest,
        message,
        tuple(marks),
        metrics,
    )


def _encode_race(race: Race) -> dict[str, Any]:
    if isinstance(race, PairedRace):
        return {
            "rival": race.incumbent,
            "level": race.level,
            "proven": race.proven,
            "parent": race.parent,
            "order": race.order,
        }
    if isinstance(race, TimedRace):
        return {
            "rivals": [[number, _encode_race(incumbent)] for number, incumbent in race.incumbents.items()],
            "parent": race.parent,
            "seconds": race.parent_seconds,
            "floor": race.floor,
            "order": race.order,
        }
    raise TypeError(f"race: got {type(race).__name__}, expected a PairedRace or a TimedRace")


def _decode_race(document: Any) -> PairedRace | TimedRace:
    parent = _texts(document, "parent", MAYBE)
    order = _texts(document, "order", TEXT)
    if "rivals" in document:
        incumbents = {columns(pair, ((int,), (dict,)), "rivals")[0]: pair[1] for pair in document["rivals"]}
        races = {number: _paired(_decode_race(one)) for number, one in incumbents.items()}
        seconds = float(document["seconds"])
        floor = float(document["floor"])
        return TimedRace(races, parent, seconds, floor, order)
    incumbent = tuple(float(loss) for loss in document["rival"])
    return PairedRace(incumbent, float(document["level"]), typed(document, "proven", bool), parent, order)


def _paired(race: PairedRace | TimedRace) -> PairedRace:
    if not isinstance(race, PairedRace):
        raise LineError("rivals: a race against time classes inside another one")
    return race


def _texts(document: Mapping[str, Any], key: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    found = tuple(typed(document, key, list))
    return tuple(columns(found, (kinds,) * len(found), key))
