"""Asks for single decisions of a rule again, so that whatever passed is a function of its arguments.

A rule is called many times in one process, and no wall stands between the calls: a plan that was made at the
first one can be played back from anywhere. So decisions are asked for again in fresh processes, out of their
order. Which ones is drawn after the text is fixed, from the text and a seed that no candidate can know.
"""

from __future__ import annotations

import hashlib
import math
import random
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from ..problems.base import Instance, Json, Stateless, canonical_json
from ..sandbox.base import MAIN_FILE, Execution, ExecutionStatus, Limits, Program, Sandbox
from .judging import answer_digest

CHILDREN = 4
"""Fresh processes that are asked, each for every instance (count)."""
FEWEST = 24
"""Decisions that a child makes at least (count); of few instances it makes several each."""
AT_ONCE = 64
"""Instances whose decisions a child makes at most (count); of more, other children make them."""
DEARER = 1.5
"""How many times dearer than in the execution decisions must be by themselves for that to count (ratio)."""
NOISE = 0.25
"""Share of the time of handing over arguments that is taken for noise (ratio)."""
_FOLLOWING = Limits(cpu_seconds=120.0, memory_bytes=2 << 30, output_bytes=256 << 20)


@dataclass(frozen=True, slots=True)
class Noted(Execution):
    """An execution of a rule.

    Attributes:
        decisions, calls: as the problem's recorder noted them.
    """

    decisions: tuple[Json, ...] = ()
    calls: Json = None


def noted(execution: Execution) -> Execution:
    """The execution of a recording driver with its plain answer; as it is where there is no answer."""
    if execution.status is not ExecutionStatus.OK:
        return execution
    whole = execution.answer
    values = {field.name: getattr(execution, field.name) for field in fields(execution)}
    if isinstance(whole, dict) and whole.keys() == {"answer", "decisions", "calls"}:
        decisions = whole["decisions"]
        if isinstance(decisions, list):
            values |= {"answer": whole["answer"], "encoded": b""}
            return Noted(**values, decisions=tuple(decisions), calls=whole["calls"])
    error = "the answer does not come with its decisions: the program reached into its driver"
    return replace(execution, status=ExecutionStatus.INVALID_ANSWER, answer=None, error=error)


@dataclass(frozen=True, slots=True)
class Decided:
    """An execution whose decisions can be asked for again.

    Attributes:
        instance: that the candidate answered.
        digest: of the answer's canonical JSON.
        execution: with its decisions.
    """

    instance: Instance
    digest: str | None
    execution: Noted

    @property
    def decisions(self) -> Sequence[Json]:
        """In their order."""
        return self.execution.decisions


@dataclass(frozen=True, slots=True)
class Stateful:
    """A decision that came out differently by itself: the instance's id and a sentence."""

    instance: str
    message: str


@dataclass(frozen=True, slots=True)
class Idle:
    """The price of asking without deciding.

    Attributes:
        nothing: CPU seconds of a child that is asked for nothing: start, modules, driver.
        byte: CPU seconds of reading and making arguments, for each byte of their JSON.
    """

    nothing: float
    byte: float

    def of(self, size: float) -> float:
        """CPU seconds of a child that gets arguments of so many bytes."""
        return self.nothing + self.byte * size


@dataclass(frozen=True, slots=True)
class Interrogation:
    """What a fresh process was asked, and what the asking took.

    Attributes:
        decisions: that it was asked for (count).
        arguments: of these decisions, their JSON.
        cpu_seconds: of the process.
    """

    decisions: int
    arguments: bytes
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Audit:
    """The outcome of an audit.

    Attributes:
        stateful: the first decision that came out differently; None without one.
        dearer: CPU seconds of an execution whose decisions each start from nothing, over those that the
            executions took (ratio); 1.0 up to `DEARER`, infinite where a fresh process met its limit.
    """

    stateful: Stateful | None = None
    dearer: float = 1.0


