"""Workers as processes of this machine: what each is told first, and how it answers jobs."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from ...evaluators.base import Evaluation, decode_reference, encode_reference
from ...evaluators.cache import Cache
from ...evolve.executor import EvaluationJob
from ...evolve.remote.executor import RemoteExecutor, Worker, WorkerLost, WorkerParts
from ...evolve.remote.protocol import MOST_CHARACTERS
from ...problems.base import Instance, decode_number, encode_number
from ...sandbox.base import Sandbox
from ...sandbox.interpreter import START_FOLDER, environment, python
from ...sandbox.policy import LAYERS
from ...sandbox.slot import count_layers
from ..config import parse
from ..errors import INVALID, UNEXPECTED, USAGE, UserError, known_error
from ..formatting import clean
from ..plugins.fingerprint import is_given
from ..plugins.foreign import is_foreign
from ..plugins.loader import LoadedProblem, load_problem
from ..versions import versions
from .setup import Setup, keyed

# The first message to a worker: a problem, its instances with hidden parts, its references and its limits.
#
# A worker draws no instances, solves nothing and reads no cache. A problem of one file is sent as source;
# any other problem must be installed on the worker's machine. Digests show whether driver and worker agree.

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Texts and random streams may differ between minor versions of Python."""
_HELLO_CHARACTERS = 1 << 16
"""Longest first line of a worker."""
STARTED = "`gapsmith run … --workers processes:N` starts workers and writes their lines"


def identity(setup: Setup) -> dict[str, Any]:
    """The digests that a driver and its workers must have in common."""
    return {
        "gapsmith": versions()["gapsmith"],
        "python": PYTHON,
        "problem": setup.loaded.digest,
        "evaluator": setup.evaluator.version,
    }


def encode_brief(setup: Setup) -> str:
    """The line that makes an equal setup in another process.

    Raises:
        UserError: the problem is an object of this process, or its file is gone.
    """
    evaluator = setup.evaluator
    loaded = setup.loaded
    splits = {name: list(evaluator.instances(name).values()) for name in evaluator.splits}
    references = {id: encode_reference(one) for id, one in evaluator.references.items()}
    spec, source = _travelling(loaded, setup.config.campaign.problem)
    config = setup.config.model_dump(mode="json")
    config["campaign"]["problem"] = spec
    return json.dumps(
        {
            "folder": os.getcwd(),
            "config": config,
            "source": source,
            "version": loaded.problem.version,
            "splits": {name: [_encode_instance(i) for i in instances] for name, instances in splits.items()},
            "references": references,
        }
    )


def read_brief(line: str) -> Setup:
    """A setup equal to the one whose brief another process sent, in that process's working folder.

    Raises:
        UserError: the line holds no brief, or the problem is not here or is another one.
    """
    try:
        document = json.loads(line)
        folder = str(document["folder"])
        config = parse(document["config"], "the brief of a worker", recorded=True)
        splits = {name: [_read_instance(row) for row in rows] for name, rows in document["splits"].items()}
        references = {id: decode_reference(row) for id, row in document["references"].items()}
        source = document["source"]
        version = document["version"]
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        damage = f"{type(error).__name__}: {error}"
        raise UserError(INVALID, f"worker: its first line holds no brief ({damage})", STARTED) from error
    with suppress(OSError):  # another machine need not have the folder
        os.chdir(folder)
    loaded = _load(config.campaign.problem, source, config.problem).at(version)
    loaded = keyed(loaded, config.evaluation.secret)
    return Setup.of(loaded, config, splits, references.__getitem__, Cache())


def hello(setup: Setup, layers: Mapping[str, bool]) -> str:
    """The line in which a worker reports that it is ready, with its identity and machine."""
    return json.dumps({**identity(setup), "layers": dict(layers), "machine": machine()})


def machine() -> str:
    """Processor and system of this machine, to notice when workers run on different machines."""
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{platform.system()} {platform.machine()}, {names[0] if names else model}"


def check_hello(line: str, setup: Setup) -> dict[str, Any]:
    """Checks a worker's first line; returns what the worker reports of itself.

    Raises:
        UserError: the worker could not begin, or is no equal of this process.
    """
    try:
        if len(line) > _HELLO_CHARACTERS:
            raise ValueError(f"more than {_HELLO_CHARACTERS} characters")
        document = json.loads(line)
        if "error" in document:
            code, message, hint = document["error"]
            raise UserError(_code(code), clean(_text(message)), None if hint is None else clean(_text(hint)))
        said = {key: _text(document[key]) for key in ("gapsmith", "python", "problem", "evaluator")}
        layers = {name: on for name, on in document["layers"].items() if name in LAYERS and type(on) is bool}
        if layers.keys() != document["layers"].keys():
            raise ValueError("layers: expected names of layers, each true or false")
        named = clean(_text(document["machine"]))
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise UserError(INVALID, f"its first line is damaged ({error}): {line!r:.80}") from None
    for key, here in identity(setup).items():
        if said[key] != here:
            raise UserError(
                INVALID,
                f"{_MEANING[key]} differs: got {said[key]!s:.16}, expected {here!s:.16}",
                "install the same Gapsmith, Python minor version and plug-ins everywhere",
            )
    return {"layers": layers, "machine": named}


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"got {value!r:.40}, expected a text")
    return value


def _code(value: Any) -> int:
    if type(value) is not int or not 0 < value < 128:
        raise TypeError(f"got {value!r:.40}, expected an exit code")
    return value


_MEANING = {
    "gapsmith": "the version of Gapsmith",
    "python": "the version of Python",
    "problem": "the problem's source",
    "evaluator": "what scores depend on",
}


