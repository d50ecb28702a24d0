"""The jailed process of a workshop: a trusted evaluator that runs an untrusted program in its own process.

Three processes, one evaluation. The *watcher*, forked from the template, stays outside and ends the others at
the deadline, or with the template. The *keeper* is the first process of the namespaces: when it ends, the
kernel ends every process that the evaluator started. The *worker* puts on the layers and runs the driver.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Collection
from typing import Any, NoReturn

from . import evaluator_seccomp, isolation
from .filter import Loader

_SUBREAPER = 36
_SECUREBITS, _NO_ROOT = 28, 0b11
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 2, 4, 16384, 1 << 18
_MOUNT_SETATTR, _AT_RECURSIVE, _READ_ONLY = 442, 0x8000, 1
_EXECUTE, _READ, _LIST = 1, 4, 8
_LOOK, _EVERYTHING = _EXECUTE | _READ | _LIST, (1 << 16) - 1
_SYSTEM = (
    "/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/alternatives", "/etc/localtime", "/nix/store",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
_STAGES = 3
_OFF: isolation.Outcome = (False, "switched off by --unsafe-without")


class Mould:
    """What all jails of a template share, made once before the first one is forked.

    Args:
        driver: source that defines `drive`.
        without: layers that are switched off.
    """

    def __init__(self, driver: str, without: Collection[str]) -> None:
        self.without = without
        self.refused = "" if "namespaces" in without else isolation.refused_to_a_child(mounts=True)
        own = "namespaces" not in without and not self.refused
        self.filter = (
            None if "seccomp" in without else Loader(evaluator_seccomp.build(isolation.machine(), own))
        )
        self.driver: Any = driver
        with contextlib.suppress(BaseException):  # what is wrong with it is said by each evaluation
            self.driver = compile(driver, "<driver>", "exec")
            exec(self.driver, {"__name__": "gapsmith_driver"})  # for its imports


def run(mould: Mould, job_place: int, output: int, answer: int, status: int) -> NoReturn:
    """Runs one job and ends; what went wrong in the jail itself is in the report."""
    for source, target in ((os.open(os.devnull, os.O_RDONLY), 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    with open(job_place, "rb") as stream:
        job = json.load(stream)
    os.environ.clear()
    os.environ.update(job["environment"])
    tempfile.tempdir = None
    report: dict[str, Any] = {"layers": {}}
    try:
        _watch(mould, job, output, answer, report)
    except Exception as error:
        report["error"] = f"{type(error).__name__}: {error}"
        report.setdefault("layer", "platform")
    os.write(status, json.dumps(report).encode())
    os._exit(0)


def _watch(mould: Mould, job: dict[str, Any], output: int, answer: int, report: dict[str, Any]) -> None:
    """Enters the namespaces, starts the keeper and ends it at the deadline; fills the report."""
    layers = report["layers"]
    layers["namespaces"] = (
        _OFF
        if "namespaces" in mould.without
        else isolation.enter_namespaces(mounts=True, refused=mould.refused)
    )
    own = layers["namespaces"][0]
    isolation.prctl(_SUBREAPER, 1)
    isolation.volunteer()
    fate, said = os.pipe()
    stages, stage = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        os.close(fate)
        os.close(stages)
        _keep(mould, job, own, (output, answer, stage), said)
    os.close(said)
    os.close(stage)
    report["cause"] = _wait(keeper, stages, job["seconds"])
    _, _, usage = os.wait4(keeper, 0)  # of a namespace's first process: when all others are gone
    _end_all()
    for line in os.read(fate, 65536).splitlines():  # nothing of the evaluator's can write there
        said_there = json.loads(line)
        layers.update(said_there.pop("layers", {}))
        report.update(said_there)
    if report["cause"] == "ended" and not {"status", "error"} & report.keys():
        raise RuntimeError("the keeper ended before the worker")
    report["cpu"] = usage.ru_utime + usage.ru_stime
    report["peak"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def _wait(keeper: int, stages: int, seconds: float) -> str:
    """Waits for the keeper, at most `seconds` from the start of a stage; returns the cause of its end."""
    ending, poller = os.pidfd_open(keeper), select.poll()
    poller.register(ending, select.POLLIN)
    poller.register(stages, select.POLLIN)
    deadline, left = time.monotonic() + seconds, _STAGES - 1
    while True:
        until = deadline - time.monotonic()
        if until <= 0:
            os.kill(keeper, signal.SIGKILL)
            return "time"
        places = [place for place, _ in poller.poll(until * 1000 + 1)]
        if ending in places:
            return "ended"
        if stages in places:
            if os.read(stages, 1) and left:  # a few more are no more time: a candidate can say so too
                left, deadline = left - 1, time.monotonic() + seconds
            else:
                poller.unregister(stages)


def _end_all() -> None:
    """Kills what is left, by parentage: orphans of the jail are this process's children."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:  # as always where there is a namespace: its first process was the last one
            return
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
                    if int(file.read().rpartition(")")[2].split()[1]) == os.getpid():
                        os.kill(int(name), signal.SIGKILL)
        os.waitpid(-1, 0)


