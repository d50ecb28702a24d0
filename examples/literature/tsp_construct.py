"""Task `tsp_construct` of EoH and LLM4AD (`tsp_constructive` of ReEvo and MCTS-AHD): tours node by node.

    gapsmith evaluate examples/literature/tsp_construct.py mine.py --instances literature-50

Published functions run unchanged and are called by position. Compare with MCTS-AHD's construction rules at 50
nodes (2025): gaps there are to LKH, here to proven optima, and `literature-50` is the first tenth of those
instances, distances rounded to a millionth of the square's side.
"""

from typing import Annotated

from gapsmith import Parameter, Plugin
from gapsmith.evaluators.classics import tsp
from gapsmith.problems.classics.tsp import Tsp

NEAREST = '''\
import numpy as np


def select_next_node(
    current_node: int, destination_node: int, unvisited_nodes: np.ndarray, distance_matrix: np.ndarray
) -> int:
    """The nearest node."""
    return int(unvisited_nodes[np.argmin(distance_matrix[current_node, unvisited_nodes])])
'''

DRIVER = '''\
from operator import index

import numpy as np


def drive(entry, instance):
    """The tour from node 0; the last node is not asked for, and the function gets copies."""
    matrix = np.array(instance["distances"], dtype=float)
    near = matrix.argsort(axis=1, kind="stable")
    tour = [0]
    left = set(range(1, len(matrix)))
    with np.errstate(all="ignore"):
        while len(left) > 1:
            offered = np.array([node for node in near[tour[-1]] if node in left])
            node = entry(tour[-1], 0, offered.copy(), matrix.copy())
            if not hasattr(node, "__index__") or index(node) not in left:
                got = str(node)[:40]
                raise ValueError(f"step {len(tour)}: got {got}, expected one of the unvisited_nodes")
            tour.append(index(node))
            left.remove(tour[-1])
    return tour + list(left)
'''


class TspConstruct(Tsp):
    """Minimise the length of a tour; a candidate selects the next node and sees all distances."""

    name = "tsp-construct"
    entry_point = "select_next_node"
    signature = (
        "def select_next_node(current_node: int, destination_node: int, unvisited_nodes: np.ndarray, "
        "distance_matrix: np.ndarray) -> int:"
    )
    statement = (
        "A fixed loop makes a closed tour through all nodes, as short as possible: from node 0 it calls "
        "select_next_node(...) with the node where the tour stands, the one where it ends (0), the nodes "
        "left, the nearest first, and all distances, and goes to the node that is returned. numpy is `np`."
    )
    calls = "The loop calls it once for each node but the first and the last."
    driver = DRIVER

    def __init__(
        self, instances: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 6
    ) -> None:
        """Takes the `[problem]` table."""
        super().__init__(dict.fromkeys(("train", "valid", "test"), instances), most_nodes=2_000)

    def start_programs(self) -> dict[str, str]:
        """Nearest neighbour."""
        return {"nearest-neighbour": NEAREST}

    baselines = start_programs
    expressions = ()

    def moves(self) -> None:
        """None: a function that selects nodes returns no tour."""


plugin = Plugin(TspConstruct, tsp.references)
