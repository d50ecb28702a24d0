"""References of model placement: exact search for the smallest largest pressure, in whole numbers.

With target p/q, "the pressure of a GPU is below p/q" says q·R + p·S < p·memory for its load R and weights S:
plain bin packing of the weights q·rate + p·size. (A load is at least 1, so this leaves a free GB as well.)
A packing gives a better placement, and the proof that there is none for the pressure of the best placement
makes it an optimum.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from ...problems.base import Instance, Json
from ...problems.placement.model_laws import first_fit
from ...problems.placement.model_placement import pressures
from ..base import ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from ..toolbox import SolveStatus, solve_cpsat
from . import bin_completion

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_NEAR = Fraction(1, 500)
_COARSE = 10_000


class ModelPlacementReferences(CertifiedReferences):
    """Optima by bisection with bin completion, shipped for the default sets; a time limit leaves a bound."""

    family = "model-placement"
    version = f"bin completion {bin_completion.VERSION}"

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The optimum (load units per free GB), or a lower bound, and the best placement found."""
        return solve(instance.public, seconds)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same reference proven again by CP-SAT, which shares no code with bin completion.

        When CP-SAT does not finish, what it could prove: a bound, at least the arithmetic one.
        """
        return confirm(instance.public, Fraction(reference.value), reference.kind, seconds)


def arithmetic_bound(public: Mapping[str, Any]) -> Fraction:
    """max(all load ÷ all free memory, pressure of the worst model alone): a lower bound.

    The first by the mediant inequality: the largest of several fractions is at least the sum of their
    numerators over the sum of their denominators.
    """
    gpus, memory, sizes, rates = (public[key] for key in ("gpus", "memory", "sizes", "rates"))
    alone = max(Fraction(rate, memory - size) for size, rate in zip(sizes, rates, strict=True))
    return max(alone, Fraction(sum(rates), gpus * memory - sum(sizes)))


def weights(public: Mapping[str, Any], target: Fraction) -> tuple[list[int], int]:
    """Weights and capacity whose packings are the placements with all pressures strictly below the target."""
    p = target.numerator
    q = target.denominator
    items = [q * rate + p * size for size, rate in zip(public["sizes"], public["rates"], strict=True)]
    return items, p * public["memory"] - 1


def solve(public: Mapping[str, Any], seconds: float) -> Certificate:
    """Optimum, or the best proven bound after `seconds` of wall time."""
    started = time.monotonic()
    deadline = started + seconds
    floor = low = arithmetic_bound(public)
    place = descend(public, start(public))
    best = max(pressures(public, place))
    try:
        while low < best:
            target = best
            if (best - low) / best > _NEAR:
                between = ((3 * best + low) / 4).limit_denominator(_COARSE)
                target = between if low < between < best else best
            plan = bin_completion.pack(*_problem(public, target), deadline)
            if plan is None:
                low = target
            else:
                place = plan
                best = max(pressures(public, plan))
    except bin_completion.CompletionTimeout:
        pass
    spent = time.monotonic() - started
    proof = ProofKind.ARITHMETIC if low == floor else ProofKind.SOLVER
    make = Reference.optimum if low == best else Reference.proven_bound
    name = "mediant bound" if low == floor else "bin completion"
    note = "computed" if low == best else f"computed; best placement known {float(best / low - 1):.3%} above"
    reference = make(_plain(low), proof, name, bin_completion.VERSION, round(spent, 3), note)
    return Certificate(reference, list(place))


def confirm(public: Mapping[str, Any], value: Fraction, kind: ReferenceKind, seconds: float) -> Reference:
    """CP-SAT's word on a reference: nothing is strictly better, and if it is an optimum it is attained.

    Raises:
        ValueError: the arithmetic bound is above the reference.
    """
    started = time.monotonic()
    floor = arithmetic_bound(public)
    if value < floor:
        raise ValueError(f"model-placement: loads and free memory need {floor}, expected {value}")
    proven = value == floor or _search(public, value, seconds)[0] is SolveStatus.INFEASIBLE
    if not proven:
        spent = time.monotonic() - started
        return Reference.proven_bound(
            _plain(floor), ProofKind.ARITHMETIC, "mediant bound", "1", spent, "computed"
        )
    attained = False
    if kind is ReferenceKind.OPTIMUM:
        # Pressures have denominators up to `memory`: a larger one is larger by at least this step.
        above = value + Fraction(1, value.denominator * public["memory"])
        left = max(1.0, seconds - (time.monotonic() - started))
        plan = _search(public, above, left)[1]
        attained = plan is not None and max(pressures(public, plan)) == value
    make = Reference.optimum if attained else Reference.proven_bound
    spent = time.monotonic() - started
    return make(_plain(value), ProofKind.SOLVER, "CP-SAT", version("ortools"), round(spent, 3), "computed")


def below_model(
    public: Mapping[str, Any], target: Fraction
) -> tuple[cp_model.CpModel, list[list[cp_model.IntVar]]]:
    """CP-SAT model of the placements with all pressures strictly below the target.

    GPUs are alike, so the k-th heaviest model may be taken to go on one of the first k GPUs.

    Returns:
        The model, and for each language model and GPU whether it is placed there.
    """
    from ortools.sat.python import cp_model

    items, capacity = weights(public, target)
    gpus = range(public["gpus"])
    model = cp_model.CpModel()
    on = [[model.new_bool_var(f"{i} on {g}") for g in gpus] for i in range(len(items))]
    for row in on:
        model.add_exactly_one(row)
    for g in gpus:
        model.add(sum(weight * row[g] for weight, row in zip(items, on, strict=True)) <= capacity)
    heaviest = sorted(range(len(items)), key=lambda i: -items[i])
    for rank, item in enumerate(heaviest[: public["gpus"]]):
        for g in range(rank + 1, public["gpus"]):
            model.add(on[item][g] == 0)
    return model, on


def start(public: Mapping[str, Any]) -> list[int]:
    """A placement by best fit decreasing under bisection of the target (GPU of each model)."""
    gpus, memory, sizes, rates = (public[key] for key in ("gpus", "memory", "sizes", "rates"))
    best = first_fit(gpus, memory, sizes)
    if best is None:
        best = bin_completion.pack(sizes, gpus, memory - 1, float("inf"))
    if best is None:
        raise ValueError("model-placement: got models that do not fit the GPUs with a free GB each")
    low = float(arithmetic_bound(public))
    high = float(max(pressures(public, best)))
    for _ in range(30):
        target = (low + high) / 2
        plan = _best_fit(
            public, [rate + target * size for size, rate in zip(sizes, rates, strict=True)], target
        )
        if plan is None:
            low = target
        else:
            best = plan
            high = min(target, float(max(pressures(public, plan))))
    return best


def descend(public: Mapping[str, Any], answer: Sequence[int]) -> list[int]:
    """Moves one model, or swaps two, away from the GPU of largest pressure while that helps."""
    memory = public["memory"]
    sizes = public["sizes"]
    rates = public["rates"]
    place = list(answer)
    while True:
        pressure = pressures(public, place)
        worst = max(range(public["gpus"]), key=lambda g: pressure[g])
        best = pressure[worst]
        change = None
        used = [sum(sizes[i] for i, g in enumerate(place) if g == h) for h in range(public["gpus"])]
        load = [sum(rates[i] for i, g in enumerate(place) if g == h) for h in range(public["gpus"])]
        for i in (i for i, g in enumerate(place) if g == worst):
            partners = [(g, None) for g in range(public["gpus"])] + [(g, j) for j, g in enumerate(place)]
            for g, j in ((g, j) for g, j in partners if g != worst):
                size = sizes[i] - (0 if j is None else sizes[j])
                rate = rates[i] - (0 if j is None else rates[j])
                here = memory - used[worst] + size
                there = memory - used[g] - size
                if min(here, there) < 1:
                    continue
                now = max(Fraction(load[worst] - rate, here), Fraction(load[g] + rate, there))
                if now < best:
                    best = now
                    change = (i, g, j)
        if change is None:
            return place
        i, g, j = change
        place[i] = g
        if j is not None:
            place[j] = worst


def _best_fit(public: Mapping[str, Any], items: Sequence[float], target: float) -> list[int] | None:
    room = [target * public["memory"]] * public["gpus"]
    free = [public["memory"] - 1] * public["gpus"]
    place = [0] * len(items)
    for i in sorted(range(len(items)), key=lambda i: -items[i]):
        fits = [g for g, left in enumerate(room) if left >= items[i] and free[g] >= public["sizes"][i]]
        if not fits:
            return None
        gpu = min(fits, key=lambda g: room[g])
        room[gpu] -= items[i]
        free[gpu] -= public["sizes"][i]
        place[i] = gpu
    return place


def _problem(public: Mapping[str, Any], target: Fraction) -> tuple[list[int], int, int]:
    items, capacity = weights(public, target)
    return items, public["gpus"], capacity


def _search(
    public: Mapping[str, Any], target: Fraction, seconds: float
) -> tuple[SolveStatus, list[int] | None]:
    """CP-SAT's status for a target, and GPU of each model if it found a placement below it."""
    model, on = below_model(public, target)
    solved = solve_cpsat(model, seconds=seconds)
    if solved.solution is None:
        return solved.status, None
    return solved.status, [next(g for g, x in enumerate(row) if solved[x]) for row in on]


def _plain(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
