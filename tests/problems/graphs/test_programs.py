"""The shipped programs in the sandbox, and the expressions of the offline proposer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.graphs import task_graph, task_graph_rule
from gapsmith.problems.base import canonical_json
from gapsmith.problems.graphs import texts
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox


@pytest.mark.parametrize("plugin", [task_graph, task_graph_rule], ids=lambda plugin: plugin.problem().name)
def test_every_program_answers_in_the_sandbox(plugin: Any) -> None:
    """Baselines give valid answers under the default limits, on a chip where not all processors run all."""
    problem = plugin.problem()
    instance = problem.instances("train", 1)[5]
    assert None in instance.public["times"][0]
    public = canonical_json(dict(instance.public)).encode()
    with open_sandbox() as sandbox:
        for name, text in problem.baselines().items():
            program = Program({"heuristic.py": text}, problem.entry_point, getattr(problem, "driver", None))
            execution = sandbox.execute(program, public, Limits(), 0)
            assert execution.status is ExecutionStatus.OK, (name, execution.error)
            assert problem.verify(instance, execution.answer).objective is not None


def test_primitives_have_the_kind_that_they_say() -> None:
    """Each one can be computed from the parameters of its form."""
    arrays = {name: np.arange(1.0, 4.0) for name in texts.COLUMNS}
    scope = {"np": np, **arrays, **dict.fromkeys(texts.NUMBERS, 2.0)}
    for primitive in texts.RULE_PRIMITIVES:
        value = eval(primitive.text, dict(scope))
        assert np.shape(value) == ((3,) if primitive.kind == "vector" else ()), primitive.text
    graph = {"times": [[1, None], [2, 3]], "edges": [[0, 1, 4]]}
    values = [eval(primitive.text, dict(graph)) for primitive in texts.SCHEDULE_PRIMITIVES]
    assert values == [2, 2, 1, 4, 3]


def test_sets_have_their_sizes() -> None:
    """Six strata; another number of instances per stratum is a parameter."""
    problem = task_graph.problem(train_per_stratum=3)
    assert len(problem.instances("train", 1)) == 18
    assert len({i.stratum for i in problem.instances("valid", 1)}) == 6
    with pytest.raises(KeyError):
        problem.instances("nothing", 1)
