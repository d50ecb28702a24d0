"""The recorded course of a run, and what its models said: what a replay and a cassette are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ...evolve.base import Prompt, RejectionReason
from ...evolve.course import Course
from ...evolve.models.base import RECOURSE, ErrorKind, Recourse
from ...evolve.models.cassette import Cassette, Exchange
from ...evolve.store.reader import Reader
from ...evolve.store.recorded import deciding_calls, operators_by_iteration, rejected_for, unfinished
from ...evolve.store.recorded import steps as recorded_steps
from ...evolve.store.records import read_completion
from ...evolve.store.work import calls
from ..errors import USAGE, UserError

OF_ORDER = (RejectionReason.DUPLICATE, RejectionReason.NEAR_DUPLICATE)
"""Rejections that depend on which text came first."""

_USELESS = tuple(k.value for k in ErrorKind if RECOURSE.get(k) in (Recourse.AGAIN, Recourse.REJECT))


def cassette_of(reader: Reader) -> Cassette:
    """The replies of a run, and its course if it has one of its own.

    Raises:
        UserError: no model was asked.
    """
    if not calls(reader).calls:
        raise UserError(USAGE, "the run asked no model, so there is nothing to answer from")
    tables = (reader.record("config") or {}).get("model", ())
    course = None if as_asked(table["spec"] for table in tables) else recorded_course(reader)
    return recorded_replies(reader, course)


def recorded_replies(reader: Reader, course: Course | None = None) -> Cassette:
    """All that models said in a run, with the name that each ask was counted by."""
    return Cassette(exchanges(reader), course, operators_by_iteration(reader))


def as_asked(specs: Iterable[str]) -> bool:
    """Whether these models make a campaign tell outcomes in the order of asking; a record may hold another
    order.
    """
    return all(spec.startswith(("scripted/", "offline")) for spec in specs)


def recorded_course(reader: Reader) -> Course:
    """The course of a run up to the last outcome."""
    steps = list(recorded_steps(reader))
    while steps and steps[-1] > 0:
        steps.pop()
    late = rejected_for(reader, [reason.value for reason in OF_ORDER])
    return Course(tuple(steps), late, unfinished(reader))


def exchanges(reader: Reader) -> Iterable[Exchange]:
    """The reply to every question of a run, in order; else the last unusable reply to it."""
    prompts: dict[str, Prompt] = {}
    for row in deciding_calls(reader, _USELESS):
        digest = row["prompt"]
        if digest not in prompts and (prompt := reader.prompt(digest)) is not None:
            prompts[digest] = prompt
        yield Exchange(
            row["iteration"],
            row["round"],
            row["model"],
            row["operator"],
            prompts[digest],
            None if row["text"] is None else read_completion(row),
            json.loads(row["parameters"]),
            None if row["state"] == "replied" else ErrorKind(row["error_kind"]),
            "" if row["text"] is None else row["error"] or "",
            row["named"] or "",
        )
