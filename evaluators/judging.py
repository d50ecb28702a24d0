"""Runs a problem's `verify`, `draw`, `explain` and `dialogue` in a helper process with a deadline."""

from __future__ import annotations

import hashlib
import json
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from ..problems.base import (
    Dialogue,
    Drawing,
    Instance,
    Json,
    Problem,
    Shape,
    Verdict,
    VerdictStatus,
    canonical_json,
    decode_number,
    encode_number,
)
from ..problems.plain import PLAIN, brief
from ..sandbox.base import Ending, SandboxError
from ..sandbox.lines import Talk
from ..sandbox.unseen import clean
from .helpers import Gone, Helper, Helpers, Late
from .numbers import SCORABLE, scorable, written

VERIFY_SECONDS = 10.0
"""CPU seconds for one answer; a problem that needs more declares `verify_seconds`."""
EXPLAIN_SECONDS = 2.0
"""CPU seconds for the explanation of one answer."""
EXPLAINED_CHARACTERS = 1_500
"""Longest explanation; the rest is cut."""
_MOST_VIOLATIONS = 100
_MOST_CHARACTERS = 4000
"""Of a verdict that a helper sends: a problem that quotes an answer would fill the memory of its caller."""
LATE = "verification took more than"
"""Start of the message, after the problem's name, when the verdict on an answer comes too late."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A problem's verdict on an answer.

    Attributes:
        verdict: the verdict; valid only with an objective that can be scored.
        digest: hex SHA-256 of the answer's canonical JSON, so equal answers have equal digests; None if the
            answer is not JSON or the verdict came too late.
    """

    verdict: Verdict
    digest: str | None


class NotDrawn(Exception):
    """A problem did not draw an answer; the message says why."""


class NotExplained(Exception):
    """A problem did not explain an answer; the message says why."""


def judge(problem: Problem, instance: Instance, answer: object) -> Judgement:
    """The problem's verdict, computed in this process; an answer that makes `verify` fail is not valid."""
    digest = answer_digest(answer)
    if digest is None:
        why = f"{problem.name}: dialogue gave {brief(answer)} as answer, expected {PLAIN}"
        return Judgement(Verdict.invalid(why), None)
    return Judgement(_verdict(problem, instance, answer), digest)


def answer_digest(answer: object) -> str | None:
    """Hex SHA-256 of the canonical JSON of an answer.

    None if the answer is not JSON: a dialogue may record any object made from a candidate's line, even `NaN`.
    """
    try:
        text = canonical_json(answer)
    except (TypeError, ValueError, RecursionError):
        return None
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _verdict(problem: Problem, instance: Instance, answer: Any) -> Verdict:
    try:
        verdict: object = problem.verify(instance, answer)
    except Exception as error:  # an answer is hostile input: it may not end the campaign
        return Verdict.invalid(f"{problem.name}: verify raised {type(error).__name__}: {error}{_line(error)}")
    if not isinstance(verdict, Verdict):  # a plug-in that forgets `return` gives None
        return Verdict.invalid(f"{problem.name}: verify gave {brief(verdict)}, expected a Verdict")
    if verdict.status is VerdictStatus.VALID and not scorable(verdict.objective):
        got = written(verdict.objective)
        return Verdict.invalid(f"{problem.name}: verify gave {got} as objective, expected {SCORABLE}")
    return verdict


