"""Loads problems: built-ins, files, modules and installed packages all come through `load_problem`."""

from __future__ import annotations

import hashlib
import inspect
import linecache
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Plugin, Reference, References
from ...evaluators.judging import VERIFY_SECONDS
from ...problems.base import SPLITS, Instance, Problem, Sense, Versioned, canonical_json
from ..errors import ProblemError, UnknownProblem
from .built_ins import BUILT_IN, NAMES_ELSEWHERE
from .built_ins import BUILT_INS as BUILT_INS
from .fingerprint import used_digest
from .foreign import is_foreign, load_foreign, source_of_task
from .parameters import ParameterSpec, read_parameters, resolve
from .sources import (
    PluginObject,
    PluginSource,
    blame,
    check_length,
    check_no_attribute,
    check_python,
    from_entry_point,
    from_file,
    from_module,
    installed,
    near_files,
    source_digest,
    source_of_file,
    source_of_module,
    told_when_slow,
)

if TYPE_CHECKING:
    from ...evolve.selection import Selection

_ATTRIBUTES = {
    "name": str,
    "version": str,
    "sense": Sense,
    "unit": str,
    "entry_point": str,
    "signature": str,
    "statement": str,
}
_LARGEST_TOLERANCE = 0.01
"""Largest relative tolerance that a problem with float objectives may declare."""
_METHODS = ("sets", "instances", "start_programs", "baselines", "verify")

GROUP = "gapsmith.problems"
"""Entry points of problems in installed packages."""


