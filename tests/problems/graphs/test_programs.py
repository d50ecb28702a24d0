"""The shipped programs in the sandbox, and the expressions of the offline proposer."""

from __future__ import annotations

import pytest
from gapsmith.evaluators.graphs import task_graph
from gapsmith.problems.graphs import texts


def test_primitives_have_the_kind_that_they_say() -> None:
    """Those of whole schedules, on a graph by hand."""
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
