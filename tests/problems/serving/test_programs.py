"""The shipped programs in the sandbox, and the expressions of the offline proposer."""

from __future__ import annotations

import numpy as np
import pytest
from gapsmith.evaluators.serving import kv_scheduling_rule
from gapsmith.problems.serving import texts


def test_primitives_have_the_kind_that_they_say() -> None:
    """Each one can be computed from the parameters of its form."""
    arrays = {name: np.arange(1.0, 4.0) for name in texts.COLUMNS}
    scope = {"np": np, **arrays, **dict.fromkeys(texts.NUMBERS, 2.0)}
    for primitive in texts.RULE_PRIMITIVES:
        value = eval(primitive.text, dict(scope))
        assert np.shape(value) == ((3,) if primitive.kind == "vector" else ()), primitive.text
    requests = {"workers": 2, "memory": 9, "arrivals": [0, 3], "prompts": [1, 2], "outputs": [4, 5]}
    assert [eval(p.text, dict(requests)) for p in texts.SCHEDULE_PRIMITIVES] == [2, 9, 2, 3, 9]


def test_sets_have_their_sizes() -> None:
    """Four strata; another number of instances per stratum is a parameter."""
    problem = kv_scheduling_rule.problem(train_per_stratum=2)
    assert len(problem.instances("train", 1)) == 8
    assert len({i.stratum for i in problem.instances("valid", 1)}) == 4
    with pytest.raises(KeyError):
        problem.instances("nothing", 1)