def _line(error: BaseException) -> str:
    """` (file.py:12)` for the innermost frame of an exception; empty without a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""


class Judges:
    """Judges answers to the instances of one problem; threads may share it.

    `prepare` or the first use forks the processes.
    """

    def __init__(self, problem: Problem, instances: Mapping[str, Instance]) -> None:
        self._problem = problem
        self._instances = instances
        self._seconds = float(getattr(problem, "verify_seconds", VERIFY_SECONDS))
        self._starting = threading.Lock()
        self._helpers: Helpers | None = None

    def prepare(self) -> None:
        """Forks the fork server now, before the caller starts threads.

        Raises:
            SandboxError: the system cannot create a process.
        """
        with self._starting, _process_trouble():
            if self._helpers is None:
                self._helpers = Helpers(_Work(self._problem, self._instances))

    def close(self) -> None:
        """Ends the processes; the next use starts them again."""
        with self._starting:
            helpers = self._helpers
            self._helpers = None
        if helpers is not None:
            helpers.close()

    def judge(self, instance: Instance, answer: Json, encoded: bytes = b"") -> Judgement:
        """The problem's verdict on an answer; not valid if `verify` takes too long or ends its process.

        Args:
            instance: the instance that the answer is for.
            answer: the answer.
            encoded: the answer's JSON text, if the caller has it: to write it anew takes time.
        """
        try:
            return _decode(self._ask("verify", instance, encoded or json.dumps(answer).encode()))
        except Late:
            return Judgement(Verdict.invalid(self._late()), None)
        except Gone:
            return Judgement(Verdict.invalid(f"{self._problem.name}: verify ended its process"), None)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The problem's drawing of a valid answer.

        Raises:
            NotDrawn: `draw` raised an exception, took too long or ended its process.
        """
        try:
            document = json.loads(self._ask("draw", instance, json.dumps(answer).encode()))
        except Late:
            raise NotDrawn(f"{self._problem.name}: draw took {self._allowed()}") from None
        except Gone:
            raise NotDrawn(f"{self._problem.name}: draw ended its process") from None
        if isinstance(document, str):
            raise NotDrawn(document)
        title, x_title, y_title, shapes = document
        return Drawing(title, x_title, y_title, tuple(Shape(*shape) for shape in shapes))

    def explain(self, instance: Instance, answer: Json) -> str:
        """The problem's explanation of a valid answer, cleaned and at most `EXPLAINED_CHARACTERS` long.

        Raises:
            NotExplained: `explain` raised an exception, gave no text, took too long or ended its process.
        """
        name = self._problem.name
        try:
            text, fault = json.loads(
                self._ask("explain", instance, json.dumps(answer).encode(), EXPLAIN_SECONDS)
            )
        except Late:
            raise NotExplained(f"{name}: explain took more than {EXPLAIN_SECONDS:g} CPU seconds") from None
        except Gone:
            raise NotExplained(f"{name}: explain ended its process") from None
        if fault is not None:
            raise NotExplained(fault)
        return clean(str(text))[:EXPLAINED_CHARACTERS]

    def dialogue(self, instance: Instance, wall_seconds: float) -> JudgedDialogue:
        """A dialogue over an instance; a helper leads the dialogue and judges its answer.

        Args:
            instance: the instance, whose hidden part the dialogue reveals step by step.
            wall_seconds: wall seconds after which the child has ended at the latest.
        """
        return JudgedDialogue(self, instance, wall_seconds)

    def lead(
        self, instance: Instance, wall: float, inbound: int, outbound: int, place: int
    ) -> tuple[Ending, Json, Judgement | None]:
        """Leads a dialogue and returns its ending and, if it finished, its answer and the judgement."""
        helpers = self._ready()
        with _process_trouble():
            helper = helpers.take()
        request = json.dumps(["lead", instance.id, place]).encode()
        try:
            raw = helper.ask(request, self._seconds, wall + self._wall(), (inbound, outbound))
        except Late:
            return Ending(True, broken=self._late()), None, None
        except Gone:
            return Ending(True, broken=f"{self._problem.name}: the dialogue ended its process"), None, None
        helpers.give_back(helper)
        begun, finished, broken, answer, judgement = json.loads(raw)
        return Ending(begun, finished, broken), answer, judgement and _decode(judgement.encode())

    def _ask(self, what: str, instance: Instance, answer: bytes, seconds: float | None = None) -> bytes:
        """One reply; asked again in a fresh process where one ended, which need not be the answer's doing."""
        request = b"[%b,%b]" % (json.dumps([what, instance.id]).encode()[1:-1], answer)
        try:
            return self._try(request, seconds or self._seconds)
        except Gone:
            return self._try(request, seconds or self._seconds, fresh=True)

    def _try(self, request: bytes, seconds: float, fresh: bool = False) -> bytes:
        helpers = self._ready()
        with _process_trouble():
            helper: Helper = helpers.take(fresh)
        reply = helper.ask(request, seconds, 3 * seconds + 1)
        helpers.give_back(helper)
        return reply

    def _ready(self) -> Helpers:
        if self._helpers is None:
            self.prepare()
        assert self._helpers is not None
        return self._helpers

    def _wall(self) -> float:
        return 3 * self._seconds + 1

    def _allowed(self) -> str:
        return f"more than {self._seconds:g} CPU seconds"

    def _late(self) -> str:
        return f"{self._problem.name}: {LATE} {self._seconds:g} CPU seconds"


