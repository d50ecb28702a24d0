"""Writes a new problem, or one from a task of another tool; apart, so that its verb stays thin."""

from __future__ import annotations

import ast
import keyword
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ..errors import TROUBLE, USAGE, ProblemError, UserError
from .computing import computing, imports
from .foreign import load_foreign

KINDS = {
    "assignment": "each item gets one of several places (jobs to machines)",
    "permutation": "an order of all items (a round trip)",
    "routing": "several sequences (routes of vans with limited room, jobs in order on machines)",
    "packing": "a choice of items that must fit (a knapsack)",
    "amounts": "a number for each item, within bounds (water for fields)",
    "offsets": "a place or a time for each item (addresses of buffers)",
    "online": "decisions one by one, before the rest is known (an interactive problem)",
    "rule": "a fixed loop that asks a candidate at each decision (a cache)",
}
"""Kind of problem that can be written → what an answer is there; the usual one first."""
_MEANT = {
    **dict.fromkeys(("interactive", "dialogue", "streaming", "stream", "arrivals", "dynamic"), "online"),
    **dict.fromkeys(("order", "ordering", "sequence", "sequencing", "tsp", "tour"), "permutation"),
    **dict.fromkeys(("routes", "route", "vrp", "cvrp", "vehicles", "delivery"), "routing"),
    **dict.fromkeys(("knapsack", "subset", "selection", "choice"), "packing"),
    **dict.fromkeys(("policy", "priority", "dispatching", "driver", "cache", "heuristic"), "rule"),
    **dict.fromkeys(("values", "shares", "budget", "allocation", "power", "quantities"), "amounts"),
    **dict.fromkeys(("start-times", "addresses", "starts", "memory", "timetable"), "offsets"),
    **dict.fromkeys(("scheduling", "placement", "bins", "bin-packing", "colouring"), "assignment"),
}
"""Other words that people use for a kind."""
_CLASSES = ("assignment", "permutation", "routing", "packing", "online", "rule")
"""Kinds that are written as a class too."""
_LONGEST = 60
"""Largest length of a name, characters: names of files and run folders contain it."""
_TEMPLATES = Path(__file__).parent / "templates" / "problem"


def write_problem(
    name: str,
    folder: Path,
    *,
    package: bool,
    kind: str = "assignment",
    source: str = "",
    as_class: bool = False,
) -> list[Path]:
    """Writes the files of a new problem and returns their paths, the problem's source file first.

    Args:
        name: name of the problem, lower case with hyphens (`night-shift`).
        folder: folder to write to; with `package`, the distribution gets its own folder inside.
        package: whether to write a distribution with `pyproject.toml` instead of a single file.
        kind: one of `KINDS`: what an answer is, or how a candidate is called.
        as_class: whether to write the class with all its members in place of the short form.
        source: task of another tool (`openevolve:PATH`) that the problem takes over; empty for none.

    Raises:
        UserError: name, kind or source cannot be used, a file exists already, or the folder cannot be
            written to.
    """
    if kind not in KINDS:
        raise UserError(USAGE, f"--kind {kind}: not known, expected one of {', '.join(KINDS)}", _meant(kind))
    if source and (package or kind != next(iter(KINDS))):
        raise UserError(USAGE, f"--from {source}: goes with neither --package nor --kind")
    if as_class and kind not in _CLASSES:
        raise UserError(USAGE, f"--class --kind {kind}: expected --kind {' or '.join(_CLASSES)}")
    form = "takeover" if source else kind if as_class else f"short_{kind}"
    texts = _render(name, package, form, _taken_values(source) if source else {})
    paths = {folder / place: text for place, text in texts.items()}
    if taken := [path for path in paths if path.exists()]:
        raise UserError(USAGE, f"{taken[0]}: is there already", "choose another name, or remove the file")
    for path, text in paths.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            for begun in paths:  # on a full disk, an empty file would block the next attempt
                with suppress(OSError):
                    begun.unlink(missing_ok=True)
            where = error.filename or path  # the error of a failed write does not name the file
            raise UserError(TROUBLE, f"{where}: {error.strerror}", "write to another folder") from error
    return list(paths)


def _meant(word: str) -> str:
    """Which kind a word means; where that is not known, what every kind is."""
    word = word.lower().replace("_", "-")
    kind = _MEANT.get(word) or next(iter(get_close_matches(word, KINDS)), None)
    if kind is not None:
        return f"use --kind {kind}: {KINDS[kind]}"
    return "; ".join(f"{name}: {meaning}" for name, meaning in KINDS.items())


def _taken_values(source: str) -> dict[str, object]:
    """What the template of a task that is taken over needs."""
    from .foreign import TOOLS, is_foreign

    if not is_foreign(source):
        words = " or ".join(f"{tool}:PATH" for tool in TOOLS)
        raise UserError(USAGE, f"--from {source}: expected {words}")
    taken = takeover(source)
    public = "{" + ", ".join(f'"{name}": None' for name in taken.arguments) + "}"
    return {
        "taken": taken,
        "spec": source.encode("unicode_escape").decode().replace('"', "'"),  # stands in a text of the file
        "start": literal(taken.start),
        "signature": repr(taken.signature),
        "statement": literal(taken.statement),
        "public": public + ("  # TO DO" if taken.arguments else ""),
    }


