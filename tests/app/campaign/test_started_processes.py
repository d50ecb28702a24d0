"""Every process that the tool starts, begun from a folder full of modules that must never be imported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.check import check_problem
from gapsmith.app.check.second_process import ProcessAnswers, elsewhere
from gapsmith.app.config import parse
from gapsmith.app.plugins.foreign import evaluate_start, load_foreign
from gapsmith.app.plugins.loader import source_of
from gapsmith.app.runs.folders import Group
from gapsmith.app.setup import workers as opening
from gapsmith.app.setup.executors import connected
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.app.setup.slurm import write_array
from gapsmith.app.setup.workers import check_hello, encode_brief
from gapsmith.evaluators.toolbox import solve_mip
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.problems.foreign.task import ReportedTask
from gapsmith.sandbox import interpreter
from gapsmith.sandbox.base import MAIN_FILE, ExecutionStatus, Limits, Program
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.slot import Slot

PROBLEM = Path(__file__).with_name("flow_time.py")
NAMES = (
    *("gapsmith", "typer", "numpy", "json", "sitecustomize", "usercustomize", "os", "random", "ctypes"),
    *("pulp", "highspy", "ortools", "click", "rich", "pydantic", "jinja2", "yaml", "ray", "sealed", "runpy"),
)
"""Modules that lie in the folder: of the tool, of its packages, of Python, and what Python looks for."""
SETTINGS: dict[str, dict[str, str]] = {
    "all": {
        "PYTHONPATH": ":.:../traps:below:",
        "PYTHONUSERBASE": "base",
        "PYTHONPYCACHEPREFIX": "cache",
        "PATH": ":/usr/bin:/bin",
    },
    "nothing": {},
    "empty entry": {"PYTHONPATH": ":"},
    "empty entry first": {"PYTHONPATH": ":/nowhere"},
    "dot": {"PYTHONPATH": "."},
    "relative": {"PYTHONPATH": "../traps:below"},
    "user base": {"PYTHONUSERBASE": "base", "PYTHONPYCACHEPREFIX": "cache"},
}
"""Environment variables that make Python look into the working folder."""


class Traps:
    """The folder, and what was imported from there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._canary = folder, folder.parent / "canary"
        site = f"base/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
        for place in ("", "below", site):
            (folder / place).mkdir(parents=True, exist_ok=True)
            for name in NAMES:
                text = f"open({str(self._canary)!r}, 'a').write({name + ' '!r})\n"
                (folder / place / f"{name}.py").write_text(text + "raise SystemExit(99)\n")
            (folder / place / "trap.pth").write_text(f"import builtins; {text}")
        package = folder / "gapsmith"
        package.mkdir()
        (package / "__init__.py").write_text((folder / "gapsmith.py").read_text())

    @property
    def sprung(self) -> str:
        """Names of the modules that were imported."""
        return self._canary.read_text() if self._canary.exists() else ""


@pytest.fixture(params=["all", *(pytest.param(name, marks=pytest.mark.slow) for name in [*SETTINGS][1:])])
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Traps:
    """A folder of traps as working folder, with variables that lead Python there."""
    made = Traps(tmp_path / "traps")
    monkeypatch.chdir(made.folder)
    for name, value in SETTINGS[request.param].items():
        monkeypatch.setenv(name, value)
    return made


@pytest.mark.parametrize("traps", ["all", "empty entry", "dot", "relative", "user base"], indirect=True)
def test_the_traps_work(traps: Traps) -> None:
    """A process that is started without care imports from the folder: the test can fail."""
    subprocess.run([sys.executable, "-m", "gapsmith.cli", "--help"], capture_output=True)
    assert traps.sprung


def test_a_worker_starts(traps: Traps) -> None:
    """A worker process scores a program as a thread does."""
    setup = setup_of_problem(parse({"campaign": {"problem": str(PROBLEM)}}, "test"))
    files = {MAIN_FILE: next(iter(setup.loaded.problem.start_programs().values()))}
    with opening.process_executor(setup, 1, pytest.fail) as crew:
        job = EvaluationJob(setup.evaluator.program(files), "train", False, None)
        assert crew.submit(job).result(60).fitness is not None
    assert not traps.sprung


def test_a_worker_works_in_the_caller_s_folder(traps: Traps) -> None:
    """A module of the working folder that the user names is a problem for a worker too."""
    shutil.copy(PROBLEM, traps.folder / "own_problem.py")
    setup = setup_of_problem(parse({"campaign": {"problem": "own_problem:FlowTime"}}, "test"))
    worker = opening.PipeWorker(1)
    try:
        worker.send(encode_brief(setup))
        check_hello(worker.receive(), setup)
    finally:
        worker.close()
        sys.modules.pop("own_problem", None)
        sys.path.remove(str(traps.folder))
    assert not traps.sprung


def test_the_checks_of_a_problem_start(traps: Traps) -> None:
    """`problems check` makes its checks in a process, and draws instances once more in another one."""
    shutil.copy(PROBLEM, traps.folder / "own.py")
    report = check_problem("own.py", quick=True)
    assert "repeated draw" in report.checks
    assert "check-failed" not in {finding.kind for finding in report.findings}
    assert isinstance(elsewhere("own.py", {}, 1), ProcessAnswers)
    assert not traps.sprung


def test_a_solver_starts(traps: Traps) -> None:
    """The process of a solver proves an optimum."""
    import pulp

    model = pulp.LpProblem("one", pulp.LpMaximize)
    model += model.add_variable("x", 0, 4, cat="Integer")
    assert solve_mip(model, seconds=10, integral_objective=True).value == 4
    assert not traps.sprung


