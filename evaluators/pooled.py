"""References of the further training instances that built-in problems draw for a pool; they ship."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping

from ..problems.base import Instance
from .base import Reference
from .cache import encode_reference
from .shipped import table

FOLDER = "pools"
"""Folder of this package with one file for each family: `FAMILY.json.gz`."""
_RULES = ("-insertion-rule", "-rule")
_DIGITS = 16
"""Hex digits of an instance's digest that are kept (count)."""


def family(problem: str) -> str:
    """The name that a problem shares with its rule forms: `job-shop` for `job-shop-rule`."""
    for ending in _RULES:
        if problem.endswith(ending):
            return problem.removesuffix(ending)
    return problem


def pooled(problem: str, instance: Instance) -> Reference | None:
    """The shipped reference of an instance of a pool; None if it does not ship.

    Args:
        problem: name of a built-in problem.
        instance: of its pool of training instances.
    """
    return table(__package__, f"{FOLDER}/{family(problem)}.json.gz").get(instance.digest[:_DIGITS])


def encode_pool(references: Mapping[str, Reference]) -> bytes:
    """Content of a data file from instance digest → reference; equal references give equal bytes."""
    rows = {digest[:_DIGITS]: encode_reference(one) for digest, one in sorted(references.items())}
    return gzip.compress(json.dumps(rows, separators=(",", ":"), sort_keys=True).encode(), mtime=0)
