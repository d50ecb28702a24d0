"""References of GPU fleets: the pooled integer programme by HiGHS, whole GPUs by CP-SAT from there.

Where a file's loads differ by more than floats can tell apart, CP-SAT solves the pooled programme too.
Pooling the capacity of a type only relaxes the packing of its GPUs, so the pooled optimum is a bound of both
forms. Every price is a multiple of the prices' greatest common divisor: models count in that unit, and
bounds are rounded up to it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ...problems.base import Instance, Json, Verdict
from ...problems.placement.fleet_laws import DOLLAR
from ...problems.placement.gpu_fleet import fleet_counts, judge_fleet, judge_split
from ..base import Incumbent, ProofKind, Reference
from ..certified import Certificate, CertifiedReferences
from ..toolbox import Solved, SolverModelError, floats_suffice, solve_cpsat, solve_mip
from ..toolbox.stopped import incumbent, stop_cpsat
from .fleet_models import exact_pooled_model, packing_mip, packing_model, pooled_model
from .fleet_packing import Fleet, construct, fleet_price

if TYPE_CHECKING:
    from typing import Literal

    import pulp
    from ortools.sat.python import cp_model

_SHARE = 0.25
_SHORTEST = 1.0


class AggregateReferences(CertifiedReferences):
    """Optima of the pooled form by HiGHS, shipped for the default sets; a time limit leaves a bound."""

    family = "gpu-fleet-aggregate"
    version = "HiGHS 2"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The optimum (dollars per hour), or a lower bound, and the best split found."""
        return pooled_reference(instance.public, seconds, "highs")

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same model again, solved by CBC."""
        return pooled_reference(instance.public, seconds, "cbc").reference


class FleetReferences(CertifiedReferences):
    """Optima of whole GPUs by CP-SAT above the pooled bound, shipped for the default sets."""

    family = "gpu-fleet"
    version = "HiGHS and CP-SAT 2"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The optimum (dollars per hour), or a lower bound, and the best fleet found."""
        return packed_reference(instance.public, seconds)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The packing stated once more as a mixed-integer programme, solved by HiGHS."""
        public = instance.public
        start = construct(public)
        model, _ = packing_mip(public, fleet_price(public, start))
        floor = closed_form_bound(public)
        solved = solve_mip(model, seconds=seconds, integral_objective=True, known_bound=floor)
        return _conclude(public, _value(solved), _bound(solved), solved, "HiGHS", solved.seconds)

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """CP-SAT's best fleet of whole GPUs after deterministic seconds, from the constructed fleet on."""
        public = instance.public
        floor = closed_form_bound(public)
        model, gpus = packing_model(public, construct(public), floor)
        solved = stop_cpsat(model, effort, floor)
        verdict = None if solved.solution is None else judge_fleet(public, _fleet(solved, gpus))
        return incumbent(solved, verdict)


def unit(public: Mapping[str, Any]) -> int:
    """Greatest common divisor of the prices, ten-thousandths of a dollar per hour."""
    return math.gcd(*public["prices"])


def closed_form_bound(public: Mapping[str, Any]) -> int:
    """Every slice at its cheapest price, no GPU rounded up: a lower bound in `unit`s, rounded up."""
    total = Fraction(0)
    prices = public["prices"]
    for row, count in zip(public["loads"], public["slices"], strict=True):
        cheapest = min(load * price for load, price in zip(row, prices, strict=True) if load is not None)
        total += Fraction(cheapest * count, public["capacity"])
    return math.ceil(total / unit(public))


def pooled_reference(
    public: Mapping[str, Any], seconds: float, solver: Literal["highs", "cbc"]
) -> Certificate:
    """Optimum of the pooled form, or a bound, and the solver's split."""
    solved, split = pool(public, seconds, solver)
    value = None if split is None else _units(public, judge_split(public, split))
    reference = _conclude(public, value, _bound(solved), solved, solved.solver, solved.seconds)
    return Certificate(reference, None if value is None else split)


def pool(
    public: Mapping[str, Any], seconds: float, solver: Literal["highs", "cbc"] = "highs"
) -> tuple[Solved, Any]:
    """Solves the pooled programme: the outcome, and its matrix of slices per bucket and type or None.

    CBC, the second opinion, is never replaced: beyond its tolerances the closed form is what it leaves.
    """
    floor = closed_form_bound(public)
    model, counts = pooled_model(public)
    if solver == "highs" and not floats_suffice(model):
        exact, places = exact_pooled_model(public, _cheapest_price(public))
        try:
            solved = solve_cpsat(exact, seconds=seconds, known_bound=floor)
            return solved, _split(solved, places)
        except SolverModelError:  # its sums are beyond 64 bits; HiGHS may still find a split
            pass
    solved = solve_mip(model, seconds=seconds, integral_objective=True, solver=solver, known_bound=floor)
    return solved, _split(solved, counts)


