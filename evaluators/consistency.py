"""Whether two references of one instance contradict each other."""

from __future__ import annotations

from ..problems.base import Problem, Sense
from .base import ProofKind, Reference, ReferenceKind
from .numbers import better_than, equal
from .scoring import tolerance_of


def consistent(problem: Problem, first: Reference, second: Reference) -> bool:
    """Whether two references may both be true: no value that is more than a bound is better than the other's.

    Two optima are equal by that, and two bounds from the same arithmetic must be.
    """
    minimise = problem.sense is Sense.MINIMISE
    tolerance = tolerance_of(problem)
    return not _arithmetic_differs(first, second, tolerance) and not any(
        one.bound is not None and better_than(other.value, one.bound, minimise, tolerance)
        for one, other in ((first, second), (second, first))
        if other.kind is not ReferenceKind.BOUND
    )


def _arithmetic_differs(first: Reference, second: Reference, tolerance: float) -> bool:
    """Whether two bounds differ although they were worked out in the same way, whatever time there was."""
    if first.bound is None or second.bound is None:
        return False
    ways = {(reference.proof, reference.solver, reference.version) for reference in (first, second)}
    same = len(ways) == 1 and first.proof is ProofKind.ARITHMETIC
    return same and not equal(first.bound, second.bound, tolerance)
