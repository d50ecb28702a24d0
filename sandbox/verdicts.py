"""From how a child ended and what it left behind to an `Execution`. The parent's own view always wins."""

from __future__ import annotations

import os
import re
import signal
from typing import Protocol

from .answers import InvalidAnswer, clean, parse
from .base import CROWDED, Execution, ExecutionStatus, Json, Limits
from .conversation import Conversation
from .process import ChildEnd
from .sealed.protocol import OUT_OF_CPU, OUT_OF_TIME

_MOST_MARKS = 4096  # bytes
_OFTEN = 10
"""Interruptions by the kernel that the start of a sleeper on a busy machine may have (count)."""
_IDLE = 0.01  # CPU seconds for a wall second, below which a child did nothing but wait
_NAME = re.compile(r"(import )?[A-Za-z_][A-Za-z0-9_.]{0,60}")
_REPORTED = {
    status.value: status
    for status in (
        ExecutionStatus.RAISED,
        ExecutionStatus.MEMORY,
        ExecutionStatus.OUTPUT,
        ExecutionStatus.REFUSED,
        ExecutionStatus.INVALID_ANSWER,
    )
}


class Files(Protocol):
    """Descriptors of what an ended child left."""

    answer: int
    output: int
    marks: int


def read(
    verdict: ChildEnd,
    limits: Limits,
    files: Files,
    wall: float,
    talk: Conversation | None = None,
) -> Execution:
    """Judges one ended child.

    Args:
        verdict: how it ended, from the server.
        limits: what it was allowed.
        files: what it answered and printed, and the names that it reached for.
        wall: seconds from hand-over to verdict.
        talk: the dialogue that it led, whose transcript is then the answer.
    """
    status, error, encoded = _judge(verdict, limits, files.answer, wall, talk)
    document: Json = None
    if status is ExecutionStatus.OK and talk is not None:
        document = talk.dialogue.answer()
    elif status is ExecutionStatus.OK:
        try:
            document = parse(encoded, limits.output_bytes)
        except InvalidAnswer as refusal:
            status, error, encoded = ExecutionStatus.INVALID_ANSWER, str(refusal), b""
    printed = os.lseek(files.output, 0, os.SEEK_END)
    shown = limits.shown_bytes
    tail = os.pread(files.output, shown, max(0, printed - shown)) if printed else b""
    return Execution(
        status=status,
        answer=document,
        error=error,
        cpu_seconds=verdict.cpu_seconds,
        wall_seconds=wall,
        peak_memory_bytes=verdict.peak_bytes or None,
        output=clean(tail.decode("utf-8", "replace")) if tail else "",
        marks=_marks(files.marks),
        encoded=encoded,
        crowded=verdict.cause == OUT_OF_TIME and _is_crowded(verdict, talk),
    )


def _marks(place: int) -> tuple[str, ...]:
    """Names from the pipe of an ended child; a line that is none was written by the candidate itself."""
    try:
        raw = os.read(place, _MOST_MARKS)
    except BlockingIOError:
        return ()
    lines = dict.fromkeys(raw.decode("ascii", "replace").splitlines())
    names = [line if _NAME.fullmatch(line) else "the record of marks" for line in lines]
    return tuple(dict.fromkeys(names[:32]))


def _judge(
    verdict: ChildEnd, limits: Limits, answer: int, wall: float, talk: Conversation | None
) -> tuple[ExecutionStatus, str | None, bytes]:
    """Status, reason and the text of the answer; a dialogue's answer has none."""
    if verdict.cause == OUT_OF_CPU or verdict.cpu_seconds > limits.cpu_seconds:
        return ExecutionStatus.TIMEOUT, f"used more than {limits.cpu_seconds:g} CPU seconds", b""
    if verdict.cause == OUT_OF_TIME:
        return ExecutionStatus.TIMEOUT, _waited(verdict, limits.cpu_seconds, wall, talk), b""
    if talk is not None and talk.ending.broken is not None:
        return ExecutionStatus.INVALID_ANSWER, talk.ending.broken, b""
    if talk is not None and talk.ending.finished:
        return ExecutionStatus.OK, None, b""
    if os.WIFSIGNALED(verdict.status):
        return (*_killed(os.WTERMSIG(verdict.status), limits), b"")
    if verdict.status != 0:
        return ExecutionStatus.CRASHED, f"ended with exit code {os.WEXITSTATUS(verdict.status)}", b""
    return _document(answer, limits, talk)


def _is_crowded(verdict: ChildEnd, talk: Conversation | None) -> bool:
    """Whether the processor was taken from a child often, and more often than the child gave it up by itself.

    A sleeper's few milliseconds of start may be interrupted too. A dialogue says nothing: the child waits for
    each of its messages.
    """
    return talk is None and verdict.taken > max(verdict.given, _OFTEN)


def _waited(verdict: ChildEnd, allowed: float, wall: float, talk: Conversation | None) -> str:
    """Why a child met its wall limit: it waited, or other work had the processor."""
    cpu = f"used {verdict.cpu_seconds:.2g} s of CPU time, of {allowed:g} s"
    used = f"{cpu}, and was ended after {wall:.3g} s of wall time"
    if _is_crowded(verdict, talk):
        return f"{used}: {CROWDED}"
    if verdict.cpu_seconds < _IDLE * wall:
        return f"{used}: sleeping or waiting does not help"
    if talk is not None:
        return f"{used}: it waited, or the machine was too busy"
    return f"{used}: it waited, and gave up the processor by itself {verdict.given} times"


def _killed(number: int, limits: Limits) -> tuple[ExecutionStatus, str]:
    match number:
        case signal.SIGSYS:
            return (
                ExecutionStatus.REFUSED,
                "made a forbidden system call (of those for processes and signals)",
            )
        case signal.SIGXFSZ:
            return ExecutionStatus.OUTPUT, f"printed or answered more than {limits.output_bytes} bytes"
        case signal.SIGXCPU:
            return ExecutionStatus.TIMEOUT, f"used more than {limits.cpu_seconds:g} CPU seconds"
        case signal.SIGSEGV:
            return ExecutionStatus.CRASHED, "ended by SIGSEGV, most often recursion that is too deep"
        case signal.SIGKILL:
            return ExecutionStatus.CRASHED, "ended by SIGKILL: the machine may be out of memory"
        case _:
            return ExecutionStatus.CRASHED, f"ended by signal {number} ({signal.strsignal(number)})"


def _document(
    answer: int, limits: Limits, talk: Conversation | None
) -> tuple[ExecutionStatus, str | None, bytes]:
    size = os.lseek(answer, 0, os.SEEK_END)
    if size > limits.output_bytes:
        return ExecutionStatus.OUTPUT, f"answered more than {limits.output_bytes} bytes", b""
    raw = os.pread(answer, size, 0)
    if raw[:1] == b"E":
        return (*_reported(raw[1:]), b"")
    if talk is not None:
        return ExecutionStatus.INVALID_ANSWER, "ended before the instance was at its end", b""
    if raw[:1] != b"A":
        return ExecutionStatus.CRASHED, "ended without an answer", b""
    return ExecutionStatus.OK, None, raw[1:]


def _reported(raw: bytes) -> tuple[ExecutionStatus, str]:
    """What the harness says of a failure; all of these count the same, so a forgery gains nothing."""
    try:
        report = parse(raw, 65536)
    except InvalidAnswer:
        report = None
    match report:
        case [str(name), str(reason)] if name in _REPORTED:
            return _REPORTED[name], clean(reason[:8192]) or "no reason given"
    return ExecutionStatus.CRASHED, "ended with a damaged report"
