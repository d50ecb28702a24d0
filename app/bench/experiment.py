"""`experiment`: a sealed script with instances and the objective; apart, as no program runs so."""

from __future__ import annotations

import ast
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from ...evolve.store.course import Operation, reserve
from ...evolve.types import stream
from ...problems.base import Instance, Interactive, Problem, Sense, canonical_json, encode_number
from ...problems.reported import Reported
from ...sandbox.base import Description, Execution, ExecutionStatus, Limits, Program, Sandbox, SandboxError
from ...sandbox.policy import DEFAULT_MODULES
from ..errors import USAGE, UserError
from ..runs.figures import plain
from .budget import budget_document, experiment_seconds_left
from .inspection import said
from .sitting import Sitting

# What an experiment finds in its sandbox: training instances, and the problem's objective as source texts.
#
# A problem's law, its parameters of drawing, the seeds and the secret stay outside: the script gets the
# class that judges answers, with plain attributes alone, and instances of the training law. References,
# drawings and answers of validation and test are nowhere in its memory.

MOST_INSTANCES = 300
"""Training instances of an experiment (count)."""
MOST_BYTES = 16 << 20
"""Of their JSON text."""
_DRAW_SECONDS = 5.0
_MOST_SETS = 200
_OURS = ("gapsmith.problems", "gapsmith.evaluators.base", "gapsmith.evaluators.numbers")
_ALSO = ("gapsmith.sandbox.base", "gapsmith.sandbox.unseen")
_PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True, slots=True)
class Texts:
    """Source texts of a problem, and the modules of the standard library that they import.

    Attributes:
        sources: module → (text, whether it is a package).
        support: names of modules that have to be in memory, beyond those of candidates.
        why: why the problem cannot be used in a sandbox; None if it can.
    """

    sources: Mapping[str, tuple[str, bool]]
    support: tuple[str, ...]
    why: str | None = None


def instances_of(at: Sitting) -> list[Instance]:
    """Up to 300 training instances: those of the pool, then further ones of the set that they come from.

    None of them is an instance of validation or test.
    """
    chosen = list(at.instances.values())[:MOST_INSTANCES]
    evaluator = at.evaluator
    loaded = at.setup.loaded
    source = (at.setup.config.evaluation.instances or ("train",))[0]
    if source not in loaded.problem.sets():
        return chosen  # of a user's file there are no more
    seen = {one.digest for split in evaluator.splits for one in evaluator.instances(split).values()}
    began = time.monotonic()
    config = at.setup.config
    for number in range(config.search.pool + 1, config.search.pool + _MOST_SETS):
        if len(chosen) >= MOST_INSTANCES or time.monotonic() - began > _DRAW_SECONDS:
            break
        seed = stream(config.evaluation.instance_seed, "pool", number).randrange(2**31)
        drawn = [one for one in loaded.instances(source, seed) if one.digest not in seen]
        if not drawn:
            break
        seen.update(one.digest for one in drawn)
        chosen += [replace(one, id=f"more{number}-{one.id}") for one in drawn]
    return chosen[:MOST_INSTANCES]


def rows(at: Sitting) -> list[dict[str, Any]]:
    """The instances as an experiment gets them, as many as `MOST_BYTES` hold."""
    references = at.evaluator.references
    left = MOST_BYTES
    found = list[dict[str, Any]]()
    for one in instances_of(at):
        known = references.get(one.id)
        row = {
            "id": one.id,
            "group": one.stratum,
            "public": dict(one.public),
            "hidden": None if one.hidden is None else dict(one.hidden),
            "scale": encode_number(one.scale),
            "reference": None if known is None else plain(known.value),
            "reference_kind": None if known is None else known.kind.value,
        }
        left -= len(canonical_json(row))
        if left < 0:
            break
        found.append(row)
    return found


def about(problem: Problem, secret: str | None, why: str | None) -> dict[str, Any]:
    """What an experiment needs to make the problem again: its class and its plain attributes.

    Args:
        problem: of the run.
        secret: of its instances, which no attribute may hold.
        why: why its objective is of no use there; None if it is of use.
    """
    kind = type(problem)
    return {
        "module": None if why is not None else kind.__module__,
        "name": kind.__qualname__,
        "state": dict(_state(problem, secret)),
        "driver": getattr(problem, "driver", None),
        "dialogue": isinstance(problem, Interactive),
        "minimise": problem.sense is Sense.MINIMISE,
        "why": why,
    }


