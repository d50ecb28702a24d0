"""References of bin packing: the optimum with all items known at once, and a proof that can be re-checked."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from ...problems.base import Instance
from ..base import ProofKind, Reference, ReferenceKind
from .certificates import shipped
from .certify import certify
from .proof import PackingCertificate, check

_PROOFS = {"L1": ProofKind.ARITHMETIC, "L2": ProofKind.ARITHMETIC, "dual": ProofKind.DUAL}
_ONLINE = "; offline optimum of the same items: a lower bound for any online rule"


class BinPackingReferences:
    """Optima (bins) by certificate, for offline instances and, as a lower bound, for online ones."""

    version = "1"
    kinds = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The proven optimum, or the best proven bound, within about `seconds` of wall time."""
        return self.shipped(instance) or self._computed(instance, seconds)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """Proves a reference again: by its certificate without a solver, or else by a new computation.

        Args:
            instance: instance of the reference.
            reference: the stored reference; not used.
            seconds: wall seconds for the new computation, > 0.
        """
        return self.shipped(instance) or self._computed(instance, seconds)

    def shipped(self, instance: Instance) -> Reference | None:
        """Checks the generator's packing or a shipped certificate; None if there is neither."""
        sizes, capacity = items(instance)
        counts = Counter(sizes)
        began = time.perf_counter()
        witness = (instance.hidden or {}).get("packing")
        if witness is not None:
            bins = _contents(sizes, witness)
            certificate = PackingCertificate(bins, len(bins), "L1")
            if check(certificate, counts, capacity) is None:
                return _reference(instance, certificate, ProofKind.CONSTRUCTION, "generator's packing", began)
        stored = shipped(counts, capacity)
        if stored is None or check(stored, counts, capacity) is not None:
            return None
        return _reference(instance, stored, _PROOFS[stored.rule], "shipped certificate", began)

    def _computed(self, instance: Instance, seconds: float) -> Reference:
        sizes, capacity = items(instance)
        began = time.perf_counter()
        certificate = certify(sizes, capacity, seconds)
        fault = check(certificate, Counter(sizes), capacity)
        if fault is not None:
            raise AssertionError(f"instance {instance.id}: the certificate does not hold: {fault}")
        return _reference(instance, certificate, _PROOFS[certificate.rule], "column generation", began)


def items(instance: Instance) -> tuple[Sequence[int], int]:
    """(sizes, capacity) of an offline or online instance, units of size."""
    sizes = instance.public["sizes"] if "sizes" in instance.public else (instance.hidden or {})["sizes"]
    return sizes, instance.public["capacity"]


def _contents(sizes: Sequence[int], packing: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The contents of each bin of a packing, sizes in falling order."""
    bins: dict[int, list[int]] = {}
    for size, bin_index in zip(sizes, packing, strict=True):
        bins.setdefault(bin_index, []).append(size)
    return tuple(tuple(sorted(content, reverse=True)) for content in bins.values())


def _reference(
    instance: Instance, certificate: PackingCertificate, proof: ProofKind, method: str, began: float
) -> Reference:
    online = _ONLINE if "sizes" not in instance.public else ""
    seconds = time.perf_counter() - began
    if certificate.closed:
        source = f"packing of {len(certificate.bins)} bins meets the bound {certificate.rule}{online}"
        return Reference.optimum(
            certificate.bound, proof, method, BinPackingReferences.version, seconds, source
        )
    source = f"bound {certificate.rule}; best packing known: {len(certificate.bins)} bins{online}"
    return Reference.proven_bound(
        certificate.bound, proof, method, BinPackingReferences.version, seconds, source
    )
