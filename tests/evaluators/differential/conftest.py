"""What all differential tests share: seeds, and the door to the references of a built-in problem.

A differential test computes a bound or an optimum a second time, by a method that is written in the test and
calls nothing of the evaluators. Two fixed seeds run by default (one for a problem and one for its rule form,
where there are both); fresh ones, drawn in each run, are slow. The variable GAPSMITH_DIFFERENTIAL_SEED
repeats a fresh one. GAPSMITH_DIFFERENTIAL_DRAW names five of them, so that a change is not refused for a
rare draw.
"""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import Reference
from gapsmith.problems.base import Instance

FIXED = (1, 2)
FRESH = 5
SECONDS = 60.0
"""Wall seconds of a reference, far more than instances of these sizes need."""
_TWINS = {name for name in BUILT_INS if f"{name}-rule" in BUILT_INS or name.endswith("-rule")}
_KINDS = [
    *(pytest.param(seed, id=f"seed-{seed}") for seed in FIXED),
    *(pytest.param(-1 - number, id=f"fresh-{number}", marks=pytest.mark.slow) for number in range(FRESH)),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A problem and its rule form share their references, so by default each takes one of the two seeds."""
    for item in items:
        if Path(__file__).parent not in item.path.parents or "stream" not in getattr(
            item, "fixturenames", ()
        ):
            continue
        values = item.callspec.params.values()  # type: ignore[attr-defined]
        named = [value for value in values if isinstance(value, str) and value in _TWINS]
        if named and FIXED[named[0].endswith("-rule")] not in values:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(params=_KINDS)
def stream(request: pytest.FixtureRequest) -> random.Random:
    """A random stream of a fixed seed, or of a fresh one, which a failure shows."""
    fixed = request.param
    told = os.environ.get("GAPSMITH_DIFFERENTIAL_SEED")
    draw = os.environ.get("GAPSMITH_DIFFERENTIAL_DRAW")
    if fixed > 0:
        seed = fixed
    elif told:
        seed = int(told)
    else:
        seed = random.Random(f"{draw} {fixed}").randrange(2**32) if draw else secrets.randbelow(2**32)
    print(f"to repeat a fresh seed: GAPSMITH_DIFFERENTIAL_SEED={seed}")  # noqa: T201
    return random.Random(seed)


@pytest.fixture
def drawn() -> Callable[..., Instance]:
    """Makes an instance of a public and a hidden part."""

    def make(public: Mapping[str, Any], hidden: Mapping[str, Any] | None = None) -> Instance:
        return Instance("drawn", "drawn", "drawn", public, 1, "drawn by a test", hidden)

    return make


@pytest.fixture
def prove() -> Callable[..., Reference]:
    """The reference of a built-in problem for an instance, without what ships."""

    def reference(name: str, instance: Instance, seconds: float = SECONDS) -> Reference:
        references: Any = load_problem(name).references
        compute = getattr(references, "compute", references.reference)
        return compute(instance, seconds)

    return reference


@pytest.fixture
def met_again() -> Callable[..., int]:
    """The bound of a method that starts one unit worse than an optimal answer, which it has to meet."""

    def bound(name: str, instance: Instance, answer: Any) -> int:
        references: Any = load_problem(name).references
        return references.bounded(instance, SECONDS, answer, 1).bound

    return bound


@pytest.fixture
def objective() -> Callable[..., Any]:
    """What the verification of a built-in problem says of an answer that must be valid."""

    def judged(name: str, instance: Instance, answer: Any) -> Any:
        verdict = load_problem(name).problem.verify(instance, answer)
        assert verdict.objective is not None, verdict.violations
        return verdict.objective

    return judged