def _render(name: str, package: bool, kind: str, more: Mapping[str, object]) -> dict[str, str]:
    """Path → text of all files of a new problem."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    words = _words(name)
    stem = "_".join(words)
    if not package and _hides(stem):
        raise UserError(
            USAGE,
            f"name {name!r}: {stem}.py would hide the Python module {stem} from programs started beside it",
            f"choose another name, like my-{name}",
        )
    distribution = f"gapsmith-{name}"
    module = f"gapsmith_{stem}"
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True
    )
    values = {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "class_name": _class_name(words),
        "stem": stem,
        "file": f"{stem}.py",
        "check": name if package else f"{stem}.py",
        "package": package,
        "kind": kind,
        "module": module,
        "distribution": distribution,
        "attribute": "problem" if kind.startswith("short_") else "plugin",
        **more,
    }
    test = "short_test.py" if kind.startswith("short_") else "test_problem.py"
    if package:
        places = {
            f"{distribution}/{module}/__init__.py": f"{kind}.py",
            f"{distribution}/tests/test_{stem}.py": test,
            f"{distribution}/pyproject.toml": "pyproject.toml",
            f"{distribution}/README.md": "README.md",
        }
    else:
        places = {f"{stem}.py": f"{kind}.py", f"test_{stem}.py": test}
    return {
        place: environment.get_template(f"{template}.jinja").render(values)
        for place, template in places.items()
    }


def _words(name: str) -> list[str]:
    from .loader import BUILT_INS

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise UserError(
            USAGE, f"name {name!r}: expected lower case letters and digits with hyphens, like night-shift"
        )
    if len(name) > _LONGEST:
        raise UserError(USAGE, f"name {name!r}: got {len(name)} characters, expected at most {_LONGEST}")
    if keyword.iskeyword(name):
        raise UserError(USAGE, f"name {name!r}: is a word of Python's own", "choose another name")
    if name in BUILT_INS:
        raise UserError(USAGE, f"name {name!r}: belongs to a built-in problem", "choose another name")
    return name.split("-")


def _class_name(words: list[str]) -> str:
    """Name of the problem's class: not a Python keyword and not a name that the template imports."""
    from ... import __all__ as offered

    name = "".join(word.capitalize() for word in words)
    taken = keyword.iskeyword(name) or name in (*offered, "Annotated")
    return f"{name}Problem" if taken else name


def _hides(stem: str) -> bool:
    """Whether a file of this name would hide an importable module from programs in the same folder."""
    if stem == "gapsmith" or stem in sys.stdlib_module_names:
        return True
    installed = [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    return any(finder.find_spec(stem, installed) is not None for finder in sys.meta_path)


# What a native problem takes over from a task of another tool: start program, statement, checks.

_ENTRIES = ("evaluate", "evaluate_stage1", "evaluate_stage2", "evaluate_stage3")
_MEANINGS = (
    *("Instance", "Json", "Plugin", "ProofKind", "Reference", "Sense", "Verdict"),
    *("START", "annotations", "plugin"),
)
"""Names that the written file gives a meaning."""


@dataclass(frozen=True, slots=True)
class Takeover:
    """What a new problem takes over from a task.

    Attributes:
        start: text of the start program.
        entry, signature: name and signature of what a program defines.
        statement: the task in words.
        arguments: names of the entry point's arguments.
        imports: import statements that the checks need.
        checks: text of the evaluator's constants and functions that only compute.
        functions: names of these functions.
        left: names of the evaluator's functions that are not taken over.
    """

    start: str
    entry: str
    signature: str
    statement: str
    arguments: tuple[str, ...]
    imports: str
    checks: str
    functions: tuple[str, ...]
    left: tuple[str, ...]


def takeover(spec: str) -> Takeover:
    """Reads a task and its evaluator's text; runs nothing of either.

    Raises:
        UserError: the folder is no task.
    """
    problem = load_foreign(spec, {}).problem
    text = Path(problem.folder, problem.evaluator).read_text("utf-8-sig")
    body = _parsed(text, Path(problem.folder, problem.evaluator))
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    reserved = frozenset((*_ENTRIES, *_MEANINGS))
    nodes = computing(body, reserved)
    kept = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    entry = next(
        node
        for node in ast.parse(problem.start).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == problem.entry_point
    )
    arguments = [] if isinstance(entry, ast.ClassDef) else [*entry.args.posonlyargs, *entry.args.args]
    return Takeover(
        start=problem.start,
        entry=problem.entry_point,
        signature=problem.signature,
        statement=problem.configuration.message or f"Improve the program of the task {problem.name}.",
        arguments=tuple(one.arg for one in arguments),
        imports="\n".join(imports(body, nodes, reserved)),
        checks="\n\n\n".join(_source(text, node) for node in nodes),
        functions=tuple(name for name in functions if name in kept),
        left=tuple(name for name in functions if name not in kept),
    )


def _parsed(text: str, path: Path) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProblemError(f"{path}: the evaluator is no Python: {error}") from error


def _source(text: str, node: ast.stmt) -> str:
    """A statement's text; where that says anything else than the statement, the statement written anew."""
    found = ast.get_source_segment(text, node) or ""
    try:
        same = ast.dump(ast.Module(ast.parse(found).body, [])) == ast.dump(ast.Module([node], []))
    except (SyntaxError, ValueError, RecursionError):
        same = False
    return found if same else ast.unparse(node)


def literal(text: str) -> str:
    """A text as Python source: in triple quotes where that says the same, else with escapes."""
    quoted = f"'''\\\n{text}'''"
    if "\\" in text:
        return repr(text)
    try:
        same = ast.literal_eval(quoted) == text
    except (SyntaxError, ValueError):
        same = False
    return quoted if same else repr(text)
