"""Names that no file has, and which Python files a person may have meant by a path that is none."""

from __future__ import annotations

from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from ..errors import ProblemError, UnknownProblem

_MOST = 5
"""File names in one message."""
_LONGEST, _LONGEST_PART = 4000, 255
"""Longest path and longest name in a path that the system takes (bytes)."""


def near_files(path: Path) -> list[str]:
    """Paths of Python files in the folder of `path` whose names resemble its name, in any case."""
    beside = {file.stem.lower(): file for file in _python_files(path.parent)}
    stem = path.name.removesuffix(".py").lower()
    near = get_close_matches(stem, beside, 3, 0.6)
    return [str(beside[name]) for name in near if beside[name] != path]


def check_length(spec: str) -> None:
    """Refuses a problem's name that is longer than that of any file.

    Raises:
        UnknownProblem: it is.
    """
    if len(spec) > _LONGEST or any(
        len(part.encode(errors="surrogatepass")) > _LONGEST_PART for part in spec.split("/")
    ):
        raise UnknownProblem(
            f"problem {spec[:60]}…: got a name of {len(spec)} characters, more than that of any file",
            "give a built-in or installed name, a file.py or module:attribute",
        )


def check_python(path: Path) -> None:
    """Refuses a folder, and a file whose name does not end in `.py`.

    Raises:
        ProblemError: with the Python files that may be meant.
    """
    if path.is_dir():
        files = _python_files(path)
        names = ", ".join(file.name for file in files[:_MOST]) + (", …" if len(files) > _MOST else "")
        raise ProblemError(
            f"{path}: is a folder; it holds {names or 'no Python file'}",
            f"give the file: {files[0]}" if len(files) == 1 else "give the path of a Python file (.py)",
        )
    if path.suffix != ".py" and path.is_file():
        near = near_files(path)
        hint = "a problem is a .py file, a configuration is a .toml file, instances go with --instances"
        raise ProblemError(
            f"{path}: not a Python file (.py)", f"did you mean {' or '.join(near)}?" if near else hint
        )


def _python_files(folder: Path) -> list[Path]:
    """The Python files of a folder without its tests, by name; none if the folder cannot be read."""
    with suppress(OSError):
        files = sorted(folder.glob("*.py"))
        return [file for file in files if not file.name.startswith("test_") and file.is_file()]
    return []


def check_no_attribute(spec: str) -> None:
    """Refuses `file.py:attribute`.

    Raises:
        UnknownProblem: the name is a file and an attribute.
    """
    file, colon, attribute = spec.partition(":")
    if colon and file.endswith(".py"):
        raise UnknownProblem(
            f"problem {spec!r}: a file and an attribute, expected a file.py or module:attribute",
            f"write {file}, or {Path(file).stem}:{attribute} in the folder of the file",
        )
