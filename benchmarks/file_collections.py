"""Published collections of instance files, read whole: files, instances read, and what was refused and why.

    python benchmarks/file_collections.py FOLDER          a table of every collection below that is in FOLDER
    python benchmarks/file_collections.py FOLDER --files  and a line for each refused file

FOLDER holds a copy of each repository in a folder named OWNER+NAME (`git clone` or an unpacked archive); the
files stay there. Any other folder is read by `gapsmith problems read PROBLEM FOLDER`.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gapsmith.app.plugins.instance_files import readings_of
from gapsmith.app.plugins.loader import load_problem

_REASONS = 3
"""Reasons that a row of the table names."""


@dataclass(frozen=True, slots=True)
class Published:
    """A collection: its name, the problem that reads it, its repository, patterns of files, parameters."""

    name: str
    problem: str
    repository: str
    patterns: tuple[str, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)


_TSPLIB = "pdrozdowski+TSPLib.Net"
_LARGE = {"most_nodes": 6_000}
COLLECTIONS = (
    Published("TSPLIB, TSP", "tsp", _TSPLIB, ("TSPLIB95/tsp/*.tsp",), _LARGE),
    Published("TSPLIB, CVRP", "cvrp", _TSPLIB, ("TSPLIB95/vrp/*.vrp",)),
    Published(
        "TSPLIB, ATSP, SOP and HCP",
        "tsp",
        _TSPLIB,
        tuple(f"TSPLIB95/{k}/*.{k}" for k in ("atsp", "sop", "hcp")),
    ),
    Published("CVRPLIB, Uchoa et al.", "cvrp", "PyVRP+Instances", ("CVRP/X*.vrp",)),
    Published("CVRPLIB, Arnold et al.", "cvrp", "PyVRP+Instances", ("CVRP/XXL/*.vrp",), _LARGE),
    Published(
        "CVRPLIB, Christofides et al. and Golden",
        "cvrp",
        "vidalt+HGS-CVRP",
        ("Instances/CVRP/CMT*.vrp", "Instances/CVRP/Golden*.vrp"),
    ),
    Published("CVRP with backhauls", "cvrp", "PyVRP+Instances", ("VRPB/*.vrp",)),
    Published("CVRP with time windows", "cvrp", "PyVRP+Instances", ("VRPTW/*.vrp",)),
    *(
        Published(
            f"OPLib, generation {k}",
            "orienteering",
            "bcamath-ds+OPLib",
            (f"instances/gen{k}/*.oplib",),
            _LARGE,
        )
        for k in (1, 2, 3, 4)
    ),
    Published("JSPLIB", "job-shop", "tamy0612+JSPLIB", ("instances/*",)),
    Published(
        "Job shops of OR-Library",
        "job-shop",
        "thomasWeise+jsspInstancesAndResults",
        ("data-raw/instance-data/instance_data_orlib.txt",),
    ),
    Published(
        "Job shops of Taillard",
        "job-shop",
        "thomasWeise+jsspInstancesAndResults",
        ("data-raw/instance-data/taillard/*.txt",),
    ),
    Published(
        "Job shops of Demirkol et al.",
        "job-shop",
        "thomasWeise+jsspInstancesAndResults",
        ("data-raw/instance-data/demirkol/*.txt",),
    ),
    Published("Flow shops of Taillard", "flow-shop", "NIAN-EVEN+SUSTC-CSE5018-AOA", ("tai*.txt",)),
    Published(
        "Knapsacks of OR-Library, mknap1 and mknapcb",
        "multi-knapsack",
        "taliabensimon+Optim_proj",
        ("mknap1.txt", "mknapcb*.txt"),
    ),
    Published(
        "Knapsacks of OR-Library, mknap2", "multi-knapsack", "taliabensimon+Optim_proj", ("mknap2.txt",)
    ),
    Published(
        "Bin packing of OR-Library",
        "bin-packing",
        "Junyu-Liu-Nate+Bin-Packing-UNNC-COMP2051-AIM-cw",
        ("binpack1.txt", "binpack3.txt", "binpack11.txt"),
    ),
    Published("BPPLIB, randomly generated", "bin-packing", "rafaelmartinelli+BPPLib.jl", ("data/PM*.zip",)),
    Published("Standard Task Graph Set", "task-graph", "sandy2008+Scheduling-With-Dependencies", ("*.stg",)),
    Published("MiniMalloc", "memory-mapping", "google+minimalloc", ("benchmarks/*/*.csv",)),
    Published("Weighted tardiness of OR-Library, wt40", "smwtt", "AarthiSathish+SMWT_GA", ("wt40.txt",)),
)


def read(collection: Published, folder: Path) -> list[tuple[int, str | None]]:
    """Instances of each file and why it was refused; empty where the collection is not in the folder.

    The instances themselves are not kept: distances of thousands of nodes take much memory.
    """
    root = folder / collection.repository
    paths = sorted(path for pattern in collection.patterns for path in root.glob(pattern))
    loaded = load_problem(collection.problem, dict(collection.parameters))
    return [(len(one.instances), one.fault) for path in paths for one in readings_of(loaded, str(path))]


def row(collection: Published, readings: Sequence[tuple[int, str | None]]) -> str:
    """A line of the table."""
    refused = [fault for _, fault in readings if fault is not None]
    reasons = Counter(map(reason, refused))
    shown = [f"{count} x {text}" for text, count in reasons.most_common(_REASONS)]
    if len(reasons) > _REASONS:
        shown.append(f"{len(refused) - sum(n for _, n in reasons.most_common(_REASONS))} x others")
    words = [f"{key}={value}" for key, value in collection.parameters.items()]
    problem = " ".join([f"`{collection.problem}`", *words])
    instances = sum(count for count, _ in readings)
    cells = (collection.name, problem, len(readings), instances, len(refused), "; ".join(shown))
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def reason(fault: str) -> str:
    """A refusal without file, place and figures, so that like ones count together."""
    said = fault.partition(": got ")[2] or fault
    got, _, expected = said.partition(", expected ")
    got = re.sub(r"[0-9]+", "N", got)[:50]
    return f"{got}: {re.split(r'[(:;]', expected)[0].strip()[:60]}" if expected else got


def main() -> None:
    """Reads the collections that are in a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds a folder OWNER+NAME for each repository")
    parser.add_argument("--files", action="store_true", help="a line for each refused file")
    arguments = parser.parse_args()
    print("| collection | problem | files | instances read | files refused | reasons |")
    print("|---|---|---:|---:|---:|---|")
    missing, faults = [], []
    for collection in COLLECTIONS:
        readings = read(collection, arguments.folder)
        if not readings:
            missing.append(f"{collection.name}: no folder {collection.repository}")
            continue
        print(row(collection, readings), flush=True)
        faults += [fault for _, fault in readings if fault is not None]
    print("\n" + "\n".join([f"not there: {text}" for text in missing] + (faults if arguments.files else [])))


if __name__ == "__main__":
    main()