def _keep(mould: Mould, job: dict[str, Any], own: bool, places: tuple[int, int, int], said: int) -> NoReturn:
    """The keeper: prepares folders, starts the worker, reaps orphans and ends with the worker."""
    try:
        isolation.prctl(isolation.PR_SET_PDEATHSIG, isolation.SIGKILL)
        if own:
            _private_mounts(job["folder"], job["memory"])
        worker = os.fork()
        if worker == 0:
            _work(mould, job, own, places, said)
        for place in places:
            os.close(place)
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == worker:
                _say(said, {"status": status})
                os._exit(0)
    except BaseException as error:
        layer = "namespaces" if own else "platform"
        _say(said, {"error": str(error), "layer": layer})
        os._exit(1)


def _say(said: int, message: dict[str, Any]) -> None:
    os.write(said, json.dumps(message).encode() + b"\n")


def _private_mounts(folder: str, size: int) -> None:
    """Makes every file system read-only; the temporary folder and /dev/shm are memory of the jail's own.

    Raises:
        OSError: the kernel refused.
    """
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE, None)
    attributes = ctypes.create_string_buffer(struct.pack("<QQQQ", _READ_ONLY, 0, 0, 0), 32)
    call = (_MOUNT_SETATTR, -100, b"/", _AT_RECURSIVE, attributes, ctypes.c_size_t(32))
    isolation.check(ctypes.CDLL(None, use_errno=True).syscall(*call), "mount_setattr")
    for place in (folder, *(["/dev/shm"] if os.path.isdir("/dev/shm") else [])):
        options = f"size={size},mode=0700"
        _mount("tmpfs", place, "tmpfs", _MS_NOSUID | _MS_NODEV, options)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    words = [None if text is None else text.encode() for text in (source, target, kind, options)]
    call = ctypes.CDLL(None, use_errno=True).mount
    isolation.check(call(*words[:3], ctypes.c_ulong(flags), words[3]), f"mount {target}")


