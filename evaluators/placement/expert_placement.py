"""References of expert placement: an arithmetic bound, and a search that says how close plans come to it."""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from ...problems.base import Instance, Json
from ...problems.placement.expert_placement import gpu_loads
from ..base import ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences

_LIVE_ROUNDS = 8
_WORSE = 0.002


class ExpertPlacementReferences(CertifiedReferences):
    """max(mean load, largest copy): a bound that needs no solver; an optimum where a plan attains it."""

    family = "expert-placement"
    version = "mean and largest copy 1"
    kinds = (ReferenceKind.BOUND,)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The bound (tokens per step); the search for plans beside it is short and the same everywhere."""
        return self.shipped(instance) or self._made(instance, seconds, _LIVE_ROUNDS)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The same without looking at what is shipped, and with a search of `seconds` of wall time."""
        return Certificate(self._made(instance, seconds, None))

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The bound once more, its largest copy found by bisection over all possible values."""
        loads = _judged(instance)
        slots = instance.public["gpus"] * instance.public["slots"]
        bound = max(Fraction(sum(loads), instance.public["gpus"]), smallest_largest_copy(loads, slots))
        best = search(instance.public, loads, bound, seconds, _LIVE_ROUNDS)
        return _conclude(bound, best, 0.0)

    def _made(self, instance: Instance, seconds: float, rounds: int | None) -> Reference:
        started = time.monotonic()
        loads = _judged(instance)
        bound = lower_bound(loads, instance.public["gpus"], instance.public["slots"])
        best = search(instance.public, loads, bound, seconds, rounds)
        return _conclude(bound, best, time.monotonic() - started)


def lower_bound(loads: Sequence[int], gpus: int, slots: int) -> Fraction:
    """max(Σ loads ÷ GPUs, smallest possible largest copy), tokens per step.

    Giving copies one by one to the expert with the largest load per copy minimises that largest load over all
    ways to fill the slots, and some GPU holds such a copy.
    """
    counts = greedy_counts(loads, gpus * slots)
    largest = max(Fraction(load, count) for load, count in zip(loads, counts, strict=True))
    return max(Fraction(sum(loads), gpus), largest)


def greedy_counts(loads: Sequence[int], slots: int) -> list[int]:
    """Copies of each expert when every further slot goes to the largest load per copy."""
    counts = [1] * len(loads)
    heap = [(-Fraction(load), expert) for expert, load in enumerate(loads)]
    heapq.heapify(heap)
    for _ in range(slots - len(loads)):
        _, expert = heap[0]
        counts[expert] += 1
        heapq.heapreplace(heap, (-Fraction(loads[expert], counts[expert]), expert))
    return counts


def smallest_largest_copy(loads: Sequence[int], slots: int) -> Fraction:
    """The least x with Σ ⌈load / x⌉ ≤ slots, by bisection (another road to the same bound)."""
    values = sorted({Fraction(load, count) for load in loads for count in range(1, slots + 1)})
    low = 0
    high = len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if sum(-(-load // values[middle]) for load in loads) <= slots:
            high = middle
        else:
            low = middle + 1
    return values[low]


def search(
    public: Mapping[str, Any], loads: Sequence[int], bound: Fraction, seconds: float, rounds: int | None
) -> Fraction:
    """Largest load of the best plan found: greedy counts, then exchanges of copies, each packed and swapped.

    Args:
        public: the instance.
        loads: the judged step's, tokens.
        bound: the search ends when a plan attains it.
        seconds: wall seconds at most.
        rounds: exchanges at most; None is no limit.
    """
    stream = random.Random(1)
    deadline = time.monotonic() + seconds
    gpus = public["gpus"]
    slots = public["slots"]
    counts = greedy_counts(loads, gpus * slots)
    current = best = max(gpu_loads(loads, _pack(loads, counts, gpus, slots)))
    done = 0
    while best > bound and (rounds is None or done < rounds) and time.monotonic() < deadline:
        done += 1
        trial = list(counts)
        for _ in range(stream.choice((1, 1, 2))):
            several = [expert for expert, count in enumerate(trial) if count > 1]
            if several:
                trial[stream.choice(several)] -= 1
                trial[stream.randrange(len(trial))] += 1
        value = max(gpu_loads(loads, _pack(loads, trial, gpus, slots)))
        if float(value) <= float(current) * (1 + _WORSE * stream.random()):
            counts = trial
            current = value
        best = min(best, value)
    return best


def _pack(loads: Sequence[int], counts: Sequence[int], gpus: int, slots: int) -> list[list[int]]:
    """Copies by falling load on the emptiest GPU with a free slot, then swaps away from the fullest."""
    part = [load / count for load, count in zip(loads, counts, strict=True)]
    plan: list[list[int]] = [[] for _ in range(gpus)]
    total = [0.0] * gpus
    for expert in sorted(range(len(loads)), key=lambda e: -part[e]):
        for _ in range(counts[expert]):
            gpu = min((g for g in range(gpus) if len(plan[g]) < slots), key=lambda g: total[g])
            plan[gpu].append(expert)
            total[gpu] += part[expert]
    while True:
        worst = max(range(gpus), key=lambda g: total[g])
        lowest = total[worst] - 1e-6
        change = None
        for i, expert in enumerate(plan[worst]):
            for gpu in range(gpus):
                for j, other in enumerate(plan[gpu]):
                    less = part[expert] - part[other]
                    if less > 0 and max(total[worst] - less, total[gpu] + less) < lowest:
                        lowest = max(total[worst] - less, total[gpu] + less)
                        change = (i, gpu, j, less)
        if change is None:
            return plan
        i, gpu, j, less = change
        plan[worst][i], plan[gpu][j] = plan[gpu][j], plan[worst][i]
        total[worst] -= less
        total[gpu] += less


def _judged(instance: Instance) -> Sequence[int]:
    loads: Sequence[int] = (instance.hidden or {}).get("loads", instance.public["loads"])
    return loads


def _conclude(bound: Fraction, best: Fraction, seconds: float) -> Reference:
    number = bound.numerator if bound.denominator == 1 else bound
    note = "" if best == bound else f"; best plan known {float(best / bound - 1):.3%} above"
    make = Reference.optimum if best == bound else Reference.proven_bound
    name = "mean load and largest copy"
    return make(number, ProofKind.ARITHMETIC, name, "1", round(seconds, 3), f"computed{note}")
