"""References that ship with a package: one JSON file per problem, keyed by instance digest."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ..problems.base import Instance
from .base import Reference
from .cache import decode_reference, encode_reference


def shipped(package: str, problem: str, instance: Instance) -> Reference | None:
    """The shipped reference of an instance; None if the file does not hold the instance's digest.

    Args:
        package: package whose folder `data` holds `PROBLEM.json`.
        problem: name of the problem.
        instance: the instance to look up.
    """
    return table(package, f"data/{problem}.json").get(instance.digest)


def encode_table(references: Mapping[str, Reference]) -> str:
    """Text of a data file (JSON, one reference per line) from instance digest → reference."""
    lines = [
        f"{json.dumps(digest)}: {json.dumps(encode_reference(reference), sort_keys=True)}"
        for digest, reference in sorted(references.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def table(package: str, path: str) -> Mapping[str, Reference]:
    """Digest → reference of a package's data file, packed if its name ends in `.gz`; empty without a file."""
    file = files(package).joinpath(path)
    if not file.is_file():
        return {}
    data = file.read_bytes()
    rows = json.loads(gzip.decompress(data) if path.endswith(".gz") else data)
    return {digest: decode_reference(row) for digest, row in rows.items()}
