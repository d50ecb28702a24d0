"""Tours by branch and cut: a linear relaxation with subtour cuts, edges fixed by reduced costs, then HiGHS.

Dantzig, Fulkerson and Johnson 1954, doi:10.1287/opre.2.4.393; Padberg and Rinaldi 1991,
doi:10.1137/1033004. The bound of the relaxation is computed again in integers from its rounded duals, so it
holds whatever the floating-point solver did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

import numpy as np

from ...problems.base import Json, Sense
from ...problems.classics.programs.tsp.local_search import improved
from ...problems.classics.programs.tsp.nearest_neighbour import tour as nearest
from ...problems.classics.tsp import length
from ..toolbox import Note, safe_bound
from .cuts import components, least_cut
from .references import BoundedAnswer
from .tour_search import descended, nearest_tour

UNIT = 1_000
"""Duals are integer multiples of 1 / 1000 of a unit of length."""
NEAREST = 8
"""Edges of the first relaxation: from each node to so many nearest ones; others are priced in."""
MANY = 250
"""Nodes from which on the first tour comes from neighbour lists, within a third of the time."""
_EPSILON = 1e-6


@dataclass(slots=True)
class TourRelaxation:
    """Edges, subtour cuts and what is known of an instance.

    Attributes:
        matrix: distances.
        upper: only tours below this length are looked for.
        edges: pairs of nodes that the relaxation holds, the lower number first.
        cuts: sets of nodes (masks); a tour crosses the border of each at least twice.
        bound: best integer bound in 1 / 1000 of a unit of length.
        reduced: reduced costs of all pairs of nodes at that bound.
        deadline: of looking for cuts, on the monotonic clock, seconds.
    """

    matrix: Any
    upper: int
    edges: list[tuple[int, int]]
    cuts: list[Any] = field(default_factory=list)
    bound: int = 0
    reduced: Any = None
    deadline: float = inf

    def model(self) -> Any:
        """The relaxation as a model of HiGHS: a row for each node and each cut, a column for each edge."""
        import highspy

        model = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            model.setOptionValue(name, value)
        nothing = np.array([], dtype=np.int32), np.array([], dtype=float)
        for node in range(len(self.matrix)):
            model.addRow(float(self.ends(node)), self.most_ends(node), 0, *nothing)
        for cut in self.cuts:
            model.addRow(float(self.crossings(cut)), highspy.kHighsInf, 0, *nothing)
        for edge in self.edges:
            self.add_column(model, edge)
        return model

    def add_column(self, model: Any, edge: tuple[int, int]) -> None:
        """Adds an edge to a model."""
        i, j = edge
        count = len(self.matrix)
        rows = [i, j, *(count + k for k, cut in enumerate(self.cuts) if cut[i] != cut[j])]
        cost = float(self.matrix[i, j])
        uses = float(self.uses(edge))
        model.addCol(cost, 0.0, uses, len(rows), np.array(rows, dtype=np.int32), np.ones(len(rows)))

    def add_cut(self, model: Any, cut: Any) -> None:
        """Adds a set of nodes to the cuts and to a model."""
        import highspy

        self.cuts.append(cut)
        columns = [k for k, (i, j) in enumerate(self.edges) if cut[i] != cut[j]]
        index = np.array(columns, dtype=np.int32)
        least = float(self.crossings(cut))
        model.addRow(least, highspy.kHighsInf, len(columns), index, np.ones(len(columns)))

    def ends(self, node: int) -> int:
        """How many ends of edges a solution has at a node, at least."""
        return 2

    def most_ends(self, node: int) -> float:
        """How many ends of edges a solution has at a node, at most."""
        return 2.0

    def crossings(self, cut: Any) -> int:
        """How often a solution crosses the border of a set of nodes, at least."""
        return 2

    def uses(self, edge: tuple[int, int]) -> int:
        """How often a solution uses an edge, at most."""
        return 1

    def solve(self, deadline: float, note: Callable[[int], None] = lambda bound: None) -> None:
        """Cuts and prices until neither is left, or the time is over; at least once.

        Args:
            deadline: on the monotonic clock, seconds.
            note: takes each bound (units of length) as soon as it holds.
        """
        self.deadline = deadline
        model = self.model()
        while True:
            run_until(model, deadline)
            solution = model.getSolution()
            if len(solution.row_dual) < len(self.matrix) + len(self.cuts):
                return  # the time was over before the first basis
            self.take_duals(solution.row_dual)
            note(min(self.upper, -(-self.bound // UNIT)))
            if time.monotonic() > deadline:
                return
            if self.bound > UNIT * (self.upper - 1):
                return
            cuts = list(self.violated(np.array(solution.col_value)))
            new = self.negative(solution.row_dual)
            for edge in new:
                self.edges.append(edge)
                self.add_column(model, edge)
            for cut in cuts:
                self.add_cut(model, cut)
            if not (cuts or new) or time.monotonic() > deadline:
                return

    def costs(self, duals: Any) -> Any:
        """Reduced costs of all pairs of nodes (1 / 1000 of a unit of length)."""
        count = len(self.matrix)
        reduced = UNIT * self.matrix - duals[:count, None] - duals[None, :count]
        for cut, dual in zip(self.cuts, duals[count:], strict=False):
            if dual:
                inside = np.flatnonzero(cut)
                outside = np.flatnonzero(~cut)
                reduced[np.ix_(inside, outside)] -= dual
                reduced[np.ix_(outside, inside)] -= dual
        return reduced

    def take_duals(self, row_duals: Sequence[float]) -> None:
        """The bound that rounded duals prove, if it is the best so far."""
        duals = np.rint(UNIT * np.array(row_duals)).astype(np.int64)
        count = len(self.matrix)
        free = np.array([self.most_ends(node) == self.ends(node) for node in range(count)])
        duals[:count] = np.where(free, duals[:count], np.maximum(duals[:count], 0))
        duals[count:] = np.maximum(duals[count:], 0)
        reduced = self.costs(duals)
        least = [self.ends(node) for node in range(count)] + [self.crossings(cut) for cut in self.cuts]
        bound = int(duals @ np.array(least))
        bound += sum(
            self.uses((int(i), int(j))) * int(reduced[i, j]) for i, j in np.argwhere(np.triu(reduced < 0, 1))
        )
        if self.reduced is None or bound > self.bound:
            self.bound = bound
            self.reduced = reduced

    def negative(self, row_duals: Sequence[float]) -> list[tuple[int, int]]:
        """Edges outside the relaxation that would lower its value."""
        reduced = self.costs(UNIT * np.array(row_duals))
        held = set(self.edges)
        pairs = zip(*np.nonzero(np.triu(reduced < -UNIT * _EPSILON, 1)), strict=True)
        return [edge for edge in ((int(i), int(j)) for i, j in pairs) if edge not in held]

    def violated(self, values: Any) -> Iterator[Any]:
        """Sets whose borders carry less than 2: parts of the support, else a least cut."""
        count = len(self.matrix)
        weights = np.zeros((count, count))
        for (i, j), value in zip(self.edges, values, strict=True):
            weights[i, j] = weights[j, i] = value
        seen: set[bytes] = set()
        broken = False
        for threshold in (0.0, 0.2, 0.4, 0.6):
            for part in components(weights > threshold + _EPSILON):
                if part.all() or part.tobytes() in seen:
                    continue
                seen.add(part.tobytes())
                if weights[part][:, ~part].sum() < 2 - 1e-4:
                    broken = True
                    yield part
        if not broken:
            enough = 2 - 1e-4 if count >= MANY else -inf
            value, part = least_cut(weights, enough, self.deadline)
            if value < 2 - 1e-4:
                yield part

    def finish(self, deadline: float, note: Callable[[int], None]) -> tuple[int, list[int] | None]:
        """Bound of the length (integer), and a tour below `upper` if there is one, by branching.

        Args:
            deadline: on the monotonic clock, seconds.
            note: takes each bound as soon as it holds.
        """
        import highspy

        slack = UNIT * (self.upper - 1) - self.bound
        if self.reduced is None:
            return 0, None
        if slack < 0:
            return self.upper, None
        count = len(self.matrix)
        pairs = zip(*np.nonzero(np.triu(self.reduced <= slack, 1)), strict=True)
        self.edges = [(int(i), int(j)) for i, j in pairs]
        bound = min(self.upper, -(-self.bound // UNIT))
        while (left := deadline - time.monotonic()) > 0 and len(self.edges) >= count:
            note(bound)
            model = self.model()
            for name, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 0.99), ("time_limit", left)):
                model.setOptionValue(name, value)
            for column in range(len(self.edges)):
                model.changeColIntegrality(column, highspy.HighsVarType.kInteger)
            model.run()
            status = model.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                return self.upper, None
            dual = model.getInfo().mip_dual_bound
            if np.isfinite(dual):
                proved = int(safe_bound(dual, Sense.MINIMISE, integral=True))
                bound = max(bound, min(self.upper, proved))
            if status != highspy.HighsModelStatus.kOptimal:
                return bound, None
            if bound >= self.upper:
                return self.upper, None
            links = np.zeros((count, count), dtype=bool)
            for (i, j), value in zip(self.edges, model.getSolution().col_value, strict=True):
                links[i, j] = links[j, i] = value > 0.5
            parts = components(links)
            if len(parts) == 1:
                tour = _walk(links)
                return bound, tour
            self.cuts += parts
        return (self.upper, None) if len(self.edges) < count else (bound, None)


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """Bound and best tour within about `seconds`, in this process; see `certified`."""
    return BoundedAnswer(**certified(public, seconds, answer, spare))


def certified(
    public: Mapping[str, Any], seconds: float, answer: Json, spare: int, note: Note = lambda noted: None
) -> dict[str, Any]:
    """Bound and best tour within about `seconds`, as a certificate; repeatable where the time suffices."""
    import highspy

    started = time.monotonic()
    matrix = np.array(public["distances"], dtype=np.int64)
    version = highspy.Highs().version()

    def certificate(bound: int, tour: list[int]) -> dict[str, Any]:
        value = length(public["distances"], tour)
        spent = time.monotonic() - started
        return asdict(BoundedAnswer(bound, value, list(tour), "branch and cut, highs", version, spent))

    quick: Any = answer or nearest_tour(matrix)
    if len(matrix) >= MANY:
        note(certificate(edge_bound(matrix), quick))
    tour = first_tour(matrix, public["distances"], answer, started + seconds / 3)
    upper = length(public["distances"], tour)
    near = np.argsort(matrix, axis=1, kind="stable")[:, : NEAREST + 1]
    links = [(i, int(j)) for i, row in enumerate(near) for j in row if i != j]
    links += [(tour[place - 1], node) for place, node in enumerate(tour)]
    edges = sorted({(min(edge), max(edge)) for edge in links})
    relaxation = TourRelaxation(matrix, upper + spare, edges)
    if len(matrix) <= 3:
        return certificate(upper, tour)  # all tours of three nodes are one
    least = edge_bound(matrix)

    def say(bound: int) -> None:
        note(certificate(max(bound, least), tour))

    say(least)
    relaxation.solve(started + seconds, say)
    bound, better = relaxation.finish(started + seconds, say)
    return certificate(max(bound, least), better or tour)


def first_tour(matrix: Any, rows: list[list[int]], answer: Json, deadline: float) -> list[int]:
    """A tour that no reversal and no move of a segment shortens; many nodes: of near ones, in time."""
    known: Any = answer
    if len(matrix) < MANY:
        return improved(list(known) if known else nearest([], rows), rows, (1, 2, 3))
    return descended(list(known) if known else nearest_tour(matrix), matrix, deadline)


def edge_bound(matrix: Any) -> int:
    """Half the sum of the two shortest edges of each node, rounded up: no tour is shorter."""
    rows = np.array(matrix)
    np.fill_diagonal(rows, np.iinfo(np.int64).max)
    return -(-int(np.partition(rows, 1, axis=1)[:, :2].sum()) // 2)


def run_until(model: Any, deadline: float) -> None:
    """Solves a model of HiGHS, or as far as a moment (monotonic clock, seconds) allows."""
    left = max(0.01, deadline - time.monotonic())
    model.setOptionValue("time_limit", model.getRunTime() + left)  # the solver's clock runs on over all runs
    model.run()


def _walk(links: Any) -> list[int]:
    """The tour along links, two at each node."""
    tour = [0]
    before = -1
    while len(tour) < len(links):
        following = next(int(node) for node in np.flatnonzero(links[tour[-1]]) if node != before)
        before = tour[-1]
        tour.append(following)
    return tour
