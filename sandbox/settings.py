"""What one execution may use, as a user sets it: the knobs behind limits and policy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .base import Limits
from .policy import DEFAULT_MODULES, LAYERS, LayerName, Policy

USUAL_CPU_SECONDS = 1.0
"""CPU limit of one execution where neither a user nor the problem names one."""


def _knob(default: Any, meaning: str, **limits: Any) -> Any:
    """A field with its meaning and its range in pydantic's words, for the file of a configuration."""
    return field(default=default, metadata={"description": meaning, "strict": True, **limits})


@dataclass(frozen=True)
class SandboxSettings:
    """Limits of one execution, modules and layers."""

    cpu_seconds: float | None = _knob(
        None,
        "CPU seconds per instance (> 0, at most a day: 86,400); by default the problem's own limit, or 1",
        gt=0,
        le=86_400,
    )
    memory_mb: float = _knob(512.0, "MiB of memory per execution (1 to 1,048,576)", ge=1, le=1_048_576)
    output_kb: float = _knob(
        1024.0,
        "KiB of answer per execution (1 to 262,144); the tool reads it whole",
        ge=1,
        le=262_144,
        constant=True,
    )
    modules: tuple[str, ...] = _knob(
        (), "modules that a candidate may import beside the standard list (names)", strict=False
    )
    without: tuple[LayerName, ...] = _knob(
        (),
        "sandbox layers that are switched off (names; --unsafe-without): " + ", ".join(LAYERS),
        strict=False,
    )

    @property
    def limits(self) -> Limits:
        """The limits of one execution."""
        seconds = USUAL_CPU_SECONDS if self.cpu_seconds is None else self.cpu_seconds
        return Limits(seconds, int(self.memory_mb * 2**20), int(self.output_kb * 2**10))

    @property
    def policy(self) -> Policy:
        """The import policy and the layers of a slot."""
        extra = [name for name in self.modules if name not in DEFAULT_MODULES]
        return Policy((*DEFAULT_MODULES, *extra), frozenset(self.without))
