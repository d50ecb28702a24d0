"""Files of CVRPLIB: the manner of TSPLIB with demands, a capacity and one depot.

E. Uchoa et al., New benchmark instances for the capacitated vehicle routing problem, European Journal of
Operational Research 257 (2017) 845-858, doi:10.1016/j.ejor.2016.08.012.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base import Instance
from .tsplib import SectionFile

FORMAT = """\
A text file (.vrp) of CVRPLIB: lines `KEY : value` (TYPE CVRP, DIMENSION with the depot, CAPACITY,
EDGE_WEIGHT_TYPE and EDGE_WEIGHT_FORMAT as in TSPLIB), NODE_COORD_SECTION or
EDGE_WEIGHT_SECTION, DEMAND_SECTION with lines `node demand`, DEPOT_SECTION with 1 and -1, then EOF. Node 1 is
the depot, with demand 0; the other demands are integers from 0 to the capacity, not all 0. The number of
vehicles is free; files that limit the length of routes (DISTANCE, SERVICE_TIME) or hold other keys or
sections (TIME_WINDOW_SECTION, BACKHAUL_SECTION …) are refused. At most 1,001 nodes (`--set
problem.most_nodes=N` lifts that up to 6,000). Distances are rounded as TSPLIB says; values of the literature
with unrounded ones (Christofides, Mingozzi and Toth; Golden) are reached with `--set problem.decimals=D`,
which keeps D digits behind the point of EUC_2D distances: lengths are then in units of 10^-D."""

_LARGEST = 10**9


def read(path: Path, most: int = 1_001, decimals: int = 0) -> list[Instance]:
    """The instance of a file, named after the file.

    Args:
        path: of the file.
        most: nodes, with the depot.
        decimals: digits behind the point that Euclidean distances keep; the unit of length is 10^-decimals.

    Raises:
        InstanceFileError: names file and line, what was got and what was expected.
    """
    file = SectionFile(path, "CVRP", ("CAPACITY",), ("DEMAND_SECTION", "DEPOT_SECTION"))
    public = file.nodes(2, most, decimals)
    count = len(public["distances"])
    capacity = file.integer(file.key("CAPACITY"), 1, _LARGEST)
    public |= {"demands": _demands(file, count, capacity), "capacity": capacity}
    depots = file.section("DEPOT_SECTION", 2)
    for word, expected in zip(depots, (1, -1), strict=True):
        if file.integer(word, -1, count) != expected:
            file.fault(word, "1 and -1: node 1 is the only depot")
    stratum = f"{count - 1} customers"
    source = f"file {path.name}, distances {_rounding(file, public, decimals)}"
    return [Instance(path.stem, path.name, stratum, public, 10**decimals, source)]


def _rounding(file: SectionFile, public: Mapping[str, Any], decimals: int) -> str:
    """How distances come from the file, for the instance's source."""
    if not public["coordinates"]:
        return "as listed"
    if decimals:
        return f"x {10**decimals:,}, rounded"
    return f"rounded to integers ({file.key('EDGE_WEIGHT_TYPE').text})"


def _demands(file: SectionFile, count: int, capacity: int) -> list[int]:
    words = file.section("DEMAND_SECTION", 2 * count)
    demands = []
    for node in range(count):
        if file.integer(words[2 * node], 0, count) != node + 1:
            file.fault(words[2 * node], f"node {node + 1}: nodes in their order, from 1")
        demands.append(file.integer(words[2 * node + 1], 0, capacity if node else 0))
    if not any(demands):
        file.fault(words[-1], "at least one demand of at least 1")
    return demands
