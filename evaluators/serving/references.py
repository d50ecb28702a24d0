"""References of requests under memory: a proven bound that knows all arrivals."""

from __future__ import annotations

import time

from ...problems.base import Instance, Json
from ...problems.serving.problem import whole
from ..base import ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from ..toolbox import call


class KvSchedulingReferences(CertifiedReferences):
    """The bound of memory prices: shipped, or computed when it is needed."""

    family = "kv-scheduling"
    version = "memory prices 2"
    kinds = (ReferenceKind.BOUND,)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The bound (rounds); no schedule of any rule, clairvoyant or not, has a smaller sum of latencies."""
        from .bound import best_prices, evaluate

        started = time.monotonic()
        requests = whole(instance)
        priced = call(best_prices, {"whole": dict(requests)}, seconds)
        bound = evaluate(requests, priced)
        spent = round(time.monotonic() - started, 3)
        source = (
            "prices of memory from a time-indexed linear programme, evaluated in integers"
            if any(priced)
            else "rounds of service"
        )
        proof = ProofKind.DUAL if any(priced) else ProofKind.ARITHMETIC
        return Certificate(Reference.proven_bound(bound, proof, "highs", self.version, spent, source))
