"""References of bin packing: the optimum with all items known at once, and a proof that can be re-checked."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ...problems.base import Instance, Json
from ..base import ProofKind, Reference
from ..certified import Certificate, CertifiedReferences
from .certify import certify
from .proof import PackingCertificate, check

_PROOFS = {"L1": ProofKind.ARITHMETIC, "L2": ProofKind.ARITHMETIC, "dual": ProofKind.DUAL}
_ONLINE = "; offline optimum of the same items: a lower bound for any online rule"


class BinPackingReferences(CertifiedReferences):
    """Optima (bins) by certificate, for offline instances and, as a lower bound, for online ones."""

    family = "bin-packing"
    version = "1"

    def key(self, instance: Instance) -> str:
        """Hex digits that identify the capacity and the multiset of items."""
        sizes, capacity = items(instance)
        text = json.dumps([capacity, sorted(Counter(sizes).items())], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def shipped(self, instance: Instance) -> Reference | None:
        """Checks the generator's packing or a shipped certificate; None if there is neither."""
        sizes, capacity = items(instance)
        counts = Counter(sizes)
        began = time.perf_counter()
        witness = (instance.hidden or {}).get("packing")
        if witness is not None:
            bins = _contents(sizes, witness)
            packing = PackingCertificate(bins, len(bins), "L1")
            if check(packing, counts, capacity) is None:
                return _reference(instance, packing, ProofKind.CONSTRUCTION, "generator's packing", began)
        certificate = self.certificate(instance)
        if certificate is None:
            return None
        evidence: Any = certificate.evidence
        stored = PackingCertificate.of(evidence)
        if check(stored, counts, capacity) is not None:
            return None
        return _reference(instance, stored, _PROOFS[stored.rule], "shipped certificate", began)

    def attained(self, instance: Instance) -> Json | None:
        """A packing (bin of each item) as few bins as the bound; None if none ships."""
        packing = (instance.hidden or {}).get("packing")
        certificate = self.certificate(instance)
        if packing is not None or certificate is None:
            return None if packing is None else list(packing)
        evidence: Any = certificate.evidence
        places: dict[int, list[int]] = {}
        for number, content in enumerate(PackingCertificate.of(evidence).bins):
            for size in content:
                places.setdefault(size, []).append(number)
        return [places[size].pop() for size in items(instance)[0]] if certificate.optimal else None

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """Proves a reference again: by its certificate without a solver, or else by a new computation.

        Args:
            instance: instance of the reference.
            reference: the stored reference; not used.
            seconds: wall seconds for the new computation, > 0.
        """
        return self.reference(instance, seconds)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """The proven optimum, or the best proven bound, with a packing and the rule behind the bound."""
        sizes, capacity = items(instance)
        began = time.perf_counter()
        packing = certify(sizes, capacity, seconds)
        fault = check(packing, Counter(sizes), capacity)
        if fault is not None:
            raise AssertionError(f"instance {instance.id}: the certificate does not hold: {fault}")
        reference = _reference(instance, packing, _PROOFS[packing.rule], "column generation", began)
        return Certificate(reference, evidence=packing.document())


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
    instance: Instance, packing: PackingCertificate, proof: ProofKind, method: str, began: float
) -> Reference:
    online = _ONLINE if "sizes" not in instance.public else ""
    seconds = time.perf_counter() - began
    make = Reference.optimum if packing.closed else Reference.proven_bound
    if packing.closed:
        source = f"packing of {len(packing.bins)} bins meets the bound {packing.rule}{online}"
    else:
        source = f"bound {packing.rule}; best packing known: {len(packing.bins)} bins{online}"
    return make(packing.bound, proof, method, BinPackingReferences.version, seconds, source)
