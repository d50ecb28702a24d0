"""Loads a plug-in by name, file, module or package, digests its source text, and explains misses.

A plug-in is the user's own code and runs in the main process. An exception while the plug-in loads becomes
one sentence with file and line.
"""

from __future__ import annotations

import hashlib
import importlib
import logging
import os
import re
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from sysconfig import get_path
from threading import Event, Thread
from types import FrameType, ModuleType
from typing import Any

from ...evaluators.toolbox import SolverError
from ..errors import ProblemError, SolverFailed, UnknownProblem
from .fingerprint import code_digest, is_given

# Names that no file has, and which Python files a person may have meant by a path that is none.

_MOST = 5
"""File names in one message."""
_LONGEST = 4000
_LONGEST_PART = 255
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


PATIENCE_SECONDS = 5.0
"""Wall seconds beyond those that were asked for, before a person who waits reads what the wait is for."""
_MOST_BYTES = 2**26
"""Of one source text."""
_log = logging.getLogger("gapsmith.plugins")


@dataclass(frozen=True, slots=True)
class PluginObject:
    """The object that a specification names.

    Attributes:
        value: the object itself; the module if the specification names a whole file.
        module: the module that holds the object.
        origin: `built-in`, `file PATH`, `module` or `package DIST VERSION`.
        where: file or `module:attribute`, for messages.
    """

    value: Any
    module: ModuleType
    origin: str
    where: str


_ENDS = (SystemExit, GeneratorExit, BaseExceptionGroup)
"""Exceptions beside a Ctrl-C that are no `Exception`; a plug-in may raise them too."""


@contextmanager
def blame(what: str, home: Path | None = None) -> Iterator[None]:
    """Turns any exception of plug-in code into a `ProblemError` with the file and line that raised it.

    Args:
        what: subject of the sentence (`knapsack.py`, `problem knapsack: instances('train', 1)`).
        home: file of a single-file plug-in while it is run.
    """
    try:
        yield
    except ProblemError:
        raise
    except SyntaxError as error:
        line = f"{_short(error.filename or what)}:{error.lineno}"
        raise ProblemError(
            f"{what}: syntax error: {error.msg} ({line})", "correct the line; Python cannot read the file"
        ) from None
    except ModuleNotFoundError as error:
        raise ProblemError(
            f"{what}: needs a module that is not there: {error.name} ({place(error)})",
            _missing(str(error.name), home),
        ) from None
    except SolverError as error:
        raise SolverFailed(f"{what}: {error}", "`gapsmith doctor` says which solvers work here") from None
    except (Exception, *_ENDS) as error:
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        line = place(error)
        hint = "correct the line that is named" if line[-1].isdigit() else "correct the plug-in's code"
        raise ProblemError(f"{what}: raised {words} ({line})", hint) from None


def _missing(name: str, home: Path | None) -> str:
    """What to do about a module that is not there; a file beside the plug-in is only found by a module."""
    first = name.partition(".")[0]
    if home is None or not ((home.parent / f"{first}.py").is_file() or (home.parent / first).is_dir()):
        return (
            f"install what provides {name}, or correct the import; a single-file problem may import "
            "installed packages only"
        )
    classes = re.findall(r"^class (\w+)", home.read_text("utf-8-sig", "replace"), re.M)
    attribute = classes[0] if len(classes) == 1 else "NAME"
    return (
        f"{first} lies beside {home.name}, but a problem's file is one text, and imports installed packages "
        f"only: in the folder {home.parent.resolve()} name the problem {home.stem}:{attribute}, for a module "
        "finds its siblings"
    )