class JudgedDialogue:
    """One dialogue in a helper process, which talks to the child over pipes from the sandbox."""

    def __init__(self, judges: Judges, instance: Instance, wall_seconds: float) -> None:
        self._judges = judges
        self._instance = instance
        self._wall = wall_seconds
        self._answer: Json = None
        self.judgement: Judgement | None = None

    def lead(self, inbound: int, outbound: int, place: int) -> Ending:
        """Leads the dialogue over the child's pipes; see the sandbox's port."""
        ending, self._answer, self.judgement = self._judges.lead(
            self._instance, self._wall, inbound, outbound, place
        )
        return ending

    def answer(self) -> Json:
        """The answer that the dialogue recorded; None without an answer or if it is not JSON."""
        return self._answer


@contextmanager
def _process_trouble() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SandboxError(
            "platform",
            f"no process for the verification of answers can be made: {error.strerror or error}",
            "end other processes, or raise the limit of processes (`ulimit -u`)",
        ) from error


class _Work:
    """The work of a helper; runs only in the helper's process."""

    def __init__(self, problem: Any, instances: Mapping[str, Instance]) -> None:
        self._problem = problem
        self._instances = instances

    def __call__(self, request: bytes, descriptors: Sequence[int]) -> bytes:
        what, name, data = json.loads(request)
        instance = self._instances[name]
        if what == "lead":
            return self._lead(instance, data, *descriptors)
        if what == "explain":
            return self._explain(instance, data)
        return self._draw(instance, data) if what == "draw" else self._verify(instance, data)

    def _verify(self, instance: Instance, answer: Json) -> bytes:
        try:
            return _encode(judge(self._problem, instance, answer))
        except BaseException as error:  # SystemExit, say
            why = f"{self._problem.name}: verify raised {type(error).__name__}{_line(error)}"
            return _encode(Judgement(Verdict.invalid(why), answer_digest(answer)))

    def _draw(self, instance: Instance, answer: Json) -> bytes:
        try:
            drawing: Drawing = self._problem.draw(instance, answer)
            titles = [drawing.title, drawing.x_title, drawing.y_title]
            return json.dumps([*titles, [astuple(shape) for shape in drawing.shapes]]).encode()
        except BaseException as error:
            words = f"{self._problem.name}: draw raised {type(error).__name__}: {error}{_line(error)}"
            return json.dumps(words).encode()

    def _explain(self, instance: Instance, answer: Json) -> bytes:
        """An explanation and None, or None and why there is none."""
        try:
            text: object = self._problem.explain(instance, answer)
        except BaseException as error:
            words = f"{self._problem.name}: explain raised {type(error).__name__}: {error}{_line(error)}"
            return json.dumps([None, words]).encode()
        if not isinstance(text, str):
            return json.dumps(
                [None, f"{self._problem.name}: explain gave {brief(text)}, expected a text"]
            ).encode()
        return json.dumps([text[: 2 * EXPLAINED_CHARACTERS], None]).encode()

    def _lead(self, instance: Instance, place: int, inbound: int, outbound: int) -> bytes:
        try:
            dialogue = self._problem.dialogue(instance)
            ending = Talk(_blaming(dialogue, self._problem.name)).run(inbound, outbound, place)
            answer = dialogue.answer() if ending.finished else None
        except BaseException as error:
            why = f"{self._problem.name}: dialogue raised {type(error).__name__}: {error}{_line(error)}"
            return json.dumps([True, False, why, None, None]).encode()
        if not ending.finished:
            return json.dumps([ending.begun, False, ending.broken, None, None]).encode()
        judgement = self._verify(instance, answer)  # the object: a round trip through JSON may change it
        shown = None if answer_digest(answer) is None else answer
        return json.dumps([True, True, None, shown, judgement.decode()]).encode()


def _blaming(dialogue: Dialogue, problem: str) -> Callable[[bytes], bytes | None]:
    """The `next` of a dialogue; treats any exception in it as an invalid line from the candidate."""

    def step(line: bytes) -> bytes | None:
        try:
            return dialogue.next(line)
        except ValueError:
            raise
        except Exception as error:
            got = f"{problem}: dialogue raised {type(error).__name__}: {error}{_line(error)}"
            raise ValueError(f"{got}, on the line {line[:40]!r}" if line else got) from error

    return step


def _encode(judgement: Judgement) -> bytes:
    verdict = judgement.verdict
    objective = None if verdict.objective is None else encode_number(verdict.objective)
    violations = [words[:_MOST_CHARACTERS] for words in verdict.violations[:_MOST_VIOLATIONS]]
    return json.dumps([verdict.status.value, objective, violations, judgement.digest]).encode()


def _decode(raw: bytes) -> Judgement:
    status, objective, violations, digest = json.loads(raw)
    number = None if objective is None else decode_number(objective)
    return Judgement(Verdict(VerdictStatus(status), number, tuple(violations)), digest)
