"""Data types and protocols of the sandbox: programs, limits, executions and descriptions.

A sandbox scores nothing. It runs a program on the public part of an instance and returns the program's
answer, or the reason why there is no answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MAX_SOURCE_BYTES = 64 * 1024
MAX_NODES = 20_000
MAX_DEPTH = 100
MAIN_FILE = "heuristic.py"


CROWDED = "the machine was too busy, which says nothing of the program"
"""End of the error of an execution that hardly got the processor."""


class ExecutionStatus(StrEnum):
    """How one execution ended; an answer exists only for `OK`."""

    OK = "ok"
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASHED = "crashed"
    REFUSED = "refused"
    INVALID_ANSWER = "invalid_answer"


@dataclass(frozen=True, slots=True)
class Program:
    """The source text of a candidate, with its entry point and driver.

    Attributes:
        files: path → source text (UTF-8, at most `MAX_SOURCE_BYTES` in all); the first file is the main file.
        entry_point: name of the function or class that the main file defines.
        driver: fixed source that defines `drive(entry, instance)` (or `drive(entry, instance, receive, send)`
            for interactive instances) and runs around the entry point inside the child; None calls
            `entry(**instance)`.
        anew: calls of the entry point after which the files are executed anew (count), for an entry point
            that must be a function of its arguments; random numbers without a seed are then refused. 0 for
            an entry point that may keep what it likes.
    """

    files: Mapping[str, str]
    entry_point: str
    driver: str | None = None
    anew: int = 0

    def __post_init__(self) -> None:
        if not self.files:
            raise ValueError("Program.files: got no file, expected at least one path with its text")

    @property
    def main(self) -> str:
        """Text of the file that holds the entry point."""
        return next(iter(self.files.values()))

    @property
    def digest(self) -> str:
        """Hex SHA-256 of all that a program consists of; equal programs have equal digests."""
        parts = [
            sorted(self.files.items()),
            self.entry_point,
            self.driver,
            *([self.anew] if self.anew else []),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


MOST_OUTPUT_BYTES = 1 << 28
_MOST_OF_LIMITS = {
    "cpu_seconds": 86_400,
    "memory_bytes": 1 << 40,
    "output_bytes": MOST_OUTPUT_BYTES,
    "shown_bytes": MOST_OUTPUT_BYTES,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one execution.

    Attributes:
        cpu_seconds: CPU seconds of the child, > 0 and at most a day.
        memory_bytes: bytes of address space beyond those of the warm server, > 0 and at most 1 TiB.
        output_bytes: bytes of the answer, and separately of printed text, > 0 and at most 256 MiB.
        shown_bytes: of printed text, the end that is kept, > 0 and at most 256 MiB.
    """

    cpu_seconds: float = 2.0
    memory_bytes: int = 512 * 1024 * 1024
    output_bytes: int = 1024 * 1024
    shown_bytes: int = 2048

    def __post_init__(self) -> None:
        for name, most in _MOST_OF_LIMITS.items():
            value = getattr(self, name)
            if not 0 < value <= most:
                raise ValueError(f"Limits.{name}: got {value!r}, expected a number > 0 and at most {most}")

    @property
    def wall_seconds(self) -> float:
        """Limit of wall time, for programs that wait: three times the CPU limit plus one second.

        For CPU limits of 0.1 s or less it is five seconds: a busy machine may take so long for them. A
        program that used a twentieth of it as CPU time gets it again; after seven times at most its CPU limit
        ends the program.
        """
        return 5.0 if self.cpu_seconds <= 0.1 else 3 * self.cpu_seconds + 1


