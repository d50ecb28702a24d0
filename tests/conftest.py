"""What the tests of several families share: running a program's source in this process."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.problems.base import Instance, Problem


@pytest.fixture
def answer_of() -> Callable[[Problem, str, Instance], Any]:
    """Runs a program's source on a copy of an instance's public part, in this process; its answer as JSON."""

    def run(problem: Problem, source: str, instance: Instance) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        answer = scope[problem.entry_point](**copy.deepcopy(dict(instance.public)))
        return json.loads(json.dumps(answer))

    return run
