"""Tokens that a start of a request adds to spans of rounds, and prices of whole programmes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gapsmith.evaluators.serving.bound import UNIT, _columns, best_prices, evaluate, prices
from gapsmith.problems.serving.laws import area


def test_tokens_of_spans(stream: random.Random) -> None:
    """Every start adds to each span the tokens that its rounds hold, and to no other span."""
    for _ in range(30):
        step, prompt, output = stream.randint(1, 5), stream.randint(1, 9), stream.randint(1, 12)
        starts = np.array([stream.randrange(20) * step + stream.randrange(step) for _ in range(4)])
        rows, sums = _columns(starts, prompt, output, step)
        for number, start in enumerate(starts.tolist()):
            expected: dict[int, int] = {}
            for k in range(output):
                span = (start + k) // step
                expected[span] = expected.get(span, 0) + prompt + k + 1
            pairs = zip(rows[number].tolist(), sums[number].tolist(), strict=True)
            found = {row: held for row, held in pairs if row < 10**6}
            assert found == expected
        assert area(prompt, output) == sum(prompt + k + 1 for k in range(output))


def _relaxed(whole: dict[str, Any]) -> float:
    """Least sum of latencies of fractional starts under the memory of all workers, by SciPy."""
    from scipy.optimize import linprog

    last = max(whole["arrivals"]) + sum(whole["outputs"]) + 1
    costs, members, held = [], [], []
    triples = zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True)
    for number, (arrival, prompt, output) in enumerate(triples):
        for start in range(arrival, last):
            costs.append(start + output - arrival)
            members.append([float(number == k) for k in range(len(whole["arrivals"]))])
            held.append(
                [
                    float(prompt + t - start + 1) if start <= t < start + output else 0.0
                    for t in range(last + 9)
                ]
            )
    room = whole["workers"] * whole["memory"]
    found = linprog(
        costs, np.transpose(held), [room] * (last + 9), np.transpose(members), [1.0] * len(members[0])
    )
    assert found.success
    return float(found.fun)


def test_prices_of_whole_programmes(stream: random.Random) -> None:
    """The prices of each round prove the value of the linear programme; coarse ones no more."""
    for _ in range(4):
        whole = {
            "workers": stream.randint(1, 2),
            "memory": 30,
            "arrivals": sorted(stream.randrange(5) for _ in range(8)),
            "prompts": [stream.randint(2, 12) for _ in range(8)],
            "outputs": [stream.randint(1, 6) for _ in range(8)],
        }
        value = _relaxed(whole)
        fine = evaluate(whole, prices(whole, 30.0, 1))
        assert value - 0.2 <= fine <= value + 1
        assert evaluate(whole, prices(whole, 30.0, 3)) <= value + 1
        best = best_prices(whole, 30.0)
        assert evaluate(whole, best) >= fine
        assert min(best) >= 0
        assert max(best) <= 100 * UNIT


def test_proofs_say_whether_prices_carry_them(drawn: Any, prove: Any) -> None:
    """A memory that is full has a price in some rounds, one that never is has none."""
    whole = {"workers": 1, "arrivals": [0, 0, 9], "prompts": [5, 5, 5], "outputs": [3, 3, 3]}
    full = prove("kv-scheduling", drawn(whole | {"memory": 9}))
    assert full.proof == "dual"
    assert full.source.startswith("prices of memory")
    assert 9 < full.value <= 12
    wide = prove("kv-scheduling", drawn(whole | {"memory": 99}))
    assert (wide.proof, wide.value, wide.source) == ("arithmetic", 9, "rounds of service")