@dataclass(frozen=True, slots=True)
class Execution:
    """Outcome of one program on one instance; `answer` is meaningful iff `status` is `OK`.

    Attributes:
        answer: the JSON document that the program returned (None may itself be an answer).
        error: a short reason fit for a prompt, message first, then one line for each of the program's own
            frames (at most 2 kB, no control characters but line ends); None iff status is OK.
        cpu_seconds: CPU seconds of the child.
        wall_seconds: wall seconds from the start of the execution to its outcome.
        peak_memory_bytes: largest resident set of the child, bytes; None if the system does not report it.
        output: the end of the program's printed text (both streams), cleaned; see `Limits.shown_bytes`.
        marks: names outside its task that the program used (`open`, `sys.modules`, `import gc`), refused or
            not, in the order of first use.
        crowded: whether it met its wall limit because other work had the processor, not because it waited.
        encoded: the answer's JSON text as the child wrote it, UTF-8, so that nobody encodes it again; empty
            where the answer did not come from a child as it is.
    """

    status: ExecutionStatus
    answer: Json = None
    error: str | None = None
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    peak_memory_bytes: int | None = None
    output: str = ""
    marks: tuple[str, ...] = ()
    encoded: bytes = b""
    crowded: bool = False

    def __post_init__(self) -> None:
        if self.status is ExecutionStatus.OK and self.error is not None:
            raise ValueError("Execution: an OK execution carries no error")
        if self.status is not ExecutionStatus.OK and (self.answer is not None or not self.error):
            raise ValueError(f"Execution: {self.status} needs an error and carries no answer")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a text: 1-based first and last line, kind (`Assign`, `For`, …), nesting depth."""

    line: int
    end_line: int
    kind: str
    depth: int


@dataclass(frozen=True, slots=True)
class Constant:
    """One numeric constant of a described text: 1-based line, 0-based byte columns, value as written."""

    line: int
    column: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Description:
    """Properties of a text that a sealed child found without running any of the text.

    Attributes:
        error: one sentence on why the text cannot be parsed within the caps; None if it can.
        error_line: 1-based line of a syntax error; None if unknown.
        too_large: whether the error is a cap (bytes, nodes, depth) rather than syntax.
        entry_point: whether the main file defines the entry point at its top level.
        token_digest: hex SHA-256 of the normalised tokens (no comments or blank lines, no docstrings that the
            text cannot read; canonical indentation), the candidate's identity; None on error.
        plain_digest: like `token_digest`, but without any docstrings: the identity in runs begun before 0.3.
        shape_digest: hex SHA-256 of the syntax tree with local names numbered and floats rounded to three
            digits, equal for texts that differ only in these; None on error.
        imports: top-level module names that the text imports anywhere, sorted.
        nodes: number of syntax-tree nodes (count).
        depth: largest depth of the syntax tree (levels).
        descriptors: counts by name: `loops`, `branches`, `calls`, `constants`, `functions`,
            `comprehensions`, `operators`, `names`.
        constants: numeric constants with their positions.
        statements: statements with their positions.
        internals: names of interpreter internals that the text mentions (`__globals__`, `f_back`), sorted.
    """

    error: str | None = None
    error_line: int | None = None
    too_large: bool = False
    entry_point: bool = False
    token_digest: str | None = None
    plain_digest: str | None = None
    shape_digest: str | None = None
    imports: tuple[str, ...] = ()
    nodes: int = 0
    depth: int = 0
    descriptors: Mapping[str, int] = field(default_factory=dict)
    constants: tuple[Constant, ...] = ()
    statements: tuple[Statement, ...] = ()
    internals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a dialogue ended; if neither finished nor broken, the child ended first.

    Attributes:
        begun: whether the child made a decision.
        finished: whether the dialogue reached its end.
        broken: the fault of a line of the child; None without one.
    """

    begun: bool = False
    finished: bool = False
    broken: str | None = None


class SandboxDialogue(Protocol):
    """Parent side of an interactive execution: reveals the instance step by step, keeps the transcript."""

    def next(self, line: bytes) -> bytes | None:
        """Takes the child's last line (`b""` at first) and returns the next line to send, or None at the end.

        The sandbox refuses an empty line from a child, so that no child can start the dialogue again.

        Raises:
            ValueError: the child's line breaks the protocol; the execution ends as `invalid_answer`.
        """

    def answer(self) -> Json:
        """The answer that the parent recorded; later lines of the child do not change it."""


@runtime_checkable
class Led(Protocol):
    """A dialogue that another process leads; this process only passes the pipes on."""

    def lead(self, inbound: int, outbound: int, place: int) -> Ending:
        """Leads the dialogue; may be called again, from the beginning, if the child made no decision.

        Args:
            inbound: descriptor to read decisions from.
            outbound: descriptor to write items to.
            place: number of the processor that the child is bound to.
        """

    def answer(self) -> Json:
        """See `Dialogue`."""


@runtime_checkable
class Sandbox(Protocol):
    """A slot that runs untrusted programs one at a time; not thread-safe, so use one slot per thread."""

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: SandboxDialogue | Led | None = None,
    ) -> Execution:
        """Runs a program on the public part of an instance (UTF-8 JSON object)."""

    def describe(self, text: str, entry_point: str) -> Description:
        """Describes a text in a sealed child without running the text."""

    def close(self) -> None:
        """Ends the slot's processes."""


class SandboxError(Exception):
    """The sandbox cannot work on this system; a person must act.

    Attributes:
        layer: name of the layer that is missing or leaks (`rlimits`, `seccomp`, `landlock`, `namespaces`,
            `uid`), `policy` (a module cannot be loaded) or `platform`.
    """

    def __init__(self, layer: str, reason: str, hint: str) -> None:
        super().__init__(f"{layer}: {reason}")
        self.layer = layer
        self.reason = reason
        self.hint = hint
