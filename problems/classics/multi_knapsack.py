"""The multidimensional knapsack: maximise the profit of items that fit in several rows."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import ceil, floor
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault, objective_of
from ..programs import ShipsMoves
from ..strata import Cell, Draw
from ..stratified import StratifiedProblem
from ..summaries import percent, quantiles
from . import multi_knapsack_texts as texts
from . import or_library

TIGHTNESS = (25, 50, 75)
"""Capacity in percent of the sum of all weights, one stratum each."""


def draw_items(items: int, rows: int, tightness: int, stream: random.Random) -> Draw:
    """The law of Chu and Beasley (1998, doi:10.1023/A:1009642405419), profits rounded down."""
    weights = [[stream.randint(1, 1000) for _ in range(items)] for _ in range(rows)]
    capacities = [tightness * sum(row) // 100 for row in weights]
    profits = [sum(column) // rows + stream.randint(0, 500) for column in zip(*weights, strict=True)]
    return Draw({"profits": profits, "weights": weights, "capacities": capacities}, 1)


def cells(items: int, rows: int) -> tuple[Cell, ...]:
    """A stratum for each tightness."""
    return tuple(
        Cell(f"{items}x{rows} {tight} %", partial(draw_items, items, rows, tight)) for tight in TIGHTNESS
    )


CELLS = cells(50, 5)
LARGE = {"large-100x5": (100, 5), "large-100x10": (100, 10), "large-250x5": (250, 5)}
"""Named sets of the same law: items and rows."""
PEERS = "literature-100x5"
_SETS = {
    **{name: f"9 instances of the same law with {n} items and {m} rows" for name, (n, m) in LARGE.items()},
    PEERS: "the 64 instances of 100 items and 5 rows on which the task `mkp_aco` is tested",
}


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its profit iff the answer lists different items that fit in every row; exact integers."""
    profits, capacities = public["profits"], public["capacities"]
    if fault := list_fault(answer, "answer", None, "a list of the chosen items"):
        return Verdict.invalid(fault)
    chosen: Any = answer
    if len(chosen) > len(profits):
        return Verdict.invalid(f"answer: got {len(chosen)} entries, expected at most {len(profits)}")
    for place, item in enumerate(chosen):
        if fault := integer_fault(item, f"answer[{place}]", 0, len(profits) - 1, "an item"):
            return Verdict.invalid(fault)
    if len(set(chosen)) < len(chosen):
        return Verdict.invalid("answer: got an item twice, expected different items")
    for row, (load, capacity) in enumerate(zip(loads(public, chosen), capacities, strict=True)):
        if load > capacity:
            return Verdict.infeasible(f"row {row}: got weight {load}, expected at most {capacity}")
    return Verdict.valid(sum(int(profits[item]) for item in chosen))


def loads(public: Mapping[str, Any], chosen: Sequence[int]) -> list[int]:
    """Weight of the chosen items in each row."""
    return [sum(int(row[item]) for item in chosen) for row in public["weights"]]


class MultiKnapsack(ShipsMoves, StratifiedProblem):
    """Maximise the profit of items that fit in several rows at once."""

    name = stream = "multi-knapsack"
    law = "law of Chu and Beasley"
    cells = CELLS
    other_sets = _SETS
    version = "1"
    sense = Sense.MAXIMISE
    unit = "units of profit"
    entry_point = "choose"
    signature = (
        "def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:"
    )
    statement = texts.CHOOSE
    instance_format = or_library.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("density", "toyoda")
    baseline_ids: Sequence[str] = texts.WHOLE_PROGRAMS
    expressions = texts.CHOOSE_PRIMITIVES
    judge = staticmethod(judge)

    def __init__(self, rounds: Mapping[str, int], most_weights: int) -> None:
        """Takes the sizes of the splits, and the weights that an instance of a file may have."""
        super().__init__(rounds)
        self.most_weights = most_weights

    def other(self, set: str, seed: int) -> list[Instance]:
        """Large instances, the same for every seed, and those of the literature."""
        if set in LARGE:
            return self.draw_other(set, 0, cells(*LARGE[set]), 3)
        return list(_peers())

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """One bar for each row: the weight of the chosen items in percent of the capacity."""
        public, chosen = instance.public, self._chosen(instance, answer)
        shapes = []
        for row, (weights, capacity) in enumerate(zip(public["weights"], public["capacities"], strict=True)):
            x = 0.0
            for item in sorted(chosen, key=lambda item: -public["profits"][item]):
                width = 100 * weights[item] / max(1, capacity)
                shapes.append(Shape("rectangle", x, row + 0.1, width, 0.8, str(item), "item"))
                x += width
            shapes.append(Shape("line", 100, row, 0, 1, "", "capacity"))
        title = f"{instance.id}: {len(chosen)} items, profit {judge(public, answer).objective}"
        return Drawing(title, "weight (% of the capacity)", "row (0 at the bottom)", tuple(shapes))

    def explain(self, instance: Instance, answer: Json) -> str:
        """How full the rows are, and what stays outside."""
        public, chosen = instance.public, self._chosen(instance, answer)
        total = sum(public["profits"])
        value = sum(public["profits"][item] for item in chosen)
        free = [b - load for b, load in zip(public["capacities"], loads(public, chosen), strict=True)]
        outside = [item for item in range(len(public["profits"])) if item not in set(chosen)]
        shares = [
            max(row[item] / max(1, b) for row, b in zip(public["weights"], public["capacities"], strict=True))
            for item in outside
        ]
        lines = [
            f"{len(chosen)} of {len(public['profits'])} items with {percent(value, total)} of all profit.",
            "Free capacity of the rows: "
            + ", ".join(percent(f, b) for f, b in zip(free, public["capacities"], strict=True))
            + ".",
        ]
        if outside:
            missed = quantiles([public["profits"][item] for item in outside])
            lines.append(
                f"Profits of the items outside at {missed}; "
                f"their largest shares of a capacity in percent at {quantiles([100 * s for s in shares])}."
            )
        return "\n".join(lines)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instances in the layout of OR-Library's `mknap`."""
        return or_library.read(path, self.most_weights)

    def _chosen(self, instance: Instance, answer: Json) -> list[int]:
        objective_of(instance.id, judge(instance.public, answer))
        return list(answer)  # type: ignore[arg-type]


@cache
def _peers() -> tuple[Instance, ...]:
    """The instances of the file `test100_dataset.npz` of the task `mkp_aco` of ReEvo and MCTS-AHD.

    The generator there (github.com/zz1358m/MCTS-AHD-master, seed 4567) divides the weights by the capacities;
    here both stay, times 10⁶, weights rounded up and capacities down.
    """
    import numpy as np

    stream = np.random.RandomState(4567)
    instances = []
    for number in range(1, 65):
        profits, weights = stream.rand(100), stream.rand(100, 5)
        capacities = stream.uniform(low=weights.max(0), high=weights.sum(0))
        public = {
            "profits": [round(10**6 * p) for p in profits.tolist()],
            "weights": [[ceil(10**6 * w) for w in row] for row in weights.T.tolist()],
            "capacities": [floor(10**6 * b) for b in capacities.tolist()],
        }
        source = f"mkp_aco test100, instance {number}, numpy seed 4567"
        instances.append(Instance(f"{PEERS}-{number:02d}", PEERS, "100x5", public, 1, source))
    return tuple(instances)
