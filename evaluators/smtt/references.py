"""References of total tardiness: shipped, or computed: a proven optimum, or a bound at the time limit."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...problems.base import Instance, Json
from ..base import ProofKind, Reference
from ..certified import Certificate, CertifiedReferences
from . import decomposition

_COMPUTED = "computed here"
_MOVES = 400
_PACE = 200_000
"""Pairs of start time and job that the relaxation handles in one second, at most."""
_LEAST_WIDTH = 20
"""Below this many jobs, the relaxation's time per start time no longer falls."""
_MOST_PAIRS = 40_000_000
"""Largest number of pairs of start time and job that the relaxation may hold, about 50 bytes each."""
_PRICED_JOBS = (2_000, 300)
"""Largest number of jobs for a search and its prices, with integers of 64 bits and with longer ones; memory
and time grow with its square.
"""


class TardinessReferences(CertifiedReferences):
    """Optima of 1 || sum of (w_j) T_j, with or without weights.

    Without weights: Lawler's decomposition in half the time, then the start-time relaxation in the rest. With
    weights: the relaxation. An instance that these do not solve gets the best proven bound.
    """

    family = "total-tardiness"
    version = f"decomposition {decomposition.VERSION}, relaxation 3, table 3"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The optimum (cost units) or a proven lower bound, and the sequence behind it."""
        public = instance.public
        started = time.monotonic()
        known: Any = start
        if "weights" in public:
            return _relaxed(public, started, seconds, known)
        times = public["processing_times"]
        dates = public["due_dates"]
        method = decomposition.Decomposition(times, dates, 0.5 * seconds)
        try:
            value = method.value()
        except decomposition.DecompositionLimit:
            return _relaxed(public, started, seconds, known)
        spent = time.monotonic() - started
        name = decomposition.NAME
        proof = ProofKind.CONSTRUCTION
        reference = Reference.optimum(value, proof, name, decomposition.VERSION, spent, _COMPUTED)
        try:
            return Certificate(reference, list[Json](method.sequence()))
        except decomposition.DecompositionLimit:
            return Certificate(reference)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The result of a method other than the one behind `reference`, within about `seconds`.

        Up to 20 jobs (14 if costs exceed 64 bits), the method is the dynamic programme over sets. For more
        jobs it is the start-time relaxation with enumeration, started one unit above the cost of the shipped
        sequence (or of a sequence found by search), which it has to meet by itself; it shares no code with
        the decomposition. For weighted instances
        of more than 20 jobs this repeats the original method. The reference is confirmed by an optimum of the
        same value or by a bound that is not above it; the result's `solver` names the method.

        Raises:
            ValueError: the shipped sequence does not attain the reference, or is beyond the new bound.
        """
        from . import subsets
        from .search import cost_of

        certificate = self.certificate(instance)
        sequence: Any = None if certificate is None else certificate.answer
        if sequence is not None and certificate is not None and certificate.optimal:
            if sorted(sequence) != list(range(len(instance.public["due_dates"]))):
                raise ValueError(f"instance {instance.id}: the stored sequence is no permutation of its jobs")
            cost = cost_of(instance.public, sequence)
            if cost != reference.value:
                raise ValueError(
                    f"instance {instance.id}: the stored sequence costs {cost}, expected {reference.value}"
                )
        started = time.monotonic()
        if len(instance.public["due_dates"]) > subsets.most_jobs(instance.public):
            again = _relaxed(instance.public, started, seconds, sequence, 1).reference
            if sequence is not None and again.value > cost_of(instance.public, sequence):
                raise ValueError(
                    f"instance {instance.id}: the stored sequence costs less than the bound "
                    f"{again.value}; the bound is wrong"
                )
            return again
        return _over_sets(instance.public, started).reference


def _over_sets(public: Mapping[str, Any], started: float) -> Certificate:
    """The optimum by the dynamic programme over sets."""
    from . import subsets

    value = subsets.subset_optimum(public)
    spent = time.monotonic() - started
    proof = ProofKind.CONSTRUCTION
    return Certificate(Reference.optimum(value, proof, subsets.NAME, subsets.VERSION, spent, _COMPUTED))


def _relaxed(
    public: Mapping[str, Any],
    started: float,
    seconds: float,
    sequence: Sequence[int] | None,
    spare: int = 0,
) -> Certificate:
    """Optimum or bound by relaxation and enumeration, or by a cheaper method if the instance is too large.

    The cheaper method is the dynamic programme over sets for few jobs, otherwise a closed-form bound.
    """
    from . import relaxation, subsets
    from .bounds import integers, most_cost, price_bound, sorted_bound
    from .search import search

    jobs = len(public["due_dates"])
    left = max(0.0, started + seconds - time.monotonic())
    pairs = sum(public["processing_times"]) * max(jobs, _LEAST_WIDTH)
    large = pairs > min(_PACE * left, _MOST_PAIRS) or most_cost(public) >= relaxation.LARGEST
    if large and jobs <= subsets.most_jobs(public) and left > subsets.SECONDS:
        return _over_sets(public, started)
    floor = sorted_bound(public)
    if large and jobs > _PRICED_JOBS[integers(public) is object]:
        spent = time.monotonic() - started
        how = (ProofKind.ARITHMETIC, "sorted bound")
        return Certificate(Reference.proven_bound(floor, *how, "1", spent, _COMPUTED))
    if sequence is None:
        _, sequence = search(public, _MOVES, time.monotonic() + 0.3 * left)
    if large:
        dual = price_bound(public, sequence)
        how = (
            (ProofKind.DUAL, "prices of a sequence")
            if dual > floor
            else (ProofKind.ARITHMETIC, "sorted bound")
        )
        spent = time.monotonic() - started
        reference = Reference.proven_bound(max(dual, floor), *how, "1", spent, _COMPUTED)
        return Certificate(reference, list[Json](sequence))
    left = max(0.0, started + seconds - time.monotonic())
    proof = relaxation.prove(public, sequence, left, spare)
    make = Reference.optimum if proof.optimal else Reference.proven_bound
    spent = time.monotonic() - started
    bound = proof.bound if proof.optimal else max(proof.bound, floor)
    reference = make(bound, ProofKind.DUAL, relaxation.NAME, relaxation.VERSION, spent, _COMPUTED)
    best = sequence if proof.sequence is None else proof.sequence
    return Certificate(reference, list[Json](best))
