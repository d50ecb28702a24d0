"""Writes a new problem: one file with a test beside it, or a package that can be installed."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

from .errors import TROUBLE, USAGE, UserError

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
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(TROUBLE, f"{error.filename}: {error.strerror}", "write to another folder") from error
    return list(paths)


def _render(name: str, package: bool) -> dict[str, str]:
    """Path → text of all files."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    words = _words(name)
    stem = "_".join(words)
    distribution, module = f"gapsmith-{name}", f"gapsmith_{stem}"
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True
    )
    values = {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "class_name": "".join(word.capitalize() for word in words),
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

    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise UserError(
            USAGE, f"name {name!r}: expected lower case letters and digits with hyphens, like night-shift"
        )
    if name in BUILT_INS:
        raise UserError(USAGE, f"name {name!r}: belongs to a built-in problem", "choose another name")
    return name.split("-")
