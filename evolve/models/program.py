"""Runs a program once: text in, text out, with a limit on time and output, and nothing left running."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

_CHUNK = 65_536
_TICK = 0.05
"""Wall seconds between looks at the clock and at `stop`."""
_LAST_WORDS = 1.0
"""Wall seconds that output may follow the end of a program: whatever it left running is ended then."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a program ended.

    Attributes:
        output: standard output (UTF-8, other bytes replaced), at most `most` bytes of it.
        errors: the last bytes of standard error, likewise.
        code: exit code, negative for a signal; None where the program was ended from here.
        late: whether its time ran out.
        flooded: whether it wrote more than `most` bytes.
        stopped: whether the caller gave it up.
        seconds: wall time.
    """

    output: str
    errors: str
    code: int | None
    late: bool
    flooded: bool
    stopped: bool
    seconds: float


def run_program(
    arguments: Sequence[str],
    text: str,
    environment: Mapping[str, str],
    *,
    seconds: float,
    most: int,
    stop: threading.Event,
) -> Ending:
    """Runs a program in an empty folder and a process group of its own, which is killed at the end.

    Args:
        arguments: the program's path and its arguments; no shell reads them.
        text: its standard input.
        environment: all variables that it gets.
        seconds: wall seconds until it is killed, > 0.
        most: bytes of standard output that it may write.
        stop: set by the caller to give it up.

    Raises:
        OSError: the program cannot be started.
    """
    with tempfile.TemporaryDirectory(prefix="gapsmith-command-", ignore_cleanup_errors=True) as folder:
        started = time.monotonic()
        process = subprocess.Popen(
            list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
        )
        try:
            pipes = _Pipes(process, text.encode(errors="replace"), most)
            late, stopped = pipes.exchange(started + seconds, stop)
        finally:
            _end_group(process)
        gave_up = late or stopped or pipes.flooded
        return Ending(
            output=pipes.text("stdout"),
            errors=pipes.text("stderr"),
            code=None if gave_up else process.returncode,
            late=late,
            flooded=pipes.flooded,
            stopped=stopped,
            seconds=time.monotonic() - started,
        )


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the program and whatever it left running in its group, and closes the pipes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


class _Pipes:
    """The three pipes of a program, served together so that none of them can block the others."""

    def __init__(self, process: subprocess.Popen[bytes], text: bytes, most: int) -> None:
        self._process = process
        self._text = memoryview(text)
        self._most = most
        self._read = {"stdout": bytearray(), "stderr": bytearray()}
        self._selector = selectors.DefaultSelector()
        for name in ("stdin", "stdout", "stderr"):
            pipe: IO[bytes] = getattr(process, name)
            os.set_blocking(pipe.fileno(), False)
            event = selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ
            serve: Callable[[IO[bytes]], None] = self._write if name == "stdin" else self._reader(name)
            self._selector.register(pipe, event, serve)
        self.flooded = False

    def text(self, name: str) -> str:
        """What was read of a stream."""
        return self._read[name].decode(errors="replace")

    def exchange(self, deadline: float, stop: threading.Event) -> tuple[bool, bool]:
        """Serves the pipes until the program ends; whether its time ran out, and whether it was given up."""
        with self._selector:
            while not self.flooded:
                if stop.is_set():
                    return False, True
                if time.monotonic() >= deadline:
                    return True, False
                if self._process.poll() is not None:
                    deadline = min(deadline, time.monotonic() + _LAST_WORDS)
                    while self._open_outputs() and not self.flooded and time.monotonic() < deadline:
                        self._serve()
                    return False, False
                self._serve()
            return False, False

    def _open_outputs(self) -> bool:
        return any(key.events == selectors.EVENT_READ for key in self._selector.get_map().values())

    def _serve(self) -> None:
        if not self._selector.get_map():
            time.sleep(_TICK)
        for key, _ in self._selector.select(_TICK):
            key.data(key.fileobj)

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._text = self._text[os.write(pipe.fileno(), self._text[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # the program reads no further, which is its own business
            self._text = self._text[:0]
        if not self._text:
            self._close(pipe)

    def _reader(self, name: str) -> Callable[[IO[bytes]], None]:
        def read(pipe: IO[bytes]) -> None:
            with suppress(BlockingIOError):
                chunk = os.read(pipe.fileno(), _CHUNK)
                if not chunk:
                    self._close(pipe)
                self._keep(name, chunk)

        return read

    def _keep(self, name: str, chunk: bytes) -> None:
        kept = self._read[name]
        kept += chunk
        if name == "stderr":  # errors come last, so the beginning goes
            del kept[: max(0, len(kept) - _CHUNK)]
        elif len(kept) > self._most:
            self.flooded = True
            del kept[self._most :]

    def _close(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()
