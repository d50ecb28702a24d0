"""Problems that Python code hands over as objects: a class or a Plugin gets a name by which it is loaded."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Iterator
from itertools import count
from types import CodeType, FunctionType, ModuleType
from typing import Any

from ...evaluators.base import Plugin
from ..errors import USAGE, UserError

_numbers = count(1)
_MADE = "gapsmith_given_"


def is_given(spec: str) -> bool:
    """Whether only one Python session has a problem: a class of a notebook, a script, or a function."""
    return spec.startswith(("__main__:", _MADE))


def spec_of(problem: Any) -> str:
    """The text by which `load_problem` finds a problem that a caller hands over.

    Args:
        problem: a name, a file or `module:attribute` as a text; a problem's class; or a Plugin.

    Raises:
        UserError: it is none of these.
    """
    if isinstance(problem, str):
        return problem
    if hasattr(problem, "__fspath__"):
        return str(problem)
    if not isinstance(problem, Plugin) and not inspect.isclass(problem):
        raise UserError(
            USAGE,
            f"problem: got a {type(problem).__name__}, expected a name, a file, a class or a Plugin",
            "pass the class itself, not an instance of it",
        )
    home = problem.problem if isinstance(problem, Plugin) else problem
    module = sys.modules.get(getattr(home, "__module__", ""))
    for name, value in [] if module is None else list(vars(module).items()):
        if value is problem and module is not None:
            return f"{module.__name__}:{name}"
    made = ModuleType(f"{_MADE}{next(_numbers)}")
    made.given = problem  # type: ignore[attr-defined]
    sys.modules[made.__name__] = made
    return f"{made.__name__}:given"


def code_digest(module: ModuleType) -> str:
    """Hex SHA-256 of what a module without a file defines, as a notebook's; line numbers do not count."""
    hasher = hashlib.sha256()
    for name, value in sorted(vars(module).items(), key=lambda item: item[0]):
        if name.startswith("_") and not isinstance(value, FunctionType):
            continue  # what an interactive shell keeps for itself
        if getattr(value, "__module__", None) == module.__name__:
            for code in _codes(value):
                hasher.update(repr((name, *_facts(code))).encode())
        elif isinstance(value, bool | int | float | str | tuple | frozenset):
            hasher.update(repr((name, value)).encode())
    return hasher.hexdigest()


def _codes(value: Any) -> Iterator[CodeType]:
    """The code of a function, or of all functions of a class."""
    if isinstance(value, FunctionType):
        yield value.__code__
    elif inspect.isclass(value):
        for part in vars(value).values():
            yield from _codes(getattr(part, "__func__", part))


def _facts(code: CodeType) -> tuple[object, ...]:
    constants = [_facts(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_name, code.co_code.hex(), code.co_names, code.co_varnames, constants
