"""Source texts of the programs that a problem ships."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files


def program(package: str, problem: str, name: str) -> str:
    """Source text of one program: `programs/PROBLEM/NAME.py` of a package, hyphens written as underscores."""
    folder = files(package).joinpath("programs", problem.replace("-", "_"))
    return folder.joinpath(name.replace("-", "_") + ".py").read_text("utf-8")


def programs(package: str, problem: str, names: Sequence[str]) -> dict[str, str]:
    """Id → source text, in the order of the names."""
    return {name: program(package, problem, name) for name in names}
