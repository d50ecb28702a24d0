"""Digest of what a module without a file defines, as a notebook's."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

MADE = "gapsmith_given_"
"""Beginning of the names of modules that are made for problems without one."""


def is_given(spec: str) -> bool:
    """Whether only one Python session has a problem: a class of a notebook, a script, or a function."""
    return spec.startswith(("__main__:", MADE))


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
