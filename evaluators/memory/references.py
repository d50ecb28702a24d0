"""References of memory mapping: the largest load, an optimum where offsets are at hand that end there."""

from __future__ import annotations

import time
from typing import Any

from ...problems.base import Instance, Json
from ...problems.memory.verification import judge, largest_load
from ..base import Incumbent, ProofKind, Reference
from ..certified import Certificate, CertifiedReferences
from ..toolbox import Solved, incumbent, solve_cpsat, stop_cpsat
from .models import MemoryModel, memory_model


class MemoryReferences(CertifiedReferences):
    """The largest load bounds every peak; shipped offsets, or those of a cut rectangle, may attain it."""

    family = "memory-mapping"
    version = "largest load 1"

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum or the bound (units), in milliseconds: no solver runs."""
        return self.compute(instance, seconds)

    def compute(self, instance: Instance, seconds: float) -> Reference:
        """The largest load; an optimum where offsets that end there ship or were cut.

        Raises:
            ValueError: offsets at hand do not end at the largest load.
        """
        started = time.monotonic()
        bound = largest_load(instance.public["buffers"])
        shipped = self.certificate(instance)
        offsets = self._at_hand(instance)
        spent = round(time.monotonic() - started, 3)
        if offsets is None:
            source = "largest sum of sizes that are alive at one moment"
            return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        verdict = judge(instance.public, offsets)
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

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The largest load, and offsets that end there if CP-SAT finds some in time."""
        memory = self._model(instance)
        bound = largest_load(instance.public["buffers"])
        solved = solve_cpsat(memory.model, seconds=seconds, known_bound=bound)
        offsets = _offsets(memory, solved)
        attained = offsets is not None and judge(instance.public, offsets).objective == bound
        make = Reference.optimum if attained else Reference.proven_bound
        source = "the largest load" + (", attained by offsets that ship" if attained else "")
        spent = round(solved.seconds, 3)
        reference = make(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        return Certificate(reference, offsets if attained else None)

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """CP-SAT's best offsets after deterministic seconds; the hint stacks all buffers in one pile."""
        memory = self._model(instance)
        solved = stop_cpsat(memory.model, effort, largest_load(instance.public["buffers"]))
        offsets = _offsets(memory, solved)
        return incumbent(solved, None if offsets is None else judge(instance.public, offsets))

    def attained(self, instance: Instance) -> Json | None:
        """The shipped offsets, or those of the rectangle that was cut; None without either."""
        return self._at_hand(instance)

    def shipped(self, instance: Instance) -> Reference | None:
        """The optimum of an instance whose offsets ship, else None."""
        return None if self.certificate(instance) is None else self.compute(instance, 0)

    def _at_hand(self, instance: Instance) -> Json:
        certificate = self.certificate(instance)
        offsets: Any = (instance.hidden or {}).get("witness") if certificate is None else certificate.answer
        return None if offsets is None else list(offsets)

    def _model(self, instance: Instance) -> MemoryModel:
        """The model, whose search starts from one pile of all buffers."""
        buffers = instance.public["buffers"]
        return memory_model(buffers, [sum(size for _, _, size in buffers[:i]) for i in range(len(buffers))])


def _offsets(memory: MemoryModel, solved: Solved) -> Json:
    """The offsets of a solution; None without one."""
    return None if solved.solution is None else [int(solved[offset]) for offset in memory.offsets]
