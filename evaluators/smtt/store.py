"""The references and sequences that ship with the package, all proved by its own methods."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from ..base import ProofKind, Reference, ReferenceKind

TABLE = "references.csv"
SEQUENCES = "sequences.txt.gz"
DIGITS = 16
"""Number of hex digits of an instance's digest in the files."""


def shipped(digest: str) -> Reference | None:
    """The shipped reference of the instance with this digest; None if there is none."""
    row = _rows().get(digest[:DIGITS])
    if row is None:
        return None
    # Optimum and bound coincide where the kind is `optimum`; elsewhere the reference is the bound.
    bound = int(row["bound"])
    return Reference(
        bound,
        ReferenceKind(row["kind"]),
        bound,
        ProofKind(row["proof"]),
        row["solver"],
        row["version"],
        float(row["seconds"]),
        row["source"],
    )


def attained(digest: str) -> tuple[int, ...] | None:
    """The shipped sequence for the instance with this digest; None if there is none."""
    return _sequences().get(digest[:DIGITS])


@lru_cache
def _rows() -> Mapping[str, dict[str, str]]:
    path = files(__package__).joinpath("data", TABLE)
    if not path.is_file():
        return {}
    return {row["digest"]: row for row in csv.DictReader(path.read_text("utf-8").splitlines())}


@lru_cache
def _sequences() -> Mapping[str, tuple[int, ...]]:
    path = files(__package__).joinpath("data", SEQUENCES)
    if not path.is_file():
        return {}
    lines = gzip.decompress(path.read_bytes()).decode("ascii").splitlines()
    return {line[:DIGITS]: tuple(map(int, line[DIGITS:].split())) for line in lines}