@dataclass(frozen=True, slots=True)
class LoadedProblem:
    """A problem with its references, parameters and origin.

    Attributes:
        name: the problem's own name.
        problem: the problem, made with `parameters`.
        references: source of the problem's references; None compares with the best baseline.
        origin: `built-in`, `file PATH`, `module` or `package DIST VERSION`.
        digest: hex SHA-256 of the plug-in's source texts.
        source: text of a single-file plug-in; None for other plug-ins.
        parameters: resolved `[problem]` table, defaults included.
        specs: type, default and range of each parameter.
    """

    name: str
    problem: Problem
    references: References | None
    origin: str
    digest: str
    source: str | None
    parameters: Mapping[str, Any]
    specs: tuple[ParameterSpec, ...]

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of the source texts and the parameters, on which the problem's results depend."""
        return hashlib.sha256(canonical_json([self.digest, dict(self.parameters)]).encode()).hexdigest()

    @property
    def reference_fingerprint(self) -> str:
        """Hex SHA-256 of all that references depend on beside the instance; of a file, only the definitions
        they use.
        """
        if self.source is None:
            return self.fingerprint
        parts = [used_digest(self.source), dict(self.parameters)]
        return hashlib.sha256(canonical_json(parts).encode()).hexdigest()

    @property
    def named(self) -> str:
        """The problem as a command names it, for a shell: a file by its path."""
        return shlex.quote(self.origin.removeprefix("file ") if self.source is not None else self.name)

    def at(self, version: str | None) -> LoadedProblem:
        """The problem at an earlier version; the present problem if that version is unknown."""
        if version is None or not isinstance(self.problem, Versioned):
            return self
        with suppress(KeyError):
            return replace(self, problem=self.problem.at(version))
        return self

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set, after a check of their types and ids.

        Raises:
            UnknownProblem: there is no such set (exit code 2).
            ProblemError: the plug-in raised an exception, or returned anything but instances with distinct
                ids.
        """
        with blame(f"problem {self.name}: sets()"):
            names = list(self.problem.sets())
        if set not in names:
            raise UnknownProblem(f"set {set!r}: problem {self.name} has {', '.join(map(str, names))}")
        what = f"problem {self.name}: instances({set!r}, {seed})"
        with blame(what):
            drawn = self.problem.instances(set, seed)
            instances = list(drawn) if isinstance(drawn, Sequence) else None
        if not instances or not all(isinstance(item, Instance) for item in instances):
            raise ProblemError(f"{what}: got {_not_instances(drawn, instances)}, expected a list of Instance")
        ids = [item.id for item in instances]
        if twice := [name for name in ids if ids.count(name) > 1][:1]:
            raise ProblemError(f"{what}: two instances are called {twice[0]}, expected distinct ids")
        return instances

    def reference(self, instance: Instance, seconds: float) -> Reference | None:
        """The reference of an instance within about `seconds` of wall time; None without references."""
        if self.references is None:
            return None
        what = f"problem {self.name}: reference of {instance.id}"
        with blame(what), told_when_slow(what, seconds):
            reference = self.references.reference(instance, seconds)
        if not isinstance(reference, Reference):
            raise ProblemError(f"{what}: got {type(reference).__name__}, expected a Reference")
        return reference


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """One built-in or installed problem: loaded, or broken with its error."""

    name: str
    origin: str
    loaded: LoadedProblem | None
    error: ProblemError | None


def load_problem(spec: str, parameters: Mapping[str, object] | None = None) -> LoadedProblem:
    """Finds a problem and makes it with parameters.

    Args:
        spec: a built-in or installed name, a file (`knapsack.py`), `module:attribute`, or another tool's task
            (`openevolve:FOLDER`).
        parameters: the `[problem]` table.

    Raises:
        UnknownProblem: no problem has this name.
        ProblemError: the plug-in is broken, or a parameter is unknown or out of range.
    """
    check_length(spec)
    if is_foreign(spec):
        task = load_foreign(spec, parameters or {})
        where = (task.origin, task.digest, None, task.parameters, task.specs)
        return LoadedProblem(task.name, task.problem, task.references, *where)
    return _make(_find(spec), parameters or {})


def list_problems() -> list[ProblemEntry]:
    """All built-in and installed problems; a broken plug-in is listed with its error and affects no other."""
    listed = [_try(name, BUILT_IN, lambda n=name: _find(n)) for name in BUILT_INS]
    for name, entries in installed(GROUP).items():
        if name in BUILT_INS:
            error = ProblemError(f"{name}: the name belongs to a built-in problem", "rename the entry point")
            listed.append(ProblemEntry(name, "package", None, error))
        else:
            listed.append(_try(name, "package", lambda n=name, e=entries: from_entry_point(n, e, GROUP)))
    return listed


def known_names() -> list[str]:
    """Names of all built-in and installed problems, without loading any."""
    return [*BUILT_INS, *(name for name in installed(GROUP) if name not in BUILT_INS)]


def _find(spec: str) -> PluginObject:
    """Loads the object that a specification names."""
    if spec in BUILT_INS:
        return from_module(BUILT_INS[spec], BUILT_IN)
    check_no_attribute(spec)
    if _names_file(spec):
        return from_file(Path(spec))
    if ":" in spec:
        return from_module(spec)
    entries = installed(GROUP).get(spec)
    if entries:
        return from_entry_point(spec, entries, GROUP)
    check_python(Path(spec))
    check_not_elsewhere(spec)
    near = [*near_files(Path(spec)), *get_close_matches(spec, known_names(), 3, 0.5)][:3]
    raise UnknownProblem(
        f"problem {spec!r}: not known; expected a built-in or installed name, a file.py or module:attribute",
        f"did you mean {' or '.join(near)}?" if near else "`gapsmith problems list` shows the known ones",
    )


def check_not_elsewhere(spec: str) -> None:
    """Says where the form is whose name is that of another tool's task or of a built-in that left."""
    here = NAMES_ELSEWHERE.get(spec)
    if here and spec not in installed(GROUP):
        where = "a file of Gapsmith's sources; " if here.endswith(".py") else ""
        raise UnknownProblem(
            f"problem {spec!r}: no built-in problem has this name; the nearest one is {here}",
            f"{where}`gapsmith problems show {here}` describes it",
        )


def source_of(spec: str) -> PluginSource | None:
    """Where the source of a problem is, found without running any of it; None of a built-in one.

    Raises:
        UnknownProblem: the name is longer than that of any problem or file.
    """
    check_length(spec)
    if spec in BUILT_INS:
        return None
    if is_foreign(spec):
        return source_of_task(spec)
    if _names_file(spec):
        return source_of_file(Path(spec))
    entries = [] if ":" in spec else installed(GROUP).get(spec, [])
    return source_of_module(entries[0].module if entries else spec.partition(":")[0])


