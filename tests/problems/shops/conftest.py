"""Fixtures: small shops, programs as functions, and CP-SAT without a process of its own."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gapsmith.evaluators.shops.models import ShopModel, shop_model

Public = dict[str, Any]
Run = Callable[[Any, str, Public], list[list[int]]]


@pytest.fixture
def shops() -> Callable[..., Iterator[Public]]:
    """Draws small shops with many ties; some jobs visit a machine twice, some skip one."""

    def make(count: int, jobs: int, machines: int, longest: int, seed: int) -> Iterator[Public]:
        stream = random.Random(seed)
        for _ in range(count):
            routes = [stream.sample(range(machines), machines) for _ in range(jobs)]
            if stream.random() < 0.3:
                routes[0][-1] = routes[0][0]
            if machines > 1 and stream.random() < 0.3:
                routes[-1].pop()
            times = [[stream.randint(1, longest) for _ in route] for route in routes]
            yield {"machines": machines, "routes": routes, "times": times}

    return make


@pytest.fixture
def run() -> Run:
    """Start times by a program (source text) of a problem, in this process; only for our own sources."""

    def answer(problem: Any, source: str, public: Public) -> list[list[int]]:
        scope: dict[str, Any] = {}
        exec(source, scope)
        entry, given = scope[problem.entry_point], copy.deepcopy(dict(public))
        if not hasattr(problem, "driver"):
            return entry(**given)  # type: ignore[no-any-return]
        loop: dict[str, Any] = {}
        exec(problem.driver, loop)
        return loop["drive"](entry, given)  # type: ignore[no-any-return]

    return answer


@pytest.fixture
def solve() -> Callable[..., tuple[str, int | None]]:
    """CP-SAT's status and makespan for a shop, in this process."""

    def answer(public: Public, workers: int = 1, **options: Any) -> tuple[str, int | None]:
        from ortools.sat.python import cp_model

        shop: ShopModel = shop_model(public, **options)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = workers
        status = solver.solve(shop.model)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return solver.status_name(status), None
        pairs = zip(shop.starts, public["times"], strict=True)
        return solver.status_name(status), max(solver.value(s[-1]) + t[-1] for s, t in pairs)

    return answer
