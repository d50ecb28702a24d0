"""Exceptions of the lower floors as errors for a person, each with its exit code."""

from __future__ import annotations

import errno

from ..evolve.remote.executor import WorkerLost, WorkersLost
from ..evolve.store.schema import StoreError
from ..sandbox.base import SandboxError
from .errors import INVALID, MISSING, TROUBLE, UNSAFE, USAGE, UserError

_OUTSIDE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EFBIG)
_SHOWN = 100
"""Characters of a path that no system takes."""


def known_error(error: BaseException) -> UserError | None:
    """The error for a person that an exception stands for; None for a bug."""
    from ..evolve.llm.base import ModelError
    from ..prompts.builder import TemplateInvalid

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
