"""Tests of the comparison of built-in problems over seeds and instances."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

BUILT_INS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "built_ins.py"))
judged, row = BUILT_INS["judged"], BUILT_INS["row"]


def _result(differences: list[float]) -> dict[str, object]:
    """A campaign whose champion differs from a baseline of loss 10 by these points."""
    losses = [[10.0] * len(differences), [10.0 + value for value in differences]]
    return {"baseline": "plain", "founder": False, "losses": losses, "milliseconds": [1.0, 1.0]}


def test_the_luck_of_one_seed_is_no_claim() -> None:
    """One seed ahead on all of 40 instances and two seeds level: undecided, whatever the instances say."""
    rng = np.random.default_rng(1)
    ahead = (-1 - 0.1 * rng.random(40)).tolist()
    _, verdict = row([_result(ahead), _result([0.0] * 40), _result([0.0] * 40)])
    assert verdict == "undecided"
    low, high, p = judged([ahead, [0.0] * 40, [0.0] * 40])
    assert low < 0 < high
    assert p > 0.3
    _, verdict = row([_result((np.array(ahead) - step / 50).tolist()) for step in range(3)])
    assert verdict == "better"


def test_where_instances_are_alike_seeds_alone_decide() -> None:
    """With the same difference on every instance the test is scipy's t test of the seeds' means."""
    means = [-0.3, -0.1, -0.4, -0.2]
    low, high, p = judged([[mean] * 25 for mean in means])
    oracle = stats.ttest_1samp(means, 0)
    assert p == pytest.approx(oracle.pvalue, rel=1e-6)
    assert (low, high) == pytest.approx(tuple(oracle.confidence_interval(0.95)), rel=1e-6)


@pytest.mark.parametrize(("of_seeds", "of_instances"), [(1.0, 0.2), (0.2, 1.0), (0.5, 2.0)])
def test_the_interval_over_seeds_and_instances_holds(of_seeds: float, of_instances: float) -> None:
    """Four seeds and 30 instances that both vary: 95 % of intervals hold, 600 of them but for noise."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(600):
        seeds, instances = rng.normal(0, of_seeds, (4, 1)), rng.normal(0, of_instances, (1, 30))
        low, high, _ = judged((seeds + instances + rng.normal(0, 0.5, (4, 30))).tolist())
        held += low <= 0 <= high
    assert 0.915 < held / 600 < 0.995


def test_one_seed_is_undecided() -> None:
    """A single campaign has no test over seeds."""
    figures, verdict = row([_result([-1.0] * 20)])
    assert verdict == "undecided"
    assert "–" in figures
