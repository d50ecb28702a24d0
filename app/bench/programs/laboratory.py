"""Runs inside the sandbox before an experiment: makes the module `bench` of the problem's own source texts.

Nothing that draws instances is set up here, no seed, no secret and no instance but the training instances
that the experiment is given. What a script makes of the classes that it can reach is the public law alone.
"""

import copy
import importlib
import importlib.machinery
import json
import sys
import time
import types
from typing import Any

SOURCES: dict[str, Any] = globals().get(
    "SOURCES", {}
)  # module → [text, whether it is a package]; set by the tool


class _Texts:
    """Finds the problem's modules among the given source texts."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """See `importlib`."""
        if name not in SOURCES:
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(name, loader, is_package=bool(SOURCES[name][1]))

    def create_module(self, spec: Any) -> None:
        """Leaves the making of the module to the import system."""

    def exec_module(self, module: Any) -> None:
        """Runs a text in a fresh module."""
        name = module.__name__
        exec(compile(SOURCES[name][0], name, "exec", dont_inherit=True), module.__dict__)


finder: Any = _Texts()
sys.meta_path.insert(0, finder)
bench: Any = types.ModuleType("bench", "The training instances and the problem's objective.")
bench.instances = []
bench.cpu_seconds = None
sys.modules["bench"] = bench
_state: dict[str, Any] = {"why": "no experiment has begun"}
_known: dict[int, Any] = {}


def _problem() -> Any:
    problem = _state.get("problem")
    if problem is None:
        raise RuntimeError("the problem's objective cannot be used here: " + _state["why"])
    return problem


def _instance(given: Any) -> Any:
    """The problem's instance of a dictionary; of a given one it is made once."""
    made = _known.get(id(given))
    if made is not None and made[0] is given:
        return made[1]
    base = importlib.import_module("gapsmith.problems.base")
    scale = base.decode_number(str(given.get("scale", 1)))
    name, group = str(given.get("id", "own")), str(given.get("group", "own"))
    instance = base.Instance(name, "train", group, given["public"], scale, "own", given.get("hidden"))
    if id(given) in _state["given"]:
        _known[id(given)] = (given, instance)
    return instance


def _plain(value: Any) -> Any:
    """What the sandbox takes from candidates beside plain data: numpy's numbers and arrays, other ranges."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    return list(value)


def verify(instance: Any, answer: Any) -> tuple[str, Any, list[str]]:
    """The problem's verdict on an answer: (status, objective or None, list of what is wrong)."""
    verdict = _problem().verify(_instance(instance), json.loads(json.dumps(answer, default=_plain)))
    value = verdict.objective
    if value is not None and not isinstance(value, int):
        value = float(value)
    return str(verdict.status), value, list(verdict.violations)


def objective(instance: Any, answer: Any) -> Any:
    """The objective of an answer in the problem's unit; None if the answer is not valid."""
    return verify(instance, answer)[1]


def gap(instance: Any, answer: Any) -> float | None:
    """How far an answer is from the reference in percent of max(|reference|, scale), smaller is better.

    None if the answer is not valid or the instance has no reference.
    """
    value, reference = objective(instance, answer), instance.get("reference")
    if value is None or reference is None:
        return None
    loss = value - reference if _state["minimise"] else reference - value
    base = importlib.import_module("gapsmith.problems.base")
    return float(100 * loss / max(abs(reference), float(base.decode_number(str(instance.get("scale", 1))))))


def run(program: Any, instance: Any) -> Any:
    """The answer of a program to an instance, called as a candidate is; a dialogue is simulated.

    Args:
        program: a function, or a class where the entry point is one.
        instance: one of `bench.instances`, or a dictionary of the same form.
    """
    drive, public = _state.get("drive"), copy.deepcopy(instance["public"])
    if drive is None:
        return program(**public)
    if not _state["dialogue"]:
        return drive(program, public)
    dialogue = _problem().dialogue(_instance(instance))
    waiting = [dialogue.next(b"")]

    def receive() -> Any:
        return waiting[0]

    def send(line: bytes) -> None:
        waiting[0] = dialogue.next(line)

    drive(program, public, receive, send)
    return dialogue.answer()


bench.verify, bench.objective, bench.gap, bench.run = verify, objective, gap, run


def seconds() -> float:
    """CPU seconds of this experiment so far (seconds)."""
    return float(time.process_time() - _state["began"])


bench.seconds = seconds


def _load(about: Any) -> Any:
    """The problem as its plain attributes make it; without its law, and without a secret."""
    module = importlib.import_module(about["module"])
    kind: Any = module
    for part in about["name"].split("."):
        kind = getattr(kind, part)
    problem: Any = object.__new__(kind)
    for name, value in about["state"].items():
        object.__setattr__(problem, name, value)
    return problem


def drive(entry: Any, instance: Any) -> Any:
    """Fills the module and runs the experiment."""
    bench.instances.extend(instance["instances"])
    bench.cpu_seconds = instance["cpu_seconds"]
    about = instance["problem"]
    _state["began"] = time.process_time()
    _state.update(minimise=about["minimise"], dialogue=about["dialogue"], why=about["why"] or "")
    _state["given"] = frozenset(map(id, bench.instances))
    if about["driver"] is not None:
        scope: dict[str, Any] = {"__name__": "_driver_of_problem"}
        exec(compile(about["driver"], "driver", "exec", dont_inherit=True), scope)
        _state["drive"] = scope["drive"]
    if about["module"] is not None:
        try:
            _state["problem"] = _load(about)
        except Exception as error:
            _state["why"] = f"{type(error).__name__}: {error}"
    return entry()
