"""Task `cvrp_construct` of EoH and LLM4AD: vehicle routes node by node.

    gapsmith evaluate examples/literature/cvrp_construct.py mine.py --instances literature-50

Published functions run unchanged and are called by position. Compare with the log of EoH's task: mean length
13.611 of the start, 13.237 of the best of 88 samples, on the 16 instances of `literature-50`, whose lengths
here are times 10^6.
"""

from typing import Annotated

from gapsmith import Parameter, Plugin
from gapsmith.evaluators.classics import cvrp
from gapsmith.problems.classics.cvrp import Cvrp

NEAREST = '''\
import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_capacity: float,
    demands: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The nearest customer that fits."""
    return int(unvisited_nodes[np.argmin(distance_matrix[current_node, unvisited_nodes])])
'''

DRIVER = '''\
from operator import index

import numpy as np


def drive(entry, instance):
    """One route after the other; the function gets copies."""
    matrix = np.array(instance["distances"], dtype=float)
    demands = np.array(instance["demands"], dtype=float)
    near = matrix.argsort(axis=1, kind="stable")
    left = set(range(1, len(matrix)))
    routes, here, room, calls = [[]], 0, float(instance["capacity"]), 0
    with np.errstate(all="ignore"):
        while left:
            offered = [int(node) for node in near[here] if node in left and demands[node] <= room]
            node = 0
            if offered:
                calls += 1
                node = entry(here, 0, np.array(offered), room, demands.copy(), matrix.copy())
                expected = offered if here == 0 else [0, *offered]
                if not hasattr(node, "__index__") or index(node) not in expected:
                    got = str(node)[:40]
                    raise ValueError(
                        f"call {calls}: got {got}, expected one of the unvisited_nodes, or 0 to go home"
                    )
            here = index(node)
            if here == 0:
                routes.append([])
                room = float(instance["capacity"])
            else:
                routes[-1].append(here)
                left.remove(here)
                room -= float(demands[here])
    return routes
'''


class CvrpConstruct(Cvrp):
    """Minimise the length of all routes; a candidate selects the next node and sees all distances."""

    name = "cvrp-construct"
    entry_point = "select_next_node"
    signature = (
        "def select_next_node(current_node: int, depot: int, unvisited_nodes: np.ndarray, "
        "rest_capacity: float, demands: np.ndarray, distance_matrix: np.ndarray) -> int:"
    )
    statement = (
        "A fixed loop makes one route after the other, all together as short as possible: it calls "
        "select_next_node(...) with the node where the vehicle stands, the depot (0), the customers left "
        "that fit, the nearest first, the capacity left, all demands and all distances, and goes to the node "
        "that is returned: one of unvisited_nodes, or 0 to go home from a customer. numpy is `np`."
    )
    calls = "The loop calls it once for each customer, and once for each return that the program decides."
    driver = DRIVER

    def __init__(
        self, instances: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 6
    ) -> None:
        """Takes the `[problem]` table."""
        super().__init__(dict.fromkeys(("train", "valid", "test"), instances), most_nodes=1_001, decimals=0)

    def start_programs(self) -> dict[str, str]:
        """Nearest neighbour."""
        return {"nearest-neighbour": NEAREST}

    baselines = start_programs
    expressions = ()

    def moves(self) -> None:
        """None: a function that selects nodes returns no routes."""


plugin = Plugin(CvrpConstruct, cvrp.references)
