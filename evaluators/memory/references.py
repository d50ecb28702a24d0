"""References of memory mapping: the largest load, an optimum where offsets are at hand that end there."""

from __future__ import annotations

import time

from ...problems.base import Instance, Json
from ...problems.memory.verification import judge, largest_load
from ..base import Incumbent, ProofKind, Reference, ReferenceKind
from ..toolbox import incumbent, stop_cpsat
from . import store
from .models import memory_model


class MemoryReferences:
    """The largest load bounds every peak; shipped offsets, or those of a cut rectangle, may attain it."""

    version = "largest load 1"
    kinds = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum or the bound (units), in milliseconds: no solver runs.

        Raises:
            ValueError: shipped offsets do not end at the largest load.
        """
        started = time.monotonic()
        bound = largest_load(instance.public["buffers"])
        shipped = store.offsets(instance.digest)
        witness = (instance.hidden or {}).get("witness")
        offsets = witness if shipped is None else shipped
        spent = round(time.monotonic() - started, 3)
        if offsets is None:
            source = "largest sum of sizes that are alive at one moment"
            return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        verdict = judge(instance.public, list(offsets))
        if verdict.objective != bound:
            got = verdict.objective if verdict.objective is not None else verdict.violations[0]
            raise ValueError(f"instance {instance.id}: its offsets: got {got}, expected the peak {bound}")
        if shipped is None:
            source = "the height of the rectangle that was cut"
            proof = ProofKind.CONSTRUCTION
        else:
            source = "the largest load, attained by offsets that ship"
            proof = ProofKind.ARITHMETIC
        return Reference.optimum(bound, proof, "arithmetic", "1", spent, source)

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """CP-SAT's best offsets after deterministic seconds; the hint stacks all buffers in one pile."""
        buffers = instance.public["buffers"]
        stacked = [sum(size for _, _, size in buffers[:i]) for i in range(len(buffers))]
        memory = memory_model(buffers, stacked)
        solved = stop_cpsat(memory.model, effort, largest_load(buffers))
        if solved.solution is None:
            return incumbent(solved, None)
        offsets: list[Json] = [int(solved[offset]) for offset in memory.offsets]
        return incumbent(solved, judge(instance.public, offsets))

    def attained(self, instance: Instance) -> Json | None:
        """The shipped offsets, or those of the rectangle that was cut; None without either."""
        offsets = store.offsets(instance.digest) or (instance.hidden or {}).get("witness")
        return None if offsets is None else list(offsets)

    def shipped(self, instance: Instance) -> Reference | None:
        """The optimum of an instance whose offsets ship, else None."""
        return None if store.offsets(instance.digest) is None else self.reference(instance, 0)
