"""Online problems from one generator; apart, as only such problems are played."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ...problems.answers import AnswerKind
from ...problems.base import Json
from ...problems.plain import brief
from ...problems.required import Infeasible
from .short_parts import FormPart

_QUESTIONS = 120
"""Questions of one dialogue whose data says what the types and primitives are (count)."""
_DRIVER = '''\
ARGUMENTS = {arguments!r}


def drive(entry, instance, receive, send):
    """Asks the entry point for each decision; the other side keeps the state."""
    import json

    while (line := receive()) is not None:
        told = iter(json.loads(line))
        known = json.loads(json.dumps(instance))
        decision = entry(*[known[name] if name in known else next(told) for name in ARGUMENTS])
        send(json.dumps(decision, allow_nan=False, separators=(",", ":")).encode())
'''


def outcome(returned: Any) -> Any:
    """The objective of an online problem that states none: what its generator returns."""
    return returned


class NotADecision(ValueError):
    """A decision, or a list of decisions, that is not of the right form."""


@dataclass(frozen=True, slots=True)
class GeneratorTalk:
    """How an online problem talks with a candidate.

    Attributes:
        online: the author's generator.
        kind: of a decision; None where the generator checks decisions itself.
        arguments: names of the entry point's arguments.
        public: those of them that the instance itself tells, so that the generator does not yield them.
    """

    online: FormPart
    kind: AnswerKind | None
    arguments: tuple[str, ...]
    public: tuple[str, ...]

    @property
    def yielded(self) -> tuple[str, ...]:
        """The arguments that the generator yields, in their order."""
        return tuple(name for name in self.arguments if name not in self.public)

    @property
    def driver(self) -> str:
        """Source of what calls a candidate in its process."""
        return _DRIVER.format(arguments=self.arguments)

    def replayed(self, names: Mapping[str, Any], decisions: object) -> Any:
        """What the generator returns after decisions that were recorded.

        Args:
            names: all parts of the instance.
            decisions: any value.

        Raises:
            NotADecision: there are too few or too many, or one is not of the right form.
            Infeasible: one breaks a constraint.
        """
        if type(decisions) is not list:
            raise NotADecision(f"expected a list of decisions, got {brief(decisions)}")
        steps = Steps(self, names)
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

    def first_questions(self, names: Mapping[str, Any], decide: Callable[..., Any]) -> list[dict[str, Any]]:
        """The first questions on an instance, answered by the author's own heuristic."""
        steps = Steps(self, names)
        found: list[dict[str, Any]] = []
        while steps.asked is not None and len(found) < _QUESTIONS:
            question = json.loads(json.dumps(steps.asked))
            found.append({name: question[name] for name in self.arguments})
            with suppress(Exception):  # what is wrong with the heuristic, its execution will tell
                steps.decide(decide(*json.loads(json.dumps(list(found[-1].values())))))
                continue
            break
        return found


class Steps:
    """One run of the generator.

    Attributes:
        asked: what the next decision is asked with, by name; None at the end.
        result: what the generator returned at its end.
    """

    def __init__(self, talk: GeneratorTalk, names: Mapping[str, Any]) -> None:
        self._talk = talk
        self.asked: dict[str, Any] | None = None
        self.result: Any = None
        self._told = {name: names[name] for name in talk.public}
        own = json.loads(json.dumps(names))  # the generator may change what it is given
        self._run: Generator[Any, Any, Any] = talk.online.on(own)
        self._take(lambda: next(self._run))

    def decide(self, decision: Any) -> None:
        """Takes the next decision.

        Raises:
            NotADecision: it is not of the right form.
            Infeasible: it breaks a constraint.
        """
        assert self.asked is not None
        fault = None if self._talk.kind is None else self._talk.kind.fault(decision, self.asked)
        if fault:
            raise NotADecision(fault)
        own = json.loads(json.dumps(decision)) if isinstance(decision, list | dict) else decision
        self._take(lambda: self._run.send(own))

    def line(self) -> bytes:
        """What the candidate is told, as JSON on one line."""
        assert self.asked is not None
        told = [self.asked[name] for name in self._talk.yielded]
        return json.dumps(told, allow_nan=False, separators=(",", ":")).encode()

    def _take(self, step: Callable[[], Any]) -> None:
        try:
            question = step()
        except StopIteration as end:
            self.asked = None
            self.result = end.value
            return
        values: Sequence[Any] = question if isinstance(question, tuple) else (question,)
        names = self._talk.yielded
        if len(values) != len(names):
            raise TypeError(
                f"{self._talk.online.title} yields {len(values)} values, expected {len(names)}: "
                f"{', '.join(names)}, as the first heuristic has them"
            )
        self.asked = {**self._told, **dict(zip(names, values, strict=True))}


class GeneratorDialogue:
    """The parent's side of one execution; it keeps the decisions and believes nothing else."""

    def __init__(self, talk: GeneratorTalk, names: Mapping[str, Any]) -> None:
        self._talk = talk
        self._names = names
        self._steps: Steps | None = None
        self._decisions: list[Json] = []

    def next(self, line: bytes) -> bytes | None:
        """Takes the last decision and asks for the next one; None at the end.

        Raises:
            ValueError: the line is no decision.
        """
        if self._steps is None:
            self._steps = Steps(self._talk, self._names)
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
