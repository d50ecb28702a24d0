"""The shipped programs in the sandbox, and the expressions of the offline proposer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators import shops
from gapsmith.problems.base import canonical_json
from gapsmith.problems.shops import texts
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox

FORMS = [shops.job_shop, shops.job_shop_rule, shops.blocking_job_shop, shops.blocking_job_shop_rule]


@pytest.mark.parametrize("plugin", FORMS, ids=lambda plugin: plugin.problem().name)
def test_every_program_answers_in_the_sandbox(plugin: Any) -> None:
    """Baselines give valid answers under the default limits; start programs are among them."""
    problem = plugin.problem()
    instance = problem.instances("train", 1)[-1]
    public = canonical_json(dict(instance.public)).encode()
    assert set(problem.start_programs().items()) <= set(problem.baselines().items())
    with open_sandbox() as sandbox:
        for name, text in problem.baselines().items():
            program = Program({"heuristic.py": text}, problem.entry_point, getattr(problem, "driver", None))
            execution = sandbox.execute(program, public, Limits(), 0)
            assert execution.status is ExecutionStatus.OK, (name, execution.error)
            assert problem.verify(instance, execution.answer).objective is not None


@pytest.mark.parametrize(
    ("columns", "numbers", "primitives"),
    [
        (texts.COLUMNS, texts.NUMBERS, texts.RULE_PRIMITIVES),
        (texts.BLOCKING_COLUMNS, texts.BLOCKING_NUMBERS, texts.BLOCKING_PRIMITIVES),
    ],
)
def test_primitives_are_arrays_and_numbers_of_the_rule(columns: Any, numbers: Any, primitives: Any) -> None:
    """Each one can be computed from the rule's parameters and has the kind that it says."""
    scope = {
        "np": np,
        **{name: np.arange(1.0, 4.0) for name in columns},
        **dict.fromkeys(numbers, 2.0),
    }
    for primitive in primitives:
        value = eval(primitive.text, dict(scope))
        assert np.shape(value) == ((3,) if primitive.kind == "vector" else ()), primitive.text


def test_named_sets_and_parameters() -> None:
    """The splits have the sizes that are asked for; the blocking form has no set of the literature."""
    problem = shops.job_shop.problem(train_per_stratum=2)
    assert len(problem.instances("train", 1)) == 10
    assert "taillard" in problem.sets()
    assert set(shops.blocking_job_shop.problem().sets()) == {"train", "valid", "test"}
    with pytest.raises(KeyError):
        shops.blocking_job_shop.problem().instances("taillard", 1)
