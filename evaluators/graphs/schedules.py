"""The schedules that ship with the optima of task graphs, in compressed JSON."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ...problems.base import Json

DIGITS = 16
"""Hex digits of an instance's digest that the file keeps."""
FILE = "task-graph-schedules.json.gz"


def schedule(digest: str) -> Json | None:
    """The schedule that ships for the instance with this digest, or None."""
    return _table().get(digest[:DIGITS])


def encode(table: Mapping[str, Json]) -> bytes:
    """Bytes of the data file from instance digest → schedule, the same for equal tables."""
    rows = {digest[:DIGITS]: found for digest, found in sorted(table.items())}
    return gzip.compress(json.dumps(rows, separators=(",", ":")).encode(), 9, mtime=0)


@cache
def _table() -> Mapping[str, Json]:
    path = files(__package__).joinpath("data", FILE)
    return json.loads(gzip.decompress(path.read_bytes())) if path.is_file() else {}
