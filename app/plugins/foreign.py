"""Tasks of other tools come in: `openevolve:PATH`, `skydiscover:PATH` or `shinka:PATH` becomes a problem."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any

from ...evaluators.base import Reference, ReferenceKind
from ...problems.base import Instance, Parameter
from ...problems.foreign.configuration import Configuration, ConfigurationError, read
from ...problems.foreign.inside import is_own_file, links_out
from ...problems.foreign.shinka import message_of, read_shinka
from ...problems.foreign.task import ReportedTask
from ...problems.reported import Reported
from ...sandbox.base import MAIN_FILE, ExecutionStatus, Limits, Program
from ..errors import MISSING, ProblemError, UnknownProblem
from .parameters import ParameterSpec, read_parameters, resolve
from .sources import PluginSource, content_digest

if TYPE_CHECKING:
    from ...sandbox.base import Execution
    from ...sandbox.trusted_evaluator import EvaluatorTask

TOOLS = ("openevolve", "skydiscover", "shinka")
"""Tools whose tasks run here; a task's name is `TOOL:PATH`."""
MEMORY_MB = 4096
"""Memory of an evaluation by default, MiB: evaluators bring large packages."""
_MOST_BYTES = 1 << 20
_EVALUATORS = {
    "openevolve": ("evaluator.py",),
    "skydiscover": ("evaluator.py", "evaluator/evaluator.py"),
    "shinka": ("evaluate.py",),
}
_STARTS = {"openevolve": "initial_program", "skydiscover": "initial_program", "shinka": "initial"}
_MISSING = re.compile(r"No module named '([\w.]+)'")
PACKAGES = {
    "sklearn": "scikit-learn",
    "cv2": "opencv-python",
    "bs4": "beautifulsoup4",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "skimage": "scikit-image",
}
"""Module → package, where the names differ."""


def is_foreign(spec: str) -> bool:
    """Whether a problem's name means a task of another tool."""
    return spec.partition(":")[0] in TOOLS and ":" in spec


@dataclass(frozen=True, slots=True)
class ForeignTask:
    """A task as it was loaded; the attributes are those of `LoadedProblem`."""

    name: str
    problem: ReportedTask
    references: StartScore
    origin: str
    digest: str
    parameters: Mapping[str, Any]
    specs: tuple[ParameterSpec, ...]


def load_foreign(spec: str, given: Mapping[str, object]) -> ForeignTask:
    """The task of a folder as a problem; runs nothing of it.

    Raises:
        UnknownProblem: there is no such folder.
        ProblemError: a file is missing or cannot be read.
    """
    specs = read_parameters(_parameters, spec)
    values = resolve(specs, given, spec)
    folder = _folder(spec)
    _refuse_links(folder)
    python = values["python"] or sys.executable
    tool = spec.partition(":")[0]
    evaluator = _file(folder, *_EVALUATORS[tool])
    start = _start(folder, tool)
    for path in (evaluator, start):
        if path.stat().st_size > _MOST_BYTES:
            raise ProblemError(f"{path}: more than {_MOST_BYTES} bytes, expected a program")
    configuration = _configuration(folder, values["config"], tool)
    digest = source_of_task(spec).digest or ""
    title = f"{folder.parent.name}-{folder.name}" if folder.name.isdigit() else folder.name
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "task"
    try:
        place = str(evaluator.relative_to(folder))
        problem = ReportedTask(name, digest[:12], folder, place, _text(start), configuration, python, tool)
    except (ValueError, UnicodeDecodeError) as error:
        raise ProblemError(f"{folder}: {error}") from error
    identity = hashlib.sha256(f"{digest}\0{python}".encode()).hexdigest()
    return ForeignTask(name, problem, StartScore(problem), f"folder {folder}", identity, values, specs)


def _parameters(
    python: Annotated[str, Parameter("interpreter with the evaluator's packages; empty for this one")] = "",
    config: Annotated[
        str, Parameter("configuration file in the folder; empty for config.yaml or shinka.yaml")
    ] = "",
) -> None:
    """The `[problem]` table of a foreign task."""


