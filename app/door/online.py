"""Online problems from one generator: it asks for each decision, and what it returns is judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ...problems.answers import AnswerKind
from ...problems.base import Json
from ...problems.plain import brief
from ...problems.required import Infeasible
from .form import Part

_QUESTIONS = 30
"""Questions of one dialogue whose data says what the types are (count)."""


class NotADecision(ValueError):
    """A decision, or a list of decisions, that is not of the right form."""


class Steps:
    """One run of the generator.

    Attributes:
        asked: the arguments of the next decision by name; None at the end.
        result: what the generator returned at its end.
    """

    def __init__(
        self, online: Part, kind: AnswerKind | None, arguments: Sequence[str], names: Mapping[str, Any]
    ) -> None:
        self._kind = kind
        self._arguments = arguments
        self._title = online.title
        self.asked: dict[str, Any] | None = None
        self.result: Any = None
        own = json.loads(json.dumps(names))  # the generator may change what it is given
        self._run: Generator[Any, Any, Any] = online.on(own)
        self._take(lambda: next(self._run))

    def decide(self, decision: Any) -> None:
        """Takes the next decision.

        Raises:
            NotADecision: it is not of the right form.
            Infeasible: it breaks a constraint.
        """
        assert self.asked is not None
        fault = None if self._kind is None else self._kind.fault(decision, self.asked)
        if fault:
            raise NotADecision(fault)
        own = json.loads(json.dumps(decision)) if isinstance(decision, list | dict) else decision
        self._take(lambda: self._run.send(own))

    def line(self) -> bytes:
        """The question as JSON, on one line."""
        assert self.asked is not None
        return json.dumps(list(self.asked.values()), allow_nan=False, separators=(",", ":")).encode()

    def _take(self, step: Callable[[], Any]) -> None:
        try:
            question = step()
        except StopIteration as end:
            self.asked, self.result = None, end.value
            return
        values = question if isinstance(question, tuple) else (question,)
        if len(values) != len(self._arguments):
            raise TypeError(
                f"{self._title} yields {len(values)} values, expected {len(self._arguments)}: "
                f"{', '.join(self._arguments)}, as the first heuristic has them"
            )
        self.asked = dict(zip(self._arguments, values, strict=True))


class Dialogue:
    """The parent's side of one execution; it keeps the decisions and believes nothing else."""

    def __init__(
        self, online: Part, kind: AnswerKind | None, arguments: Sequence[str], names: Mapping[str, Any]
    ) -> None:
        self._make = partial(Steps, online, kind, arguments, names)
        self._steps: Steps | None = None
        self._decisions: list[Json] = []

    def next(self, line: bytes) -> bytes | None:
        """Takes the last decision and asks for the next one; None at the end.

        Raises:
            ValueError: the line is no decision.
        """
        if self._steps is None:
            self._steps = self._make()
        else:
            decision = _decoded(line)
            try:
                self._steps.decide(decision)
            except Infeasible:  # the verdict on the decisions will say why
                self._decisions.append(decision)
                return None
            self._decisions.append(decision)
        return None if self._steps.asked is None else self._steps.line()

    def answer(self) -> Json:
        """The decisions, in their order."""
        return list(self._decisions)


def replayed(
    online: Part,
    kind: AnswerKind | None,
    arguments: Sequence[str],
    names: Mapping[str, Any],
    decisions: object,
) -> Any:
    """What the generator returns after decisions that were recorded.

    Raises:
        NotADecision: there are too few or too many, or one is not of the right form.
        Infeasible: one breaks a constraint.
    """
    if type(decisions) is not list:
        raise NotADecision(f"expected a list of decisions, got {brief(decisions)}")
    steps = Steps(online, kind, arguments, names)
    for place, decision in enumerate(decisions):
        if steps.asked is None:
            raise NotADecision(f"expected {place} decisions, got {len(decisions)}")
        try:
            steps.decide(decision)
        except NotADecision as fault:
            raise NotADecision(f"decision {place}: {fault}") from None
        except Infeasible as broken:
            raise Infeasible(f"decision {place}: {broken}") from None
    if steps.asked is not None:
        raise NotADecision(f"expected more than {len(decisions)} decisions")
    return steps.result


def first_questions(
    online: Part, decide: Callable[..., Any], arguments: Sequence[str], names: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The first questions of a dialogue, answered by the author's own heuristic."""
    steps = Steps(online, None, arguments, names)
    found: list[dict[str, Any]] = []
    while steps.asked is not None and len(found) < _QUESTIONS:
        values = json.loads(steps.line())
        found.append(dict(zip(arguments, values, strict=True)))
        with suppress(Exception):  # what is wrong with the heuristic, its execution will tell
            steps.decide(decide(*json.loads(steps.line())))
            continue
        break
    return found


def _decoded(line: bytes) -> Json:
    """The decision in a line.

    Raises:
        ValueError: the line is not plain JSON.
    """
    try:
        return json.loads(line, parse_constant=_refuse)  # type: ignore[no-any-return]
    except (ValueError, RecursionError) as error:
        raise ValueError(f"expected a decision as JSON, got {line[:40]!r}") from error


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no JSON")
