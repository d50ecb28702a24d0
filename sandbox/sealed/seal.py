"""What one child puts on itself between fork and the first byte of its job."""

from __future__ import annotations

import math
import os
import resource

from . import isolation
from .filter import Loader, build


class Seal:
    """The child's own layers, prepared once in the server so that a child only makes the system calls."""

    def __init__(self, without: frozenset[str], base_bytes: int) -> None:
        self._limits = "rlimits" not in without
        self._loader = None if "seccomp" in without else Loader(build(isolation.machine()))
        self._base = base_bytes

    def apply(self, cpu_seconds: float, memory_bytes: int, output_bytes: int) -> None:
        """Limits, then the filter, which is last because it forbids everything before it.

        Raises:
            RuntimeError: a layer could not be put on; its name is the start of the message.
        """
        layer = "rlimits"
        try:
            if self._limits:
                # AS, not DATA or RSS: it alone counts shared anonymous maps.
                isolation.set_limit(resource.RLIMIT_AS, self._base + memory_bytes)
                isolation.set_limit(resource.RLIMIT_CPU, math.ceil(cpu_seconds) + 1)
                isolation.set_limit(resource.RLIMIT_FSIZE, output_bytes)
                isolation.set_limit(resource.RLIMIT_NOFILE, 8)
                isolation.set_limit(resource.RLIMIT_NPROC, 0)
            # A core_pattern pipe ignores RLIMIT_CORE, and a crash would take seconds there.
            isolation.prctl(isolation.PR_SET_DUMPABLE, 0)
            layer = "seccomp"
            if self._loader is not None:
                self._loader.load()
        except (OSError, ValueError) as error:
            reason = os.strerror(error.errno or 0) if isinstance(error, OSError) else str(error)
            raise RuntimeError(f"{layer}: {reason}") from error
