"""A campaign as a curve: its best candidate so far as a function of the budget used."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from ...evolve.store.progress import completed_candidates, judged_instances, mean_gap
from ...evolve.store.statistics import costs, search_cost
from ..errors import NO_CANDIDATE, USAGE, UserError
from .figures import trust
from .record import RunRecord

BUDGETS = {
    "evaluations": "candidates evaluated in training",
    "executions": "executions in training and validation, stopped and failed ones included",
    "cpu": "CPU seconds of executions, training and validation, stopped and failed ones included",
    "usd": "US dollars of model calls",
}
"""Budget by which runs can be compared → meaning of its amount."""


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """Budget used up to some point of a run: counts, CPU seconds, US dollars (None if a price is unknown)."""

    evaluations: int
    executions: int
    cpu: float
    usd: float | None

    def of(self, by: str) -> float | None:
        """The amount of one of `BUDGETS`."""
        amount: float | None = getattr(self, by)
        return amount


@dataclass(frozen=True, slots=True)
class Track:
    """How one run used its budget, and its best candidate at each point.

    Attributes:
        record: record of the run.
        seed: random seed of the campaign.
        total: budget used in all, without tests and baselines.
        spent: candidate → budget used when its training evaluation was told; 0 for start programs.
        best: (candidate, budget used) of each new best on validation, in the order of the search.
    """

    record: RunRecord
    seed: int
    total: BudgetUse
    spent: Mapping[str, BudgetUse]
    best: tuple[tuple[str, BudgetUse], ...]

    def within(self, by: str, budget: float) -> str | None:
        """The best candidate on validation within a budget; None if no candidate was valid by then."""
        return next((id for id, spent in reversed(self.best) if _within(spent, by, budget)), None)

    def champion(self, by: str, budget: float) -> str | None:
        """The run's own champion if the search found it within a budget, else None."""
        id: str | None = self.record.reader.record("champion")
        spent = None if id is None else self.spent.get(id)
        return id if spent is not None and _within(spent, by, budget) else None

    def used(self, by: str, budget: float) -> BudgetUse:
        """The largest amounts that the run had used while still within a budget."""
        if _within(self.total, by, budget):
            return self.total
        return max(
            (spent for spent in self.spent.values() if _within(spent, by, budget)),
            key=lambda spent: (spent.evaluations, spent.cpu),
        )

    def gap(self, id: str) -> float | None:
        """A candidate's mean of ratios on validation, percent."""
        return mean_gap(self.record.reader, id, "valid")


def _within(spent: BudgetUse, by: str, budget: float) -> bool:
    amount = spent.of(by)
    return amount is not None and amount <= budget


def track(record: RunRecord) -> Track:
    """The track of a run.

    Raises:
        UserError: no candidate of the run was validated.
    """
    reader = record.reader
    starts = reader.record("starts") or []
    spent, total = _spent(record)
    spent |= dict.fromkeys(starts, BudgetUse(0, 0, 0.0, None if total.usd is None else 0.0))
    rows = [(spent[id], -fitness, id) for id, fitness in reader.best("valid") if id in spent]
    if not rows:
        raise UserError(
            NO_CANDIDATE,
            f"{record.name}: no candidate was validated, expected a run that got past its start program",
            f"see how far it came with `gapsmith show {shlex.quote(record.name)}`",
        )
    best: list[tuple[str, BudgetUse]] = []
    least = float("inf")
    for when, loss, id in sorted(rows, key=lambda row: (row[0].evaluations, row[1])):
        if loss < least:
            best.append((id, when))
            least = loss
    seed = int((record.config.get("campaign") or {}).get("seed", 0))
    return Track(record, seed, total, spent, tuple(best))


def _spent(record: RunRecord) -> tuple[dict[str, BudgetUse], BudgetUse]:
    """Candidate → budget used when the candidate was told, and the total.

    Charges a validation to the iteration that told its candidate, because the time at which a validation
    ends depends on the machine.
    """
    reader = record.reader
    search = search_cost(reader)
    for id in reader.record("founders") or ():
        search.pop(id, None)  # a baseline's evaluations are no cost of the search
    executions = sum(count for count, _ in search.values())
    cpu = sum(time for _, time in search.values())
    cost_of = costs(reader)
    usd: float | None = 0.0
    evaluations = 0
    by_candidate = dict[str, BudgetUse]()
    begun = [search.pop(id, (0, 0.0)) for id in reader.record("starts") or []]
    so_far = sum(count for count, _ in begun), sum(time for _, time in begun)
    for iteration, candidate in completed_candidates(reader):
        cost = cost_of.get(iteration, 0.0)
        usd = None if usd is None or cost is None else usd + cost
        if candidate is not None:
            evaluations += 1
            count, time = search.pop(candidate, (0, 0.0))
            so_far = so_far[0] + count, so_far[1] + time
            by_candidate.setdefault(candidate, BudgetUse(evaluations, *so_far, usd))
    amounts = [cost for cost in cost_of.values() if cost is not None]
    return by_candidate, BudgetUse(
        evaluations, executions, cpu, sum(amounts) if len(amounts) == len(cost_of) else None
    )


def check_comparable(records: list[RunRecord]) -> list[str]:
    """Refuses runs whose figures cannot be compared; returns notes on smaller differences.

    Raises:
        UserError: the problems, the validation or test instances, or their references differ.
    """
    first, *others = records
    for other in others:
        mine = _identity(first)
        theirs = _identity(other)
        for what in mine:
            if mine[what] != theirs[what]:
                raise UserError(
                    USAGE,
                    f"{first.name} and {other.name}: {what} differ ({mine[what]} and {theirs[what]}), "
                    "expected one problem and the same validation and test instances with their references",
                    "run both with the same problem, its parameters and evaluation.instance_seed",
                )
    notes = []
    if len({_digest(record, ("train",)) for record in records}) > 1:
        notes.append("the runs were trained on different instances")
    elif len({record.reader.record("evaluator") for record in records}) > 1:
        notes.append("the runs were evaluated under different limits or sandbox layers")
    return notes


def _identity(record: RunRecord) -> dict[str, str]:
    """The properties that must be equal in runs that are compared: name in words → value."""
    problem = record.problem
    return {
        "kinds of score": trust(record.reader),
        "problems": f"{problem.get('name')} {problem.get('version')}",
        "sources of the problem": f"digest {str(problem.get('digest'))[:12]}",
        "validation or test instances or their references": f"digest {_digest(record, ('valid', 'test'))}",
    }


def _digest(record: RunRecord, splits: tuple[str, ...]) -> str:
    """First digits of a SHA-256 of the instances and references of some splits."""
    instances = judged_instances(record.reader, splits)
    return hashlib.sha256(json.dumps(instances).encode()).hexdigest()[:12]
