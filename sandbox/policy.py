"""What candidates may import, and which layers a person has switched off: part of every result's identity."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

LayerName = Literal["rlimits", "seccomp", "landlock", "namespaces", "uid"]
LAYERS: tuple[LayerName, ...] = get_args(LayerName)

# No clock, no files, no processes, no solver. `sys` is here because honest programs ask for `sys.maxsize`.
DEFAULT_MODULES = (
    "__future__", "abc", "array", "bisect", "cmath", "collections", "collections.abc", "contextlib", "copy",
    "dataclasses", "decimal", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq", "itertools",
    "json", "math", "numbers", "operator", "queue", "random", "re", "statistics", "string", "struct", "sys",
    "textwrap", "types", "typing", "warnings",
    "numpy", "numpy.fft", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random",
)  # fmt: skip

# Raised when the same program could give another answer for the same instance and seed.
VERSION = 1


@dataclass(frozen=True)
class Policy:
    """Import policy of a slot and the layers that are switched off.

    Attributes:
        modules: importable modules by full name; all of them are loaded into the warm server.
        without: layers switched off by `--unsafe-without`, from `LAYERS`.
        support: modules by full name that are loaded as well, for drivers; no program may import them.
    """

    modules: tuple[str, ...] = DEFAULT_MODULES
    without: frozenset[str] = frozenset()
    support: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = sorted(self.without - set(LAYERS))
        if unknown:
            raise ValueError(f"Policy.without: got {unknown}, expected names from {', '.join(LAYERS)}")
        for name in (*self.modules, *self.support):
            if not all(part.isidentifier() for part in name.split(".")):
                raise ValueError(f"Policy.modules: got {name!r}, expected a module's dotted name")

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of all that could change an answer; part of every cache key."""
        parts: list[Any] = [VERSION, sorted(set(self.modules)), sorted(self.without)]
        if self.support:
            parts.append(sorted(set(self.support)))
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
