"""Source texts of the programs that a problem ships."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files

_HELPERS = re.compile(r"\n(?:from \.[\w.]+ import \w+\n)+")
"""Lines that import helpers from files beside a program's, with the blank line before them."""


def program(package: str, problem: str, name: str) -> str:
    """Source text of one program: `programs/PROBLEM/NAME.py` of a package, hyphens written as underscores."""
    folder = files(package).joinpath("programs", problem.replace("-", "_"))
    return folder.joinpath(name.replace("-", "_") + ".py").read_text("utf-8")


def programs(package: str, problem: str, names: Sequence[str]) -> dict[str, str]:
    """Id → source text, in the order of the names."""
    return {name: program(package, problem, name) for name in names}


def completed(package: str, problem: str, names: Sequence[str]) -> dict[str, str]:
    """Like `programs`; the functions of helpers that a program imports stand at the end of its text."""
    texts = programs(package, problem, names)
    for name, text in texts.items():
        if lines := _HELPERS.search(text):
            text = text.replace(lines[0], "")
            for folder, helper in re.findall(r"from \.+(?:(\w+)\.)?(\w+) import", lines[0]):
                text += "\n\n" + program(package, folder or problem, helper).partition("\n\n\n")[2]
            texts[name] = text
    return texts
