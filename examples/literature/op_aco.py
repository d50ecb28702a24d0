"""Task `op_aco` of ReEvo and MCTS-AHD: numbers for the steps of a tour with prizes, which ants sample by.

    gapsmith evaluate examples/literature/op_aco.py mine.py --instances literature-50

Published functions `heuristics_v2` run unchanged: prizes are hundredths, lengths are scaled so that the limit
is 3, as at 50 nodes there. Compare with the rows of OP at 50 nodes in the tables of ReEvo (2024): the colony
follows its code (20 ants, 50 rounds, evaporation 0.9) with a random stream of its own, so means compare,
single prizes do not; prizes here are times 100.
"""

from typing import Annotated

from gapsmith import Parameter, Plugin
from gapsmith.evaluators.classics import orienteering
from gapsmith.problems.classics.orienteering import Orienteering

RATIO = '''\
import numpy as np


def heuristics_v2(prize: np.ndarray, distance: np.ndarray, maxlen: float) -> np.ndarray:
    """Prize of a node for the way there, which people wrote for this colony."""
    return prize[np.newaxis, :] / distance
'''

DRIVER = '''\
import numpy as np

ANTS, ROUNDS, KEPT, LIMIT, FAR = 20, 50, 0.9, 3.0, 1e9


def drive(entry, instance):
    """The best tour of ants that turn back in time: trails between nodes, times the function's numbers."""
    prize = np.array(instance["prizes"], dtype=float) / 100
    ways = np.array(instance["distances"], dtype=float)
    longest = instance["max_length"]
    distance = ways * (LIMIT / max(1, longest))
    np.fill_diagonal(distance, FAR)
    with np.errstate(all="ignore"):
        rating = np.asarray(entry(prize.copy(), distance, LIMIT), dtype=float)
    if rating.shape != ways.shape:
        raise ValueError(f"got shape {rating.shape}, expected {ways.shape}: a number for each step")
    rating = np.clip(np.nan_to_num(rating), 1e-9, 1e12)
    stream = np.random.default_rng(0)
    trails = np.ones(ways.shape)
    best, most = [], -1.0
    for _ in range(ROUNDS):
        walks = [walk(trails, rating, ways, longest, stream) for _ in range(ANTS)]
        trails = np.maximum(trails * KEPT, 1e-10)
        for nodes in walks:
            worth = prize[nodes].sum()
            trails[nodes[:-1], nodes[1:]] += worth / prize.sum() if worth else 0
            if worth > most:
                best, most = nodes, worth
    return [int(node) for node in best[1:]]


def walk(trails, rating, ways, longest, stream):
    """Nodes from the depot on until none is left from which the way back fits."""
    nodes = [0]
    left = np.arange(1, len(ways))
    spent = 0.0
    while len(left := left[spent + ways[nodes[-1], left] + ways[left, 0] <= longest]):
        sums = np.cumsum(trails[nodes[-1], left] * rating[nodes[-1], left])
        place = min(int(np.searchsorted(sums, stream.random() * sums[-1], side="right")), len(left) - 1)
        spent += ways[nodes[-1], left[place]]
        nodes.append(left[place])
        left = np.delete(left, place)
    return np.array(nodes)
'''


class OpAco(Orienteering):
    """Maximise the prize of a tour of limited length; a candidate rates steps for an ant colony."""

    name = "op-aco"
    entry_point = "heuristics_v2"
    signature = "def heuristics_v2(prize: np.ndarray, distance: np.ndarray, maxlen: float) -> np.ndarray:"
    statement = (
        "Ants make closed tours from node 0 of at most a given length, for the largest sum of prizes. "
        "heuristics_v2(...) gets the prizes (n,), the distances (n, n; 1e9 from a node to itself) and the "
        "limit, and returns a number above 0 for each step, (n, n): how promising it is to go from one node "
        "to the other. numpy is `np`."
    )
    calls = "The loop calls it once for each instance."
    driver = DRIVER

    def __init__(
        self, instances: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 6
    ) -> None:
        """Takes the `[problem]` table."""
        super().__init__(dict.fromkeys(("train", "valid", "test"), instances), most_nodes=500)

    def start_programs(self) -> dict[str, str]:
        """Prize for the way there."""
        return {"prize-per-distance": RATIO}

    baselines = start_programs
    expressions = ()

    def moves(self) -> None:
        """None: a function that rates steps returns no tour."""


plugin = Plugin(OpAco, orienteering.references)