def refusal(error: UserError) -> str:
    """The first line of a worker that cannot begin."""
    return json.dumps({"error": [error.code, error.message, error.hint]})


def _travelling(loaded: LoadedProblem, spec: str) -> tuple[str, str | None]:
    """A problem's specification and source for another process."""
    if loaded.source is not None:
        path = Path(spec).resolve()
        try:
            return str(path), path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(INVALID, f"{path}: cannot be read again for the workers: {error}") from error
    if is_foreign(spec) or is_given(spec):
        what = "a task of another tool" if is_foreign(spec) else "an object of this Python process"
        raise UserError(
            USAGE,
            f"problem {loaded.name}: {what}, which only threads can evaluate",
            "give the workers as a plain number: --workers N",
        )
    return spec, None


def _load(spec: str, source: str | None, parameters: Mapping[str, Any]) -> LoadedProblem:
    """A problem; of one file, from that file if it is here unchanged, else from a copy of its source."""
    if source is None:
        return load_problem(spec, parameters)
    path = Path(spec)
    if path.is_file() and path.read_bytes() == source.encode():
        return load_problem(spec, parameters)
    with tempfile.TemporaryDirectory(prefix="gapsmith-worker-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(source.encode())
        return replace(load_problem(str(copy), parameters), origin=f"file {path}")


def _encode_instance(instance: Instance) -> list[Any]:
    hidden = None if instance.hidden is None else dict(instance.hidden)
    scale = encode_number(instance.scale)
    names = [instance.id, instance.split, instance.stratum]
    return [*names, dict(instance.public), scale, instance.source, hidden]


def _read_instance(row: Any) -> Instance:
    id, split, stratum, public, scale, source, hidden = row
    number = decode_number(scale)
    if isinstance(number, float):
        raise ValueError(f"instance {id}: scale {scale}")
    return Instance(id, split, stratum, public, number, source, hidden)


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
        threading.Thread(target=self._end_group, daemon=True, name=f"end-{self._process.pid}").start()

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

    def _end_group(self) -> None:
        """Once the process has ended, ends what it left: a child that holds the pipe would be waited for."""
        self._process.wait()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        code = self._process.poll()
        if code is None:
            return "its pipe is closed"
        return f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


@contextmanager
def process_executor(setup: Setup, workers: int, note: Callable[[str], None]) -> Iterator[RemoteExecutor]:
    """An executor over worker processes of this machine, ended afterwards.

    Args:
        setup: what jobs are evaluated by.
        workers: processes, each with one sandbox slot (count, ≥ 1).
        note: told of each lost worker.

    Raises:
        UserError: a worker cannot begin.
    """
    brief = encode_brief(setup)
    numbers = count(1)

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
    with executor_of(opened, start, note, setup) as executor:
        yield executor


def warn_of_idle(workers: int, in_flight: int) -> None:
    """Says that workers (count) wait for iterations (count): only the user may set how many are under way."""
    if workers > in_flight:
        idle = workers - in_flight
        enough = min(2 * workers, 256)
        logging.getLogger("gapsmith.workers").warning(
            f"{in_flight} iterations are under way at once, so {idle} of {workers} workers wait; a new "
            f"campaign with `--set campaign.in_flight={enough}` uses all of them and takes another course"
        )


@contextmanager
def executor_of(
    workers: Sequence[Worker],
    replace: Callable[[Worker], Worker],
    note: Callable[[str], None],
    setup: Setup,
) -> Iterator[RemoteExecutor]:
    """An executor over workers that are ready, which end with it; arguments as those of `RemoteExecutor`.

    What workers send is held against the evaluator of `setup`.
    """

    def confirm(job: EvaluationJob, evaluation: Evaluation) -> None:
        part = slice(job.first, job.last)
        setup.evaluator.confirm(
            evaluation, job.split, stop_at_failure=not job.whole, race=job.race, part=part
        )

    executor = RemoteExecutor(workers, replace, note, confirm)
    try:
        yield executor
    except BaseException:  # nobody asks for what runs: a second Ctrl-C, or an error
        executor.kill()
        raise
    executor.close()


# A worker in another process: gets a brief, then jobs, over any transport of lines.


class WorkerServer:
    """A setup with one warm slot.

    Attributes:
        first: the line that says that the worker is ready, or why it cannot begin.
        code: exit code; 0 for a worker that is ready.
    """

    def __init__(self, brief: str) -> None:
        """Opens what a brief says."""
        self._slot: Sandbox | None = None
        try:
            self._setup = read_brief(brief)
            self._setup.evaluator.prepare()  # forks, so it comes before any thread starts
            self._slot = self._setup.open_slot()
            self._workplace = self._work()
            self.code, self.first = 0, hello(self._setup, self._setup.layers())
        except Exception as error:
            named = f"a worker failed: {type(error).__name__}: {error}"
            trouble = known_error(error) or UserError(UNEXPECTED, named)
            self.code, self.first = trouble.code, refusal(trouble)

    def reply(self, line: str) -> str:
        """The reply's line to a job's line."""
        return self._workplace.reply(line)

    def _work(self) -> WorkerParts:
        from ...evolve.offline import OfflineProposer

        assert self._slot is not None
        setup = self._setup
        problem = self._setup.loaded.problem
        return WorkerParts(setup.evaluator, setup.admission(self._slot), OfflineProposer(), problem)

    def close(self) -> None:
        """Ends the slot and the processes that judge answers."""
        if self._slot is not None:
            with contextlib.suppress(OSError):
                self._slot.close()
            self._setup.evaluator.close()
