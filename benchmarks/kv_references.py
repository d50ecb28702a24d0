"""Builds the shipped bounds of `kv-scheduling`.

    python benchmarks/kv_references.py

Writes evaluators/serving/data/kv-scheduling.json for the splits of seed 1 and prints one line per instance.
What is in the file already is kept. Every linear programme is solved to its end, so each machine builds the
same bounds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gapsmith.evaluators.serving.references import KvSchedulingReferences
from gapsmith.evaluators.shipped import encode_table
from gapsmith.problems.serving import kv_scheduling

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "serving" / "data" / "kv-scheduling.json"
SECONDS = 3_600.0


def main() -> None:
    """Reads the command line and writes the data file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=1_000, help="new references in one call (count)")
    most = parser.parse_args().most
    problem, references = kv_scheduling(), KvSchedulingReferences()
    table, missing = {}, []
    for instance in [i for split in problem.sets() for i in problem.instances(split, 1)]:
        reference = references.shipped(instance)
        if reference is None:
            missing.append(instance)
        else:
            table[instance.digest] = reference
    for instance in missing[:most]:
        table[instance.digest] = reference = references.compute(instance, SECONDS)
        seconds = reference.seconds or 0.0
        print(f"{instance.id:12} {instance.stratum:26} {reference.value:6} {seconds:6.2f} s", flush=True)
        DATA.write_text(encode_table(table), "utf-8")


if __name__ == "__main__":
    main()
