"""Notes what a candidate reaches for beside its task: a refused call that it swallows leaves no other trace.

Each name goes at once into a pipe that the tool reads after the child's end. What is written cannot be taken
back, and the filter lets nobody close or replace the pipe's end. Python's audit hooks would see more, but one
hook makes every `id()` seven times as slow, and `copy.deepcopy` twice.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, ModuleType
from typing import Any

MARKS = 6  # descriptor of the pipe's end in a child
_MOST = 32  # names of one execution

# Modules whose own functions are calls to the system or look into the interpreter.
_WATCHED = (
    "posix", "_io", "gc", "_thread", "_posixsubprocess", "_signal", "_socket", "_ctypes", "mmap", "resource",
)  # fmt: skip
# Asked by honest library code: settings, paths as text, random bytes, and locks of threads that are none.
_HARMLESS = frozenset({
    "fspath", "urandom", "getpid", "cpu_count", "sched_getaffinity", "get_terminal_size", "strerror",
    "times", "get_ident", "allocate_lock", "_set_sentinel", "RLock", "LockType", "_count",
    "text_encoding", "enable", "disable", "isenabled", "collect", "freeze", "get_threshold",
    "set_threshold", "isatty", "_exit",
})  # fmt: skip
# Library code that looks for a text to quote, and takes no for an answer.
_QUOTING = ("linecache", "tokenize", "traceback", "warnings", "importlib", "inspect")
_PLAIN_SYS = (
    "byteorder", "float_info", "float_repr_style", "hash_info", "hexversion", "implementation",
    "int_info", "maxsize", "maxunicode", "platform", "version", "version_info", "copyright",
    "api_version", "flags", "intern", "getsizeof", "getrecursionlimit", "setrecursionlimit", "exit",
    "getrefcount", "exc_info", "getdefaultencoding", "get_int_max_str_digits", "set_int_max_str_digits",
)  # fmt: skip
_LIVE_SYS = frozenset(
    {"stdin", "stdout", "stderr", "argv", "__stdout__", "__stderr__", "__name__", "__doc__"}
)

# Forbidden imports that say more than that a library is missing.
INTERNALS = frozenset({
    "os", "posix", "io", "_io", "ctypes", "_ctypes", "gc", "inspect", "importlib", "imp", "builtins",
    "subprocess", "_posixsubprocess", "socket", "_socket", "ssl", "threading", "_thread",
    "multiprocessing", "signal", "resource", "mmap", "fcntl", "pickle", "marshal", "code", "codeop",
    "dis", "tracemalloc", "faulthandler", "pathlib", "shutil", "tempfile", "pty", "select", "selectors",
    "asyncio", "concurrent", "urllib", "http", "requests", "sealed",
})  # fmt: skip


class Marks:
    """The names that one child's candidate reached for, each written once."""

    def __init__(self) -> None:
        self._write, self._frame = os.write, sys._getframe
        self._seen: set[str] = set()
        self._armed = False

    def arm(self) -> None:
        """From now on names are noted: the candidate's first line comes next."""
        self._armed = True

    def note(self, name: str) -> None:
        """Writes a name, once and if there is room; where it cannot be written the process ends."""
        if self._armed and name not in self._seen and len(self._seen) < _MOST:
            self._seen.add(name)
            try:
                self._write(MARKS, name.encode("ascii", "replace")[:60] + b"\n")
            except OSError:
                os._exit(71)

    def watch(self) -> None:
        """Puts a noting function in the place of each function that reaches out of the interpreter."""
        noting: dict[int, Any] = {id(builtins.open): self._noting("open", builtins.open)}
        for name, key, value in _functions(_WATCHED):
            shown = "os" if name == "posix" else name.lstrip("_")
            noting.setdefault(id(value), self._noting(f"{shown}.{key}", value))
        for name, key, value in _functions((*_WATCHED, "builtins", "os", "io", "socket", "signal")):
            if id(value) in noting:
                setattr(sys.modules[name], key, noting[id(value)])

    def _noting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        note, frame = self.note, self._frame

        def noting(*arguments: Any, **named: Any) -> Any:
            caller = frame(1).f_globals.get("__name__", "")
            if not caller.startswith(_QUOTING):
                note(name)
            return function(*arguments, **named)

        noting.__name__ = noting.__qualname__ = name
        return noting

    def system(self) -> ModuleType:
        """What a candidate gets as `sys`: the same values, with a note of those that lead further."""
        note = self.note

        class System(ModuleType):
            def __getattr__(self, name: str) -> Any:
                value = getattr(sys, name)
                if name not in _LIVE_SYS:
                    note(f"sys.{name}")
                return value

            def __setattr__(self, name: str, value: Any) -> None:
                setattr(sys, name, value)

            def __delattr__(self, name: str) -> None:
                delattr(sys, name)

        made = System("sys")
        vars(made).update({name: getattr(sys, name) for name in _PLAIN_SYS if hasattr(sys, name)})
        return made


def _functions(modules: Sequence[str]) -> list[tuple[str, str, Any]]:
    """Module, name and function of all that is written in C and in memory, the harmless aside."""
    return [
        (name, key, value)
        for name in modules
        if name in sys.modules
        for key, value in list(vars(sys.modules[name]).items())
        if isinstance(value, BuiltinFunctionType) and key not in _HARMLESS
    ]
