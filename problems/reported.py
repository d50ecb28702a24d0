"""What a problem offers whose scores a foreign evaluator reports."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from .base import Json


@runtime_checkable
class Reported(Protocol):
    """A problem whose scores a foreign evaluator reports: nothing verifies them, so they are no gaps.

    Attributes:
        folder: of the task, which the evaluator may read.
        python: interpreter with the evaluator's packages.
        workshop_driver: source that runs the evaluator on a program in a workshop.
        workshop_options: options of that source (JSON).
        workshop_packages: modules of installed packages that one process may import for all evaluations.
    """

    @property
    def folder(self) -> Path: ...
    @property
    def python(self) -> str: ...
    @property
    def workshop_driver(self) -> str: ...
    @property
    def workshop_options(self) -> dict[str, Json]: ...
    @property
    def workshop_packages(self) -> tuple[str, ...]: ...

    def metrics(self, answer: Json) -> Mapping[str, Any]:
        """Name → value of what the evaluator measured."""

    def feedback(self, answer: Json) -> str:
        """What the evaluator said of a program, as text fit for a prompt."""
