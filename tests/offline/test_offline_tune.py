"""Tuning: constants are found, replaced, and driven to better values; the same seed does the same."""

from __future__ import annotations

import ast
import math

import numpy as np
from gapsmith.evolve.tune import constants, substitute, tune

RULE = """
def rule(x: float, y: float) -> float:
    total = 0.0
    for i in range(3):
        total += 0.5 * x
    if y > 4:
        return total - 2.5 * y ** 2
    return max(1, total)
"""


def loss(text: str) -> float | None:
    """Distance of the first two tuned constants from 2 and 30, on a log scale."""
    found = constants(text)
    return sum(abs(math.log(a / b)) for a, b in zip(found[:2], (2.0, 30.0), strict=True))


def test_only_numbers_of_arithmetic_are_tunable() -> None:
    """Ranges, exponents, zeros and the 1 of a protected division are left alone."""
    assert constants(RULE) == [0.5, 4.0, 2.5]


def test_substitution_writes_the_values_and_nothing_else() -> None:
    """The new text has the new numbers in place and is otherwise the same program."""
    changed = substitute(RULE, [0.123456, 5.0, 7.0])
    assert constants(changed) == [0.1235, 5.0, 7.0]
    assert substitute(changed, [0.5, 4, 2.5]) == ast.unparse(ast.parse(RULE))


def test_tuning_improves_and_counts() -> None:
    """CMA-ES comes much closer within its evaluations, and says how many it used."""
    before = loss(RULE)
    assert before is not None
    calls: list[str] = []

    def counted(text: str) -> float | None:
        calls.append(text)
        return loss(text)

    done = tune(RULE, before, counted, evaluations=150, seed=1)
    assert done.loss < before / 3
    assert done.loss == loss(done.text)
    assert done.evaluations == len(calls) <= 150


def test_same_seed_same_result_and_no_global_state() -> None:
    """Two runs with one seed agree, and numpy's global generator is not touched."""
    np.random.seed(3)
    state = np.random.get_state()[1].tolist()  # type: ignore[union-attr, index]
    first, second = (tune(RULE, 9.0, loss, evaluations=40, seed=7) for _ in range(2))
    assert first == second
    assert np.random.get_state()[1].tolist() == state  # type: ignore[union-attr, index]


def test_failures_are_survived() -> None:
    """Texts without a loss rank last; when all fail the given text stays."""
    half = tune(
        RULE, 9.0, lambda text: loss(text) if constants(text)[0] > 0.5 else None, evaluations=60, seed=2
    )
    assert half.loss < 9.0
    none = tune(RULE, 9.0, lambda text: None, evaluations=60, seed=2)
    assert (none.text, none.loss) == (RULE, 9.0)


def test_nothing_to_tune() -> None:
    """A text without numbers, or no evaluations, is given back as it came."""
    plain = "def rule(x):\n    return x\n"
    assert tune(plain, 1.0, loss, evaluations=10, seed=1).text == plain
    assert tune(RULE, 1.0, loss, evaluations=0, seed=1).evaluations == 0


def test_one_constant_is_enough() -> None:
    """A single number is tuned, though CMA-ES itself wants two dimensions."""
    text = "def rule(x):\n    return 3 * x\n"
    done = tune(text, 9.0, lambda child: abs(constants(child)[0] - 8), evaluations=60, seed=4)
    assert abs(constants(done.text)[0] - 8) < 1
