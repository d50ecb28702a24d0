"""Checks OR-Library's listed values: `python benchmarks/bin_packing_or_library.py binpack1.txt…`.

Proves the optimum of every instance of the files, names those whose listed value is higher, and prints a
fingerprint of each file's instances, the same for every copy that holds the same items in the same order.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from pathlib import Path

from gapsmith.evaluators.bin_packing import bin_packing


def main() -> None:
    """One line per file and per instance that differs from its listed value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0, help="wall seconds per instance")
    options = parser.parse_args()
    problem, references = bin_packing.problem(), bin_packing.references
    assert references is not None
    for path in options.files:
        instances = problem.read_instances(path)
        times, proven = [], 0
        for instance in instances:
            began = time.perf_counter()
            reference = references.reference(instance, options.seconds)
            times.append(time.perf_counter() - began)
            proven += reference.kind.value == "optimum"
            listed = int(instance.source.rpartition(" ")[2])
            if reference.value != listed:
                print(f"  {instance.id}: {reference.kind} {reference.value}, listed {listed}")
                print(f"    {reference.source}")
        digest = hashlib.sha256("".join(i.digest for i in instances).encode()).hexdigest()[:16]
        print(f"{path.name}: {proven} of {len(instances)} proven, at most {max(times):.1f} s, items {digest}")


if __name__ == "__main__":
    main()
