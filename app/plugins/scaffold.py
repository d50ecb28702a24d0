"""Writes a new problem, or one from a task of another tool; apart, so that its verb stays thin."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ...sandbox.unseen import find_unseen
from ..errors import TROUBLE, USAGE, ProblemError, UserError
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
    if taken := [path for path in paths if path.exists() or path.is_symlink()]:  # a link may lead nowhere
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


# What a native problem takes over from a task of another tool: start program, statement, constants.
#
# The source is somebody else's, and the file that is written runs as the user. No list of what is allowed in
# functions has stood up to attacks, so nothing but literals comes along; functions are named, to be read.

_ENTRIES = ("evaluate", "evaluate_stage1", "evaluate_stage2", "evaluate_stage3")
_MEANINGS = (
    *("Instance", "Json", "Plugin", "ProofKind", "Reference", "Sense", "Verdict"),
    *("START", "annotations", "plugin"),
)
"""Names that the written file gives a meaning."""
_MOST_PARTS = 10_000
"""Parts of all constants together (count): keys of one hash take the square of their number."""
_MOST_BITS = 2_048
"""Of a whole number."""
_MOST_EXPONENT = 64
_Number = int | float | complex
_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True, slots=True)
class Takeover:
    """What a new problem takes over from a task.

    Attributes:
        start: text of the start program.
        entry, signature: name and signature of what a program defines.
        statement: the task in words.
        arguments: names of the entry point's arguments.
        constants: text of the evaluator's constants that are literals.
        left: the evaluator's functions, each with its line; none is taken over.
    """

    start: str
    entry: str
    signature: str
    statement: str
    arguments: tuple[str, ...]
    constants: str
    left: tuple[str, ...]


def takeover(spec: str) -> Takeover:
    """Reads a task and its evaluator's text; runs nothing of either.

    Raises:
        UserError: the folder is no task.
    """
    problem = load_foreign(spec, {}).problem
    text = Path(problem.folder, problem.evaluator).read_text("utf-8-sig")
    body = _parsed(text, Path(problem.folder, problem.evaluator))
    entry = next(
        node
        for node in ast.parse(problem.start).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == problem.entry_point
    )
    arguments = [] if isinstance(entry, ast.ClassDef) else [*entry.args.posonlyargs, *entry.args.args]
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name not in _ENTRIES]
    return Takeover(
        start=problem.start,
        entry=problem.entry_point,
        signature=problem.signature,
        statement=problem.configuration.message or f"Improve the program of the task {problem.name}.",
        arguments=tuple(one.arg for one in arguments),
        constants="\n".join(_constants(text, body)),
        left=tuple(f"{node.name} (line {node.lineno})" for node in functions),
    )


def _parsed(text: str, path: Path) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProblemError(f"{path}: the evaluator is no Python: {error}") from error


def _constants(text: str, body: Sequence[ast.stmt]) -> Iterator[str]:
    """Assignments of literals to names that the source binds once, each as Python text."""
    bound = Counter(name for node in body for name in _bound(node))
    # Split once, as Python counts lines: `ast.get_source_segment` splits the whole text for every constant.
    lines = [line.encode() for line in io.StringIO(text, newline="").readlines()]
    room = _MOST_PARTS
    for node in body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        names = _bound(node)
        if value is None or not names or any(_is_taken(n) or bound[n] > 1 for n in names):
            continue
        room -= sum(1 for _ in ast.walk(value))
        if room < 0:
            return
        with suppress(RecursionError, MemoryError):  # nested too deeply to be told
            if _is_literal(value):
                yield " = ".join((*names, _source(lines, value)))


def _bound(node: ast.stmt) -> list[str]:
    """Names that a statement binds or deletes, where it stands or by a `global` of its own."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name, *(name for n in ast.walk(node) if isinstance(n, ast.Global) for name in n.names)]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    aliases = [n for n in ast.walk(node) if isinstance(n, ast.alias)]
    return names + [(alias.asname or alias.name).partition(".")[0] for alias in aliases]


def _is_taken(name: str) -> bool:
    """Whether a name has a meaning already, for Python or the file that is written, or can look like one."""
    reserved = (*_ENTRIES, *_MEANINGS)
    return name.startswith("__") or name in reserved or hasattr(builtins, name) or not name.isascii()


def _is_literal(node: ast.expr) -> bool:
    """Whether an expression is a text, a number, or a list, tuple, set or dictionary of such."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_is_literal, node.elts))
    if isinstance(node, ast.Set):
        return all(map(_is_key, node.elts))
    if isinstance(node, ast.Dict):
        keys = [key for key in node.keys if key is not None]
        return len(keys) == len(node.keys) and all(map(_is_key, keys)) and all(map(_is_literal, node.values))
    return _is_key(node)


def _is_key(node: ast.expr) -> bool:
    """Whether a literal has a hash."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_key, node.elts))
    text = isinstance(node, ast.Constant) and not isinstance(node.value, _Number)
    return text or _number(node) is not None


def _number(node: ast.expr) -> _Number | None:
    """The value of a number, or of arithmetic with numbers, within bounds; None for anything else."""
    value: _Number | None = None
    if isinstance(node, ast.Constant):
        value = node.value if isinstance(node.value, _Number) else None
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        operand = _number(node.operand)
        value = None if operand is None else -operand if isinstance(node.op, ast.USub) else operand
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left = _number(node.left)
        right = _number(node.right)
        tall = isinstance(node.op, ast.Pow) and right is not None and abs(right) > _MOST_EXPONENT
        if left is None or right is None or tall:
            return None
        with suppress(ArithmeticError):
            value = _OPERATIONS[type(node.op)](left, right)
    return None if isinstance(value, int) and value.bit_length() > _MOST_BITS else value


def _source(lines: Sequence[bytes], node: ast.expr) -> str:
    """A literal's text in a source's lines; where that says anything else, or hides it, written anew."""
    some = list(lines[node.lineno - 1 : node.end_lineno])
    some[-1] = some[-1][: node.end_col_offset]
    some[0] = some[0][node.col_offset :]
    try:
        found = b"".join(some).decode()
        same = ast.dump(ast.parse(found, mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        same = False
    return (
        found
        if same and not find_unseen(found)
        else ast.unparse(node).encode("ascii", "backslashreplace").decode()
    )


def literal(text: str) -> str:
    """A text as Python source: in triple quotes where that says the same, else with escapes."""
    quoted = f"'''\\\n{text}'''"
    if "\\" in text or find_unseen(text):
        return ascii(text)
    try:
        same = ast.literal_eval(quoted) == text
    except (SyntaxError, ValueError):
        same = False
    return quoted if same else ascii(text)
