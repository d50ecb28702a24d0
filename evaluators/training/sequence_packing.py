"""References of sequence packing: the arithmetic bound, and optima of small steps by CP-SAT."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from ...problems.base import Instance, Json
from ...problems.training.sequence_packing import judge
from ..base import ProofKind, Reference
from ..certified import Certificate, CertifiedReferences
from ..toolbox import Solved, solve_cpsat, solve_mip
from .packing_bound import least_microbatches, lower_bound, span_bound
from .packing_models import cpsat_model, mip_model, plan_of

MOST_SEQUENCES = 20
"""Beyond so many sequences solvers prove nothing better than the arithmetic bound in reasonable time."""


class SequencePackingReferences(CertifiedReferences):
    """Work of all devices and the overhead of the least microbatches; optima of small steps."""

    family = "sequence-packing"
    version = "work and overhead 1, CP-SAT 1"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The optimum of a small step, else the bound (units of 10 µs)."""
        if len(instance.public["lengths"]) > MOST_SEQUENCES:
            return Certificate(_arithmetic(instance.public))
        return solve(instance.public, seconds, "cp-sat")

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """A small step stated as a mixed-integer programme, solved by HiGHS."""
        if len(instance.public["lengths"]) > MOST_SEQUENCES:
            return _arithmetic(instance.public)
        return solve(instance.public, seconds, "highs").reference


def solve(public: Mapping[str, Any], seconds: float, solver: Literal["cp-sat", "highs"]) -> Certificate:
    """The optimum of a small step, or the better of the solver's bound and the arithmetic one.

    The model allows one microbatch more than the tokens need. A plan with more of them costs at least their
    overheads and the bound of their spans, which is part of the proof.
    """
    started = time.monotonic()
    most = least_microbatches(public) + 1
    floor = lower_bound(public)
    solved, plan, value = _solved(public, most, floor, seconds, solver)
    bound = max(floor, min(int(solved.bound or 0), span_bound(public) + public["overhead"] * (most + 1)))
    make = Reference.optimum if value == bound else Reference.proven_bound
    proof = ProofKind.ARITHMETIC if bound == floor else ProofKind.SOLVER
    note = "" if value is None or value == bound else f"; best plan known {value / bound - 1:.2%} above"
    spent = round(time.monotonic() - started, 3)
    source = f"solved: {solved.command}{note}"
    return Certificate(make(bound, proof, solved.solver, solved.version, spent, source), plan)


def _solved(
    public: Mapping[str, Any], most: int, floor: int, seconds: float, solver: Literal["cp-sat", "highs"]
) -> tuple[Solved, Json, int | None]:
    """The solver's outcome, its plan, and the plan's verified objective; None and None without one."""
    if solver == "cp-sat":
        model, put = cpsat_model(public, most)
        solved = solve_cpsat(model, seconds=seconds, known_bound=floor)
    else:
        programme, put = mip_model(public, most)
        solved = solve_mip(programme, seconds=seconds, integral_objective=True, known_bound=floor)
    if solved.solution is None:
        return solved, None, None
    plan = plan_of(public, put, solved)
    objective = judge(public, plan).objective
    return (solved, None, None) if objective is None else (solved, plan, int(objective))


def _arithmetic(public: Mapping[str, Any]) -> Reference:
    started = time.monotonic()
    bound = lower_bound(public)
    spent = round(time.monotonic() - started, 3)
    source = "device time of all sequences, and the microbatches that the tokens need"
    return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
