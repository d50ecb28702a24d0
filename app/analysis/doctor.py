"""Says what works here, on a cluster's nodes, and for a task of another tool; apart from its verb."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evaluators.solver_check import solvers
from ...evolve.llm.base import Closable, ErrorKind, Model, ModelError, Recourse, Request
from ...evolve.llm.settings import ModelSettings
from ...evolve.types import Prompt
from ...problems.foreign.packages import required
from ...problems.foreign.task import ReportedTask
from ...sandbox.base import MAIN_FILE, Limits, Program, SandboxError
from ...sandbox.policy import Policy
from ...sandbox.trusted_evaluator import EvaluatorTask, Workshop, self_test
from ..config import Workers, kind_of
from ..errors import INVALID, USAGE, UserError
from ..plugins.foreign import PACKAGES, TOOLS, load_foreign, start_of, workshop_task
from ..setup.executors import connected, nodes, place
from ..setup.workers import PYTHON, machine
from ..versions import versions

if TYPE_CHECKING:
    from ...sandbox.checks import Honest


_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")

LONGEST = ("task-graph", "look-ahead")
"""Problem and baseline: the longest program of all built-ins, by name, as loading them all takes 0.3 s."""

_QUESTION = Prompt("You answer with one word.", "Say: here")
_ANSWER_TOKENS = 256
_MOST_SECONDS = 30.0
_REPLIED = (Recourse.AGAIN, Recourse.REJECT)
"""What can be done about a reply that arrived and is of no use."""


def examine(without: frozenset[str], models: Sequence[ModelSettings] = ()) -> dict[str, Any]:
    """The document of `doctor`; each named model gets one short question, which its provider may bill."""
    return {
        "versions": versions(),
        "solvers": solvers(),
        "sandbox": sandbox(without),
        "keys": {name: bool(os.environ.get(name)) for name in _KEYS},
        "models": [reach(settings) for settings in models],
    }


def reach(settings: ModelSettings) -> dict[str, Any]:
    """Whether a model answers, after how many wall seconds; the reason when it does not.

    Raises:
        UserError: no model has such a name.
    """
    began = time.monotonic()
    reason = None
    try:
        model = _built(settings)
        try:
            seconds = min(_MOST_SECONDS, settings.timeout_seconds)
            model.complete(Request(_QUESTION, _ANSWER_TOKENS, seconds, iteration=1))
        finally:
            if isinstance(model, Closable):
                model.close()
    except ModelError as error:
        reason = None if error.recourse in _REPLIED else error.sentence
    spent = round(time.monotonic() - began, 3)
    return {"spec": settings.spec, "reachable": reason is None, "reason": reason, "wall_seconds": spent}


def _built(settings: ModelSettings) -> Model:
    from ...evolve.llm.registry import Surroundings, build_model

    try:
        return build_model(settings, Surroundings())
    except ModelError as error:
        if error.kind is ErrorKind.UNKNOWN_MODEL:
            raise UserError(USAGE, error.sentence, "`gapsmith models` lists what works here") from error
        raise


def sandbox(without: frozenset[str]) -> dict[str, Any]:
    """The sandbox's layers and its self-test, which runs the longest program of the built-in problems too."""
    from ...sandbox.policy import Policy
    from ...sandbox.slot import layers, self_test

    policy = Policy(without=without)
    shown = {n: {"active": layer.active, "reason": layer.reason} for n, layer in layers(policy).items()}
    try:
        self_test(policy, [longest_program()])
    except SandboxError as error:
        return {"layers": shown, "self_test": "failed", "reason": f"{error}; {error.hint}"}
    return {"layers": shown, "self_test": "passed", "reason": None}


def longest_program() -> Honest:
    """The longest program that a built-in problem ships, with an instance of that problem."""
    from ...sandbox.checks import Honest
    from ..plugins.loader import load_problem

    spec, name = LONGEST
    problem = load_problem(spec).problem
    program = Program({MAIN_FILE: problem.baselines()[name]}, problem.entry_point)
    public = problem.instances("train", 1)[0].encoded
    return Honest(f"baseline {name} of {problem.name}", program, public)


# Says what works on each node of a Ray cluster, for `doctor --nodes`.

_SECONDS = 120.0
"""Wall seconds that a node may take to answer."""


class Examiner:
    """Runs on a node, in a process of Ray's."""

    def examine(self, without: list[str]) -> str:
        """Versions, processor, layers and self-test, as JSON."""

        said = {"gapsmith": versions()["gapsmith"], "python": PYTHON, "machine": machine()}
        return json.dumps({**said, "sandbox": sandbox(frozenset(without))})


def examine_nodes(spec: str, without: frozenset[str]) -> list[dict[str, Any]]:
    """A row for each node: its kind, whether it can work for this machine, and if not, why.

    Raises:
        UserError: `spec` names no cluster, Ray is not installed, or there is no such cluster.
    """
    if kind_of(spec) is not Workers.RAY:
        raise UserError(USAGE, f"--nodes {spec}: expected ray or ray://HOST:PORT")
    with connected(spec) as ray:
        every = nodes(ray)
        actors = [place(ray, Examiner, node) for node in every]
        try:
            coming = [actor.examine.remote(sorted(without)) for actor in actors]
            rows = []
            for node, reference in zip(every, coming, strict=True):
                try:
                    said = json.loads(ray.get(reference, timeout=_SECONDS))
                except ray.exceptions.RayError as error:
                    said = {"reason": f"{type(error).__name__}: {str(error).strip().splitlines()[-1]:.200}"}
                rows.append({"node": node.name, "processors": node.processors, **_judged(said)})
            return rows
        finally:
            for actor in actors:
                ray.kill(actor)


def _judged(said: dict[str, Any]) -> dict[str, Any]:
    """The row of a node, from the node's own answer."""
    reason = said.get("reason")
    for key, here in (("gapsmith", versions()["gapsmith"]), ("python", PYTHON)):
        if reason is None and said[key] != here:
            reason = f"{key} {said[key]}, and {here} here"
    sandbox = said.get("sandbox") or {}
    if reason is None and sandbox["self_test"] != "passed":
        reason = sandbox["reason"]
    known = {key: said.get(key) for key in ("gapsmith", "python", "machine")}
    layers = {name: layer["active"] for name, layer in sandbox.get("layers", {}).items()}
    self_test = sandbox.get("self_test")
    return {**known, "self_test": self_test, "layers": layers, "usable": reason is None, "reason": reason}


# What a task of another tool needs and gets on this machine; its evaluator is not run.

_TASK_SECONDS = 60.0
_MEMORY = 1 << 30
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
    with Workshop(EvaluatorTask(problem.folder, _FIND, options, problem.python), policy) as workshop:
        done = workshop.execute(Program({MAIN_FILE: ""}, "f"), b"{}", Limits(_TASK_SECONDS, _MEMORY), 1)
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
