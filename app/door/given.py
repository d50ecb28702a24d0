"""Problems that Python code hands over as objects: each gets a name or a file by which it is loaded."""

from __future__ import annotations

import inspect
import sys
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from ...evaluators.base import Plugin
from ...evaluators.cache import cache_folder
from ..errors import USAGE, ProblemError, UserError
from .code import MADE
from .short import ShortProblem
from .written_out import write_out

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
            return str(write_out(problem.stated if short else problem, folder or cache_folder() / "problems"))
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
