"""Builds the shipped references of the classics.

    python benchmarks/classics_references.py flow-shop --seconds 60
    python benchmarks/classics_references.py flow-shop --seconds 60 --sets taillard-20x5
    python benchmarks/classics_references.py cvrp --seconds 60 --from-pyvrp

Writes evaluators/classics/data/NAME.json.gz: bounds with the best answers, of the splits of seed 1 and of
named sets (where the literature has best known values, the proven optima alone). An optimum in the file is
kept. Prints one line per instance.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import second_opinion
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.classics.certificates import Certificate, certificate, encode
from gapsmith.evaluators.classics.references import CertifiedReferences
from gapsmith.problems.base import Sense

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "classics" / "data"


def main() -> None:
    """Reads the command line and writes the data file of one problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problem", choices=["cvrp", "flow-shop", "multi-knapsack", "orienteering", "tsp"])
    parser.add_argument("--seconds", type=float, default=60, help="wall seconds that one proof may take")
    parser.add_argument("--sets", nargs="*", default=[], help="named sets beside the splits")
    parser.add_argument("--from-pyvrp", action="store_true", help="proofs of cvrp start from PyVRP's routes")
    arguments = parser.parse_args()
    loaded = load_problem(arguments.problem)
    references = loaded.references
    assert isinstance(references, CertifiedReferences)
    table: dict[str, Certificate] = {}
    for name in ("train", "valid", "test", *arguments.sets):
        for instance in loaded.problem.instances(name, 1):
            made = certificate(arguments.problem, instance.digest)
            if made is None or made.value != made.bound:
                start = None if made is None else made.answer
                if arguments.from_pyvrp:
                    start = second_opinion.routes(instance.public, 500)  # type: ignore[assignment]
                made = joined(
                    made, references.certify(instance, arguments.seconds, start), loaded.problem.sense
                )
                print(
                    f"{instance.id:12} {instance.stratum:18} {made.bound:6} {made.value:6} "
                    f"{made.seconds:7.2f} s",
                    flush=True,
                )
            shipped = references.shipped(instance)
            if made.value == made.bound or shipped is None or shipped.kind is not ReferenceKind.BEST_KNOWN:
                table[instance.digest] = made
        (DATA / f"{arguments.problem}.json.gz").write_bytes(encode(table))


def joined(older: Certificate | None, newer: Certificate, sense: Sense) -> Certificate:
    """The newer certificate, with the older one's bound or answer where these are better."""
    if older is None:
        return newer
    sign = 1 if sense is Sense.MINIMISE else -1
    if sign * older.value < sign * newer.value:
        newer = replace(newer, value=older.value, answer=older.answer)
    if sign * older.bound > sign * newer.bound:
        proof = {"bound": older.bound, "solver": older.solver, "version": older.version}
        newer = replace(newer, seconds=older.seconds, **proof)
    return newer


if __name__ == "__main__":
    main()
