"""References with certificates: the store of what ships, and the base that serves it or computes."""

from __future__ import annotations

import gzip
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..problems.base import Instance, Json, Sense
from .base import Reference, ReferenceKind, decode_reference, encode_reference
from .numbers import better_than

FOLDER = Path(__file__).with_name("certificates")
"""One file for each family of problems: `FAMILY.json.gz`."""
DIGITS = 16
"""Hex digits of a key that the files keep (count)."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known of an instance.

    Attributes:
        reference: the proven optimum, or the best proven bound.
        answer: the best answer known, which attains an optimum; None without one.
        evidence: what proves the bound again without a solver; None where that takes a solver.
    """

    reference: Reference
    answer: Json = None
    evidence: Json = None

    @property
    def optimal(self) -> bool:
        """Whether nothing better can be proved."""
        return self.reference.kind is ReferenceKind.OPTIMUM


class CertifiedReferences(ABC):
    """References of a family of problems: those that ship, and others computed when they are first needed.

    Attributes:
        family: name of the file of its certificates; problems of one family share instances and references.
        version: of the method; part of the key of stored references.
        kinds: of its references.
        sense: of the problem.
    """

    family: str
    version: str
    kinds: tuple[ReferenceKind, ...] = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)
    sense: Sense = Sense.MINIMISE

    @abstractmethod
    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """A certificate within about `seconds` of wall time, computed without what ships.

        Args:
            instance: the instance.
            seconds: wall seconds, > 0.
            start: a valid answer that the search may start from.
        """

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum (problem's unit), or within about `seconds` of wall time a proven bound."""
        return self.shipped(instance) or self.compute(instance, seconds)

    def shipped(self, instance: Instance) -> Reference | None:
        """The reference that ships, or a value of the literature; None without one."""
        certificate = self.certificate(instance)
        return self.best_known(instance) if certificate is None else certificate.reference

    def attained(self, instance: Instance) -> Json | None:
        """The shipped answer that attains the optimum; None if none ships."""
        certificate = self.certificate(instance)
        return certificate.answer if certificate is not None and certificate.optimal else None

    def compute(self, instance: Instance, seconds: float) -> Reference:
        """Like `reference`, without what ships."""
        return self.certify(instance, seconds).reference

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The result of another method, or of the same one anew, within about `seconds` of wall time."""
        return self.compute(instance, seconds)

    def best_known(self, instance: Instance) -> Reference | None:
        """The literature's value of an instance; None for others."""
        return None

    def key(self, instance: Instance) -> str:
        """Hex digits by which the file knows an instance."""
        return instance.digest

    def certificate(self, instance: Instance) -> Certificate | None:
        """What ships for an instance; None without it."""
        return certificates(self.family).get(self.key(instance)[:DIGITS])

    def better(self, older: Certificate | None, newer: Certificate) -> Certificate:
        """The stronger of two certificates, the older of equal ones; an optimum takes the newer one's answer.

        Raises:
            ValueError: two optima differ.
        """
        if older is None:
            return newer
        if older.optimal and newer.optimal:
            if older.reference.value != newer.reference.value:
                raise ValueError(f"optima differ: {older.reference.value} and {newer.reference.value}")
            return replace(older, answer=newer.answer, evidence=newer.evidence)
        minimise = self.sense is Sense.MINIMISE
        stronger = newer.optimal or better_than(older.reference.value, newer.reference.value, minimise, 0)
        return newer if stronger and not older.optimal else older


@cache
def certificates(family: str) -> Mapping[str, Certificate]:
    """First digits of a key → certificate, of all that ships for a family; empty without a file."""
    path = FOLDER / f"{family}.json.gz"
    return decode_certificates(path.read_bytes()) if path.is_file() else {}


def encode_certificates(table: Mapping[str, Certificate]) -> bytes:
    """Content of a file from key → certificate; equal tables give equal bytes."""
    rows = {}
    for key, one in sorted(table.items()):
        row: dict[str, Any] = encode_reference(one.reference)
        row |= {} if one.answer is None else {"answer": one.answer}
        rows[key[:DIGITS]] = row | ({} if one.evidence is None else {"evidence": one.evidence})
    return gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), 9, mtime=0)


def decode_certificates(data: bytes) -> dict[str, Certificate]:
    """What `encode_certificates` wrote."""
    rows = json.loads(gzip.decompress(data))
    return {
        key: Certificate(decode_reference(row), row.get("answer"), row.get("evidence"))
        for key, row in rows.items()
    }
