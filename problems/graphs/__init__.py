"""Task graphs on heterogeneous processors: instances, verification, list schedulers, readers."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .problem import TaskGraph, TaskGraphRule

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 200)]
Processors = Annotated[int, Parameter("equal processors for a file that names none", "processors", 1, 64)]


def task_graph(
    train_per_stratum: Rounds = 2,
    valid_per_stratum: Rounds = 4,
    test_per_stratum: Rounds = 8,
    processors: Processors = 4,
) -> TaskGraph:
    """Candidates place each task on a processor at a start; 6 strata."""
    return TaskGraph(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), processors)


def task_graph_rule(
    train_per_stratum: Rounds = 2,
    valid_per_stratum: Rounds = 4,
    test_per_stratum: Rounds = 8,
    processors: Processors = 4,
) -> TaskGraphRule:
    """Candidates score pairs of ready tasks and processors; the same instances."""
    return TaskGraphRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), processors)
