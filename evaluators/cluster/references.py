"""References of cluster scheduling: each machine filled as well as possible for itself (knapsack)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any

from ...problems.base import Instance, Json, Sense
from ...problems.cluster.churn import offered_weight
from ...problems.cluster.verification import weight
from ..base import ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences

MOST_CELLS = 100_000
"""Of the knapsack table: beyond it a machine counts with all its free room."""


class ClusterReferences(CertifiedReferences):
    """The sum of the machines' own best fillings, an upper bound that no schedule can exceed."""

    family = "cluster-scheduling"
    version = "knapsack 1"
    kinds = (ReferenceKind.BOUND,)
    sense = Sense.MAXIMISE

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The bound (weight), in milliseconds."""
        started = time.monotonic()
        jobs: Any = (instance.hidden or {})["jobs"]
        bound = upper_bound(instance.public, jobs)
        spent = round(time.monotonic() - started, 3)
        source = "each machine filled as well as possible for itself, or all jobs"
        return Certificate(
            Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        )


class ChurnReferences(CertifiedReferences):
    """At every moment the offered jobs or the whole fleet, summed over the run."""

    family = "cluster-churn"
    version = "offered load 1"
    kinds = (ReferenceKind.BOUND,)
    sense = Sense.MAXIMISE

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The bound (weight minutes), in milliseconds."""
        started = time.monotonic()
        bound = offered_weight(instance.public, instance.hidden or {})
        spent = round(time.monotonic() - started, 3)
        source = "at every moment the offered jobs or the whole fleet, of each resource"
        return Certificate(
            Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        )


def upper_bound(public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> int:
    """The smaller of all jobs' weight and the sum of the best weights that each machine can hold by itself.

    Every machine gets some jobs of the queue's types that fit it together, so their weight is at most that
    of an unbounded knapsack over these types.
    """
    everything = sum(weight(public, job) for job in jobs)
    return min(everything, sum(machine_values(public, jobs)))


def machine_values(public: Mapping[str, Any], jobs: Sequence[Sequence[int]]) -> list[int]:
    """For each machine an upper bound of the weight that it can take."""
    import numpy as np

    types = sorted({(job[0], job[1]) for job in jobs if job[0] or job[1]})
    rooms = list(zip(public["free_cpu"], public["free_memory"], strict=True))
    cpu_unit = gcd(*(cpu for cpu, _ in types)) or 1
    memory_unit = gcd(*(memory for _, memory in types)) or 1
    height = max(cpu for cpu, _ in rooms) // cpu_unit + 1
    width = max(memory for _, memory in rooms) // memory_unit + 1
    if height * width > MOST_CELLS:
        return [weight(public, room) for room in rooms]
    table = np.zeros((height, width), dtype=np.int64)
    for job in types:
        cpu = job[0] // cpu_unit
        memory = job[1] // memory_unit
        value = weight(public, job)
        if cpu:
            for x in range(cpu, height):
                more = table[x - cpu, : max(0, width - memory)] + value
                np.maximum(table[x, memory:], more, out=table[x, memory:])
        else:
            for y in range(memory, width):
                np.maximum(table[:, y], table[:, y - memory] + value, out=table[:, y])
    return [int(table[cpu // cpu_unit, memory // memory_unit]) for cpu, memory in rooms]
