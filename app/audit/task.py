"""What a task of another tool needs and gets on this machine; its evaluator is not run."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from typing import Any

from ...problems.foreign.packages import required
from ...problems.foreign.task import ReportedTask
from ...sandbox.base import MAIN_FILE, Limits, Program, SandboxError
from ...sandbox.policy import Policy
from ...sandbox.workshop import Task, Workshop, self_test
from ..door.foreign import PACKAGES, TOOLS, load_foreign, start_of, workshop_task
from ..errors import INVALID, UserError

_SECONDS, _MEMORY = 60.0, 1 << 30
_FIND = """
import importlib.util, sys
def drive(path, folder, instance, options, seed, report):
    sys.path[:0] = options["places"]
    missing = []
    for name in options["modules"]:
        try:
            there = name in sys.modules or importlib.util.find_spec(name) is not None
        except Exception:
            there = False
        if not there:
            missing.append(name)
    report({"version": sys.version.split()[0], "missing": missing})
"""


def examine_task(spec: str, parameters: Mapping[str, Any], without: frozenset[str]) -> dict[str, Any]:
    """The document of `doctor TASK`: packages, the workshop's layers, and what is not used.

    Raises:
        ProblemError: the folder is no task.
        UserError: the interpreter did not answer.
    """
    loaded = load_foreign(spec, parameters)
    problem = loaded.problem
    assert isinstance(problem, ReportedTask)
    document: dict[str, Any] = {
        "task": spec,
        "folder": str(problem.folder),
        "python": problem.python,
        "configuration": problem.configuration.file or None,
        "unused_keys": list(problem.configuration.unused),
    }
    policy = Policy(without=without)
    try:
        with Workshop(workshop_task(problem), policy) as workshop:
            stopped = self_test(workshop)
            unshared = workshop.open()
            layers = workshop.layers
    except SandboxError as error:
        packages: dict[str, Any] = {"python_version": None, "packages": None, "install": None}
        failed = {"layers": {}, "self_test": "failed", "reason": f"{error}; {error.hint}"}
        return {**document, **packages, "shared": None, "unshared": None, "workshop": failed}
    environment = _packages(problem, policy)
    shared = [
        name
        for name in problem.workshop_packages
        if environment["packages"][name.partition(".")[0]]["installed"]
    ]
    return {
        **document,
        **environment,
        "shared": [] if unshared else shared,
        "unshared": unshared or None,
        "workshop": {
            "layers": {name: {"active": on, "reason": reason} for name, (on, reason) in layers.items()},
            "self_test": "passed",
            "reason": None,
            "attacks": stopped,
        },
    }


def _packages(problem: ReportedTask, policy: Policy) -> dict[str, Any]:
    """Packages that the task's sources import, and the command that installs those that are missing."""
    evaluator = problem.folder / problem.evaluator
    places = list(dict.fromkeys((evaluator.parent, problem.folder)))
    imported = required([evaluator, start_of(problem)], places)
    names = [name for name in imported if name not in TOOLS and name not in sys.stdlib_module_names]
    options: dict[str, Any] = {"modules": names, "places": [str(place) for place in places]}
    with Workshop(Task(problem.folder, _FIND, options, problem.python), policy) as workshop:
        done = workshop.execute(Program({MAIN_FILE: ""}, "f"), b"{}", Limits(_SECONDS, _MEMORY), 1)
    if not isinstance(done.answer, dict):
        raise UserError(INVALID, f"{problem.python}: {done.error}", "expected Python 3.9 or later")
    answer: dict[str, Any] = done.answer
    lacking = [str(name) for name in answer["missing"]]
    needed = [PACKAGES.get(name, name) for name in lacking if imported[name]]
    command = shlex.join([problem.python, "-m", "pip", "install", *needed])
    return {
        "python_version": answer["version"],
        "packages": {name: {"installed": name not in lacking, "needed": imported[name]} for name in names},
        "install": command if needed else None,
    }
