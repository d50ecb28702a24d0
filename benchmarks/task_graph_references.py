"""Builds the shipped references of the task graphs.

    python benchmarks/task_graph_references.py --effort 20

Writes evaluators/graphs/data/task-graph.json for the splits and the set `large-transfers` of seed 1: optima,
and CP-SAT's bound where the effort (deterministic seconds) ends first. What is in the file already is kept.
Prints one line per instance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gapsmith.evaluators.graphs.references import TaskGraphReferences
from gapsmith.evaluators.shipped import encode_table
from gapsmith.problems.graphs import task_graph

DATA = Path(__file__).resolve().parents[1] / "evaluators" / "graphs" / "data" / "task-graph.json"


def main() -> None:
    """Reads the command line and writes the data file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--effort", type=float, default=20, help="deterministic seconds for one reference")
    effort = parser.parse_args().effort
    problem, references, table = task_graph(), TaskGraphReferences(), {}
    for name in ("train", "valid", "test", "large-transfers"):
        for instance in problem.instances(name, 1):
            reference = references.shipped(instance)
            if reference is None:
                reference = references.solve(instance, 50 * effort, effort)
                print(
                    f"{instance.id:20} {instance.stratum:22} {reference.kind.value:8} {reference.value:6} "
                    f"{reference.seconds or 0:7.2f} s {reference.source}",
                    flush=True,
                )
            table[instance.digest] = reference
        DATA.write_text(encode_table(table), "utf-8")


if __name__ == "__main__":
    main()