def load_selection(spec: str) -> type[Selection]:
    """The class of a parent selection: a name of `SELECTIONS`, or a user's as `module:Class`.

    Raises:
        ProblemError: no such name; or the class cannot be imported, or is no subclass of `Selection` with a
            method `parents`.
    """
    from ...evolve.selection import SELECTIONS, Selection

    if ":" not in spec:
        if spec in SELECTIONS:
            return SELECTIONS[spec]
        raise ProblemError(
            f"[search] selection: got {spec!r}, expected module:Class or one of {', '.join(SELECTIONS)}",
            "docs/how-to/add-a-selection.md shows one",
        )
    value = from_module(spec, what="selection").value
    if not (isinstance(value, type) and issubclass(value, Selection)) or "parents" not in vars(value):
        raise ProblemError(
            f"[search] selection: got {spec!r}, expected module:Class of a subclass of "
            "gapsmith.evolve.selection.Selection with a method parents",
            "docs/how-to/add-a-selection.md shows one",
        )
    return value


def source_of_selection(spec: str | None) -> PluginSource | None:
    """Where the source of a named selection is, found without running any of it; None without one."""
    return None if spec is None or ":" not in spec else source_of_module(spec.partition(":")[0])


def _names_file(spec: str) -> bool:
    return spec.endswith(".py") or "/" in spec or Path(spec).is_file()


def _try(name: str, origin: str, find: Any) -> ProblemEntry:
    try:
        loaded = _make(find(), {})
    except ProblemError as error:
        return ProblemEntry(name, origin, None, error)
    return ProblemEntry(name, loaded.origin, loaded, None)


def _make(found: PluginObject, given: Mapping[str, object]) -> LoadedProblem:
    """Makes a problem and checks its attributes, methods and references."""
    plugin = _plugin(found)
    specs = read_parameters(plugin.problem, found.where)
    values = resolve(specs, given, found.where.rpartition(":")[2])
    with blame(f"{found.where}: making the problem"):
        problem = plugin.problem(**values)
    _check_outside(problem, found.where)
    references: Any = plugin.references
    if references is None and callable(getattr(problem, "reference", None)):
        references = problem
    if references is not None:
        _check_references(references, found.where)
    source = None
    if found.origin.startswith("file "):
        source = Path(str(found.module.__file__)).read_text(encoding="utf-8-sig")
    homes = [found.module.__name__, type(problem).__module__]
    homes += [type(references).__module__] if references is not None else []
    return LoadedProblem(
        problem.name, problem, references, found.origin, source_digest(homes), source, values, specs
    )


def _plugin(found: PluginObject) -> Plugin:
    """The plug-in that a specification names, or the only one in the module that it names."""
    value = found.value
    if isinstance(value, Plugin):
        return value
    from .short_form import short_plugin

    if (short := short_plugin(value, found.where)) is not None:
        return short
    if inspect.isclass(value) and _looks_like_problem(value):
        problem: Any = value
        return Plugin(problem)  # a `reference` method makes it the references too
    if value is not found.module:
        raise ProblemError(
            f"{found.where}: got {type(value).__name__}, expected a problem, a Plugin or a problem's class",
            "write plugin = Plugin(problem=…, references=…)",
        )
    return _only_plugin(found)


def _only_plugin(found: PluginObject) -> Plugin:
    names = vars(found.module)
    if "plugin" in names:
        if not isinstance(names["plugin"], Plugin):
            got = type(names["plugin"]).__name__
            raise ProblemError(f"{found.where}: plugin is {got}, expected gapsmith.Plugin(problem=…)")
        return names["plugin"]
    own: list[Any] = [
        v for v in names.values() if inspect.isclass(v) and v.__module__ == found.module.__name__
    ]
    classes = [c for c in own if _looks_like_problem(c)]
    leaves = [c for c in classes if not any(d is not c and issubclass(d, c) for d in classes)]
    plugins = [n for n, v in names.items() if isinstance(v, Plugin)]
    if len(leaves) == 1 and not plugins:
        return Plugin(leaves[0])
    if len(plugins) == 1:
        return names[plugins[0]]  # type: ignore[no-any-return]
    if plugins or leaves:
        several = ", ".join(
            [f"{n} (line {_line(names[n])})" if not isinstance(names[n], Plugin) else n for n in plugins]
            + [f"{c.__name__} (line {_line(c)})" for c in leaves]
        )
        raise ProblemError(
            f"{found.where}: holds {len(plugins) + len(leaves)} problems, {several}; expected one",
            "name the one that is meant: plugin = Plugin(problem=…)",
        )
    raise ProblemError(
        f"{found.where}: holds no problem; expected plugin = Plugin(…), or one class with the methods "
        f"{', '.join(_METHODS)}",
        "`gapsmith problems new NAME` writes one that works",
    )


