"""Builds the shipped references of the training problems: optima of the set `small` of sequence-packing.

    python benchmarks/training_references.py --seconds 60

Writes evaluators/training/data/sequence-packing.json and prints one line per instance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gapsmith.evaluators.shipped import encode_table
from gapsmith.evaluators.training.sequence_packing import SequencePackingReferences
from gapsmith.problems.training import sequence_packing

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "training" / "data"


def main() -> None:
    """Reads the command line and writes the data file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="wall seconds that one reference may take")
    seconds = parser.parse_args().seconds
    table = {}
    for instance in sequence_packing().instances("small", 1):
        reference = SequencePackingReferences().compute(instance, seconds)
        print(
            f"{instance.id:12} {reference.kind.value:8} {reference.value:>9} {reference.source}", flush=True
        )
        table[instance.digest] = reference
    (DATA / "sequence-packing.json").write_text(encode_table(table), "utf-8")


if __name__ == "__main__":
    main()
