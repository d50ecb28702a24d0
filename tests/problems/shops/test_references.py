"""References: CP-SAT against brute force, what ships, proofs again, tampered certificates."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.shops import (
    blocking_job_shop,
    blocking_job_shop_rule,
    job_shop,
    job_shop_rule,
)
from gapsmith.evaluators.shops.models import arithmetic_bound
from gapsmith.problems.base import Instance
from gapsmith.problems.shops.verification import horizon, judge

FAMILIES = {"job-shop": job_shop, "blocking-job-shop": blocking_job_shop}


def semi_active(public: Any) -> Iterator[int]:
    """Makespans of all schedules in which nothing can start earlier without another order."""
    tokens = [job for job, route in enumerate(public["routes"]) for _ in route]
    for order in set(permutations(tokens)):
        ready, free = [0] * len(public["routes"]), [0] * public["machines"]
        place = [0] * len(ready)
        for job in order:
            machine = public["routes"][job][place[job]]
            end = max(ready[job], free[machine]) + public["times"][job][place[job]]
            ready[job] = free[machine] = end
            place[job] += 1
        yield max(ready)


def test_cpsat_agrees_with_all_orders(shops: Any, solve: Any) -> None:
    """Three jobs on two machines, some of them visited twice."""
    for public in shops(25, 3, 2, 6, seed=11):
        optimum = min(semi_active(public))
        assert solve(public, blocking=False) == ("OPTIMAL", optimum)
        assert solve(public, blocking=False, deadline=optimum - 1)[0] == "INFEASIBLE"
        assert arithmetic_bound(public) <= optimum


def test_cpsat_agrees_with_all_start_times_without_buffers(shops: Any, solve: Any) -> None:
    """Two jobs on two machines: every vector of start times goes through the verification."""
    for public in shops(20, 2, 2, 2, seed=12):
        counts = [len(route) for route in public["routes"]]
        values = []
        for flat in product(range(horizon(public)), repeat=sum(counts)):
            starts: Any = [list(flat[: counts[0]]), list(flat[counts[0] :])]
            if (value := judge(public, starts, blocking=True).objective) is not None:
                values.append(value)
        assert solve(public, blocking=True) == ("OPTIMAL", min(values))


def test_blocking_costs_at_least_nothing(shops: Any, solve: Any) -> None:
    """The optimum with buffers is a lower bound, and in some shops it is not reached without them."""
    pairs = [
        (solve(public, blocking=False)[1], solve(public, blocking=True)[1])
        for public in shops(12, 4, 3, 9, seed=13)
    ]
    assert all(free <= blocked for free, blocked in pairs)
    assert any(free < blocked for free, blocked in pairs)


def test_rule_and_schedule_forms_share_their_instances() -> None:
    """The same digests, so one file of references serves both; quick rules have more validation."""
    for whole, rule in ((job_shop, job_shop_rule), (blocking_job_shop, blocking_job_shop_rule)):
        for split in ("train", "valid", "test"):
            left, right = whole.problem().instances(split, 3), rule.problem().instances(split, 3)
            more = 69 if (rule, split) == (blocking_job_shop_rule, "valid") else 0
            assert [i.digest for i in left] == [i.digest for i in right][: len(right) - more]
    for instance in blocking_job_shop_rule.problem().instances("valid", 1):
        assert blocking_job_shop_rule.references.shipped(instance) is not None


def test_a_shipped_optimum_is_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule is judged, and nothing ends earlier; a schedule that was tampered with is an error."""
    references: Any = job_shop.references
    instance = job_shop.problem().instances("train", 1)[0]
    reference = references.reference(instance, 1)
    again = references.reprove(instance, reference, 60)
    assert (again.kind, again.value) == (ReferenceKind.OPTIMUM, reference.value)
    later = [[start + 1 for start in row] for row in references.attained(instance)]
    monkeypatch.setattr(type(references), "attained", lambda self, instance: later)
    with pytest.raises(ValueError, match="stored schedule"):
        references.reprove(instance, reference, 60)


@pytest.mark.slow
def test_what_does_not_ship_is_computed() -> None:
    """An instance of another seed gets its optimum, which `reprove` meets without a stored schedule."""
    references: Any = blocking_job_shop.references
    instance: Instance = blocking_job_shop.problem().instances("train", 2)[0]
    assert references.shipped(instance) is None
    reference = references.reference(instance, 60)
    assert reference.kind is ReferenceKind.OPTIMUM
    assert references.reprove(instance, reference, 60).value == reference.value
