"""References of requests under memory: a proven bound that knows all arrivals."""

from __future__ import annotations

import time

from ...problems.base import Instance
from ...problems.serving.problem import whole
from ..base import ProofKind, Reference, ReferenceKind
from ..shipped import shipped
from .bound import best_prices, evaluate


class KvSchedulingReferences:
    """The bound of memory prices: shipped, or computed when it is needed."""

    version = "memory prices 2"
    kinds = (ReferenceKind.BOUND,)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The bound (rounds); no schedule of any rule, clairvoyant or not, has a smaller sum of latencies."""
        return self.shipped(instance) or self.compute(instance, seconds)

    def shipped(self, instance: Instance) -> Reference | None:
        """The shipped bound, None if there is none; requests that a secret keys have none."""
        return shipped(__package__, "kv-scheduling", instance)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The bound by prices that are computed anew."""
        return self.compute(instance, seconds)

    def compute(self, instance: Instance, seconds: float) -> Reference:
        """Like `reference`, without what is shipped."""
        started = time.monotonic()
        requests = whole(instance)
        priced = best_prices(requests, seconds)
        bound = evaluate(requests, priced)
        spent = round(time.monotonic() - started, 3)
        source = (
            "prices of memory from a time-indexed linear programme, evaluated in integers"
            if any(priced)
            else "rounds of service"
        )
        proof = ProofKind.DUAL if any(priced) else ProofKind.ARITHMETIC
        return Reference.proven_bound(bound, proof, "highs", self.version, spent, source)
