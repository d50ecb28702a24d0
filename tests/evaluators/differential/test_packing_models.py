"""Both models of a small training step against each other, solved in this process."""

from __future__ import annotations

import random
from typing import Any

import pulp
from gapsmith.evaluators.training.packing_models import cpsat_model, mip_model


def _step(stream: random.Random) -> dict[str, Any]:
    lengths = [
        stream.choice((stream.randint(1, 60), stream.randint(60, 190))) for _ in range(stream.randint(2, 4))
    ]
    times = []
    for length in lengths:
        row = [-(-(length + length * length // 40) // degree) + 9 * (degree - 1) for degree in (1, 2)]
        pairs = zip((1, 2), row, strict=True)
        times.append([time if length <= 100 * degree else 0 for degree, time in pairs])
    public = {"devices": stream.choice((2, 3)), "capacity": 100, "overhead": stream.randint(0, 90)}
    return public | {"degrees": [1, 2], "lengths": lengths, "times": times}


def test_both_models_of_a_step(stream: random.Random) -> None:
    """CP-SAT in integers and HiGHS in floats come to one least time."""
    from ortools.sat.python import cp_model

    for _ in range(8):
        public = _step(stream)
        most = len(public["lengths"])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(cpsat_model(public, most)[0]) == cp_model.OPTIMAL
        programme = mip_model(public, most)[0]
        programme.solve(pulp.HiGHS(msg=False, gapRel=0))
        assert programme.status == pulp.LpStatusOptimal
        assert round(pulp.value(programme.objective)) == round(solver.objective_value)
