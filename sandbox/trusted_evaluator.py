"""A workshop: a jailed process for a trusted evaluator that runs an untrusted program in its own process.

The sandbox returns a claimed solution, which the tool judges. A foreign evaluator imports the program and
reports a score, so a program can forge *its own* score: whatever the layers, that score is reported and not
verified. A workshop sees to the rest: the program reaches no file but those of its task, no network, no other
process and no other program's result, and nothing that it starts outlives the evaluation.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from .answers import InvalidAnswer, clean, parse
from .base import (
    MAX_SOURCE_BYTES,
    Description,
    Execution,
    ExecutionStatus,
    Json,
    Led,
    Limits,
    Program,
    SandboxDialogue,
    SandboxError,
)
from .policy import Policy
from .slot import Slot
from .template import Template, hint, memory

RESULT_BYTES = 1 << 20
_GRACE_SECONDS = 15.0  # to start the interpreter and to end the jail
_STAGES = 3
_TAIL_BYTES = 2048
_STORES = (".sqlite", ".db")
_FAILED = {"raised": ExecutionStatus.RAISED, "memory": ExecutionStatus.MEMORY}


@dataclass(frozen=True, slots=True)
class EvaluatorTask:
    """What a workshop is set up for.

    Attributes:
        folder: of the task; what is in it may be read, hidden files and other tools' runs excepted.
        driver: source that defines `drive(path, folder, instance, options, seed, report)`: it runs the
            evaluator on the program at `path` and reports documents, of which the last one is the answer.
            `report(document, next_stage=True)` begins a stage, with its own wall limit.
        options: of the driver (JSON).
        python: interpreter with the evaluator's packages.
        packages: modules of installed packages that the evaluator imports, and that are the same in whatever
            process they are imported; each evaluation finds them imported.
        name: file name that a program gets; `{}` stands for a number.
    """

    folder: Path
    driver: str
    options: dict[str, Json] = field(default_factory=dict)
    python: str = sys.executable
    packages: tuple[str, ...] = ()
    name: str = "program_{}.py"


class Workshop:
    """Runs one evaluation at a time, each in a fresh jail; a slot like the sandbox's, not thread-safe.

    The CPU limit is the wall limit of each stage: an evaluator may start processes of its own.
    """

    def __init__(self, task: EvaluatorTask, policy: Policy) -> None:
        self.task = task
        self.policy = policy
        self._slot: Slot | None = None
        self._template: Template | None = None
        self.unshared = ""  # why each evaluation imports its packages itself
        self.layers: dict[str, tuple[bool, str]] = {}  # of the last evaluation: whether active, and why

    def __enter__(self) -> Workshop:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the template and the process that describes texts; an evaluation leaves none."""
        slot, self._slot = self._slot, None
        template, self._template = self._template, None
        for process in (slot, template):
            if process is not None:
                process.close()

    def describe(self, text: str, entry_point: str) -> Description:
        """Describes a text in the sandbox; runs nothing of it."""
        return self.sealed.describe(text, entry_point)

    @property
    def sealed(self) -> Slot:
        """A slot of the sandbox, for what runs no evaluator."""
        if self._slot is None:
            self._slot = Slot(self.policy)
        return self._slot

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: SandboxDialogue | Led | None = None,
    ) -> Execution:
        """Runs the task's evaluator on a program; its answer is the last document that the driver reported.

        Raises:
            SandboxError: the jail does not work here; says nothing about the program.
        """
        if dialogue is not None:
            raise SandboxError("platform", "a workshop leads no dialogue", "use the sandbox")
        begun = perf_counter()
        if len(program.main.encode("utf-8", "surrogatepass")) > MAX_SOURCE_BYTES:
            return Execution(ExecutionStatus.REFUSED, error=f"the program has over {MAX_SOURCE_BYTES} bytes")
        with contextlib.ExitStack() as stack:
            output, answer = (memory(stack) for _ in range(2))
            folder = tempfile.mkdtemp(prefix="gapsmith-workshop-")
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            job = self._job(program, json.loads(instance), limits, seed, folder)
            report = self._run(job, output, answer, stack)
            self.layers = {name: (bool(on), str(why)) for name, (on, why) in report["layers"].items()}
            _note(self.policy, self.layers)
            wall = perf_counter() - begun
            printed = clean(_tail(output).decode("utf-8", "replace"))
            status, error, document = _judge(report, limits, answer)
            return Execution(
                status, document, error, float(report["cpu"]), wall, int(report["peak"]) or None, printed
            )

    def _run(
        self, job: dict[str, Any], output: int, answer: int, stack: contextlib.ExitStack
    ) -> dict[str, Any]:
        """The report of a jail; where it is not sound to fork several from a template, each has its own."""
        request = memory(stack)
        os.pwrite(request, json.dumps(job).encode(), 0)
        template, self._template = self._template or self._open(), None
        try:
            report = template.run((request, output, answer), _STAGES * job["seconds"] + _GRACE_SECONDS)
        except BaseException:
            template.close()
            raise
        if self.unshared:
            template.close()
        else:
            self._template = template
        return report

    def open(self) -> str:
        """Starts the template now; returns why each evaluation imports its packages itself, or nothing.

        Raises:
            SandboxError: the template does not start.
        """
        if self._template is None:
            self._template = self._open()
        return self.unshared

    def _open(self) -> Template:
        """A new template, without packages once it has turned out that they cannot be shared."""
        settings = {
            "driver": self.task.driver,
            "without": sorted(self.policy.without),
            "packages": () if self.unshared else self.task.packages,
            "names": _modules(self.task.folder),
        }
        template = Template(self.task.python, settings, environment("/nonexistent", self.task.python))
        if template.unsound and not self.unshared:
            self.unshared = template.unsound
            template.close()
            return self._open()
        return template

    def _job(
        self, program: Program, instance: Json, limits: Limits, seed: int, folder: str
    ) -> dict[str, Any]:
        home = os.path.realpath(os.path.expanduser("~"))
        above = [home, *map(str, Path(home).parents)]
        return {
            "environment": environment(folder, self.task.python),
            "folder": folder,
            "name": self.task.name.format(os.path.basename(folder)[-8:].replace("-", "_")),
            "program": program.main,
            "task": str(self.task.folder),
            "readable": _readable(self.task.folder),
            "closed": above,
            "options": self.task.options,
            "instance": instance,
            "seed": seed,
            "seconds": limits.cpu_seconds,
            "memory": limits.memory_bytes,
        }


