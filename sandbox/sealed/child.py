"""The harness: what a sealed child does with its job. Nothing that it writes is believed by the tool.

Descriptors: 0 job (sealed, read with pread), 1 and 2 printed text, 3 answer, 4 and 5 the dialogue. The answer
is one byte, `A` before a JSON document or `E` before a JSON list of status and reason. 6 takes marks.
"""

from __future__ import annotations

import binascii
import contextlib
import errno
import gc
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, NoReturn

from . import probes, text
from .access_log import Marks
from .programs import ForbiddenImport, Programs, refuse_unseeded, seed_everything
from .protocol import DESCRIBE, JOB, RUN

MAX_REASON = 4000  # characters; the tool cleans and cuts again

# Captured before any candidate runs; a candidate that patches the originals then only harms itself.
_read, _pread, _write, _exit = os.read, os.pread, os.write, os._exit
_encode = json.JSONEncoder(allow_nan=False, default=lambda value: _plain(value), separators=(",", ":")).encode


class Child:
    """Prepared in the server, used once in each child."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._marks = Marks()
        self._marks.watch()
        self._programs = Programs(modules, self._marks)
        self._streams = (sys.stdout, sys.stderr)  # a candidate may put something else in their place

    def main(self, kind: int) -> NoReturn:
        """Does the job of this process and ends it; no atexit, no finaliser, no thread gets a turn."""
        record = b'E["memory","MemoryError"]'
        try:
            record = self._work(kind)
            for stream in self._streams:
                with contextlib.suppress(ValueError, OSError):  # closed by the candidate: its own loss
                    stream.flush()
            put(record)
            _exit(0)
        except MemoryError:
            put(record)
            _exit(0)
        finally:
            _exit(70)

    def _work(self, kind: int) -> bytes:
        try:
            if kind == RUN:
                answer = self._run()
            else:
                argument, body = _texts()
                answer = text.describe(body, argument) if kind == DESCRIBE else probes.run(argument)
        except BaseException as error:
            return b"E" + json.dumps(_reason(error, self._programs)).encode("ascii")
        try:
            return b"A" + _encode(answer).encode("ascii")
        except MemoryError:
            raise
        except BaseException as error:
            reason = f"the answer is not plain data: {_message(error)}"
            return b"E" + json.dumps(["invalid_answer", reason[:MAX_REASON]]).encode("ascii")

    def _run(self) -> Any:
        seed, program_size, instance_size, interactive = JOB.unpack(_pread(0, JOB.size, 0))
        program = json.loads(_pread(0, program_size, JOB.size))
        instance = json.loads(_pread(0, instance_size, JOB.size + program_size))
        seed_everything(seed)
        if program["anew"]:
            refuse_unseeded()
        gc.enable()
        driver = program["driver"]
        drive = self._programs.load_driver(binascii.a2b_base64(driver)) if driver is not None else None
        self._marks.arm()
        entry = self._programs.load(program["files"], program["entry"], program["anew"])
        if drive is None:
            return entry(**instance)
        if interactive:
            return drive(entry, instance, *line_ends(4, 5))
        return drive(entry, instance)


def put(record: bytes) -> None:
    """Writes the answer; past the limit the kernel ends the process."""
    while record:
        record = record[_write(3, record) :]


def _texts() -> tuple[str, str]:
    _, first, second, _ = JOB.unpack(_pread(0, JOB.size, 0))
    return _pread(0, first, JOB.size).decode(), _pread(0, second, JOB.size + first).decode()


def line_ends(inbound: int, outbound: int) -> tuple[Callable[[], bytes | None], Callable[[bytes], None]]:
    """The two functions an interactive driver gets: `receive()`, None at the end, and `send(line)`."""
    pending = b""

    def receive() -> bytes | None:
        nonlocal pending
        while True:
            line, found, rest = pending.partition(b"\n")
            if found:
                pending = rest
                return line
            chunk = _read(inbound, 4096)
            if not chunk:
                return None
            pending += chunk

    def send(line: bytes) -> None:
        _write(outbound, line + b"\n")

    return receive, send


def _plain(value: Any) -> Any:
    """Exact plain data for what candidates return beside it: numpy scalars and arrays, other integers."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, range | deque):
        return list(value)
    raise TypeError(f"a value of type {type(value).__name__}")


def _message(error: BaseException) -> str:
    try:
        words = str(error)
    except BaseException:
        words = "(its message cannot be printed)"
    name = type(error).__name__
    return f"{name}: {words}"[:MAX_REASON] if words else name


def _reason(error: BaseException, programs: Programs) -> list[str]:
    """Status and sentence for what ended a candidate, with the candidate's own lines."""
    status = "raised"
    if isinstance(error, MemoryError):
        status = "memory"
    elif isinstance(error, OSError) and error.errno == errno.EFBIG:
        status = "output"
    elif isinstance(error, ForbiddenImport | PermissionError) or "can't start new thread" in _message(error):
        status = "refused"
    where = _lines(error.__traceback__, programs)
    if isinstance(error, SyntaxError) and error.filename:
        where.append(
            f"{error.filename} line {error.lineno}: {programs.line(error.filename, error.lineno or 0)}"
        )
    return [status, "\n".join([_message(error), *where])]


def _lines(trace: TracebackType | None, programs: Programs) -> list[str]:
    """`file line N in function: text`, innermost last, for the candidate's own frames; the last five."""
    found = []
    while trace is not None:
        code, number = trace.tb_frame.f_code, trace.tb_lineno
        if programs.owns(code.co_filename):
            text_of_line = programs.line(code.co_filename, number)
            found.append(f"{code.co_filename} line {number} in {code.co_name}: {text_of_line}")
        trace = trace.tb_next
    return found[-5:]