def packed_reference(public: Mapping[str, Any], seconds: float) -> Certificate:
    """Optimum of the packing of whole GPUs, or a bound, and the best fleet.

    First the pooled optimum; then whether its very fleet holds all slices, which would decide it; then the
    search over all fleets.
    """
    started = time.monotonic()
    start = construct(public)
    fleet: Any = [[kind, list(buckets)] for kind, buckets in start]
    best = (fleet_price(public, start) // unit(public), fleet)
    share = max(_SHORTEST, _SHARE * seconds)
    solved, split = pool(public, share)
    bound = _bound(solved)
    if best[0] > bound and split is not None:
        rented = fleet_counts(public, split)
        solved, found = pack(public, start, 0, share, rented)
        best = min(best, found or best, key=_price)
    if best[0] > bound:
        left = max(_SHORTEST, seconds - (time.monotonic() - started))
        solved, found = pack(public, start, bound, left)
        best = min(best, found or best, key=_price)
        bound = max(bound, _bound(solved))
    spent = time.monotonic() - started
    return Certificate(_conclude(public, best[0], bound, solved, "HiGHS and CP-SAT", spent), best[1])


def _price(found: tuple[int, Any]) -> int:
    return found[0]


def pack(
    public: Mapping[str, Any], start: Fleet, floor: int, seconds: float, rented: list[int] | None = None
) -> tuple[Solved, tuple[int, Any] | None]:
    """Packs whole GPUs with CP-SAT; price in units and verified fleet, None without one.

    Args:
        public: the instance.
        start: a feasible fleet.
        floor: proven bound in units.
        seconds: wall seconds.
        rented: GPUs of each type, if the fleet is given and only its packing is asked for.
    """
    model, gpus = packing_model(public, start, floor, rented)
    solved = solve_cpsat(model, seconds=seconds, known_bound=floor)
    if solved.solution is None:
        return solved, None
    fleet = _fleet(solved, gpus)
    price = _units(public, judge_fleet(public, fleet))
    return solved, None if price is None else (price, fleet)


def _fleet(solved: Solved, gpus: Sequence[tuple[int, cp_model.IntVar, dict[int, cp_model.IntVar]]]) -> Any:
    """The GPUs that a solution rents: type, and the bucket of each slice."""
    return [
        [kind, [b for b, x in contents.items() for _ in range(int(solved[x]))]]
        for kind, used, contents in gpus
        if solved[used]
    ]


def _cheapest_price(public: Mapping[str, Any]) -> int:
    """Price of serving each bucket by its cheapest type (ten-thousandths of a dollar per hour)."""
    prices = public["prices"]
    split = []
    for row, count in zip(public["loads"], public["slices"], strict=True):
        costs = {t: load * prices[t] for t, load in enumerate(row) if load is not None}
        cheapest = min(costs, key=lambda t: costs[t])
        split.append([count * (t == cheapest) for t in range(len(prices))])
    rented = fleet_counts(public, split)
    return sum(price * count for price, count in zip(prices, rented, strict=True))


def _split(solved: Solved, counts: Sequence[Sequence[pulp.LpVariable | cp_model.IntVar | None]]) -> Any:
    """The pooled solution as a matrix of slices per bucket and type, None without one."""
    if solved.solution is None:
        return None
    return [[int(solved[x]) if x is not None else 0 for x in row] for row in counts]


def _bound(solved: Solved) -> int:
    """Proven bound in whole units; 0 is one when the solver gave none."""
    return 0 if solved.bound is None else math.ceil(solved.bound)


def _value(solved: Solved) -> int | None:
    return None if solved.value is None else round(solved.value)


def _units(public: Mapping[str, Any], verdict: Verdict) -> int | None:
    """A verdict's price in units; None if the solver's rounding made a GPU too full."""
    if verdict.objective is None:
        return None
    return int(Fraction(verdict.objective) * DOLLAR / unit(public))


def _conclude(
    public: Mapping[str, Any], value: int | None, bound: int, solved: Solved, name: str, seconds: float
) -> Reference:
    """The reference: an optimum iff a verified fleet costs exactly the proven bound."""
    dollars = Fraction(bound * unit(public), DOLLAR)
    number = dollars.numerator if dollars.denominator == 1 else dollars
    proof = ProofKind.ARITHMETIC if bound == closed_form_bound(public) else ProofKind.SOLVER
    make = Reference.optimum if value == bound else Reference.proven_bound
    note = "" if value is None or value == bound else f"; best fleet known {value / bound - 1:.2%} above"
    source = f"solved: {solved.command}{note}"
    return make(number, proof, name, solved.version, round(seconds, 3), source)