def source_of_task(spec: str) -> PluginSource:
    """Where a task is, and a digest of its Python and configuration files."""
    folder = _place(spec)
    paths = [*sorted(folder.glob("*")), *sorted(folder.glob("evaluator/*"))]
    files = [path for path in paths if path.suffix in (".py", ".yaml", ".yml") and is_own_file(folder, path)]
    return PluginSource(folder, content_digest(files))


def _place(spec: str) -> Path:
    try:
        return Path(spec.partition(":")[2]).expanduser()
    except RuntimeError as error:
        raise UnknownProblem(f"{spec}: there is no such user", "give the whole path of a folder") from error


def _folder(spec: str) -> Path:
    folder = _place(spec)
    if not folder.is_dir():
        what = "is a file" if folder.is_file() else "no such folder"
        tool = spec.partition(":")[0]
        hint = f"give a folder with {_STARTS[tool]}.py and {_EVALUATORS[tool][0]}"
        raise UnknownProblem(f"{spec}: {what}", hint)
    return folder.resolve()


def _refuse_links(folder: Path) -> None:
    """Refuses a folder with a link to something outside: an evaluator, and so a program, could read that."""
    try:
        links = links_out(folder)
    except OSError as error:
        raise ProblemError(f"{folder}: {error.strerror}", "expected a folder that can be read") from error
    if links:
        raise ProblemError(
            f"{links[0]}: a link that leads out of the task's folder, to {links[0].readlink()}",
            "put a copy of what the evaluator needs into the folder, in place of the link",
        )


