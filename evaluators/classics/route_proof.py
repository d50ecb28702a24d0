"""Routes by set partitioning: all sets of customers that fit, priced against a linear relaxation, then HiGHS.

Balinski and Quandt 1964, doi:10.1287/opre.12.2.300; subset-row cuts by Jepsen, Petersen, Spoorendonk and
Pisinger 2008, doi:10.1287/opre.1070.0449. The bound of the relaxation is computed again in integers from its
rounded duals, so it holds whatever the floating-point solver did.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from ...problems.base import Json, Sense
from ...problems.classics.cvrp import length
from ...problems.classics.programs.cvrp.descent import improved
from ...problems.classics.programs.cvrp.savings import routes as savings
from ..toolbox import Note, safe_bound
from .capacity_cuts import capacity_bound
from .customer_sets import CustomerSets, customer_sets, sums
from .references import BoundedAnswer
from .route_search import descended_routes

UNIT = 1_000
"""Duals are integer multiples of 1 / 1000 of a unit of length."""
_COLUMNS = 300
"""Sets that enter the relaxation at once."""
_CUTS = 40
"""Subset-row cuts that enter at once."""
_ROUNDS = 60
"""Times that cuts are looked for."""
MANY = 250
"""Nodes above which two routes at a time descend, half of the time at most; the bound gets the rest."""
_FEW = 2_000
"""So many useful sets are branched over at once; of more, those of the relaxation come first."""
_NODES = 20_000
"""Nodes of a branching; a limit that does not depend on the machine."""
_MOST = 60_000
"""Sets of the largest branching; HiGHS overruns its time limit by minutes on more than twice as many."""
_EPSILON = 1e-6


@dataclass(slots=True)
class CustomerSetRelaxation:
    """A choice of customer sets, each customer in exactly one, as a linear programme.

    Attributes:
        masks, lengths: customer sets, and the lengths of their shortest routes.
        count: customers.
        fewest: routes that are needed at least.
        upper: only solutions below this length are looked for.
        columns: the sets of the linear programme, as places in `masks`.
        triples: cuts, each the mask of three customers: at most one route visits two of them or all.
        bound: best integer bound in 1 / 1000 of a unit of length.
        useful: which sets may be in a solution shorter than `upper` by that bound.
    """

    masks: Any
    lengths: Any
    count: int
    fewest: int
    upper: int
    columns: list[int]
    triples: list[int] = field(default_factory=list)
    bound: int = 0
    useful: Any = None

    def model(self, columns: list[int]) -> Any:
        """Some of the sets as a model of HiGHS: a row for each customer, one for the routes, one per cut."""
        import highspy

        model = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            model.setOptionValue(name, value)
        nothing = np.array([], dtype=np.int32), np.array([], dtype=float)
        for _ in range(self.count):
            model.addRow(1.0, 1.0, 0, *nothing)
        model.addRow(float(self.fewest), highspy.kHighsInf, 0, *nothing)
        for _ in self.triples:
            model.addRow(-highspy.kHighsInf, 1.0, 0, *nothing)
        for column in columns:
            self.add_column(model, column)
        return model

    def add_column(self, model: Any, column: int) -> None:
        """Adds a set to a model."""
        import highspy

        mask = int(self.masks[column])
        rows = [customer for customer in range(self.count) if mask >> customer & 1]
        rows.append(self.count)
        rows += [self.count + 1 + k for k, three in enumerate(self.triples) if (mask & three).bit_count() > 1]
        index = np.array(rows, dtype=np.int32)
        # The rows keep a set from being taken twice: a limit of 1 would share the prices with them.
        most = highspy.kHighsInf
        model.addCol(float(self.lengths[column]), 0.0, most, len(rows), index, np.ones(len(rows)))

    def add_cut(self, model: Any, three: int) -> None:
        """Adds three customers to the cuts and to a model."""
        import highspy

        self.triples.append(three)
        places = np.flatnonzero(_shares_two(self.masks[self.columns], three)).astype(np.int32)
        model.addRow(-highspy.kHighsInf, 1.0, len(places), places, np.ones(len(places)))

    def solve(self, deadline: float) -> None:
        """Prices and cuts until neither is left, the bound is the solution's length, or the time is over."""
        model = self.model(self.columns)
        for _ in range(_ROUNDS):
            if not self.price(model, deadline):
                return
            solution = model.getSolution()
            self.take_duals(np.array(solution.row_dual))
            if self.bound > UNIT * (self.upper - 1):
                return
            cuts = self.violated(np.array(solution.col_value))
            if not cuts:
                return
            for three in cuts:
                self.add_cut(model, three)

    def price(self, model: Any, deadline: float) -> bool:
        """Adds sets until none would lower the programme's value; False if the time is over before."""
        while True:
            model.run()
            reduced = self.reduced(np.array(model.getSolution().row_dual))
            reduced[self.columns] = 0.0
            worst = np.argsort(reduced, kind="stable")[:_COLUMNS]
            new = [int(column) for column in worst if reduced[column] < -_EPSILON]
            if not new:
                return True
            if time.monotonic() > deadline:
                return False
            for column in new:
                self.columns.append(column)
                self.add_column(model, column)

    def reduced(self, duals: Any, unit: int = 1) -> Any:
        """Reduced costs of all sets (1 / `unit` of a unit of length)."""
        reduced = unit * self.lengths - sums(self.masks, duals[: self.count]) - duals[self.count]
        for three, dual in zip(self.triples, duals[self.count + 1 :], strict=True):
            if dual:
                reduced -= dual * _shares_two(self.masks, three)
        return reduced

    def take_duals(self, row_duals: Any) -> None:
        """The bound that rounded duals prove; if it is the best so far, sets that it excludes leave."""
        duals = np.floor(UNIT * row_duals).astype(np.int64)
        duals[self.count] = max(duals[self.count], 0)
        duals[self.count + 1 :] = np.minimum(duals[self.count + 1 :], 0)
        # Every set has a customer, so as much less for each of them leaves no reduced cost below 0.
        duals[: self.count] -= max(0, -int(self.reduced(duals, UNIT).min()))
        bound = int(duals.sum()) + (self.fewest - 1) * int(duals[self.count])
        if bound > self.bound:
            self.bound = bound
            self.useful = self.reduced(duals, UNIT) <= UNIT * (self.upper - 1) - bound
            keep = self.useful.copy()
            keep[self.columns] = True
            places = np.cumsum(keep) - 1
            self.columns = [int(places[column]) for column in self.columns]
            self.masks = self.masks[keep]
            self.lengths = self.lengths[keep]
            self.useful = self.useful[keep]

    def violated(self, values: Any) -> list[int]:
        """Threes of customers of which the programme visits two or all by more than one route."""
        masks = self.masks[self.columns]
        used = np.flatnonzero(values > _EPSILON)
        held = (masks[used, None] >> np.arange(self.count)) & 1
        threes = np.array(list(combinations(range(self.count), 3)), dtype=np.int64).reshape(-1, 3)
        shared = held[:, threes].sum(axis=2) > 1
        excess = values[used] @ shared
        worst = np.argsort(-excess, kind="stable")[:_CUTS]
        return [int((1 << threes[k]).sum()) for k in worst if excess[k] > 1.02]

    def branch(self, deadline: float, columns: list[int]) -> tuple[int, list[int] | None]:
        """Bound of solutions of these sets, and a solution's sets if it is shorter than `upper`."""
        import highspy

        left = deadline - time.monotonic()
        if left <= 0 or len(columns) > _MOST:
            return 0, None
        model = self.model(columns)
        for name, value in (
            ("mip_rel_gap", 0.0),
            ("mip_abs_gap", 0.99),
            ("time_limit", left),
            ("mip_max_nodes", _NODES),
        ):
            model.setOptionValue(name, value)
        for column in range(len(columns)):
            model.changeColIntegrality(column, highspy.HighsVarType.kInteger)
        model.run()
        if model.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return self.upper, None
        proved = model.getInfo().mip_dual_bound
        bound = safe_bound(proved, Sense.MINIMISE, integral=True) if np.isfinite(proved) else 0
        values = model.getSolution().col_value
        routes = [columns[k] for k, value in enumerate(values) if value > 0.5]
        # A solver that ends without a solution leaves values behind that visit some customers only.
        feasible = model.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        better = feasible and sum(int(self.lengths[k]) for k in routes) < self.upper
        return min(self.upper, int(bound)), routes if better else None


