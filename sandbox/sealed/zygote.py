"""The template of a workshop: a process with the evaluator's packages imported, from which jails are forked.

It passes the descriptors of a job to a forked child and reads none of them, and it runs nothing of a task: so
every evaluation begins with the same memory, in which nothing of an earlier one is left. It imports installed
packages by name and never a module of the task. It is started by path, without the rest of Gapsmith, by an
interpreter that has the evaluator's packages (Python 3.9 or later):
`python -B -X utf8 -c "…; template.main()" FOLDER CONTROL SETTINGS`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Collection, Iterable
from typing import NoReturn

from . import evaluator_process, isolation

_JOB = 4
"""Descriptors of a job: the job, the output, the answer, the report."""


def main() -> NoReturn:
    """Prepares, says how that went, and forks jails until the tool closes the control socket."""
    control = socket.socket(fileno=int(sys.argv[1]))
    with open(int(sys.argv[2]), "rb") as stream:
        settings = json.load(stream)
    try:
        mould = evaluator_process.Mould(settings["driver"], frozenset(settings["without"]))
        unsound = _prepare(settings["packages"], settings["names"], control.fileno())
        control.send(json.dumps({"unsound": unsound}).encode())
    except KeyError as error:
        _end(control, "seccomp", f"no system calls are known of machine {error}")
    except Exception as error:
        _end(control, "platform", f"{type(error).__name__}: {error}")
    gc.collect()
    gc.freeze()
    _serve(control, mould)


def _end(control: socket.socket, layer: str, reason: str) -> NoReturn:
    control.send(json.dumps({"layer": layer, "error": reason}).encode())
    os._exit(1)


def _prepare(packages: Iterable[str], names: Collection[str], control: int) -> str:
    """Imports packages; returns why no jail should be forked from what that left, empty if one can be."""
    before = set(sys.modules)
    for name in packages:
        with contextlib.suppress(Exception):  # what is missing is missed by the evaluator, which says so
            if importlib.util.find_spec(name) is not None:
                importlib.import_module(name)
    hidden = sorted({name.partition(".")[0] for name in set(sys.modules) - before} & set(names))
    if hidden:
        return f"modules of the task have the names of imported ones: {', '.join(hidden)}"
    try:
        isolation.check_process({0, 1, 2, control})
    except RuntimeError as error:
        return str(error)
    return ""


def _serve(control: socket.socket, mould: evaluator_process.Mould) -> NoReturn:
    """One job after another; where the tool is gone, a running one is ended too."""
    own = os.getpid()
    while True:
        message, places, _, _ = socket.recv_fds(control, 1, _JOB)
        if not message or len(places) != _JOB:
            os._exit(0)
        watcher = os.fork()
        if watcher == 0:
            control.close()
            isolation.prctl(isolation.PR_SET_PDEATHSIG, isolation.SIGKILL)
            if os.getppid() != own:
                os._exit(1)
            evaluator_process.run(mould, *places)
        for place in places:
            os.close(place)
        _wait(watcher, control)


def _wait(watcher: int, control: socket.socket) -> None:
    ending, poller = os.pidfd_open(watcher), select.poll()
    poller.register(ending, select.POLLIN)
    poller.register(control, 0)  # its hang-up alone: further jobs wait
    poller.poll()
    with contextlib.suppress(ProcessLookupError):
        if not select.select([ending], [], [], 0)[0]:
            os.kill(watcher, signal.SIGKILL)
    os.waitpid(watcher, 0)
    os.close(ending)
