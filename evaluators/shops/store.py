"""The references that ship with the package: proven optima with their schedules, in compressed JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ..base import ProofKind, Reference

DIGITS = 16
"""Hex digits of an instance's digest that the files keep."""


@dataclass(frozen=True, slots=True)
class Proved:
    """A proven optimum and the schedule that attains it.

    Attributes:
        makespan: time units.
        starts: start times, one list per job.
        version: of CP-SAT.
        seconds: wall seconds that the proof took.
    """

    makespan: int
    starts: list[list[int]]
    version: str
    seconds: float

    def reference(self) -> Reference:
        """The optimum with its source."""
        source = "shipped with its schedule"
        return Reference.optimum(
            self.makespan, ProofKind.SOLVER, "cp-sat", self.version, self.seconds, source
        )


def proved(family: str, digest: str) -> Proved | None:
    """What ships for the instance with this digest, or None."""
    row = _rows(family).get(digest[:DIGITS])
    return None if row is None else Proved(**row)


def encode(table: Mapping[str, Proved]) -> bytes:
    """Bytes of a data file from instance digest → proof, the same for equal tables."""
    rows = {
        digest[:DIGITS]: {
            "makespan": proof.makespan,
            "starts": proof.starts,
            "version": proof.version,
            "seconds": round(proof.seconds, 2),
        }
        for digest, proof in sorted(table.items())
    }
    return gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), 9, mtime=0)


@lru_cache
def _rows(family: str) -> Mapping[str, Any]:
    path = files(__package__).joinpath("data", f"{family}.json.gz")
    return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else {}
