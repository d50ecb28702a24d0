"""References of a problem in the short form: the author's models solved, or optima and bounds as they are."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...evaluators.base import Reference
from ...evaluators.toolbox.solved import Solved
from ...evaluators.toolbox.stated import is_model, solve
from ...problems.base import Instance, Json
from ...problems.plain import brief
from .form import Form, Part
from .matters import reference_version_of


class MadeReferences:
    """References from the author's models, optima and bounds."""

    def __init__(self, form: Form, part: Part) -> None:
        self._form = form
        self._part = part

    @cached_property
    def version(self) -> str:
        """Digest of what the references depend on."""
        return reference_version_of(self._form)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """See `References`."""
        names = {**instance.public, **(instance.hidden or {})}
        found = self._part.on(names, seconds=seconds)
        read = None
        if isinstance(found, tuple) and len(found) == 2 and callable(found[1]):
            found, read = found
        if is_model(found):
            found = solve(found, seconds)
        if isinstance(found, Solved):
            checked = None
            if read is not None and found.solution is not None:
                checked = self._checked(instance, read(found))
            return found.as_reference(verified=checked)
        if isinstance(found, Reference):
            return found
        raise TypeError(
            f"{self._part.title} returned {brief(found)}, expected a model of PuLP or CP-SAT, "
            "gapsmith.optimum(value) or gapsmith.bound(value)"
        )

    def _checked(self, instance: Instance, answer: Json) -> Any:
        """The objective of a model's solution, as the author's function reads it."""
        form = self._form
        whole = form.kind is not None and form.online is None
        fault = form.kind.fault(answer, instance.public) if whole and form.kind is not None else None
        if fault is not None:
            raise ValueError(f"{self._part.title}: the answer of the model's solution: {fault}")
        return form.objective.on({**instance.public, **(instance.hidden or {})}, answer)