def _state(problem: Problem, secret: str | None) -> Iterator[tuple[str, Any]]:
    """Name and value of the problem's own attributes that are plain and tell no secret."""
    own = dict(getattr(problem, "__dict__", {}))
    own |= {name: getattr(problem, name, None) for name in getattr(problem, "__dataclass_fields__", ())}
    for name, value in own.items():
        if _is_plain(value) and not (secret and secret in json.dumps(value)):
            yield name, value


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(type(key) is str and _is_plain(entry) for key, entry in value.items())
    return type(value) in _PLAIN


def driver(texts: Texts) -> str:
    """Source of the driver of an experiment: the problem's texts, and what makes a module of them."""
    body = files(__package__).joinpath("programs", "laboratory.py").read_text("utf-8")
    return f"SOURCES = {dict(texts.sources)!r}\n{body}"


def texts_of(problem: Problem, own: str | None) -> Texts:
    """The source texts that a problem's class needs.

    Args:
        problem: of the run.
        own: text of the user's file that holds it; None where it is in a module.
    """
    return _texts(type(problem).__module__, own)


@lru_cache(maxsize=4)
def _texts(module: str, own: str | None) -> Texts:
    sources: dict[str, tuple[str, bool]] = {}
    support: set[str] = set()
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if name in sources:
            continue
        found = (own, False) if name == module and own is not None else _source(name)
        if found is None:
            continue
        sources[name] = found
        parent = name.rpartition(".")[0]
        wanted += [parent] if parent else []
        for imported in _imported(name, *found):
            if _is_ours(imported, module):
                wanted.append(imported)
            elif imported.partition(".")[0] in sys.stdlib_module_names:
                support.add(imported)
    if module not in sources:
        return Texts({}, (), f"the source of {module} cannot be read")
    sources["gapsmith"] = (_ROOT, True)
    for package in ("gapsmith.evaluators", "gapsmith.sandbox"):
        sources.setdefault(package, ("", True))
    known = {*DEFAULT_MODULES}
    return Texts(sources, tuple(sorted(name for name in support - known if _importable(name))))


_ROOT = """
def __getattr__(name):
    from importlib import import_module
    for home in ("problems.base", "evaluators.base"):
        module = import_module("gapsmith." + home)
        if hasattr(module, name):
            return getattr(module, name)
    raise AttributeError(name)
"""
"""What a user's file imports from in a sandbox: the names of problems and references, nothing of the tool."""


def _is_ours(name: str, module: str) -> bool:
    """Whether a module's text goes into the sandbox: problems, and the types that they use."""
    package = module.partition(".")[0]
    if package != "gapsmith":
        return name == module or name.startswith(package + ".") or _is_ours(name, "gapsmith")
    return name.startswith("gapsmith.problems") or name in (*_OURS, *_ALSO)


def _imported(name: str, text: str, package: bool) -> Iterator[str]:
    """Absolute names of all modules that a text imports, also within functions."""
    home = name if package else name.rpartition(".")[0]
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            stem = node.module or ""
            if node.level:
                parts = home.split(".")
                stem = ".".join([*parts[: len(parts) - node.level + 1], *([stem] if stem else [])])
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names if _source(f"{stem}.{alias.name}"))
            if stem == "gapsmith":
                yield from ("gapsmith.problems.base", "gapsmith.evaluators.base")


@lru_cache(maxsize=512)
def _source(name: str) -> tuple[str, bool] | None:
    """Text of a module of ours or of a plug-in's package, and whether it is a package."""
    if not name or name.partition(".")[0] in sys.stdlib_module_names:
        return None
    try:
        spec = find_spec(name)
        get_source = getattr(spec and spec.loader, "get_source", None)
        text = None if get_source is None else get_source(name)
    except (ImportError, ValueError, AttributeError):
        return None
    return None if spec is None or text is None else (text, spec.submodule_search_locations is not None)