def _looks_like_problem(class_: type) -> bool:
    """Whether a class has most of a problem's methods; an error can then name a missing one."""
    has = sum(callable(getattr(class_, method, None)) for method in _METHODS)
    return has >= 3 and not getattr(class_, "_is_protocol", False)


def _check_outside(problem: Any, where: str) -> None:
    """Checks that a problem has all attributes and methods, and that their values have the right types."""
    place = f"{where}: {type(problem).__name__} (line {_line(type(problem))})"
    for name, kind in _ATTRIBUTES.items():
        value = getattr(problem, name, None)
        if not isinstance(value, kind) or value == "":
            raise ProblemError(
                f"{place}: {name} is {value!r}, expected {'a text' if kind is str else 'a gapsmith.Sense'}"
            )
    with blame(f"{place}: tolerance"):
        tolerance = getattr(problem, "tolerance", 0)
    if not _is_tolerance(tolerance):
        raise ProblemError(
            f"{place}: tolerance is {tolerance!r}, expected a number from 0 to {_LARGEST_TOLERANCE}",
            "it is relative; beyond it answers could be better than a proven bound and no one would be told",
        )
    with blame(f"{place}: verify_seconds"):
        seconds = getattr(problem, "verify_seconds", VERIFY_SECONDS)
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 < float(seconds) <= 3600:
        raise ProblemError(
            f"{place}: verify_seconds is {seconds!r}, expected a number above 0, at most 3600",
            "CPU seconds that `verify` may take for one answer",
        )
    for method in _METHODS:
        if not callable(getattr(problem, method, None)):
            raise ProblemError(f"{place}: method {method} is missing, a problem needs {', '.join(_METHODS)}")
    sets = _texts(problem, "sets", "one sentence about the set", place)
    if missing := [split for split in SPLITS if split not in sets]:
        raise ProblemError(f"{place}: sets() has no {', '.join(missing)}, expected train, valid and test")
    if not _texts(problem, "start_programs", "source text", place):
        raise ProblemError(f"{place}: start_programs() is empty, expected at least one")
    _texts(problem, "baselines", "source text", place)


def _is_tolerance(value: object) -> bool:
    """Whether a value is an allowed tolerance; NaN is not, because all objectives would compare as equal."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return 0 <= float(value) <= _LARGEST_TOLERANCE


def _texts(problem: Any, method: str, what: str, place: str) -> dict[str, str]:
    """The result of a problem's method, checked to be a mapping of names to texts."""
    with blame(f"{place}: {method}()"):
        returned = getattr(problem, method)()
        texts = dict(returned) if isinstance(returned, Mapping) else {}
    wrong = [f"{k!r}: {v!r:.40}" for k, v in texts.items() if not (isinstance(k, str) and isinstance(v, str))]
    if wrong or not isinstance(returned, Mapping):
        got = wrong[0] if wrong else type(returned).__name__
        raise ProblemError(
            f"{place}: {method}() returned {got}, expected a dictionary of name → {what}",
            f'write return {{"name": "{what}"}}',
        )
    return texts


def _check_references(references: Any, where: str) -> None:
    place = f"{where}: {type(references).__name__} (line {_line(type(references))})"
    if not callable(getattr(references, "reference", None)):
        raise ProblemError(f"{place}: method reference is missing, references need it")
    if not isinstance(getattr(references, "version", None), str):
        raise ProblemError(f"{place}: version is missing, references need a text that names their method")


def _not_instances(drawn: object, found: list[Any] | None) -> str:
    """The wrong result of `instances`, in words."""
    if found is None:
        return "a generator" if inspect.isgenerator(drawn) else type(drawn).__name__
    other = [type(item).__name__ for item in found if not isinstance(item, Instance)]
    return f"a {type(drawn).__name__} that holds {other[0]}" if other else f"an empty {type(drawn).__name__}"


def _line(class_: type) -> str:
    """Line number at which a class begins in its file; `?` if unknown."""
    try:
        lines = linecache.getlines(inspect.getfile(class_))
    except (OSError, TypeError):
        return "?"
    begins = re.compile(rf"\s*+class\s++{re.escape(class_.__name__)}\b")
    return next((str(number) for number, line in enumerate(lines, 1) if begins.match(line)), "?")
