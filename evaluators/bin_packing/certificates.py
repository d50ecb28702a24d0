"""Certificates shipped with the package in a file; checked in milliseconds, without a solver."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from .proof import PackingCertificate

FILE = "certificates.json.gz"


def certificate_key(counts: Mapping[int, int], capacity: int) -> str:
    """24 hex digits that identify the capacity and the multiset of items."""
    text = json.dumps([capacity, sorted(counts.items())], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def shipped(counts: Mapping[int, int], capacity: int) -> PackingCertificate | None:
    """The shipped certificate of these items, not yet checked; None if there is none."""
    document = _load().get(certificate_key(counts, capacity))
    return None if document is None else decode(document)


def encode(certificate: PackingCertificate) -> dict[str, Any]:
    """A certificate as a compact JSON mapping, which lists equal bins once with their number."""
    bins = sorted(Counter(certificate.bins).items(), reverse=True)
    document: dict[str, Any] = {
        "rule": certificate.rule,
        "bound": certificate.bound,
        "bins": [[number, *content] for content, number in bins],
    }
    if certificate.weights is not None:
        document["weights"] = sorted(certificate.weights.items())
    return document


def decode(document: Mapping[str, Any]) -> PackingCertificate:
    """The certificate that `encode` wrote."""
    bins = tuple(tuple(content) for number, *content in document["bins"] for _ in range(number))
    weights = {int(s): int(w) for s, w in document["weights"]} if "weights" in document else None
    return PackingCertificate(bins, document["bound"], document["rule"], weights)


def pack_file(documents: Mapping[str, Mapping[str, Any]]) -> bytes:
    """The bytes of a certificate file; equal contents give equal bytes."""
    text = json.dumps(dict(sorted(documents.items())), separators=(",", ":"))
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


@cache
def _load() -> Mapping[str, Mapping[str, Any]]:
    data = files(__package__).joinpath(FILE).read_bytes()
    documents: dict[str, Mapping[str, Any]] = json.loads(gzip.decompress(data))
    return documents
