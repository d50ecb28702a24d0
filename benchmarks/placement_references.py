"""Builds the shipped references of the placement problems.

    python benchmarks/placement_references.py model-placement --seconds 50

Writes evaluators/placement/data/NAME.json for the default sets of seed 1. References that are already in
the file are kept when they are optima; a bound is tried again. Prints one line per instance.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction
from pathlib import Path

from gapsmith.evaluators import placement, shipped
from gapsmith.evaluators.base import Plugin, Reference, ReferenceKind
from gapsmith.problems.base import Instance

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "placement" / "data"
SETS = {
    "model-placement": ("train", "valid", "test", "community", "large"),
    "gpu-fleet": ("train", "valid", "test"),
    "gpu-fleet-aggregate": ("train", "valid", "test"),
    "expert-placement": ("train", "valid", "test", "next-step"),
}


def main() -> None:
    """Reads the command line and writes the data file of one problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problem", choices=sorted(SETS))
    parser.add_argument("--seconds", type=float, default=50, help="wall seconds that one reference may take")
    parser.add_argument("--sets", nargs="*", help="only these sets; the others keep what they have")
    arguments = parser.parse_args()
    plugin: Plugin = getattr(placement, arguments.problem.replace("-", "_"))
    table: dict[str, Reference] = {}
    for name in SETS[arguments.problem]:
        for instance in plugin.problem().instances(name, 1):
            old = shipped.shipped(placement.__name__, arguments.problem, instance)
            if not done(old) and name in (arguments.sets or [name]):
                old = better(old, fresh(plugin, instance, arguments.seconds))
            if old is not None:
                table[instance.digest] = old
    (DATA / f"{arguments.problem}.json").write_text(shipped.encode_table(table), "utf-8")


def done(old: Reference | None) -> bool:
    """Whether a reference cannot become better."""
    return old is not None and old.kind is ReferenceKind.OPTIMUM


def fresh(plugin: Plugin, instance: Instance, seconds: float) -> Reference:
    """A new reference, and a line about it."""
    started = time.monotonic()
    reference = plugin.references.compute(instance, seconds)  # type: ignore[union-attr]
    spent = time.monotonic() - started
    print(
        f"{instance.id:14} {instance.stratum:36} {reference.kind.value:8} {float(reference.value):14.4f} "
        f"{spent:6.2f} s  {reference.solver}; {reference.source}",
        flush=True,
    )
    return reference


def better(old: Reference | None, new: Reference) -> Reference:
    """The one with the higher bound."""
    if old is None or done(new) or Fraction(new.value) > Fraction(old.value):
        return new
    return old


if __name__ == "__main__":
    main()
