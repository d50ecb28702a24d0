"""Jobs, drafts and their results as lines of JSON: what a driver and its workers say, by any transport.

A number is a text that keeps its type (`7/3` is a Fraction), and nothing is pickled. A line comes from
another process or machine, so it is checked before it is used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NoReturn

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
from ...sandbox.base import MAX_SOURCE_BYTES, Description, Program, SandboxError
from ...sandbox.unseen import clean, find_unseen
from ..admission import ID_CHARACTERS
from ..executor import EvaluationJob
from ..racing import PairedRace, TimedRace
from ..store.rows import decode_description, encode_description
from ..types import (
    Examination,
    Origin,
    Proposal,
    Rejection,
    RejectionReason,
)
from .proposals import Draft, Material

MOST_CHARACTERS = 1 << 24
"""Longest line of a worker; one of ten thousand scores has a third of that."""
TEXT = (str,)
MAYBE = (str, type(None))
COUNT = (int, type(None))


class LineError(ValueError):
    """A line is no message of a driver or worker; says what is wrong with it."""


def columns(row: Any, kinds: Sequence[tuple[type, ...]], what: str) -> Any:
    """A row whose columns are of some types."""
    if len(row) != len(kinds) or not all(type(v) in kind for v, kind in zip(row, kinds, strict=True)):
        raise LineError(f"{what}: got {row!r:.120}, expected {len(kinds)} columns of other types")
    return row


def typed(document: Mapping[str, Any], key: str, kind: type) -> Any:
    """The value of a key, which is of a type."""
    value = document[key]
    if type(value) is not kind:
        raise LineError(f"{key}: got {value!r:.60}, expected {kind.__name__}")
    return value


def texts_by_path(document: Mapping[str, Any]) -> dict[str, str]:
    """The files of a message: path → text."""
    files: dict[str, str] = typed(document, "files", dict)
    if not all(type(text) is str for text in files.values()):
        raise LineError("files: expected path → text")
    return files


def _refused(text: str) -> NoReturn:
    raise LineError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def document_of(line: str) -> dict[str, Any]:
    """The JSON object of a line."""
    if len(line) > MOST_CHARACTERS:
        raise LineError(f"a line of more than {MOST_CHARACTERS} characters")
    document = _DECODER.decode(line)
    if type(document) is not dict:
        raise LineError(f"got {line!r:.60}, expected a JSON object")
    return document


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turns whatever a damaged line raises into a `LineError`."""
    try:
        yield
    except LineError as error:
        raise LineError(f"{what}: {error}") from None
    except KeyError as error:
        raise LineError(f"{what}: {error} is missing or not known") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise LineError(f"{what}: damaged: {error}") from None


_MOST_COUNT = MAX_SOURCE_BYTES
"""Of lines, columns, levels, nodes or names of a text: each takes a byte."""
_MOST_DESCRIBED = 64 * MAX_SOURCE_BYTES
"""Longest description (characters); one of 20,000 nodes has a third of that."""
_LONGEST_NAME = 1000
"""Longest name of an operator, or excerpt of a rejected text."""
_ID = re.compile(f"[0-9a-f]{{{ID_CHARACTERS}}}")


def encode_draft(draft: Draft) -> dict[str, Any]:
    """A draft as a JSON mapping."""
    source = draft.source
    key = [draft.seed, draft.iteration, draft.plain]
    if isinstance(source, Proposal):
        return {"key": key, "files": dict(source.files), "made": [source.origin.value, source.operator]}
    operators = {name: list(counts) for name, counts in source.operators.items()}
    return {
        "key": key,
        "files": dict(source.files),
        "donor": source.donor,
        "operators": operators,
        "numpy": source.numpy,
        "effort": source.effort,
        "types": [list(row) for row in source.types],
    }


def decode_draft(document: Mapping[str, Any]) -> Draft:
    """The draft that `encode_draft` wrote.

    Raises:
        LineError: the mapping holds no draft.
    """
    with reading("draft"):
        seed, iteration, plain = columns(document["key"], ((int,), (int,), (bool,)), "key")
        files = texts_by_path(document)
        if "made" in document:
            origin, operator = columns(document["made"], (TEXT, TEXT), "made")
            return Draft(Proposal(files, Origin(origin), operator), seed, iteration, plain)
        (donor,) = columns([document["donor"]], (MAYBE,), "donor")
        rows = typed(document, "operators", dict)
        operators = {name: tuple(columns(row, ((int,), (int,)), "operators")) for name, row in rows.items()}
        numpy = typed(document, "numpy", bool)
        effort = typed(document, "effort", float)
        types = tuple(tuple(columns(row, (TEXT,) * 3, "types")) for row in typed(document, "types", list))
        material = Material(files, donor, operators, numpy, effort, types)
        return Draft(material, seed, iteration, plain)
    raise AssertionError


