"""A packing with a proven lower bound, and its check in integer arithmetic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .bounds import martello_toth_bound, volume_bound, weight_bound
from .heuristics import Pattern

WEIGHT_SCALE = 10_000_000


@dataclass(frozen=True, slots=True)
class PackingCertificate:
    """A packing with a lower bound and its proof.

    Attributes:
        bins: contents of every bin, sizes in falling order (units of size).
        bound: proven lower bound (bins).
        rule: the rule that proves the bound: `L1`, `L2` or `dual`.
        weights: size → integer weight; given iff the rule is `dual`.
    """

    bins: tuple[Pattern, ...]
    bound: int
    rule: str
    weights: Mapping[int, int] | None = None

    @property
    def closed(self) -> bool:
        """Whether the packing attains the bound, so that both are optimal."""
        return len(self.bins) == self.bound

    def document(self) -> dict[str, Any]:
        """The certificate as a compact JSON mapping, which lists equal bins once with their number."""
        bins = sorted(Counter(self.bins).items(), reverse=True)
        document: dict[str, Any] = {
            "rule": self.rule,
            "bound": self.bound,
            "bins": [[number, *content] for content, number in bins],
        }
        if self.weights is not None:
            document["weights"] = [list(pair) for pair in sorted(self.weights.items())]
        return document

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> PackingCertificate:
        """The certificate whose `document` this is."""
        bins = tuple(tuple(content) for number, *content in document["bins"] for _ in range(number))
        weights = {int(s): int(w) for s, w in document["weights"]} if "weights" in document else None
        return cls(bins, document["bound"], document["rule"], weights)


def check(certificate: PackingCertificate, counts: Mapping[int, int], capacity: int) -> str | None:
    """The fault of a certificate; None if it is right. Uses only integers and the standard library.

    Args:
        certificate: the certificate to check.
        counts: size → number of items of the instance.
        capacity: capacity of every bin (units of size).
    """
    packed: Counter[int] = Counter()
    for number, content in enumerate(certificate.bins):
        if not content or sum(content) > capacity:
            return f"bin {number} has load {sum(content)}, capacity {capacity}"
        packed.update(content)
    if packed != Counter(counts):
        return "the bins do not hold exactly the items of the instance"
    if certificate.rule == "L1":
        bound = volume_bound(counts, capacity)
    elif certificate.rule == "L2":
        bound = martello_toth_bound(counts, capacity)
    elif certificate.rule == "dual" and certificate.weights is not None:
        bound = weight_bound(counts, capacity, certificate.weights)
    else:
        return f"got the rule {certificate.rule!r}, expected L1, L2 or dual with weights"
    if bound != certificate.bound:
        return f"the bound is {bound} bins by {certificate.rule}, not {certificate.bound}"
    return None