@contextmanager
def told_when_slow(what: str, seconds: float) -> Iterator[None]:
    """Warns when a call takes much longer than requested, and again each time the elapsed time doubles.

    Args:
        what: as for `blame`.
        seconds: wall seconds that the caller requested.
    """
    ended = Event()
    started = time.monotonic()

    def watch() -> None:
        pause = seconds + PATIENCE_SECONDS
        while not ended.wait(pause):
            pause = time.monotonic() - started
            _log.warning(
                "%s: not done after %.0f s, expected within about %g s; Ctrl-C ends it", what, pause, seconds
            )

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def from_file(path: Path) -> PluginObject:
    """Runs a Python file as a separate module; imports do not search the file's folder.

    Raises:
        UnknownProblem: there is no such file.
        ProblemError: the path is a folder or no `.py` file, or the file is unreadable, not UTF-8, has a
            syntax error, or raises an exception.
    """
    check_python(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = near_files(path)
        hint = f"did you mean {' or '.join(near)}?" if near else "give the path of a Python file"
        raise UnknownProblem(f"file {path}: not found", hint) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemError(f"file {path}: cannot be read: {error}", "give a UTF-8 Python file") from None
    full = str(path.resolve())
    name = f"gapsmith_file_{hashlib.sha256(full.encode()).hexdigest()[:12]}"
    module = ModuleType(name)
    module.__file__ = full
    sys.modules[name] = module
    try:
        with blame(str(path), path):
            exec(compile(text, full, "exec"), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return PluginObject(module, module, f"file {path}", str(path))


def from_module(spec: str, origin: str = "module", what: str = "problem") -> PluginObject:
    """Imports `module:attribute`; one that the user names, from the working folder too, after all others.

    `what` says in messages what is named.

    For a built-in problem that folder is no place of modules: whatever lies there would offer plug-ins, and
    would stand in for every package that is not installed.
    """
    name, _, attribute = spec.partition(":")
    if is_given(spec) and not hasattr(sys.modules.get(name), attribute.partition(".")[0]):
        raise ProblemError(
            f"problem {spec}: only the Python session that handed it over has it",
            "go on there: gapsmith.resume_campaign(RUN); or write the problem to a file and start anew",
        )
    if origin == "module":
        _search_working_folder()
    with blame(f"{what} {spec}" if origin == "module" else f"{origin} {spec}"):
        module = importlib.import_module(name)
        value: Any = module
        for part in attribute.split(".") if attribute else ():
            if not hasattr(value, part):
                have = ", ".join(sorted(n for n in vars(value) if not n.startswith("_"))[:12])
                raise ProblemError(f"{what} {spec}: module {name} has no {attribute}", f"it has {have}")
            value = getattr(value, part)
    return PluginObject(value, module, origin, spec)


def installed(group: str) -> dict[str, list[EntryPoint]]:
    """Name → entry points of a group; a name with several entry points means that distributions clash."""
    entries: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=group), key=lambda e: (e.name, _distribution(e))):
        twin = next(
            (e for e in entries.get(entry.name, ()) if _distribution(e) == _distribution(entry)), None
        )
        if twin is None:
            entries.setdefault(entry.name, []).append(entry)
    return entries


def from_entry_point(name: str, entries: list[EntryPoint], group: str) -> PluginObject:
    """Loads the only entry point of a name.

    Raises:
        ProblemError: several distributions offer the name, or the entry point cannot be loaded.
    """
    if len(entries) > 1:
        owners = " and ".join(_distribution(entry) for entry in entries)
        raise ProblemError(f"{group} {name}: offered by {owners}", "uninstall one of them")
    entry = entries[0]
    origin = f"package {_distribution(entry)}"
    with blame(f"{name}: entry point {entry.value} of {origin}"):
        try:
            value = entry.load()
        except AttributeError as error:
            raise ProblemError(f"{name}: entry point {entry.value} of {origin}: {error}") from None
        module = importlib.import_module(entry.module)
    return PluginObject(value, module, origin, entry.value)


def source_digest(modules: list[str]) -> str:
    """Hex SHA-256 of the source texts of modules, each with the rest of its package folder."""
    hasher = hashlib.sha256()
    for name in sorted(set(modules)):
        hasher.update(name.encode() if not name.startswith("gapsmith_file_") else b"file")
        module = sys.modules.get(name)
        if module is not None and getattr(module, "__file__", None) is None:
            hasher.update(code_digest(module).encode())
        for path in _files(getattr(module, "__file__", None), bool(getattr(module, "__package__", ""))):
            hasher.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