def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int = 0) -> BoundedAnswer:
    """Bound and best routes within about `seconds`, in this process; see `certified`."""
    return BoundedAnswer(**certified(public, seconds, answer, spare))


def certified(
    public: Mapping[str, Any], seconds: float, answer: Json, spare: int, note: Note = lambda noted: None
) -> dict[str, Any]:
    """Bound and best routes within about `seconds`, as a certificate; repeatable where the time suffices."""
    import highspy

    started = time.monotonic()
    version = highspy.Highs().version()

    def certificate(bound: int, routes: Any) -> dict[str, Any]:
        value = length(public["distances"], routes)
        spent = time.monotonic() - started
        return asdict(BoundedAnswer(bound, value, routes, "set partitioning, highs", version, spent))

    quick: Any = answer or savings(**public)
    bound = edge_bound(public["distances"])
    note(certificate(bound, quick))
    if len(public["demands"]) > MANY:
        known = descended_routes(quick, public, started + seconds / 2)
        least = bound
        note(certificate(least, known))
        bound = capacity_bound(
            public, known, started + seconds, lambda bound: note(certificate(max(least, bound), known))
        )
        return certificate(max(least, bound), known)
    start: Any = answer or improved(quick, public["distances"], public["demands"], public["capacity"])
    sets = customer_sets(public["distances"], public["demands"], public["capacity"])
    routes = start
    bound = 0
    if sets is not None:
        deadline = started + 0.8 * seconds
        say = lambda bound, routes: note(certificate(bound, routes))  # noqa: E731
        routes, bound = partitioned(public, sets, start, deadline, spare, say)
    if bound < length(public["distances"], routes):
        bound = max(bound, capacity_bound(public, routes, started + seconds))
    return certificate(bound, routes)


