"""Builds the shipped certificates: `python benchmarks/bin_packing_certificates.py [--seconds 60]`.

Covers the default splits and every named set at the default seed. What is closed already in the shipped
file is checked and kept, so that a second run only adds what is new.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from statistics import median

import gapsmith.evaluators.bin_packing as package
from gapsmith.evaluators.bin_packing.certificates import FILE, certificate_key, encode, pack_file, shipped
from gapsmith.evaluators.bin_packing.certify import certify
from gapsmith.evaluators.bin_packing.proof import check
from gapsmith.evaluators.bin_packing.references import items
from gapsmith.problems.base import Instance

SEED = 1


def instances() -> dict[str, Instance]:
    """Certificate key → instance, of all sets of the offline and the online problem."""
    found: dict[str, Instance] = {}
    for plugin in (package.bin_packing, package.online_bin_packing):
        problem = plugin.problem()
        for name in problem.sets():
            for instance in problem.instances(name, SEED):
                if "packing" not in (instance.hidden or {}):
                    sizes, capacity = items(instance)
                    found[certificate_key(Counter(sizes), capacity)] = instance
    return found


def main() -> None:
    """Certifies what is missing and writes the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="wall seconds per instance")
    seconds = parser.parse_args().seconds
    target = Path(next(iter(package.__path__))) / FILE
    if not target.exists():
        target.write_bytes(pack_file({}))
    documents = {}
    times: dict[str, list[float]] = {}
    for key, instance in instances().items():
        sizes, capacity = items(instance)
        certificate = shipped(Counter(sizes), capacity)
        if certificate is None or not certificate.closed:
            began = time.perf_counter()
            certificate = certify(sizes, capacity, seconds)
            times.setdefault(f"{instance.split} {instance.stratum}", []).append(time.perf_counter() - began)
        fault = check(certificate, Counter(sizes), capacity)
        if fault is not None:
            raise SystemExit(f"{instance.id}: {fault}")
        if not certificate.closed:
            print(f"open: {instance.id}: {certificate.bound} to {len(certificate.bins)} bins")
        documents[key] = encode(certificate)
    target.write_bytes(pack_file(documents))
    for name, values in times.items():
        print(f"{name:28s} {len(values):3d} new  median {median(values):.2f} s  max {max(values):.2f} s")
    print(f"{len(documents)} certificates, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
