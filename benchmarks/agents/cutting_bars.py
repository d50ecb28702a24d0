"""Barcut: cut bars with a saw that loses steel at each cut, and a machine that loses steel at each change of pattern.

    gapsmith problems check barcut.py
    gapsmith bench open barcut.py
"""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil
from typing import Annotated

from gapsmith import Instance, Json, Parameter, ProofKind, Reference, Sense, Verdict

FFD = '''\
def cut(length: int, kerf: int, setup: int, lengths: list[int], quantities: list[int]) -> list[list[int]]:
    """First-fit decreasing over all pieces; bars with equal patterns are cut one after another."""
    room, bars = [], []
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        need = lengths[i] + kerf
        first = 0
        for _ in range(quantities[i]):
            while first < len(bars) and room[first] < need:
                first += 1
            if first == len(bars):
                bars.append([])
                room.append(length + kerf)
            bars[first].append(i)
            room[first] -= need
    return sorted(bars)
'''

RUNS = '''\
def cut(length: int, kerf: int, setup: int, lengths: list[int], quantities: list[int]) -> list[list[int]]:
    \"\"\"Run by run: of all numbers of bars the one whose greedy pattern covers most for its steel (Haessler 1971).\"\"\"
    due, bars = list(quantities), []
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    while any(due):
        best = None
        for times in range(1, max(due) + 1):
            room, pattern, covered = length + kerf, [], 0
            for i in order:
                take = min(due[i] // times, room // (lengths[i] + kerf))
                pattern += [i] * take
                room -= take * (lengths[i] + kerf)
                covered += take * times * lengths[i]
            rate = covered / (times * length + setup)
            if best is None or rate > best[0]:
                best = rate, times, pattern
        _, times, pattern = best
        for i in pattern:
            due[i] -= times
        bars += [pattern] * times
    return bars
'''


