"""Jobs and evaluations as lines of JSON: what a driver and its workers say to each other, by any transport.

A number is a text that keeps its type (`7/3` is a Fraction), and nothing is pickled. A line comes from
another process or machine, so it is checked before it is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from typing import Any, NoReturn

from ..evaluators.base import (
    Evaluation,
    EvaluationStatus,
    Race,
    ReferenceKind,
    Score,
    ScoreStatus,
    checked_metrics,
)
from ..problems.base import decode_number, encode_number
from ..sandbox.base import Program, SandboxError
from .executor import Job
from .racing import PairedRace, TimedRace

_TEXT, _MAYBE, _COUNT = (str,), (str, type(None)), (int, type(None))
_ROW = (_TEXT, _TEXT, _TEXT, _MAYBE, _TEXT, _MAYBE, _MAYBE, (float, int), _MAYBE, _MAYBE)
"""Types of a score's columns; texts, the marks, may follow, and then a mapping, the metrics."""
_ROWS = frozenset(product(*_ROW))
_STATUSES = {status.value: status for status in ScoreStatus}
_KINDS = {kind.value: kind for kind in ReferenceKind}


class LineError(ValueError):
    """A line is no message of a driver or worker; says what is wrong with it."""


class WorkerFault(Exception):
    """A worker's own code failed on a job; the text is the worker's traceback."""


def encode_job(number: int, job: Job) -> str:
    """The line of a job; `number` comes back with the reply.

    Raises:
        TypeError: the race is of a kind that no line can hold.
    """
    program = job.program
    return json.dumps(
        {
            "job": number,
            "files": dict(program.files),
            "program": [program.entry_point, program.driver, program.anew],
            "split": job.split,
            "whole": job.whole,
            "race": None if job.race is None else _encode_race(job.race),
            "part": [job.first, job.last],
        }
    )


def decode_job(line: str) -> tuple[int, Job]:
    """The number and the job of a line.

    Raises:
        LineError: the line holds no job.
    """
    with _reading("job"):
        document = _document(line)
        number, split, whole = (_typed(document, *pair) for pair in _JOB)
        files = document["files"]
        if type(files) is not dict or not all(type(text) is str for text in files.values()):
            raise LineError("files: expected path → text")
        entry_point, driver, anew = _columns(document["program"], (_TEXT, _MAYBE, (int,)), "program")
        first, last = _columns(document["part"], ((int,), _COUNT), "part")
        race = None if document["race"] is None else _decode_race(document["race"])
        return number, Job(Program(files, entry_point, driver, anew), split, whole, race, first, last)
    raise AssertionError


_JOB = (("job", int), ("split", str), ("whole", bool))


def encode_reply(number: int, outcome: Evaluation | BaseException, trace: str = "") -> str:
    """The line of a job's outcome: its evaluation, or the error that a person must know."""
    if isinstance(outcome, Evaluation):
        return json.dumps({"job": number, "evaluation": encode_evaluation(outcome)})
    if isinstance(outcome, SandboxError):
        return json.dumps({"job": number, "sandbox": [outcome.layer, outcome.reason, outcome.hint]})
    return json.dumps({"job": number, "fault": trace or repr(outcome)})


def decode_reply(line: str) -> tuple[int, Evaluation | SandboxError | WorkerFault]:
    """The number of a job and its outcome.

    Raises:
        LineError: the line holds no reply.
    """
    with _reading("reply"):
        document = _document(line)
        number = _typed(document, "job", int)
        if "evaluation" in document:
            return number, decode_evaluation(document["evaluation"])
        if "sandbox" in document:
            return number, SandboxError(*_columns(document["sandbox"], (_TEXT, _TEXT, _TEXT), "sandbox"))
        return number, WorkerFault(_typed(document, "fault", str))
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
    with _reading("evaluation"):
        fitness = document["fitness"]
        if fitness is not None and type(fitness) is not float:
            raise LineError(f"fitness: got {fitness!r:.60}, expected a float or null")
        scores = tuple([_decode_score(row) for row in document["scores"]])
        status = EvaluationStatus(document["status"])
        return Evaluation(_typed(document, "split", str), scores, status, fitness)
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
    if not math.isfinite(seconds) or not all(type(mark) is str for mark in marks):
        raise LineError(f"score of {instance:.60}: CPU seconds {seconds!r}, marks {marks!r:.60}")
    ratio = None if gap is None else decode_number(gap)
    return Score(
        instance,
        _STATUSES[status],
        None if objective is None else decode_number(objective),
        decode_number(reference),
        _KINDS[kind],
        Fraction(ratio) if isinstance(ratio, int) else ratio,
        None if excess is None else decode_number(excess),
        seconds,
        digest,
        message,
        tuple(marks),
        metrics,
    )


def _encode_race(race: Race) -> dict[str, Any]:
    if isinstance(race, PairedRace):
        return {
            "rival": race.rival,
            "level": race.level,
            "proven": race.proven,
            "parent": race.parent,
            "order": race.order,
        }
    if isinstance(race, TimedRace):
        return {
            "rivals": [[number, _encode_race(rival)] for number, rival in race.rivals.items()],
            "parent": race.parent,
            "seconds": race.parent_seconds,
            "floor": race.floor,
            "order": race.order,
        }
    raise TypeError(f"race: got {type(race).__name__}, expected a PairedRace or a TimedRace")


def _decode_race(document: Any) -> PairedRace | TimedRace:
    parent, order = _texts(document, "parent", _MAYBE), _texts(document, "order", _TEXT)
    if "rivals" in document:
        rivals = {_columns(pair, ((int,), (dict,)), "rivals")[0]: pair[1] for pair in document["rivals"]}
        races = {number: _paired(_decode_race(one)) for number, one in rivals.items()}
        seconds, floor = float(document["seconds"]), float(document["floor"])
        return TimedRace(races, parent, seconds, floor, order)
    rival = tuple(float(loss) for loss in document["rival"])
    return PairedRace(rival, float(document["level"]), _typed(document, "proven", bool), parent, order)


def _paired(race: PairedRace | TimedRace) -> PairedRace:
    if not isinstance(race, PairedRace):
        raise LineError("rivals: a race against time classes inside another one")
    return race


def _texts(document: Mapping[str, Any], key: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    found = tuple(_typed(document, key, list))
    return tuple(_columns(found, (kinds,) * len(found), key))


def _columns(row: Any, kinds: Sequence[tuple[type, ...]], what: str) -> Any:
    """A row whose columns are of some types."""
    if len(row) != len(kinds) or not all(type(v) in kind for v, kind in zip(row, kinds, strict=True)):
        raise LineError(f"{what}: got {row!r:.120}, expected {len(kinds)} columns of other types")
    return row


def _typed(document: Mapping[str, Any], key: str, kind: type) -> Any:
    value = document[key]
    if type(value) is not kind:
        raise LineError(f"{key}: got {value!r:.60}, expected {kind.__name__}")
    return value


def _refused(text: str) -> NoReturn:
    raise LineError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def _document(line: str) -> dict[str, Any]:
    document = _DECODER.decode(line)
    if type(document) is not dict:
        raise LineError(f"got {line:.60}, expected a JSON object")
    return document


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turns whatever a damaged line raises into a `LineError`."""
    try:
        yield
    except LineError as error:
        raise LineError(f"{what}: {error}") from None
    except KeyError as error:
        raise LineError(f"{what}: {error} is missing or not known") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise LineError(f"{what}: damaged: {error}") from None
