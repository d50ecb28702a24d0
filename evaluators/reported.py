"""What a foreign evaluator measured in one execution, in the form in which a score holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..problems.base import Json
from ..problems.reported import Reported
from ..sandbox.unseen import clean
from .base import METRIC_CHARACTERS, MOST_METRICS, Metric, is_number

_NAME_CHARACTERS = 100


def metrics_of(problem: Reported, answer: Json) -> dict[str, Metric]:
    """Name → value of what an evaluator measured, in its order; cleaned, and within caps."""
    pairs = list(problem.metrics(answer).items())[:MOST_METRICS]
    return {clean(str(name))[:_NAME_CHARACTERS]: _metric(value) for name, value in pairs}


def _metric(value: Any) -> Metric:
    if isinstance(value, Mapping) and "float" in value:  # what JSON lacks: `inf`, `-inf`, `nan`
        value = value["float"]
    return value if is_number(value) else clean(str(value))[:METRIC_CHARACTERS]