def _modules(folder: Path) -> list[str]:
    """Names of the modules and packages in a task's folder, and one level below."""
    entries = [*folder.glob("*"), *folder.glob("*/*")]
    return sorted({entry.stem for entry in entries if entry.suffix in ("", ".py", ".so")})


def _readable(folder: Path) -> list[str]:
    """Entries of a task's folder that its evaluator may read: not hidden, and no runs with their stores.

    A link is no entry: a rule for it would open its target, wherever that is. What it leads to inside of the
    folder has a rule of its own.
    """
    entries = [e for e in sorted(folder.iterdir()) if not e.name.startswith(".") and not e.is_symlink()]
    return [str(entry) for entry in entries if entry.suffix not in _STORES and not _holds_runs(entry)]


def _holds_runs(entry: Path) -> bool:
    """Whether a folder is that of a run, or of runs."""
    if not entry.is_dir():
        return False
    if entry.name in ("runs", "openevolve_output"):
        return True
    return any(child.suffix in _STORES for child in entry.iterdir())


def _tail(place: int) -> bytes:
    size = os.lseek(place, 0, os.SEEK_END)
    return os.pread(place, _TAIL_BYTES, max(0, size - _TAIL_BYTES))


def environment(folder: str, python: str) -> dict[str, str]:
    """The whole environment of an evaluator: no variable of the user's, one thread for linear algebra."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    variables = dict.fromkeys(threads, "1") | {
        "PATH": f"{Path(python).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": folder,
        "TMPDIR": folder,
        "MPLCONFIGDIR": folder,
        "MPLBACKEND": "Agg",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if "LD_LIBRARY_PATH" in os.environ:  # some interpreters do not start without it
        variables["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return variables


def _judge(report: dict[str, Any], limits: Limits, answer: int) -> tuple[ExecutionStatus, str | None, Json]:
    """From how a worker ended and what it reported to an outcome; a stage that was reported counts."""
    size = os.lseek(answer, 0, os.SEEK_END)
    if size > RESULT_BYTES:
        return ExecutionStatus.OUTPUT, f"reported more than {RESULT_BYTES} bytes", None
    if size:
        try:
            document = parse(os.pread(answer, size, 0), RESULT_BYTES)
        except InvalidAnswer as error:
            return ExecutionStatus.INVALID_ANSWER, str(error), None
        match document:
            case {"failed": [str(kind), str(reason)]} if kind in _FAILED:
                return _FAILED[kind], clean(reason) or "no reason given", None
        return ExecutionStatus.OK, None, document
    if report["cause"] == "time":
        return ExecutionStatus.TIMEOUT, f"had not ended after {limits.cpu_seconds:g} seconds", None
    status = report["status"]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return ExecutionStatus.CRASHED, f"ended by signal {number} ({signal.strsignal(number)})", None
    return ExecutionStatus.CRASHED, f"ended with exit code {os.WEXITSTATUS(status)} and no result", None


_active: dict[str, dict[str, bool]] = {}
_tested: set[tuple[str, str, Path]] = set()
_testing = threading.Lock()


def _note(policy: Policy, layers: dict[str, tuple[bool, str]]) -> None:
    states = _active.setdefault(policy.digest, {})
    for name, (on, _) in layers.items():
        states[name] = states.get(name, True) and on


def active_layers(policy: Policy) -> dict[str, bool]:
    """Layer → whether it was on in every evaluation of this process under a policy."""
    return dict(_active.get(policy.digest, {}))


_ATTACKS = """
import ctypes, os, socket, subprocess, sys
def tried(attempt):
    try:
        attempt()
        return True
    except OSError:
        return False