class Auditor:
    """Audits candidates of one problem; threads may share it, each with its own slot."""

    def __init__(self, problem: Stateless, entry_point: str, limits: Limits, seed: int) -> None:
        """Takes the problem, its candidates' entry point and limits, and the seed that draws decisions."""
        self._entry_point = entry_point
        self._limits = limits
        self._seed = seed
        self._anew = problem.anew
        self._source = f"{problem.driver}\n\n{problem.recorder}"
        self._idle: Idle | None = None
        self._measuring = threading.Lock()

    @cached_property
    def recording(self) -> str:
        """The driver that gives an answer with its decisions."""
        return f"{self._source}\n\ndrive = record\n"

    @cached_property
    def _deciding(self) -> str:
        return f"{self._source}\n\ndrive = decide\n"

    def audit(self, program: Program, executions: Sequence[Decided], sandbox: Sandbox) -> Audit:
        """Audits a candidate by its executions, all of which were valid."""
        stream = random.Random(hashlib.sha256(f"audit\0{self._seed}\0{program.digest}".encode()).digest())
        asked: list[Interrogation] = []
        for first in range(0, len(executions), AT_ONCE):
            part = executions[first : first + AT_ONCE]
            replies = self._part(program, part, sandbox, stream)
            if isinstance(replies, Stateful):
                return Audit(replies)
            if replies is None:
                return Audit(dearer=math.inf)
            asked += replies
        return Audit(dearer=self._dearer(executions, asked, sandbox))

    def _part(
        self, program: Program, part: Sequence[Decided], sandbox: Sandbox, stream: random.Random
    ) -> list[Interrogation] | Stateful | None:
        """What each child was asked, None if one met its limit, or the first decision that differs."""
        each = -(-FEWEST // len(part))
        wanted = [
            [stream.randrange(len(one.decisions)) for _ in range(CHILDREN * each if one.decisions else 0)]
            for one in part
        ]
        followed = self._follow(part, wanted, sandbox)
        if isinstance(followed, Stateful):
            return followed
        asked = []
        for child in range(CHILDREN):
            turns = [(k, n) for k, places in enumerate(wanted) for n in range(child, len(places), CHILDREN)]
            stream.shuffle(turns)
            arguments = canonical_json({"arguments": [followed[k][n] for k, n in turns]}).encode()
            execution = self._ask(program, self._deciding, arguments, len(turns), sandbox)
            if execution.status is ExecutionStatus.TIMEOUT:
                return None
            different = _different(execution, part, wanted, turns)
            if different is not None:
                return different
            asked.append(Interrogation(len(turns), arguments, execution.cpu_seconds))
        return asked

    def _follow(
        self, part: Sequence[Decided], wanted: Sequence[Sequence[int]], sandbox: Sandbox
    ) -> list[list[Json]] | Stateful:
        """The arguments of the wanted decisions, made without any line of the candidate."""
        cases: list[Any] = [
            [dict(one.instance.public), list(one.decisions), one.execution.calls, list(places)]
            for one, places in zip(part, wanted, strict=True)
        ]
        driver = Program({MAIN_FILE: self._source}, "follow")
        job = canonical_json({"cases": cases}).encode()
        execution = sandbox.execute(driver, job, _FOLLOWING, 0)
        if execution.status is not ExecutionStatus.OK:
            return Stateful(part[-1].instance.id, f"its decisions cannot be followed: {execution.error}")
        followed: Any = execution.answer
        for one, (answer, _) in zip(part, followed, strict=True):
            if answer_digest(answer) != one.digest:
                return Stateful(one.instance.id, "the answer is not the one that the noted decisions make")
        return [arguments for _, arguments in followed]

    def _ask(
        self, program: Program, driver: str, arguments: bytes, decisions: int, sandbox: Sandbox
    ) -> Execution:
        """Asks a fresh process, with the time of a whole execution for each decision."""
        limits = replace(self._limits, cpu_seconds=max(1.0, decisions * self._limits.cpu_seconds))
        return sandbox.execute(replace(program, driver=driver, anew=self._anew), arguments, limits, 0)

    def _dearer(
        self, executions: Sequence[Decided], asked: Sequence[Interrogation], sandbox: Sandbox
    ) -> float:
        """CPU seconds of an execution at the price of single decisions, over what executions took (ratio).

        Reading and making the arguments is the tool's work, so that time does not count.
        """
        recorded = fmean(one.execution.cpu_seconds for one in executions)
        idle = self._price(asked[0], sandbox)
        handing = [idle.of(len(one.arguments)) for one in asked]
        own = [max(0.0, one.cpu_seconds - less) for one, less in zip(asked, handing, strict=True)]
        if fmean(own) < idle.nothing + NOISE * (fmean(handing) - idle.nothing):
            return 1.0
        one = fmean(cpu / max(1, each.decisions) for cpu, each in zip(own, asked, strict=True))
        alone = idle.nothing + one * fmean(len(each.decisions) for each in executions)
        return alone / recorded if alone > DEARER * recorded > 0 else 1.0

    def _price(self, first: Interrogation, sandbox: Sandbox) -> Idle:
        """The price of asking, measured once with the arguments of the first child."""
        with self._measuring:
            if self._idle is None:
                idle = Program(
                    {MAIN_FILE: f"def {self._entry_point}(**state):\n    return 0\n"}, self._entry_point
                )
                driver = f"{self._source}\n\ndrive = idle\n"

                def least(arguments: bytes) -> float:
                    asks = (self._ask(idle, driver, arguments, first.decisions, sandbox) for _ in range(3))
                    return min(execution.cpu_seconds for execution in asks)

                nothing = least(canonical_json({"arguments": []}).encode())
                more = max(0.0, least(first.arguments) - nothing)
                self._idle = Idle(nothing, more / len(first.arguments))
            return self._idle


def _different(
    execution: Execution,
    part: Sequence[Decided],
    wanted: Sequence[Sequence[int]],
    turns: Sequence[tuple[int, int]],
) -> Stateful | None:
    """The first decision of a fresh process that differs from the execution's; None if all agree."""
    if execution.status is not ExecutionStatus.OK:
        return Stateful(
            part[-1].instance.id, f"in a fresh process: {execution.status.value}: {execution.error}"
        )
    for (k, n), now in zip(turns, _listed(execution.answer, len(turns)), strict=True):
        then = part[k].decisions[wanted[k][n]]
        if now != then:
            where = f"decision {wanted[k][n] + 1} of {len(part[k].decisions)}"
            return Stateful(
                part[k].instance.id,
                f"{where}: {then} in the execution, {now} by itself in a fresh process; "
                "a rule must be a function of its arguments",
            )
    return None


def _listed(answer: Json, count: int) -> Iterator[Json]:
    """The decisions in an answer; None in place of each that is missing."""
    decisions = answer if isinstance(answer, list) and len(answer) == count else [None] * count
    return iter(decisions)
