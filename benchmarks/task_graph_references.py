"""Builds the shipped references of the task graphs.

    python benchmarks/task_graph_references.py --effort 20
    python benchmarks/task_graph_references.py --schedules     the schedules that attain the optima

Writes evaluators/graphs/data/task-graph.json for the splits and the set `large-transfers` of seed 1: optima,
and CP-SAT's bound where the effort (deterministic seconds) ends first. What is in the file already is kept.
Schedules go into task-graph-schedules.json.gz beside it; CP-SAT has a minute to end by each optimum.
Prints one line per instance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.graphs import schedules
from gapsmith.evaluators.graphs.references import TaskGraphReferences
from gapsmith.evaluators.shipped import encode_table
from gapsmith.problems.graphs import task_graph

SETS = ("train", "valid", "test", "large-transfers")
DATA = Path(__file__).resolve().parents[1] / "evaluators" / "graphs" / "data" / "task-graph.json"


def main() -> None:
    """Reads the command line and writes the data file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--effort", type=float, default=20, help="deterministic seconds for one reference")
    parser.add_argument("--schedules", action="store_true", help="write the schedules of the optima instead")
    asked = parser.parse_args()
    if asked.schedules:
        write_schedules()
        return
    effort = asked.effort
    problem, references, table = task_graph(), TaskGraphReferences(), {}
    for name in SETS:
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


def write_schedules() -> None:
    """Writes a schedule for each shipped optimum; those that ship already are kept."""
    problem, references, table = task_graph(), TaskGraphReferences(), {}
    for name in SETS:
        for instance in problem.instances(name, 1):
            reference = references.shipped(instance)
            if reference is None or reference.kind is not ReferenceKind.OPTIMUM:
                continue
            found = references.attained(instance) or references.ends_by(instance, int(reference.value), 60)
            if found is None:
                print(f"{instance.id}: no schedule found that ends by {reference.value}", flush=True)
            else:
                table[instance.digest] = found
        DATA.with_name(schedules.FILE).write_bytes(schedules.encode(table))


if __name__ == "__main__":
    main()
