"""Problems of a Python session: each gets a name, or a file that other processes read."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from ...evaluators.base import Plugin
from ...evaluators.cache import cache_folder, check_own
from ..errors import INVALID, USAGE, ProblemError, UserError, unwritable
from .fingerprint import MADE
from .short_form import ShortProblem, statement_of
from .short_parts import ProblemStatement
from .source_text import Needs, Written, annotation_names, needs_of, value_text, written

# Problems of a notebook or a script, written into a file that other processes and later sessions read.

_HEAD = '"""{doc}; Gapsmith wrote this file from {origin}."""\n\nfrom __future__ import annotations\n'


def write_out(problem: ProblemStatement | type, folder: Path) -> Path:
    """Writes a problem with all that it uses into a file, named by problem and content.

    Args:
        problem: what the author of a short form has stated, or a problem's class.
        folder: for the file; is made if it is not there.

    Raises:
        ProblemError: a part has no source text, or uses what no text can bring along.
        UserError: the folder cannot be written to.
    """
    text = _short_text(problem) if isinstance(problem, ProblemStatement) else _class_text(problem)
    name = problem.name if isinstance(problem, ProblemStatement) else str(getattr(problem, "name", "problem"))
    stem = "".join(c if c.isalnum() else "_" for c in name)
    path = folder / f"{stem}_{hashlib.sha256(text.encode()).hexdigest()[:8]}.py"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    except OSError as error:
        raise unwritable(path, error) from error
    return path.resolve()


def _class_text(problem: type) -> str:
    """A class with what its module brings to it."""
    one = written(problem, f"class {problem.__name__}")
    needs = needs_of([one], f"class {problem.__name__}", sealed=False)
    return _file(f"The problem {problem.__name__}", needs, [one.text])


def _short_text(problem: ProblemStatement) -> str:
    """The call of `problem`, and each part under its decorator."""
    marked = list(_marked(problem))
    named = {one.name: None for _, one in marked}
    needs = Needs()
    for mark, one in marked:
        notes = annotation_names(one) if mark.startswith("instances") else ()
        whole = replace(one, names=(*one.names, *(n for n in notes if n in one.home)))
        needs.add(needs_of([whole], f"{mark.partition('(')[0]} {one.name}", sealed=False, skip=named))
    side = "minimise" if problem.sense.value == "minimise" else "maximise"
    given = {
        side: repr(problem.unit),
        "answer": kind_text(problem.kind),
        "statement": repr(statement_of(problem)),
    }
    given |= {"scale": repr(problem.scale), "tolerance": repr(problem.tolerance)}
    arguments = ", ".join([repr(problem.name), *(f"{name}={text}" for name, text in given.items())])
    parts = [f"import gapsmith\n\nproblem = gapsmith.problem({arguments})"]
    parts += [f"@problem.{mark}\n{one.text}" for mark, one in marked]
    if (fixed := _fixed(problem)) is not None:
        parts.append(fixed)
    return _file(f"The problem {problem.name}", needs, parts)


def _marked(problem: ProblemStatement) -> list[tuple[str, Written]]:
    """Decorator and text of each part, in an order in which the first heuristic stays the first."""
    parts: list[tuple[str, Any]] = []
    source = problem.source
    if "draw" in source:
        strata = {} if set(source["strata"]) == {""} else dict(source["strata"])
        counts = ", ".join(f"{name}={count}" for name, count in source["counts"].items())
        parts.append((f"instances({counts}, strata={value_text(strata)})", source["draw"]))
    parts += [("heuristic", function) for function in problem.heuristics.values()]
    online = f"online(public={list(problem.public)!r})"
    parts += [(online if mark == "online" else mark, part) for mark, part in problem.parts.items()]
    if problem.moves is not None:
        parts.append(("neighbours", problem.moves))
    return [(mark, written(thing, mark)) for mark, thing in parts]


def _fixed(problem: ProblemStatement) -> str | None:
    """The call that gives fixed instances; None where they are drawn."""
    source = problem.source
    if "draw" in source:
        return None
    shares = "".join(f", {name}={count}" for name, count in source["shares"].items())
    if "pattern" in source:
        folder = Path(problem.home.get("__file__") or "x").absolute().parent
        return f"problem.files({str(folder / source['pattern'])!r}{shares})"
    plain = {stratum: [data for _, data in every] for stratum, every in source["given"].items()}
    data: Any = plain[""] if set(plain) == {""} else plain
    return f"problem.data({value_text(data)}{shares})"


def kind_text(kind: Any) -> str:
    """Python text of a kind of answer: `gapsmith.Subset('crossings')`."""
    if kind is None or not is_dataclass(kind):
        return repr(kind)
    values: Mapping[str, Any] = {f.name: getattr(kind, f.name) for f in fields(kind)}
    return f"gapsmith.{type(kind).__name__}({', '.join(f'{n}={v!r}' for n, v in values.items())})"


def _file(doc: str, needs: Needs, parts: list[str]) -> str:
    head = _HEAD.format(doc=doc, origin="an interactive session")
    body = [inspect.cleandoc(needs.text)] if needs.text else []
    return "\n\n\n".join([head, *body, *parts]) + "\n"


def _kept() -> Path:
    """The cache's folder of problems: what others could write there would run as this user.

    Raises:
        UserError: others can write there, or it cannot be made.
    """
    folder = cache_folder() / "problems"
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        check_own(folder)
    except OSError as error:
        raise UserError(
            INVALID,
            f"{folder}: {error.strerror or error}; a problem of this session would be written there, and run",
            "make it yours alone (chmod 700), or move it with GAPSMITH_CACHE",
        ) from error
    return folder


_numbers = count(1)


def spec_of(problem: Any, folder: Path | None = None) -> str:
    """The text by which `load_problem` finds a problem that a caller hands over.

    Args:
        problem: a name, a file or `module:attribute` as a text; a problem in the short form; a problem's
            class; or a Plugin.
        folder: where a problem that has no file, as a notebook's, is written; the cache folder by default.

    Raises:
        UserError: it is none of these, or a problem in the short form cannot be written into a file.
    """
    if isinstance(problem, str):
        return problem
    if hasattr(problem, "__fspath__"):
        return str(problem)
    short = isinstance(problem, ShortProblem)
    if not short and not isinstance(problem, Plugin) and not inspect.isclass(problem):
        raise UserError(
            USAGE,
            f"problem: got a {type(problem).__name__}, expected a name, a file, a class or a Plugin",
            "pass the class itself, not an instance of it",
        )
    home = problem.problem if isinstance(problem, Plugin) else problem
    own = problem.stated.home["__name__"] if short else getattr(home, "__module__", "")
    module = sys.modules.get(own)
    named = _named(problem, module)
    if short and own.startswith("gapsmith_file_"):
        raise ProblemError(
            f"problem {problem.stated.name}: its file works on it while the file is being read",
            'put the call under `if __name__ == "__main__":`',
        )
    if (short and not named) or (own == "__main__" and named and not isinstance(problem, Plugin)):
        try:  # a script is not loaded again, for it would run all that stands in it
            return str(write_out(problem.stated if short else problem, folder or _kept()))
        except ProblemError:
            if short:
                raise
    if named:
        return named
    made = ModuleType(f"{MADE}{next(_numbers)}")
    made.given = problem  # type: ignore[attr-defined]
    sys.modules[made.__name__] = made
    return f"{made.__name__}:given"


def _named(problem: Any, module: ModuleType | None) -> str:
    """`module:attribute` of an object; empty where no module holds it."""
    for name, value in [] if module is None else list(vars(module).items()):
        if value is problem and module is not None:
            return f"{module.__name__}:{name}"
    return ""