@dataclass(frozen=True, slots=True)
class PluginSource:
    """Where a plug-in's source text is, and the hex SHA-256 of what stands there; None if nothing does."""

    path: Path
    digest: str | None


def source_of_file(path: Path) -> PluginSource:
    """The source of a single-file plug-in; the file is not run."""
    return PluginSource(path, content_digest([path]))


def source_of_module(name: str) -> PluginSource:
    """The source of a module that can be imported; neither the module nor its packages are run."""
    before = list(sys.path)
    _search_working_folder()
    try:
        return _found(name)
    finally:
        sys.path[:] = before  # a name in a record is no reason to import anything from here


def _found(name: str) -> PluginSource:
    places = None
    file = None
    packaged = False
    parts = name.split(".")
    for number in range(len(parts)):
        full = ".".join(parts[: number + 1])
        finders = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]
        try:
            spec = next((found for f in finders if (found := f.find_spec(full, places)) is not None), None)
        except (ImportError, ValueError, OSError):  # no name of a module
            spec = None
        if spec is None:
            return PluginSource(Path(name), None)
        places = spec.submodule_search_locations
        file = spec.origin if spec.has_location else None
        packaged = number > 0 or places is not None
    return PluginSource(Path(file or name), content_digest(_files(file, packaged)))


def content_digest(paths: Sequence[Path]) -> str | None:
    """Hex SHA-256 of a file as `sha256sum` prints it, or of several with their names; None without any."""
    digests = [(path.name, _digest(path)) for path in paths if path.is_file()]
    if len(digests) == 1 and len(paths) == 1:
        return digests[0][1]
    text = "".join(f"{name}\0{digest}\n" for name, digest in digests)
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest() if digests else None


def _digest(path: Path) -> str:
    if path.stat().st_size > _MOST_BYTES:
        return "none, for the file is too large"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(file: str | None, packaged: bool) -> list[Path]:
    """A module's file, with the rest of its folder if the module is part of a package."""
    if file is None or not Path(file).is_file():
        return []
    if not packaged:
        return [Path(file)]
    names: list[str] = []
    for folder, folders, inside in os.walk(Path(file).parent):  # a third of the time of `Path.rglob`
        folders[:] = [name for name in folders if name != "__pycache__"]
        names += [f"{folder}{os.sep}{name}" for name in inside if name.endswith(".py")]
    return [Path(name) for name in sorted(names, key=lambda name: name.split(os.sep))]


def _search_working_folder() -> None:
    """Lets modules of the working folder be found, after those of installed packages."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "(unknown)"


def place(error: BaseException) -> str:
    """`file:line` of the deepest frame that probably belongs to the plug-in.

    A wrong call in the plug-in may raise deeper: in Gapsmith, the standard library or an installed package.
    """
    deepest_first = reversed(list(traceback.walk_tb(error.__traceback__)))
    frame, line = max(deepest_first, key=lambda pair: _likely(pair[0]), default=(None, 0))
    if frame is None or not _likely(frame):
        return "before its first line"
    return f"{_short(frame.f_code.co_filename)}:{line}"


def _likely(frame: FrameType) -> int:
    """How likely a frame belongs to the plug-in.

    3: the user's own code; 2: an installed package; 1: the standard library or Gapsmith; 0: code that loads
    plug-ins.
    """
    name = str(frame.f_globals.get("__name__"))
    file = frame.f_code.co_filename
    top = name.partition(".")[0]
    if name.startswith(f"{__package__}.") or file.startswith("<frozen") or "importlib" in file:
        return 0
    if top in sys.stdlib_module_names or top == __package__.partition(".")[0]:
        return 1
    return 2 if file.startswith((get_path("purelib"), get_path("platlib"))) else 3


def _short(filename: str) -> str:
    """A path relative to the working folder, or unchanged if the relative path is no shorter."""
    try:
        relative = os.path.relpath(filename)
    except ValueError:  # another drive
        return filename
    return relative if len(relative) < len(filename) else filename