def edge_bound(matrix: Sequence[Sequence[int]]) -> int:
    """Sum of each customer's shortest edge: a route has two ends of edges at each customer."""
    return sum(
        min(length for other, length in enumerate(row) if other != customer)
        for customer, row in enumerate(matrix)
        if customer
    )


def partitioned(
    public: Mapping[str, Any],
    sets: CustomerSets,
    known: list[list[int]],
    deadline: float,
    spare: int,
    note: Callable[[int, list[list[int]]], None],
) -> tuple[list[list[int]], int]:
    """The best routes and a bound of their length, from all customer sets.

    Args:
        public: the instance.
        sets: all customer sets.
        known: good routes.
        deadline: on the monotonic clock, seconds.
        spare: units of length by which solutions may be longer than the best known.
        note: takes each bound with the best routes as soon as it holds.
    """
    fewest = -(-sum(public["demands"]) // public["capacity"])
    count = len(public["demands"]) - 1
    upper = length(public["distances"], known) + spare
    relaxation = CustomerSetRelaxation(sets.masks, sets.lengths, count, fewest, upper, [])
    start = [sum(1 << (customer - 1) for customer in route) for route in known]
    held = np.isin(sets.masks, start)
    held[:count] = True
    relaxation.columns = [int(column) for column in np.flatnonzero(held)]
    relaxation.useful = np.ones(len(sets.masks), dtype=bool)
    routes = known
    bound = 0
    for last in (False, True):
        relaxation.solve(deadline)
        bound = max(bound, -(-relaxation.bound // UNIT))
        if bound >= relaxation.upper:
            return routes, relaxation.upper
        note(bound, routes)
        useful = np.flatnonzero(relaxation.useful).tolist()
        every = last or len(useful) <= _FEW
        lower, chosen = relaxation.branch(deadline, useful if every else relaxation.columns)
        if chosen is not None:
            routes = [sets.route(int(relaxation.masks[column])) for column in chosen]
            relaxation.upper = length(public["distances"], routes) + spare
        if every:
            return routes, max(bound, lower)
        relaxation.bound = 0
    return routes, bound


def _shares_two(masks: Any, three: int) -> Any:
    """Which sets have two or all of three customers."""
    shared = masks & three
    return shared & (shared - 1) != 0