class Barcut:
    """Minimise the steel (mm) of bars and of changes of the cutting pattern."""

    name = "barcut"
    version = "1"  # change it whenever instances, verify or reference change: results are kept by it
    sense = Sense.MINIMISE
    unit = "mm of steel"
    entry_point = "cut"
    signature = (
        "def cut(length: int, kerf: int, setup: int, lengths: list[int], quantities: list[int]) -> list[list[int]]:"
    )
    statement = (
        "Bars of `length` mm are cut into pieces. Order i needs at least quantities[i] pieces of lengths[i] mm; "
        "pieces beyond that are allowed, and are scrap. Between two pieces of a bar the saw wastes `kerf` mm, so a bar "
        "with m pieces fits if their lengths plus kerf * (m - 1) are at most `length`. Return the bars in the order in "
        "which they are cut: each a list of the orders of its pieces (order i as often as the bar holds pieces of it; "
        "the sequence inside a bar does not matter), no bar empty, and not more bars than sum(quantities). Two "
        "consecutive bars whose pieces differ as multisets are a change, worth `setup` mm. The first bar is no change. "
        "Minimise len(bars) * length + setup * changes."
    )

    def __init__(
        self,
        fewest: Annotated[int, Parameter("fewest orders of an instance", "orders", 1, 100)] = 10,
        most: Annotated[int, Parameter("most orders of an instance", "orders", 1, 100)] = 40,
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.fewest, self.most = fewest, max(fewest, most)

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence; train, valid and test must be there, more are welcome."""
        return {
            "train": "24 instances that steer the search",
            "valid": "24 instances that choose the best heuristic",
            "test": "48 instances that judge it once",
            "orders-60": "6 instances with 60 orders each",
            "many-pieces": "6 instances with 60 to 100 pieces of each order",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set: the same for the same seed, in every process."""
        count = {"train": 24, "valid": 24, "test": 48, "orders-60": 6, "many-pieces": 6}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        percent = (10, 50, 150)[number % 3]
        low, high = ((5, 30), (10, 60))[number // 3 % 2]
        orders = 60 if set == "orders-60" else stream.randint(self.fewest, self.most)
        least, top = (60, 100) if set == "many-pieces" else (1, stream.choice((10, 30)))
        length = stream.choice((600, 800, 1000, 1200))
        public = {
            "length": length,
            "kerf": stream.randint(1, 6),
            "setup": length * percent // 100,
            "lengths": stream.sample(range(length * low // 100, length * high // 100 + 1), orders),
            "quantities": [stream.randint(least, top) for _ in range(orders)],
        }
        stratum = f"setup={percent}% pieces={low}-{high}%"
        return Instance(f"{set}-{number:03}", set, stratum, public, 1, f"{orders} orders of {least} to {top} pieces")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"ffd-grouped": FFD, "greedy-runs": RUNS}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"ffd-grouped": FFD, "greedy-runs": RUNS}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The steel of a sequence of bars; never trusts the answer's form."""
        public = instance.public
        lengths, quantities, kerf = public["lengths"], public["quantities"], public["kerf"]
        if not isinstance(answer, list) or not 1 <= len(answer) <= sum(quantities):
            return Verdict.invalid(f"expected a list of 1 to {sum(quantities)} bars")
        made, changes, before = [0] * len(lengths), 0, None
        for number, bar in enumerate(answer):
            if not isinstance(bar, list) or not 1 <= len(bar) <= public["length"]:
                return Verdict.invalid(f"bar {number}: expected a list of at least one order")
            if not all(type(i) is int and 0 <= i < len(lengths) for i in bar):
                return Verdict.invalid(f"bar {number}: expected orders from 0 to {len(lengths) - 1}")
            used = sum(lengths[i] for i in bar) + kerf * (len(bar) - 1)
            if used > public["length"]:
                return Verdict.infeasible(f"bar {number} takes {used} mm, allowed are {public['length']}")
            for i in bar:
                made[i] += 1
            pattern = sorted(bar)
            changes += before is not None and pattern != before
            before = pattern
        for i, (have, need) in enumerate(zip(made, quantities, strict=True)):
            if have < need:
                return Verdict.infeasible(f"order {i} has {have} pieces and needs {need}")
        return Verdict.valid(len(answer) * public["length"] + public["setup"] * changes)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A proven lower bound from runs: a run is x bars of one pattern and covers min(x a_i, q_i) of order i.

        A sequence of N bars with C changes is C + 1 runs. For any weights u, v the linear program over all runs, each
        with cost u x + v, is at most u N + v (C + 1). Integer duals, divided by the worst ratio of a run's profit to
        its cost (a bounded knapsack for each x, in integers), bound it exactly, however good the solver's floats are.
        Some pairs of weights give cuts; the best integer N and C that satisfy all of them are the bound.
        """
        public = instance.public
        length, setup = public["length"], public["setup"]
        runs = _Runs(length + public["kerf"], [w + public["kerf"] for w in public["lengths"]], public["quantities"])
        cuts = [(0, 1000, runs.bound(0, 1000))]
        for factor in (1, 4):
            cuts.append((length, factor * setup, runs.bound(length, factor * setup)))
        least, bars = None, max(1, ceil(runs.bound(1, 0)))
        while least is None or bars * length < least:
            patterns = 1
            for u, v, value in cuts:
                if v:
                    patterns = max(patterns, ceil((value - u * bars) / v))
            total = bars * length + setup * (patterns - 1)
            least = total if least is None else min(least, total)
            bars += 1
        return Reference.proven_bound(least, ProofKind.ARITHMETIC, "runs bound", self.version, None, "computed")


class _Runs:
    """The linear program over runs, by column generation; columns stay from one pair of weights to the next."""

    def __init__(self, room: int, weights: list[int], quantities: list[int]) -> None:
        import numpy as np

        self.np, self.room, self.weights, self.quantities = np, room, weights, quantities
        self.times = np.arange(1, max(quantities) + 1)
        self.columns: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
        for i, (w, q) in enumerate(zip(weights, quantities, strict=True)):
            a = min(room // w, q)
            for x in {1, ceil(q / a)}:
                self._add(x, tuple(a * (j == i) for j in range(len(weights))))

    def _add(self, x: int, pattern: tuple[int, ...]) -> bool:
        if (x, pattern) in self.columns:
            return False
        self.columns[x, pattern] = tuple(min(a * x, q) for a, q in zip(pattern, self.quantities, strict=True))
        return True

    def bound(self, u: int, v: int) -> Fraction:
        """A proven lower bound on the least u x + v, summed over runs that cover all orders."""
        import highspy

        np, q = self.np, self.quantities
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        for need in q:
            solver.addRow(need, highspy.kHighsInf, 0, np.array([], dtype=np.int32), np.array([], dtype=np.float64))
        inside = 0
        known = list(self.columns)
        best = Fraction(0)
        for _ in range(400):
            for x, pattern in known[inside:]:
                cover = self.columns[x, pattern]
                index = np.array([i for i, c in enumerate(cover) if c], dtype=np.int32)
                value = np.array([c for c in cover if c], dtype=np.float64)
                solver.addCol(float(u * x + v), 0.0, highspy.kHighsInf, len(index), index, value)
            inside = len(known)
            solver.run()
            primal = solver.getInfo().objective_function_value
            duals = [max(0, int(d * 2**20)) for d in solver.getSolution().row_dual]
            profits, patterns = self._price(duals)
            costs = u * self.times + v
            ratio = max(Fraction(int(p), int(c)) for p, c in zip(profits, costs, strict=True))
            if ratio > 0:
                best = max(best, Fraction(sum(d * n for d, n in zip(duals, q, strict=True))) / ratio)
            if primal - float(best) <= 1e-4 * primal:
                break
            gains = [
                (p / (c * 2**20), x, pattern)
                for p, c, x, pattern in zip(profits.tolist(), costs.tolist(), self.times.tolist(), patterns, strict=True)
            ]
            new = 0
            for gain, x, pattern in sorted(gains, reverse=True)[:20]:
                if gain > 1 + 1e-9 and self._add(x, pattern):
                    known.append((x, pattern))
                    new += 1
            if not new:
                break
        return best

    def _price(self, duals: list[int]) -> tuple:
        """For each number of bars the largest profit of a run, in integers, and its pattern."""
        np, room = self.np, self.room
        value = np.zeros((len(self.times), room + 1), dtype=np.int64)
        taken, owners = [], []
        for i, (w, q, d) in enumerate(zip(self.weights, self.quantities, duals, strict=True)):
            if not d:
                continue
            for copy in range(min(room // w, q)):
                profit = d * np.clip(q - copy * self.times, 0, self.times)
                other = value[:, : room + 1 - w] + profit[:, None]
                better = other > value[:, w:]
                np.maximum(value[:, w:], other, out=value[:, w:])
                taken.append(better)
                owners.append((i, w))
        left = np.full(len(self.times), room)
        patterns = np.zeros((len(self.times), len(self.weights)), dtype=np.int64)
        every = np.arange(len(self.times))
        for (i, w), better in zip(reversed(owners), reversed(taken), strict=True):
            take = (left >= w) & better[every, np.maximum(left - w, 0)]
            patterns[:, i] += take
            left -= w * take
        return value[:, room], [tuple(p) for p in patterns.tolist()]
