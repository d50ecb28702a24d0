"""Workers as processes of this machine: each reads its brief and then jobs, as lines over a pipe."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count

from ...evaluators.base import Evaluation
from ...evolve.columns import MOST_CHARACTERS
from ...evolve.crew import CrewExecutor, Worker, WorkerLost
from ...evolve.executor import Job
from ...sandbox.interpreter import START_FOLDER, environment, python
from ...sandbox.slot import count_layers
from .brief import check_hello, encode_brief
from .setup import Setup

COMMAND = ("-m", "gapsmith.cli", "worker")
"""What Python runs as a worker."""
_READY_SECONDS = 600.0
"""Wall seconds that a worker may take to be ready: it prepares its evaluator and opens a slot."""
_END_SECONDS = 5.0
"""Wall seconds that a worker may take to end by itself."""


class PipeWorker:
    """A worker process of this machine."""

    def __init__(self, number: int) -> None:
        """Starts the process; the first `send` must be the brief."""
        self._process = subprocess.Popen(
            python(*COMMAND),
            cwd=START_FOLDER,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C in the terminal is for the driver
            text=True,
            encoding="utf-8",
        )
        self.name = f"worker process {number} (pid {self._process.pid})"

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def send(self, line: str) -> None:
        """See `Worker`."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise WorkerLost(self._ended()) from error

    def receive(self) -> str:
        """See `Worker`."""
        assert self._process.stdout is not None
        try:
            line = self._process.stdout.readline(MOST_CHARACTERS)
        except UnicodeDecodeError as error:
            raise WorkerLost("it sent bytes that are no text") from error
        except (OSError, ValueError) as error:
            raise WorkerLost(self._ended()) from error
        if not line.endswith("\n"):
            long = len(line) == MOST_CHARACTERS
            raise WorkerLost(f"it sent a line of {len(line)} characters" if long else self._ended())
        return line

    def first(self) -> str:
        """Waits for the first line, in which the worker says that it is ready.

        Raises:
            WorkerLost: the line does not come.
        """
        late = threading.Event()

        def end() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(_READY_SECONDS, end)
        timer.start()
        try:
            return self.receive()
        except WorkerLost:
            if late.is_set():
                raise WorkerLost(f"no first line after {_READY_SECONDS:g} s") from None
            raise
        finally:
            timer.cancel()

    def close(self) -> None:
        """See `Worker`; what the process has started ends with it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        if code is None:
            return "its pipe is closed"
        return f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


@contextmanager
def process_crew(setup: Setup, workers: int, note: Callable[[str], None]) -> Iterator[CrewExecutor]:
    """An executor over worker processes of this machine, ended afterwards.

    Args:
        setup: what jobs are evaluated by.
        workers: processes, each with one sandbox slot (count, ≥ 1).
        note: told of each lost worker.

    Raises:
        UserError: a worker cannot begin.
    """
    brief, numbers = encode_brief(setup), count(1)

    def start(_: object) -> Worker:
        worker = PipeWorker(next(numbers))
        try:
            worker.send(brief)
            said = check_hello(worker.first(), setup)
        except BaseException:
            worker.close()
            raise
        count_layers(setup.policy, said["layers"])
        return worker

    opened: list[Worker] = []
    try:
        with ThreadPoolExecutor(workers, "start-worker") as starting:
            # The thread that starts a worker notes it, so that all are ended when one cannot begin.
            for future in [starting.submit(lambda: opened.append(start(None))) for _ in range(workers)]:
                future.result()
    except BaseException:
        for worker in opened:
            worker.close()
        raise
    with crew_of(opened, start, note, setup) as executor:
        yield executor


def warn_of_idle(workers: int, in_flight: int) -> None:
    """Says that workers (count) wait for iterations (count): only the user may set how many are under way."""
    if workers > in_flight:
        idle, enough = workers - in_flight, min(2 * workers, 256)
        logging.getLogger("gapsmith.workers").warning(
            f"{in_flight} iterations are under way at once, so {idle} of {workers} workers wait; a new "
            f"campaign with `--set campaign.in_flight={enough}` uses all of them and takes another course"
        )


@contextmanager
def crew_of(
    workers: Sequence[Worker],
    replace: Callable[[Worker], Worker],
    note: Callable[[str], None],
    setup: Setup,
) -> Iterator[CrewExecutor]:
    """An executor over workers that are ready, which end with it; arguments as those of `CrewExecutor`.

    What workers send is held against the evaluator of `setup`.
    """

    def confirm(job: Job, evaluation: Evaluation) -> None:
        part = slice(job.first, job.last)
        setup.evaluator.confirm(
            evaluation, job.split, stop_at_failure=not job.whole, race=job.race, part=part
        )

    executor = CrewExecutor(workers, replace, note, confirm)
    try:
        yield executor
    except BaseException:  # nobody asks for what runs: a second Ctrl-C, or an error
        executor.kill()
        raise
    executor.close()