def confirm_drafted(draft: Draft, made: Proposal | Rejection) -> None:
    """Checks what another process made of a draft: a text that it was given stays as it is, ids are ids.

    Raises:
        LineError: it cannot be the result of this draft.
    """
    source = draft.source
    given = source if isinstance(source, Proposal) else None
    if given is not None and (made.origin, made.operator) != (given.origin, given.operator):
        raise LineError(f"draft: {made.origin} by {made.operator!r:.60}, expected {given.origin}")
    texts = [made.operator, made.excerpt] if isinstance(made, Rejection) else [made.operator]
    if any(len(text) > _LONGEST_NAME or clean(text) != text for text in texts):
        raise LineError("draft: a long text, or one with characters that nobody sees")
    if isinstance(made, Rejection):
        return
    assert made.examined is not None
    if set(made.files) != set(source.files) or (given and dict(made.files) != dict(given.files)):
        raise LineError(f"draft: files {', '.join(made.files)!r:.60}, expected those that were sent")
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in made.files.values())
    if size > MAX_SOURCE_BYTES or any(map(find_unseen, made.files.values())):
        raise LineError("draft: a text that is too large, or with characters that nobody sees")
    _confirm_identity(made.examined, len(made.files) == 1 and not draft.plain)
    _confirm_description(made.examined.description)


def _confirm_identity(examined: Examination, single: bool) -> None:
    id = examined.id
    digest = examined.description.token_digest or ""
    if not _ID.fullmatch(id) or (single and not digest.startswith(id)):
        raise LineError(f"draft: id {id!r:.60}, expected {ID_CHARACTERS} digits of the digest")


def _confirm_description(description: Description) -> None:
    """Refuses counts and texts that no text within the caps has; what they say of the text is believed."""
    text = encode_description(description)
    if len(text) > _MOST_DESCRIBED:
        raise LineError(f"draft: description of {len(text)} characters")
    left: list[Any] = [json.loads(text)]
    while left:
        value = left.pop()
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            left += [*value, *value.values()]
        elif isinstance(value, str):
            if len(value) > MAX_SOURCE_BYTES or clean(value) != value:
                raise LineError(f"draft: description with {value!r:.60}")
        elif value is not None and not 0 <= value <= _MOST_COUNT:
            raise LineError(f"draft: description with a count of {value!s:.60}")


def encode_drafted(made: Proposal | Rejection) -> dict[str, Any]:
    """The result of a draft as a JSON mapping."""
    if isinstance(made, Rejection):
        return {"rejected": [made.reason.value, made.excerpt, made.origin.value, made.operator]}
    if made.examined is None:
        raise AssertionError("a proposal is examined before it is sent")
    return {
        "files": dict(made.files),
        "made": [made.origin.value, made.operator],
        "id": made.examined.id,
        "description": encode_description(made.examined.description),
    }


def decode_drafted(document: Mapping[str, Any]) -> Proposal | Rejection:
    """The result that `encode_drafted` wrote.

    Raises:
        LineError: the mapping holds no such result.
    """
    with reading("draft"):
        if "rejected" in document:
            reason, excerpt, origin, operator = columns(document["rejected"], (TEXT,) * 4, "rejected")
            return Rejection(RejectionReason(reason), excerpt, Origin(origin), operator)
        origin, operator = columns(document["made"], (TEXT, TEXT), "made")
        described = typed(document, "description", str)
        _check_description(json.loads(described))
        examined = Examination(typed(document, "id", str), decode_description(described))
        return Proposal(texts_by_path(document), Origin(origin), operator, examined=examined)
    raise AssertionError


_DESCRIBED = {
    "entry_point": (bool,),
    "token_digest": TEXT,
    "shape_digest": MAYBE,
    "nodes": (int,),
    "depth": (int,),
}
_DESCRIBED_ROWS = {"constants": (int, int, int, str), "statements": (int, int, str, int)}


def _check_description(document: Mapping[str, Any]) -> None:
    """Refuses values of other types than a description has."""
    columns([document[name] for name in _DESCRIBED], tuple(_DESCRIBED.values()), "description")
    for name, kinds in _DESCRIBED_ROWS.items():
        if not {tuple(map(type, row)) for row in typed(document, name, list)} <= {kinds}:
            raise LineError(f"{name}: expected rows of {len(kinds)} columns of other types")
    counts = typed(document, "descriptors", dict)
    names = [*typed(document, "imports", list), *document.get("internals", ())]
    if not {*map(type, names)} <= {str} or not {*map(type, counts.values())} <= {int}:
        raise LineError("descriptors or names: expected counts and texts")


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
