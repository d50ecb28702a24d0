"""References of task graphs: shipped, or CP-SAT's optimum, or a proven bound when its limit is reached."""

from __future__ import annotations

import time
from typing import cast

from ...problems.base import Instance, Json
from ...problems.faults import objective_of
from ...problems.graphs.verification import judge
from ..base import Incumbent, ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from ..toolbox import Solved, SolveStatus, incumbent, solve_cpsat, stop_cpsat
from .models import arithmetic_bound, graph_model

Schedule = list[list[int]]


class TaskGraphReferences(CertifiedReferences):
    """Optima by CP-SAT, and the solver's bound where an instance stays open."""

    family = "task-graph"
    version = "intervals 1"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """Optimum (time units) or bound, and CP-SAT's schedule."""
        floor = arithmetic_bound(instance.public)
        graph = graph_model(instance.public, least=floor)
        solved = solve_cpsat(graph.model, seconds=seconds, known_bound=floor)
        found = graph.schedule(solved)
        value = None if found is None else _value(instance, found)
        return Certificate(solved.as_reference(verified=value), cast(Json, found))

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """CP-SAT's best schedule after deterministic seconds."""
        floor = arithmetic_bound(instance.public)
        graph = graph_model(instance.public, least=floor)
        solved = stop_cpsat(graph.model, effort, floor)
        found = graph.schedule(solved)
        verdict = None if found is None else judge(instance.public, cast(Json, found))
        return incumbent(solved, verdict)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same optimum proven again: no schedule ends earlier, one ends then; a bound is computed anew.

        CP-SAT answers both questions without an objective, with a deadline; the schedule goes through the
        problem's own verification.

        Raises:
            ValueError: a schedule ends before the reference, or the arithmetic bound is above.
        """
        if reference.kind is not ReferenceKind.OPTIMUM:
            return self.compute(instance, seconds)
        started = time.monotonic()
        value = int(reference.value)
        floor = arithmetic_bound(instance.public)
        if floor > value:
            raise ValueError(f"instance {instance.id}: chains and work need {floor}, expected {value}")
        earlier = self._ends_by(instance, value - 1, seconds)[0] if value > floor else None
        spent = time.monotonic() - started
        if earlier is not None and earlier.status is not SolveStatus.INFEASIBLE:
            if earlier.solution is not None:
                raise ValueError(f"instance {instance.id}: a schedule ends by {value - 1}, expected none")
            return Reference.proven_bound(
                floor, ProofKind.ARITHMETIC, "arithmetic bound", "1", spent, "the solver's time was over"
            )
        proof = (
            (ProofKind.ARITHMETIC, "arithmetic bound", "1")
            if earlier is None
            else (ProofKind.SOLVER, earlier.solver, earlier.version)
        )
        source = f"no schedule ends by {value - 1}"
        left = max(1.0, seconds - spent)
        if self._ends_by(instance, value, left)[1] is not None:
            spent = time.monotonic() - started
            return Reference.optimum(value, *proof, spent, f"{source}, one ends by {value}")
        return Reference.proven_bound(value, *proof, spent, source)

    def _ends_by(self, instance: Instance, deadline: int, seconds: float) -> tuple[Solved, Schedule | None]:
        """CP-SAT's word on schedules that end by a deadline, and one that passed the verification."""
        graph = graph_model(instance.public, deadline=deadline)
        solved = solve_cpsat(graph.model, seconds=seconds)
        found = graph.schedule(solved)
        if found is not None and _value(instance, found) > deadline:
            raise ValueError(f"instance {instance.id}: model and verification disagree on a schedule")
        return solved, found


def _value(instance: Instance, schedule: Schedule) -> int:
    """Makespan of a schedule of the model, as the problem's own verification says.

    Raises:
        ValueError: the verification refuses the schedule.
    """
    return int(objective_of(instance.id, judge(instance.public, schedule)))  # type: ignore[arg-type]