def _importable(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def sizes(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Group → instances of an experiment (counts)."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["group"]] = found.get(row["group"], 0) + 1
    return found


ENTRY_POINT = "experiment"
MODULE = "bench"
PRINTED_BYTES = 8 * 1024
"""Of what a script prints, the end that is shown."""
VALUE_BYTES = 1 << 20
"""Longest value of an experiment (bytes of JSON)."""
SHOWN_BYTES = 64 * 1024
"""Longest value that is shown (bytes of JSON); `keep` gets a longer one."""
MEMORY_BYTES = 2 << 30
"""Memory of an experiment."""
MOST_CPU_SECONDS = 600.0
"""CPU seconds of one experiment."""
_CHANGED = "in the value that is shown marks of chats are broken, and unseen characters left out"
_STUB = '"""The training instances and the problem\'s objective."""\n'


def experiment(
    at: Sitting,
    operation: Operation,
    text: str,
    cpu_seconds: float,
    keep: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Runs a script sealed as candidates are, in a sandbox of its own that ends with it.

    Args:
        at: the workbench.
        operation: that records it.
        text: source text; defines `experiment()`, whose value is the result.
        cpu_seconds: that it may use.
        keep: gets the value as it is; the one that is returned is made to be shown.

    Raises:
        UserError: the CPU seconds are more than one experiment, or all, may use; or the problem is another
            tool's task, whose evaluator is no module.
        SandboxError: nothing can be run safely here.
    """
    allowed = min(cpu_seconds, MOST_CPU_SECONDS, experiment_seconds_left(at.store.read))
    if not cpu_seconds > 0:
        raise UserError(USAGE, f"experiment: got {cpu_seconds:g} CPU seconds, expected a number above 0")
    if isinstance(at.setup.loaded.problem, Reported):
        raise UserError(USAGE, "experiment: the objective of another tool's task is no module", "use probe")
    if allowed <= 0:
        raise UserError(
            USAGE, f"{at.folder.name}: the CPU seconds of experiments are spent", "go on without experiments"
        )
    if (fault := _fault(at.slot.describe(text, ENTRY_POINT), at.setup.modules())) is not None:
        operation.refused = True
        return {"status": "refused", "message": said(fault)}
    reserve(at.store, operation, allowed)
    given = rows(at)
    execution, why = _run(at, text, given, allowed)
    operation.cpu_seconds = execution.cpu_seconds
    shown, message = _shown(execution)
    if keep is not None and execution.status is ExecutionStatus.OK:
        keep(execution.answer)
    return {
        "status": execution.status.value,
        "message": message,
        "printed": said(execution.output, PRINTED_BYTES + 100) or None,
        "value": shown,
        "cpu_seconds": execution.cpu_seconds,
        "cpu_limit_seconds": allowed,
        "instances": sizes(given),
        "objective_missing": said(why),
        "budget": budget_document(at, experiment=execution.cpu_seconds - allowed),
    }


def _shown(execution: Execution) -> tuple[Any, str | None]:
    """An experiment's value as it is shown, None where it is too long, and a message."""
    size = len(json.dumps(execution.answer, ensure_ascii=False).encode("utf-8", "replace"))
    if size > SHOWN_BYTES:
        return None, (
            f"the value has {size:,} bytes, at most {SHOWN_BYTES:,} are shown: "
            "`gapsmith bench experiment -o FILE` writes it, or return less"
        )
    shown = _cleaned(execution.answer)
    return shown, said(execution.error) if shown == execution.answer else _CHANGED


def _cleaned(value: Any) -> Any:
    """A value whose texts, keys too, have no characters that nobody sees and no marks of chats."""
    if isinstance(value, dict):
        return {said(key, VALUE_BYTES): _cleaned(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_cleaned(entry) for entry in value]
    return said(value, VALUE_BYTES) if isinstance(value, str) else value


def _fault(description: Description, modules: tuple[str, ...]) -> str | None:
    """Why a text is no script of an experiment; None if it is one."""
    if description.error is not None:
        line = "" if description.error_line is None else f"line {description.error_line}: "
        return f"{line}{description.error}"
    refused = [name for name in description.imports if name not in (*modules, MODULE)]
    if refused:
        return f"import of {', '.join(refused)}: expected {MODULE} or a module that programs may import"
    if not description.entry_point:
        return f"no `def {ENTRY_POINT}():` at the top level; what it returns is the result"
    return None


def _run(at: Sitting, text: str, given: list[dict[str, Any]], seconds: float) -> tuple[Execution, str | None]:
    """The execution of a script, and why there is no objective in it; None if there is one."""
    problem = at.setup.loaded.problem
    secret = at.setup.config.evaluation.secret
    texts = texts_of(problem, at.setup.loaded.source)
    slot, texts = _open(at, texts)
    files = {"experiment.py": text, f"{MODULE}.py": _STUB}
    program = Program(files, ENTRY_POINT, driver(texts))
    document = {
        "instances": given,
        "problem": about(problem, secret, texts.why),
        "cpu_seconds": seconds,
    }
    limits = Limits(seconds, MEMORY_BYTES, VALUE_BYTES, PRINTED_BYTES)
    with closing(slot):
        return slot.execute(program, json.dumps(document).encode(), limits, 0), texts.why


def _open(at: Sitting, texts: Texts) -> tuple[Sandbox, Texts]:
    """A sandbox that nothing else runs in; without the problem where its modules cannot be loaded there."""
    from ...sandbox.slot import open_sandbox

    policy = at.setup.policy
    try:
        return open_sandbox(replace(policy, support=texts.support)), texts
    except SandboxError as error:
        if error.layer != "policy" or not texts.support:
            raise
        return open_sandbox(policy), Texts({}, (), error.reason)