def test_the_sandbox_starts(traps: Traps) -> None:
    """The sealed server and its children import numpy and json where they are installed."""
    text = "import json, numpy\ndef f(x):\n    return json.loads('1') + int(numpy.int64(x))\n"
    with Slot(Policy()) as slot:
        done = slot.execute(Program({MAIN_FILE: text}, "f"), b'{"x": 1}', Limits(10.0, 1 << 30), 1)
    assert (done.status, done.answer) == (ExecutionStatus.OK, 2), done.error
    assert not traps.sprung


def test_a_workshop_starts(traps: Traps, tmp_path: Path) -> None:
    """The evaluator of another tool's task gets its packages from where they are installed."""
    task = tmp_path / "task"
    task.mkdir()
    (task / "initial_program.py").write_text("def f():\n    return 1.0\n")
    evaluator = (
        "import json, numpy\ndef evaluate(path):\n    return {'combined_score': float(numpy.float64(1))}\n"
    )
    (task / "evaluator.py").write_text(evaluator)
    problem = load_foreign(f"openevolve:{task}", {}).problem
    assert isinstance(problem, ReportedTask)
    done = evaluate_start(problem, problem.instances("train", 1)[0])
    assert done.status is ExecutionStatus.OK, done.error
    assert not traps.sprung


def test_ray_is_joined_from_the_root_folder(traps: Traps, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray adds the working folder of whoever joins a cluster to the places of modules of every actor."""
    joined: list[str] = []
    init: Callable[..., None] = lambda **_: joined.append(os.getcwd())  # noqa: E731
    fake = SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=lambda: None)
    monkeypatch.setitem(sys.modules, "ray", fake)
    with connected("ray"):
        assert os.getcwd() == str(traps.folder)
    assert joined == [interpreter.START_FOLDER]


@pytest.mark.slow
def test_a_slurm_task_starts(traps: Traps, tmp_path: Path) -> None:
    """A batch script that was written in the folder, and is submitted there, makes a whole campaign."""
    shutil.copy(PROBLEM, traps.folder / "own.py")
    config = parse({"campaign": {"problem": "own.py"}, "budget": {"iterations": 2}}, "test")
    script = write_array(tmp_path / "runs", Group("group", 1), config, {})
    variables = {**os.environ, "SLURM_ARRAY_TASK_ID": "1", "SLURM_CPUS_PER_TASK": "1"}
    done = subprocess.run(["bash", str(script)], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not traps.sprung


def test_a_name_in_a_record_opens_no_folder(traps: Traps) -> None:
    """To look where a module is, as is done before anybody trusts a record, leaves the path as it was."""
    before = list(sys.path)
    assert source_of("gapsmith_nowhere:plugin").digest is None
    assert sys.path == before


def test_places_of_modules_are_absolute(traps: Traps, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is handed to no process, neither as a text without letters nor by its whole name."""
    monkeypatch.setattr(sys, "path", ["", ".", "/usr/lib/python", *sys.path])
    assert {"", "."}.isdisjoint(interpreter.module_places())
    if os.environ.get("PYTHONPATH"):
        monkeypatch.setattr(sys, "path", [str(traps.folder), *sys.path])
    if os.environ.get("PYTHONPATH") in (":", ".", ":/nowhere", SETTINGS["all"]["PYTHONPATH"]):
        assert str(traps.folder) not in interpreter.module_places()
    for name in ("PYTHONPATH", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"):
        places = interpreter.environment().get(name, "/nowhere").split(":")
        assert all(map(os.path.isabs, places))


def test_only_one_module_starts_python() -> None:
    """No other module names the interpreter or Python's switches: a new process begins as all others do."""
    root = Path(interpreter.__file__).parents[1]
    allowed = {
        "sandbox/interpreter.py": "it is the one",
        "sandbox/trusted_evaluator.py": "an interpreter of the user's, and attacks in the jail",
        "app/plugins/foreign.py": "the interpreter of a task by default",
        "app/setup/slurm.py": "a batch script, tested above",
        "app/runs/standalone.py": "in the text of best.py, which starts itself",
    }
    folders = ("app", "evolve", "problems", "evaluators", "prompts", "sandbox")
    named = {
        str(path.relative_to(root))
        for folder in folders
        for path in (root / folder).rglob("*.py")
        if "sys.executable" in path.read_text("utf-8")
    }
    assert named == set(allowed)


def test_nobody_else_starts_processes() -> None:
    """The modules that start a process are those whose processes are started above."""
    root = Path(interpreter.__file__).parents[1]
    words: Callable[[str], bool] = lambda text: any(  # noqa: E731
        word in text
        for word in ("subprocess.Popen(", "subprocess.run(", "os.execv", "os.spawn", "os.system(")
    )
    found: dict[str, Any] = {
        str(path.relative_to(root)): None
        for folder in ("app", "evolve", "problems", "evaluators", "prompts", "sandbox")
        for path in (root / folder).rglob("*.py")
        if words(path.read_text("utf-8"))
    }
    assert sorted(found) == [
        "app/bench/agent.py",  # an agent, by the user's word; test_agent.py
        "app/check/__init__.py",
        "app/check/second_process.py",
        "app/runs/standalone.py",
        "app/setup/workers.py",
        "evaluators/toolbox/process.py",
        "evolve/llm/command_model.py",  # a model's program, by the user's word; test_second_round_places.py
        "sandbox/process.py",
        "sandbox/template.py",
        "sandbox/trusted_evaluator.py",
    ]
