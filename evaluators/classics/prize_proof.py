"""Orienteering by branch and cut: a relaxation with connectivity cuts, variables fixed, then HiGHS.

M. Fischetti, J. J. Salazar González, P. Toth, Solving the orienteering problem through branch-and-cut,
INFORMS Journal on Computing 10 (1998) 133-148, doi:10.1287/ijoc.10.2.133. The bound of the relaxation is
computed again in integers from its rounded duals, so it holds whatever the floating-point solver did.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np

from ...problems.base import Json, Sense
from ...problems.classics.programs.orienteering.best_power_insertion import POWERS, tour
from ...problems.classics.programs.orienteering.insertion import inserted
from ...problems.classics.programs.orienteering.shortening import shortened
from ..toolbox import Note, safe_bound
from .cuts import components, cut_below
from .prize_search import prize_bound, prize_tour
from .references import BoundedAnswer
from .tour_proof import run_until

UNIT = 10**9
"""Duals are integer multiples of 1 / UNIT of a unit of prize."""
POOL = 40
"""Nodes among which crowds are looked for, the most visited ones."""
TRIALS = 300
"""Random changes of the tour that the proof starts from."""
MOST = 100
"""Crowds that one round adds."""
LARGE = 120
"""Nodes above which the first tour is looked for in half of the time at most."""
MANY = 250
"""Nodes above which the relaxation, a column for each pair of nodes, would take gigabytes."""
_EPSILON = 1e-4

Cut = tuple[Any, float, float]
"""Coefficients of all columns, lower and upper limit."""


@dataclass(slots=True)
class OrienteeringRelaxation:
    """Edges and nodes that a better tour may use, cuts, and what is known of an instance.

    A column for each edge, then one for each node but the depot (whether the tour visits the node); tours
    with a single node are not among them. Rows: two edges for each visited node, the length, and cuts. A cut
    demands two edges across the border of a set if a node in it is visited, or forbids to visit all nodes of
    a set for which no tour is short enough.

    Attributes:
        matrix, prizes, longest: of the instance.
        near: lengths of shortest ways between nodes; a tour is no shorter than the ways between its nodes.
        best: nodes of the best tour known, without the depot.
        edges: pairs of nodes, lower one first (array with two columns).
        low, high: bounds of the columns.
        cuts: coefficients with lower and upper limit.
        bound: best proven bound of the prize in 1 / UNIT.
        spare: units of prize by which tours that are looked for may be worse than a better one.
    """

    matrix: Any
    prizes: Any
    longest: int
    near: Any
    best: list[int]
    edges: Any
    low: Any
    high: Any
    cuts: list[Cut] = field(default_factory=list)
    bound: int = 0
    spare: int = 0

    @classmethod
    def of(cls, public: Mapping[str, Any], best: list[int], spare: int = 0) -> OrienteeringRelaxation:
        """The relaxation without cuts; edges on which no tour is short enough are left out."""
        matrix = np.array(public["distances"], dtype=np.int64)
        near = matrix.copy()
        for middle in range(len(near)):
            near = np.minimum(near, near[:, [middle]] + near[[middle], :])
        allowed = np.triu(near[0][:, None] + matrix + near[0][None, :] <= public["max_length"], 1)
        edges = np.argwhere(allowed)
        high = np.ones(len(edges) + len(matrix) - 1, dtype=np.int64)
        prizes = np.array(public["prizes"], dtype=np.int64)
        total = UNIT * int(prizes.sum())
        low = np.zeros_like(high)
        spare = spare if len(best) > 1 else 0  # a tour with a single node is none that could be met again
        return cls(
            matrix, prizes, public["max_length"], near, best, edges, low, high, bound=total, spare=spare
        )

    @property
    def value(self) -> int:
        """Prize of the best tour."""
        return int(self.prizes[self.best].sum()) if self.best else 0

    @property
    def goal(self) -> int:
        """Least prize of the tours that are looked for."""
        return self.value + 1 - self.spare

    def costs(self) -> Any:
        """Prize of each column."""
        return np.append(np.zeros(len(self.edges), dtype=np.int64), self.prizes[1:])

    def rows(self) -> tuple[Any, Any, Any]:
        """Coefficients (one line for each row) and limits; the length comes after the nodes."""
        count = len(self.matrix)
        width = len(self.edges) + len(self.matrix) - 1
        table = np.zeros((count + 1 + len(self.cuts), width), dtype=np.int64)
        columns = np.arange(len(self.edges))
        for end in (0, 1):
            table[self.edges[:, end], columns] = 1
        nodes = np.arange(1, count)
        table[nodes, len(self.edges) + nodes - 1] = -2
        table[count, : len(self.edges)] = self.matrix[self.edges[:, 0], self.edges[:, 1]]
        low = np.zeros(len(table))
        high = np.zeros(len(table))
        low[0] = high[0] = 2.0
        low[count], high[count] = -np.inf, self.longest
        for row, cut in enumerate(self.cuts, count + 1):
            table[row], low[row], high[row] = cut
        return table, low, high

    def border(self, side: Any, node: int) -> Cut:
        """At least two edges leave the set (mask, without the depot) if this node of the set is visited."""
        row = np.zeros(len(self.edges) + len(self.matrix) - 1, dtype=np.int64)
        row[: len(self.edges)] = side[self.edges[:, 0]] != side[self.edges[:, 1]]
        row[len(self.edges) + node - 1] = -2
        return row, 0.0, np.inf

    def crowd(self, nodes: Sequence[int]) -> Cut:
        """Not all of these nodes are visited."""
        row = np.zeros(len(self.edges) + len(self.matrix) - 1, dtype=np.int64)
        row[[len(self.edges) + node - 1 for node in nodes]] = 1
        return row, -np.inf, len(nodes) - 1.0

    def model(self, integer: bool) -> Any:
        """The relaxation, or with integer columns and only better tours, as a model of HiGHS."""
        import highspy

        model = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            model.setOptionValue(name, value)
        costs = self.costs()
        nothing = np.array([], dtype=np.int32), np.array([], dtype=float)
        for column, cost in enumerate(costs.tolist()):
            model.addCol(-float(cost), float(self.low[column]), float(self.high[column]), 0, *nothing)
        for row, low, high in zip(*self.rows(), strict=True):
            add_row(model, row, low, high)
        if integer:
            add_row(model, costs, self.goal, np.inf)
            for column in range(len(costs)):
                model.changeColIntegrality(column, highspy.HighsVarType.kInteger)
        return model

    def solve(self, deadline: float, note: Callable[[int], None] = lambda bound: None) -> None:
        """Cuts until none is violated, or the time is over; then fixes columns. At least one round.

        Args:
            deadline: on the monotonic clock, seconds.
            note: takes each bound of the prize as soon as it holds.
        """
        model = self.model(integer=False)
        while True:
            run_until(model, deadline)
            solution = model.getSolution()
            if len(solution.row_dual) < len(self.matrix) + 1 + len(self.cuts):
                return  # the time was over before the first basis
            self.fix(-np.array(solution.row_dual))
            note(self.bound // UNIT)
            if self.bound < UNIT * self.goal or time.monotonic() > deadline:
                return
            cuts = self.violated(np.array(solution.col_value))
            for cut in cuts:
                self.cuts.append(cut)
                add_row(model, *cut)
            if not cuts:
                return

    def fix(self, row_duals: Any) -> None:
        """The bound that rounded duals prove; columns that a better tour has at one limit only stay there.

        The bound is the sum of duals times limits, and of what the columns can add by their reduced prizes.
        Duals with the wrong sign for their row count as 0.
        """
        table, low, high = self.rows()
        duals = np.rint(UNIT * row_duals[: len(table)]).astype(np.int64)
        duals = np.where(np.isinf(low), np.maximum(duals, 0), duals)
        duals = np.where(np.isinf(high), np.minimum(duals, 0), duals)
        limits = np.where(duals > 0, np.where(np.isinf(high), 0, high), np.where(np.isinf(low), 0, low))
        reduced = UNIT * self.costs() - duals @ table
        bound = int((duals * limits.astype(np.int64)).sum())
        bound += int(np.where(reduced > 0, reduced * self.high, reduced * self.low).sum())
        self.bound = min(self.bound, bound)
        lost = bound - UNIT * self.goal
        high = np.where(-reduced > max(lost, 0), self.low, self.high)
        self.low = np.where(reduced > max(lost, 0), self.high, self.low)
        self.high = high

    def weights(self, values: Any) -> Any:
        """Values of the edges as a symmetric array."""
        count = len(self.matrix)
        weights = np.zeros((count, count))
        weights[self.edges[:, 0], self.edges[:, 1]] = values[: len(self.edges)]
        return weights + weights.T

    def violated(self, values: Any) -> list[Cut]:
        """Cuts that the values break: borders first, crowds where no border is broken."""
        visits = np.append(0.0, values[len(self.edges) :])
        return self.borders(self.weights(values), visits) or self.crowds(visits)

    def borders(self, weights: Any, visits: Any) -> list[Cut]:
        """Parts of the support, else least cuts between the depot and nodes."""
        cuts = []
        for part in components(weights > 1e-6):
            if not part[0] and visits[part].max() > _EPSILON:
                cuts.append(self.border(part, int(np.where(part, visits, -1.0).argmax())))
        if cuts:
            return cuts
        done = np.zeros(len(visits), dtype=bool)
        for node in np.argsort(-visits, kind="stable").tolist():
            if visits[node] <= _EPSILON or done[node]:
                continue
            side = cut_below(weights, 0, node, 2 * visits[node])
            if side is not None and weights[side][:, ~side].sum() < 2 * visits[node] - _EPSILON:
                cuts.append(self.border(side, int(np.where(side, visits, -1.0).argmax())))
                done |= side
        return cuts

    def crowds(self, visits: Any) -> list[Cut]:
        """Sets of two to four nodes, visited more than a tour can, the most broken ones first."""
        near = self.near
        sets = []
        pool = [int(node) for node in np.argsort(-visits, kind="stable")[:POOL] if visits[node] > 0.05]
        for size in (2, 3, 4):
            for nodes in combinations(pool, size):
                excess = sum(visits[node] for node in nodes) - size + 1
                if excess > 0.02 and all(
                    near[0, way[0]] + sum(near[a, b] for a, b in pairwise(way)) + near[way[-1], 0]
                    > self.longest
                    for way in permutations(nodes)
                    if way[0] < way[-1]
                ):
                    sets.append((-excess, nodes))
        return [self.crowd(nodes) for _, nodes in sorted(sets)[:MOST]]

    def finish(self, deadline: float, note: Callable[[int], None]) -> int:
        """Bound of the prize (integer); makes `best` better by branching.

        Args:
            deadline: on the monotonic clock, seconds.
            note: takes each bound as soon as it holds.
        """
        import highspy

        while self.bound >= UNIT * self.goal:
            if (left := deadline - time.monotonic()) <= 0:
                return self.bound // UNIT
            note(self.bound // UNIT)
            model = self.model(integer=True)
            for name, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 0.99), ("time_limit", left)):
                model.setOptionValue(name, value)
            model.run()
            status = model.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                break
            dual = -model.getInfo().mip_dual_bound
            if np.isfinite(dual):
                proved = int(safe_bound(dual, Sense.MAXIMISE, integral=True))
                self.bound = min(self.bound, UNIT * max(self.goal - 1, proved))
            if status != highspy.HighsModelStatus.kOptimal:
                return self.bound // UNIT
            values = np.rint(np.array(model.getSolution().col_value))
            links = self.weights(values)
            nodes = walk(links)
            if int(self.prizes[nodes].sum()) >= self.goal:
                self.best = nodes
                self.spare = 0
            for part in components(links > 0):
                if part.sum() > 1 and not part[0]:
                    self.cuts += [self.border(part, int(node)) for node in np.flatnonzero(part)]
        return self.goal - 1


def add_row(model: Any, row: Any, low: float, high: float) -> None:
    """Adds a row to a model of HiGHS; infinite limits are none."""
    import highspy

    infinite = highspy.kHighsInf
    columns = np.flatnonzero(row)
    model.addRow(
        max(float(low), -infinite),
        min(float(high), infinite),
        len(columns),
        columns.astype(np.int32),
        row[columns].astype(float),
    )


def walk(links: Any) -> list[int]:
    """Nodes of the tour through the depot, along links, two at each node."""
    nodes = list[int]()
    before = 0
    here = int(np.flatnonzero(links[0])[0])
    while here:
        nodes.append(here)
        before, here = here, next(int(node) for node in np.flatnonzero(links[here]) if node != before)
    return nodes


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """Bound and best tour within about `seconds`, in this process; see `certified`."""
    return BoundedAnswer(**certified(public, seconds, answer, spare))


def certified(
    public: Mapping[str, Any], seconds: float, answer: Json, spare: int, note: Note = lambda noted: None
) -> dict[str, Any]:
    """Bound and best tour within about `seconds`, as a certificate; repeatable where the time suffices."""
    import highspy

    started = time.monotonic()
    always = public["prizes"][0]  # the depot's prize, which every tour has
    public = {**public, "prizes": [0, *public["prizes"][1:]]}
    prizes = public["prizes"]
    matrix = public["distances"]
    single = [[j] for j in range(1, len(prizes)) if matrix[0][j] + matrix[j][0] <= public["max_length"]]
    version = highspy.Highs().version()
    quick: Any = max([[], *single], key=lambda nodes: sum(prizes[j] for j in nodes))

    def told(bound: int, nodes: Any) -> dict[str, Any]:
        value = sum(prizes[j] for j in nodes) + always
        spent = time.monotonic() - started
        return asdict(BoundedAnswer(bound + always, value, nodes, "branch and cut, highs", version, spent))

    least = prize_bound(public)
    note(told(least, quick))
    start: Any = answer
    if start is None:
        large = len(prizes) > LARGE
        start = prize_tour(public, TRIALS, started + seconds / 2) if large else improved(**public)
    best = max([start, *single], key=lambda nodes: sum(prizes[j] for j in nodes))
    note(told(least, best))
    if len(prizes) > MANY:
        return told(least, best)
    relaxation = OrienteeringRelaxation.of(public, best, spare)

    def certificate(bound: int) -> dict[str, Any]:
        return told(min(bound, least), relaxation.best)

    if not len(relaxation.edges):
        return certificate(relaxation.value)  # no node can be visited

    def say(bound: int) -> None:
        note(certificate(max(bound, relaxation.value)))

    relaxation.solve(started + seconds, say)
    return certificate(relaxation.finish(started + seconds, say))


def improved(coordinates: Json, distances: list[list[int]], prizes: list[int], max_length: int) -> list[int]:
    """A good tour to start from: parts of a tour are taken out, and nodes inserted, at random."""
    now = best = tour([], distances, prizes, max_length)
    stream = random.Random(0)
    for _ in range(TRIALS if best else 0):
        first = stream.randrange(len(now))
        size = stream.randint(1, 1 + len(now) // 2)
        nodes = [node for place, node in enumerate(now) if (place - first) % len(now) >= size]
        for power in stream.sample(POWERS, 2):
            nodes = inserted(shortened(nodes, distances), distances, prizes, max_length, power)
        values = [sum(prizes[node] for node in one) for one in (nodes, now, best)]
        if values[0] >= 0.97 * values[1] and nodes:
            now = nodes
        if values[0] > values[2]:
            best = nodes
    return best
