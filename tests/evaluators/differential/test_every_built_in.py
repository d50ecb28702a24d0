"""Every built-in problem has a differential test."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from gapsmith.app.plugins.built_ins import BUILT_INS


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"differential_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _names(module: ModuleType) -> set[str]:
    """Names of the problems for which tests of a module that draw and prove have parameters."""
    names = set()
    for value in vars(module).values():
        code: Any = getattr(value, "__code__", None)
        arguments = code.co_varnames[: code.co_argcount] if code else ()
        if not {"name", "stream", "prove"} <= set(arguments) or not value.__name__.startswith("test_"):
            continue
        for mark in getattr(value, "pytestmark", ()):
            given = mark.args[0] if mark.name == "parametrize" else ()
            if "name" in ((given,) if isinstance(given, str) else given):
                names |= {one if isinstance(one, str) else one[0] for one in mark.args[1]}
    return names


def test_every_built_in_is_computed_twice() -> None:
    """The parameters of the tests in this folder are the names of all built-in problems."""
    names = set[str]()
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if path != Path(__file__):
            names |= _names(_module(path))
    assert names == set(BUILT_INS)
