"""Certificates of the classics: proven bounds with the best answers, shipped for the default splits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ...problems.base import Json
from ..base import ProofKind, Reference

DIGITS = 16
"""Hex digits of an instance's digest that the files keep."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a solver proved of an instance, and the best answer that it knows.

    Attributes:
        bound: proven bound of the objective (problem's unit).
        value: objective of the answer (problem's unit); equal to the bound iff both are optimal.
        answer: a valid answer.
        solver, version: who proved the bound.
        seconds: wall seconds of the proof.
    """

    bound: int
    value: int
    answer: Json
    solver: str
    version: str
    seconds: float

    def reference(self, source: str) -> Reference:
        """The optimum, or the bound where no answer attains it.

        Args:
            source: where the certificate comes from.
        """
        optimal = self.value == self.bound
        make = Reference.optimum if optimal else Reference.proven_bound
        note = "" if optimal else f"; best answer known {self.value}"
        return make(
            self.bound, ProofKind.SOLVER, self.solver, self.version, round(self.seconds, 3), source + note
        )


def certificate(problem: str, digest: str) -> Certificate | None:
    """What ships for the instance with this digest, or None."""
    row = _rows(problem).get(digest[:DIGITS])
    return None if row is None else Certificate(**row)


def encode(table: Mapping[str, Certificate]) -> bytes:
    """Bytes of a data file from instance digest → certificate, the same for equal tables."""
    rows = {digest[:DIGITS]: asdict(one) for digest, one in sorted(table.items())}
    return gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), 9, mtime=0)


@lru_cache
def _rows(problem: str) -> Mapping[str, Any]:
    path = files(__package__).joinpath("data", f"{problem}.json.gz")
    return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else {}