def _work(mould: Mould, job: dict[str, Any], own: bool, places: tuple[int, int, int], said: int) -> NoReturn:
    """The worker: layers, then the driver. What it says to the watcher, it says before the driver is run."""
    layer = "platform"
    layers: dict[str, isolation.Outcome] = {}
    without = mould.without
    try:
        os.setsid()
        isolation.prctl(isolation.PR_SET_PDEATHSIG, isolation.SIGKILL)
        path = os.path.join(job["folder"], job["name"])
        with open(path, "w", encoding="utf-8") as file:
            file.write(job["program"])
        os.chdir(job["folder"])
        layer = "uid"
        layers["uid"] = _OFF if "uid" in without else _give_up()
        isolation.prctl(isolation.PR_SET_NO_NEW_PRIVS, 1)
        layer = "landlock"
        layers["landlock"] = _OFF if "landlock" in without else isolation.landlock(_rules(job, own))
        if not layers["landlock"][0] and "landlock" not in without:
            raise RuntimeError(layers["landlock"][1])
        layer = "rlimits"
        layers["rlimits"] = _OFF if "rlimits" in without else _limit(job)
        layer = "seccomp"
        layers["seccomp"] = _OFF
        if mould.filter is not None:
            mould.filter.load()
            layers["seccomp"] = (True, f"deny-list for {isolation.machine()}")
    except BaseException as error:
        _say(said, {"error": str(error), "layer": layer, "layers": layers})
        os._exit(1)
    _say(said, {"layers": layers})
    os.close(said)
    _drive(mould, job, path, *places)


def _give_up() -> isolation.Outcome:
    """Gives up every capability, for good also where the id is that of root; the ids stay."""
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):
            isolation.prctl(_SECUREBITS, _NO_ROOT)
    isolation.drop_capabilities()
    return (
        True,
        f"capabilities given up; runs as uid {os.geteuid()}, so that it can start programs of its own",
    )


def _rules(job: dict[str, Any], own: bool) -> list[isolation.Rule]:
    """What an evaluator may open: the interpreter, packages, the system's libraries, the task, its folder."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    packages = {place for place in sys.path if os.path.basename(place) in ("site-packages", "dist-packages")}
    look = [place for place in (*prefixes, *packages) if os.path.realpath(place) not in job["closed"]]
    rules = [(place, _LOOK) for place in (*_SYSTEM, *sorted(look))]
    rules += [(job["task"], _LIST), *((place, _LOOK) for place in job["readable"])]
    rules += [(place, _READ | 2) for place in _DEVICES]
    rules.append((job["folder"], _EVERYTHING))
    if own:
        rules.append(("/dev/shm", _EVERYTHING))
    return rules


def _limit(job: dict[str, Any]) -> isolation.Outcome:
    """Limits of each process; DATA and not AS, for libraries map much that they never touch."""
    isolation.set_limit(resource.RLIMIT_CORE, 0)
    isolation.set_limit(resource.RLIMIT_MEMLOCK, 0)
    isolation.set_limit(resource.RLIMIT_MSGQUEUE, 0)
    isolation.set_limit(resource.RLIMIT_NOFILE, 512)
    isolation.set_limit(resource.RLIMIT_FSIZE, job["memory"])
    isolation.set_limit(resource.RLIMIT_DATA, job["memory"])
    return True, "data, file size, descriptors, core, queues of each process"


def _drive(mould: Mould, job: dict[str, Any], path: str, output: int, answer: int, stage: int) -> NoReturn:
    """Runs the driver; the last document that it reported is the answer, however the process ends."""
    for keep, target in ((answer, 100), (stage, 101)):
        os.dup2(keep, target, inheritable=False)
    os.closerange(3, 100)
    os.closerange(102, 4096)

    def report(document: object, next_stage: bool = False) -> None:
        raw = json.dumps(document).encode()
        os.ftruncate(100, 0)
        os.pwrite(100, raw, 0)
        if next_stage:
            os.write(101, b".")

    try:
        names: dict[str, Any] = {"__name__": "gapsmith_driver"}
        exec(mould.driver, names)
        names["drive"](path, job["task"], job["instance"], job["options"], job["seed"], report)
    except MemoryError:
        report({"failed": ["memory", "needs more memory than it may take"]})
    except BaseException as error:
        report({"failed": ["raised", f"{type(error).__name__}: {error}{_place(error)}"[:2000]]})
    with contextlib.suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)


def _place(error: BaseException) -> str:
    """File and line of the innermost frame; the module `traceback` would cost 6 ms."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return "" if step is None else f" ({os.path.basename(step.tb_frame.f_code.co_filename)}:{step.tb_lineno})"
