"""Errors that a person can act on, each with its exit code and a hint; never a traceback."""

from __future__ import annotations

import errno
from pathlib import Path

UNEXPECTED = 1
USAGE = 2
INVALID = 3
MISSING = 4
CHECK_FAILED = 5
NO_CANDIDATE = 6
UNSAFE = 7
TROUBLE = 8
INTERRUPTED = 130
EXIT_CODES = {
    0: "done",
    UNEXPECTED: "an error in Gapsmith itself; the message says where the log is",
    USAGE: "wrong usage",
    INVALID: "a configuration, a plug-in or a file is invalid",
    MISSING: "something is not installed; the message names the command that installs it",
    CHECK_FAILED: "a check failed: of a problem, a proof, a record",
    NO_CANDIDATE: "no candidate, or a program that gives no valid answer",
    UNSAFE: "the sandbox is not safe on this machine",
    TROUBLE: "trouble outside: a provider, money, a disk; what was done is saved, resume goes on",
    INTERRUPTED: "interrupted; what was done is saved",
}
"""Exit code → what it means."""

KEPT = "references and baselines that are computed are kept: the same command goes on with the others"
"""What is left of a run that ended before its search began."""


class UserError(Exception):
    """Something that the person at the terminal must put right.

    Attributes:
        code: exit code, one of the constants above.
        message: what, got, expected, where.
        hint: how to fix it, or None.
    """

    def __init__(self, code: int, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


def unwritable(path: Path, error: OSError, what: str = "file") -> UserError:
    """The error for what cannot be written: a wrong path, or a disk that is full or read-only."""
    wrong = isinstance(error, FileNotFoundError | FileExistsError | IsADirectoryError | NotADirectoryError)
    return UserError(USAGE if wrong else TROUBLE, f"{path}: {error.strerror}, expected a {what} to write")


class ProblemError(UserError):
    """A problem, or a plug-in of another kind, cannot be used as it is (exit code 3)."""

    def __init__(self, message: str, hint: str | None = None, *, code: int = INVALID) -> None:
        super().__init__(code, message, hint)


class SolverFailed(ProblemError):
    """A solver could not be run here: nothing is said of what it should have proved."""


class UnknownProblem(ProblemError):
    """Nothing goes by the given name (exit code 2); the hint lists the nearest names."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint, code=USAGE)


_OUTSIDE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EFBIG)
_SHOWN = 100
"""Characters of a path that no system takes."""


def known_error(error: BaseException) -> UserError | None:
    """The error for a person that an exception stands for; None for a bug."""
    from ..evolve.llm.base import ModelError
    from ..evolve.remote.executor import WorkerLost, WorkersLost
    from ..evolve.store.schema import StoreError
    from ..prompts.builder import TemplateInvalid
    from ..sandbox.base import SandboxError

    if isinstance(error, UserError):
        return error
    if isinstance(error, SandboxError):
        return UserError(UNSAFE, str(error), error.hint)
    if isinstance(error, WorkersLost | WorkerLost):
        hint = "`gapsmith resume RUN` goes on; `--workers N` evaluates in one process"
        return UserError(TROUBLE, str(error), hint)
    if isinstance(error, StoreError):
        text = str(error)
        outside = "full" in text or "I/O" in text or "readonly" in text or "make room" in text
        return UserError(TROUBLE if outside else INVALID, text)
    if isinstance(error, ModelError):
        return UserError(TROUBLE, str(error))
    if isinstance(error, TemplateInvalid):
        return UserError(INVALID, str(error), "correct the template, or leave prompts.folder out")
    if isinstance(error, ModuleNotFoundError) and error.name:
        return UserError(MISSING, f"package {error.name} is missing", f"pip install {error.name}")
    if isinstance(error, OSError) and error.errno in _OUTSIDE:
        return UserError(
            TROUBLE, f"{error.filename or 'file'}: {error.strerror}", "make room or name another folder"
        )
    if isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        name = str(error.filename or "file")
        shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}… ({len(name):,} characters)"
        return UserError(USAGE, f"{shown}: {error.strerror}", "name a file or folder that can exist")
    return None
