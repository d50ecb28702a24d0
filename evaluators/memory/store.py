"""Offsets that ship with the package because their peak is the largest load, in compressed JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

DIGITS = 16
"""Hex digits of an instance's digest that the file keeps."""
_FILE = "memory-mapping.json.gz"


def offsets(digest: str) -> Sequence[int] | None:
    """The offsets that ship for the instance with this digest, or None."""
    return _table().get(digest[:DIGITS])


def encode(table: Mapping[str, Sequence[int]]) -> bytes:
    """Bytes of the data file from instance digest → offsets, the same for equal tables."""
    rows = {digest[:DIGITS]: list(row) for digest, row in sorted(table.items())}
    return gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), 9, mtime=0)


@cache
def _table() -> Mapping[str, Sequence[int]]:
    path = files(__package__).joinpath("data", _FILE)
    return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else {}
