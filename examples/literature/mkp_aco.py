"""Task `mkp_aco` of ReEvo and MCTS-AHD: numbers for the items of a knapsack, which an ant colony samples by.

    gapsmith evaluate examples/literature/mkp_aco.py mine.py --instances literature-100x5

Published functions `heuristics_v2` run unchanged: prizes are parts of the largest, weights parts of their
row's capacity. Compare with the rows of MKP at 100 items in the tables of ReEvo (2024): the colony follows
its code (10 ants, 50 rounds, evaporation 0.9) with a random stream of its own, so means compare, single
profits do not. The instances are MCTS-AHD's, profits times 10^6.
"""

from typing import Annotated

from gapsmith import Parameter, Plugin
from gapsmith.evaluators.classics import multi_knapsack
from gapsmith.problems.classics.multi_knapsack import MultiKnapsack

DENSITY = '''\
import numpy as np


def heuristics_v2(prize: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Prize for the weight in all rows, which people wrote for this colony."""
    return prize / np.sum(weight, axis=1)
'''

DRIVER = '''\
import numpy as np

ANTS, ROUNDS, KEPT = 10, 50, 0.9


def drive(entry, instance):
    """The best items that ants fill a knapsack with: trails between items, times the function's numbers."""
    prize = np.array(instance["profits"], dtype=float) / max(1, *instance["profits"])
    weight = (np.array(instance["weights"], dtype=float) / np.maximum(1, instance["capacities"])[:, None]).T
    with np.errstate(all="ignore"):
        rating = np.asarray(entry(prize.copy(), weight.copy()), dtype=float)
    if rating.shape != prize.shape:
        raise ValueError(f"got shape {rating.shape}, expected {prize.shape}: one number for each item")
    rating = np.clip(np.nan_to_num(rating), 1e-9, 1e12)
    stream = np.random.default_rng(0)
    trails = np.ones((len(prize), len(prize)))
    best, most = [], -1.0
    for _ in range(ROUNDS):
        walks = [walk(trails, rating, weight, stream) for _ in range(ANTS)]
        trails = np.maximum(trails * KEPT, 1e-10)
        for items in walks:
            worth = prize[items].sum()
            trails[items[:-1], items[1:]] += worth / prize.sum() if worth else 0
            if worth > most:
                best, most = items, worth
    exact = list(instance["capacities"])
    chosen = []
    for item in best:  # in integers: a sum of floats may let one unit too much in
        load = [row[item] for row in instance["weights"]]
        if all(one <= room for one, room in zip(load, exact)):
            exact = [room - one for one, room in zip(load, exact)]
            chosen.append(int(item))
    return chosen


def walk(trails, rating, weight, stream):
    """Items until none fits; the first one is any that does."""
    room = np.ones(weight.shape[1])
    left = np.arange(len(rating))
    items = []
    while len(left := left[(weight[left] <= room + 1e-9).all(axis=1)]):
        chances = trails[items[-1], left] * rating[left] if items else np.ones(len(left))
        sums = np.cumsum(chances)
        place = min(int(np.searchsorted(sums, stream.random() * sums[-1], side="right")), len(left) - 1)
        items.append(left[place])
        room = room - weight[left[place]]
        left = np.delete(left, place)
    return np.array(items, dtype=int)
'''


class MkpAco(MultiKnapsack):
    """Maximise the profit of items that fit in several rows; a candidate rates items for an ant colony."""

    name = "mkp-aco"
    entry_point = "heuristics_v2"
    signature = "def heuristics_v2(prize: np.ndarray, weight: np.ndarray) -> np.ndarray:"
    statement = (
        "An ant colony fills a knapsack with several rows, each of capacity 1, for the largest sum of "
        "prizes. heuristics_v2(...) gets the prizes (n,) and the weights (n, m) and returns a number above 0 "
        "for each item, (n,): how promising the item is. numpy is `np`."
    )
    calls = "The loop calls it once for each instance."
    driver = DRIVER

    def __init__(
        self, instances: Annotated[int, Parameter("instances of each stratum", "instances", 1, 200)] = 6
    ) -> None:
        """Takes the `[problem]` table."""
        super().__init__(dict.fromkeys(("train", "valid", "test"), instances), most_weights=100_000)

    def start_programs(self) -> dict[str, str]:
        """Prize for weight."""
        return {"density": DENSITY}

    baselines = start_programs
    expressions = ()

    def moves(self) -> None:
        """None: a function that rates items returns no choice."""


plugin = Plugin(MkpAco, multi_knapsack.references)