def drive(path, folder, instance, options, seed, report):
    libc = ctypes.CDLL(None, use_errno=True)
    def reads(path):
        kind = os.O_DIRECTORY if os.path.isdir(path) else 0
        return tried(lambda: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | kind)))
    def by_right(path):
        system = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/nix", "/dev")
        places = map(os.path.realpath, (sys.prefix, sys.base_prefix, *system, *sys.path))
        return any(os.path.commonpath((path, place)) in (path, place) for place in places)
    within, closed = os.path.join(os.path.realpath(folder), ""), []
    for name in os.listdir(folder):
        real = os.path.realpath(os.path.join(folder, name))
        if (name.startswith(".") or not real.startswith(within)) and not by_right(real):
            closed.append(real)
    def mounted():
        if libc.mount(b"none", b"/", None, 0, None):
            raise OSError
    done = {
        "read /etc/passwd": ["landlock", tried(lambda: open("/etc/passwd"))],
        "read /proc": ["landlock", tried(lambda: open("/proc/self/environ"))],
        "read a hidden entry, or a link out of the task": ["landlock", any(map(reads, closed))],
        "write outside": ["landlock", tried(lambda: open(os.path.join(folder, ".probe"), "w"))],
        "open a socket": ["seccomp", tried(socket.socket)],
        "mount": ["uid", tried(mounted)],
    }
    for line in ("print(1)", "import json"):
        subprocess.run([sys.executable, "-c", line], check=True)
    report(done)
"""


def open_workshop(task: EvaluatorTask, policy: Policy | None = None) -> Workshop:
    """Opens a workshop; the first one for each task, interpreter and policy is tested by attacks.

    Each task is tested, because the rules that open its folder are its own.

    Raises:
        SandboxError: no evaluator can be run safely here; says which layer, why, and what to do.
    """
    workshop = Workshop(task, policy or Policy())
    key = (workshop.policy.digest, task.python, task.folder)
    with _testing:
        if key not in _tested:
            self_test(workshop)
            _tested.add(key)
    return workshop


def self_test(workshop: Workshop) -> dict[str, bool]:
    """Attack → whether it was stopped, tried in a jail of this workshop's kind.

    Raises:
        SandboxError: an attack got through although its layer is not switched off, or nothing runs.
    """
    task, without = workshop.task, workshop.policy.without
    with Workshop(
        EvaluatorTask(task.folder, _ATTACKS, {}, task.python, task.packages), workshop.policy
    ) as probe:
        done = probe.execute(Program({"program.py": ""}, "none"), b"{}", Limits(30.0, 1 << 30), 1)
    workshop.layers = probe.layers
    if not isinstance(done.answer, dict):
        reason = f"{done.error}; {done.output}".strip("; ")
        raise SandboxError("platform", f"the workshop's self-test failed: {reason}", hint("namespaces"))
    stopped = {}
    for name, outcome in done.answer.items():
        layer, through = outcome if isinstance(outcome, list) else ("platform", True)
        if through and str(layer) not in without:
            raise SandboxError(str(layer), f"an evaluated program could {name}", hint(str(layer)))
        stopped[name] = not through
    return stopped
