"""References of task graphs: CP-SAT against brute force, what ships, proofs again."""

from __future__ import annotations

import hashlib
from itertools import permutations, product
from typing import Any

import pytest
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.graphs import task_graph, task_graph_rule
from gapsmith.evaluators.graphs.models import arithmetic_bound
from gapsmith.problems.base import Instance
from gapsmith.problems.graphs.verification import judge

REFERENCES: Any = task_graph.references


def least_makespan(public: Any) -> int:
    """Least makespan of all orders and placements, each task as early as the order allows."""
    times, best = public["times"], 10**9
    for order in permutations(range(len(times))):
        place = {task: n for n, task in enumerate(order)}
        if any(place[i] > place[k] for i, k, _ in public["edges"]):
            continue
        for on in product(range(len(times[0])), repeat=len(times)):
            if any(times[task][p] is None for task, p in enumerate(on)):
                continue
            free, answer = [0] * len(times[0]), [[p, 0] for p in on]
            for task in order:
                inputs = [
                    answer[i][1] + times[i][on[i]] + (size if on[i] != on[task] else 0)
                    for i, k, size in public["edges"]
                    if k == task
                ]
                answer[task][1] = start = max(free[on[task]], *inputs, 0)
                free[on[task]] = start + times[task][on[task]]
            value = judge(public, answer).objective
            assert value is not None
            best = min(best, int(value))
    return best


def test_cpsat_agrees_with_brute_force(graphs: Any, solve: Any) -> None:
    """Four tasks on two processors; nothing ends before the optimum, and the arithmetic bound is below."""
    for public in graphs(12, 4, 2, 6, seed=11):
        optimum = least_makespan(public)
        assert solve(public) == optimum
        assert solve(public, deadline=optimum) <= optimum
        assert solve(public, deadline=optimum - 1) is None
        assert arithmetic_bound(public) <= optimum


def test_optima_follow_the_instance(graphs: Any, solve: Any) -> None:
    """A further processor, or free transfers, cost nothing; all times doubled double the optimum."""
    for public in graphs(6, 6, 2, 9, seed=12):
        optimum = solve(public)
        wider = {**public, "times": [[*row, 9] for row in public["times"]]}
        free = {**public, "edges": [[i, k, 0] for i, k, _ in public["edges"]]}
        doubled = {
            "times": [[t and 2 * t for t in row] for row in public["times"]],
            "edges": [[i, k, 2 * size] for i, k, size in public["edges"]],
        }
        assert solve(wider) <= optimum
        assert solve(free) <= optimum
        assert solve(doubled) == 2 * optimum


@pytest.mark.slow
def test_the_literatures_example_is_proved(example: Any) -> None:
    """73 is the optimum, where HEFT makes 80; the proof again says so too."""
    instance = Instance("example", "file", "10x3", example, 1, "Topcuoglu, Hariri and Wu 2002")
    reference = REFERENCES.compute(instance, 60)
    assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, 73)
    again = REFERENCES.reprove(instance, reference, 60)
    assert (again.kind, again.value) == (ReferenceKind.OPTIMUM, 73)
    assert "no schedule ends by 72" in again.source
    lowered = Reference.optimum(74, *(reference.proof, "", "", None, ""))
    with pytest.raises(ValueError, match="a schedule ends by 73"):
        REFERENCES.reprove(instance, lowered, 60)


def test_every_default_instance_ships() -> None:
    """All are proven optima; whole schedules and rules share their instances, drawn as they were."""
    kinds, digests = [], []
    for split in ("train", "valid", "test", "large-transfers"):
        left, right = task_graph.problem().instances(split, 1), task_graph_rule.problem().instances(split, 1)
        assert [i.digest for i in left] == [i.digest for i in right]
        for instance in left:
            reference = REFERENCES.shipped(instance)
            assert reference is not None
            assert arithmetic_bound(instance.public) <= reference.value
            kinds.append(reference.kind)
            digests.append(instance.digest)
    assert len(kinds) == len(set(digests)) == 114
    assert kinds.count(ReferenceKind.OPTIMUM) == 114
    assert hashlib.sha256("".join(digests).encode()).hexdigest()[:16] == "1166355d332c5457"