def _file(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        if is_own_file(folder, path):
            return path
        if path.exists() or path.is_symlink():
            raise ProblemError(f"{path}: expected a plain file of the folder, and no link on the way there")
    raise ProblemError(
        f"{folder}: no {' or '.join(names)}", "expected a task's folder, as docs/how-to/foreign-tasks.md says"
    )


def _start(folder: Path, tool: str) -> Path:
    name = _STARTS[tool]
    others = [path.name for path in folder.glob(f"{name}.*") if path.suffix != ".py"]
    if others and not (folder / f"{name}.py").is_file():
        raise ProblemError(f"{folder / others[0]}: the program is no Python", "only Python tasks run here")
    return _file(folder, f"{name}.py")


def start_of(problem: ReportedTask) -> Path:
    """The file of a task's start program."""
    return _start(problem.folder, problem.tool)


def _text(path: Path) -> str:
    return path.read_text("utf-8-sig").replace("\r\n", "\n")


def _configuration(folder: Path, name: str, tool: str) -> Configuration:
    """What the task's configuration says; a statement of ShinkaEvolve may stand in `run_evo.py` too."""
    stem, reader = ("shinka", read_shinka) if tool == "shinka" else ("config", read)
    if name and not is_own_file(folder, folder / name):
        raise ProblemError(
            f"problem.config: {folder / name}: no such file in the folder (links do not count)"
        )
    paths = [folder / name] if name else sorted(folder.glob(f"{stem}*.y*ml"))
    usual = [path for path in paths if path.stem == stem] or paths
    if usual and not is_own_file(folder, usual[0]):
        raise ProblemError(f"{usual[0]}: no plain file of the folder, expected a configuration")
    try:
        configuration = reader(usual[0]) if usual else Configuration()
        if tool == "shinka" and not configuration.message:
            configuration = replace(configuration, message=message_of(folder))
        return configuration
    except ConfigurationError as error:
        raise ProblemError(str(error)) from error
    except ModuleNotFoundError as error:
        hint = "pip install 'gapsmith[foreign]'"
        raise ProblemError(f"{usual[0]}: PyYAML is not installed", hint, code=MISSING) from error


def with_task_defaults(document: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """A configuration with what its foreign task says, and a line on the keys that mean nothing here.

    What stands in `document` already counts more; any budget of the user's takes the place of the task's.
    """
    filled = copy.deepcopy(dict(document))
    spec = str((filled.get("campaign") or {}).get("problem", ""))
    if not is_foreign(spec):
        return filled, ""
    problem = load_foreign(spec, filled.get("problem") or {}).problem
    assert isinstance(problem, ReportedTask)
    configuration = problem.configuration
    own_budget = any(value is not None for value in (filled.get("budget") or {}).values())
    for section, values in {**configuration.defaults, "sandbox": {"memory_mb": float(MEMORY_MB)}}.items():
        if section == "budget" and own_budget:
            continue
        filled[section] = {**values, **(filled.get(section) or {})}
    if not configuration.unused:
        return filled, ""
    names = ", ".join(configuration.unused)
    models = any("llm" in key for key in configuration.unused)
    hint = "; models are named with --model, no address of this file is contacted" if models else ""
    return filled, f"{spec}: keys of {configuration.file} that are not used: {names}{hint}"


def workshop_task(problem: Reported) -> EvaluatorTask:
    """What a workshop is set up for."""
    from ...sandbox.trusted_evaluator import EvaluatorTask

    driver = problem.workshop_driver
    options = problem.workshop_options
    return EvaluatorTask(problem.folder, driver, options, problem.python, problem.workshop_packages)


class StartScore:
    """The start program's score, evaluated once, as the reference of every repetition."""

    version = "1"
    kinds = (ReferenceKind.REPORTED,)

    def __init__(self, problem: ReportedTask) -> None:
        self._problem = problem
        self._lock = Lock()
        self._score: float | None = None

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The start program's score; an evaluation takes as long as the task's own limit allows."""
        with self._lock:
            if self._score is None:
                self._score = start_score(self._problem, instance)
        kind = ReferenceKind.REPORTED
        return Reference(self._score, kind, None, None, "start program", self.version, None, "evaluated once")


def evaluate_start(problem: ReportedTask, instance: Instance, number: int = 1) -> Execution:
    """One evaluation of the start program in a workshop."""
    from ...sandbox.policy import Policy
    from ...sandbox.trusted_evaluator import open_workshop

    limits = Limits(problem.cpu_seconds, MEMORY_MB << 20)
    with open_workshop(workshop_task(problem), Policy()) as workshop:
        program = Program({MAIN_FILE: problem.start}, problem.entry_point)
        return workshop.execute(program, instance.encoded, limits, number)


def start_score(problem: ReportedTask, instance: Instance) -> float:
    """The start program's score.

    Raises:
        ProblemError: there is none; names a package that is missing, and the command that installs it.
    """
    execution = evaluate_start(problem, instance)
    check_packages(problem, execution)
    if execution.status is not ExecutionStatus.OK:
        raise ProblemError(
            f"{problem.folder}: the start program has no score: {execution.status}: {execution.error}",
            f"`gapsmith problems check {problem.tool}:{problem.folder}` says more",
        )
    verdict = problem.verify(instance, execution.answer)
    if verdict.objective is None:
        raise ProblemError(
            f"{problem.folder}: the start program has no score: {'; '.join(verdict.violations)}"
        )
    return float(verdict.objective)


def check_packages(problem: ReportedTask, execution: Execution) -> None:
    """Refuses a task whose evaluator lacks a package: many report that as a score of 0.

    Raises:
        ProblemError: names the package and the command that installs it.
    """
    said = f"{execution.error or ''}\n{execution.output}\n{problem.feedback(execution.answer)}"
    if missing := _MISSING.search(said):
        name = missing[1].partition(".")[0]
        raise ProblemError(
            f"{problem.folder}: its evaluator needs a package that {problem.python} does not have: {name}",
            f"{problem.python} -m pip install {PACKAGES.get(name, name)}, or name an interpreter that has "
            "it with --set problem.python=PATH",
            code=MISSING,
        )
