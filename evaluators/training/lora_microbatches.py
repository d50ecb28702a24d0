"""References of multi-LoRA microbatches: the arithmetic bound of the pipeline."""

from __future__ import annotations

import time

from ...problems.base import Instance, Json
from ..base import ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from .pipeline_bound import lower_bound


class LoraMicrobatchesReferences(CertifiedReferences):
    """Work and idle time of the last stage: a bound that needs no solver; optima lie above it."""

    family = "lora-microbatches"
    version = "last stage 1"
    kinds = (ReferenceKind.BOUND,)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The bound (ticks)."""
        started = time.monotonic()
        bound = lower_bound(instance.public)
        spent = round(time.monotonic() - started, 3)
        source = "work and idle time of the last stage, least over all numbers of microbatches"
        return Certificate(
            Reference.proven_bound(bound, ProofKind.ARITHMETIC, "arithmetic", "1", spent, source)
        )
