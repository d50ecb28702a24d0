"""Files of OPLib: orienteering in the manner of TSPLIB.

G. Kobeaga, M. Merino, J. A. Lozano, An efficient evolutionary algorithm for the orienteering problem,
Computers & Operations Research 90 (2018) 42-59, doi:10.1016/j.cor.2017.09.003.
"""

from __future__ import annotations

from pathlib import Path

from ..base import Instance
from .tsplib import SectionFile

FORMAT = """\
A text file of OPLib with one instance: lines `KEY : value` (TYPE OP, DIMENSION, COST_LIMIT, EDGE_WEIGHT_TYPE
and EDGE_WEIGHT_FORMAT as in TSPLIB), NODE_COORD_SECTION or EDGE_WEIGHT_SECTION, NODE_SCORE_SECTION with
lines `node prize` (integers from 0 to 1,000,000), DEPOT_SECTION with 1 and -1, then EOF. Nodes are numbered
from 1, which is the depot; the prize of the depot counts, as published. At least 2 nodes, at most 500 (`--set
problem.most_nodes=N` lifts that up to 6,000). TSPSOL and TSP_SOLUTION change no instance; other keys and
sections are refused."""

_TOLD = ("TSPSOL", "TSP_SOLUTION")
"""The shortest tour through all nodes, of which COST_LIMIT is a share."""
_LARGEST = 10**6
_LONGEST = 10**9


def read(path: Path, most: int = 500) -> list[Instance]:
    """The instance of a file of at most `most` nodes, named after the file.

    Raises:
        InstanceFileError: names file and line, what was got and what was expected.
    """
    file = SectionFile(path, "OP", ("COST_LIMIT", *_TOLD), ("NODE_SCORE_SECTION", "DEPOT_SECTION"))
    nodes = file.nodes(2, most)
    count = len(nodes["distances"])
    longest = file.integer(file.key("COST_LIMIT"), 0, _LONGEST)
    words = file.section("NODE_SCORE_SECTION", 2 * count)
    for node in range(count):
        if file.integer(words[2 * node], 0, count) != node + 1:
            file.fault(words[2 * node], f"node {node + 1}: nodes in their order, from 1")
    prizes = [file.integer(word, 0, _LARGEST) for word in words[1::2]]
    if "DEPOT_SECTION" in file.sections:
        for word, value in zip(file.section("DEPOT_SECTION", 2), (1, -1), strict=True):
            if file.integer(word, -1, count) != value:
                file.fault(word, f"{value}: the depot is node 1")
    public = {**nodes, "prizes": prizes, "max_length": longest}
    return [Instance(path.stem, path.name, f"{count} nodes", public, 1, f"file {path.name}")]
