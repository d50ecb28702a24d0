"""`worker`: does the jobs of the driver that started it, as lines over a pipe; hidden: people use `run`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import TextIO

from ..errors import INVALID, UserError
from .terminal import errors


def worker() -> None:
    """Read a brief and then jobs from standard input, one a line; write a line for each."""
    from ...evolve.remote.protocol import LineError
    from ..setup.workers import STARTED, WorkerServer

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lines, replies = _channel()
    serving = WorkerServer(lines.readline())
    _write(replies, serving.first)
    if serving.code:
        raise SystemExit(serving.code)
    jobs = _Jobs(lines)
    with errors():
        try:
            while (line := jobs.next()) is not None:
                done = serving.reply(line)
                jobs.done()
                _write(replies, done)
        except LineError as error:
            raise UserError(INVALID, f"worker: {error}", STARTED) from error
        finally:
            serving.close()


def _channel() -> tuple[TextIO, TextIO]:
    """The pipes to the driver; other code has an empty standard input and prints to standard error."""
    lines = os.fdopen(os.dup(0), "r", encoding="utf-8", errors="backslashreplace")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines, replies


def _write(replies: TextIO, line: str) -> None:
    replies.write(f"{line}\n")
    replies.flush()


class _Jobs:
    """Lines of jobs, read by a thread, so that the process ends with its driver even during a job."""

    def __init__(self, lines: TextIO) -> None:
        self._queue: SimpleQueue[str | None] = SimpleQueue()
        self._begun = self._done = 0
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def next(self) -> str | None:
        """The next line; None when the driver has gone."""
        return self._queue.get()

    def done(self) -> None:
        """Counts a line whose job is done."""
        self._done += 1

    def _read(self, lines: TextIO) -> None:
        for line in lines:
            self._begun += 1
            self._queue.put(line)
        if self._done == self._begun:
            self._queue.put(None)
        else:
            os._exit(0)  # the slot and its child end as their control sockets close
