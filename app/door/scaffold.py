"""Writes a new problem: one file with a test beside it, or a package that can be installed."""

from __future__ import annotations

import keyword
import re
import sys
from contextlib import suppress
from pathlib import Path

from ..errors import TROUBLE, USAGE, UserError

_LONGEST = 60
"""Characters of a name: folders of runs and files are called by it, with more around it."""
_TEMPLATES = Path(__file__).parent / "templates" / "problem"


def write_problem(name: str, folder: Path, *, package: bool) -> list[Path]:
    """Writes the files of a new problem and returns their paths, the problem's own first.

    Args:
        name: of the problem, lower case with hyphens (`night-shift`).
        folder: where to write; with `package` a folder of the distribution's name is made in it.
        package: a distribution with `pyproject.toml` instead of a single file.

    Raises:
        UserError: the name cannot be used, a file is there already, or the folder cannot be written to.
    """
    texts = _render(name, package)
    paths = {folder / place: text for place, text in texts.items()}
    if taken := [path for path in paths if path.exists()]:
        raise UserError(USAGE, f"{taken[0]}: is there already", "choose another name, or remove the file")
    for path, text in paths.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            for begun in paths:  # on a full disk an empty file would be in the way of the next attempt
                with suppress(OSError):
                    begun.unlink(missing_ok=True)
            where = error.filename or path  # a write that fails does not know its file
            raise UserError(TROUBLE, f"{where}: {error.strerror}", "write to another folder") from error
    return list(paths)


def _render(name: str, package: bool) -> dict[str, str]:
    """Path → text of all files."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    words = _words(name)
    stem = "_".join(words)
    if not package and _hides(stem):
        raise UserError(
            USAGE,
            f"name {name!r}: {stem}.py would hide the Python module {stem} from programs started beside it",
            f"choose another name, like my-{name}",
        )
    distribution, module = f"gapsmith-{name}", f"gapsmith_{stem}"
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
        "module": module,
        "distribution": distribution,
    }
    if package:
        places = {
            f"{distribution}/{module}/__init__.py": "problem.py",
            f"{distribution}/tests/test_{stem}.py": "test_problem.py",
            f"{distribution}/pyproject.toml": "pyproject.toml",
            f"{distribution}/README.md": "README.md",
        }
    else:
        places = {f"{stem}.py": "problem.py", f"test_{stem}.py": "test_problem.py"}
    return {
        place: environment.get_template(f"{template}.jinja").render(values)
        for place, template in places.items()
    }


def _words(name: str) -> list[str]:
    from .plugins import BUILT_INS

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
    """Name of the problem's class; no word of Python's and nothing that the template imports."""
    from ... import __all__ as offered

    name = "".join(word.capitalize() for word in words)
    taken = keyword.iskeyword(name) or name in (*offered, "Annotated")
    return f"{name}Problem" if taken else name


def _hides(stem: str) -> bool:
    """Whether a file of this name stands before a module that programs import, were it beside them."""
    from importlib.metadata import packages_distributions

    return stem == "gapsmith" or stem in sys.stdlib_module_names or stem in packages_distributions()
