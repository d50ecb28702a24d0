"""Tuning: constants are found, replaced, and driven to better values; the same seed does the same."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import numpy as np
from gapsmith.evolve.tuning import Generations, constants, structure, substitute

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


def drive(
    text: str, loss: Callable[[str], float | None], evaluations: int, seed: int
) -> list[tuple[str, float | None]]:
    """All points of a tuning with their losses, told in the order of asking."""
    work, points = Generations(text, evaluations, seed), []
    while not work.over:
        point = work.ask()
        if point is None:
            break
        points.append((point[1], loss(point[1])))
        work.tell(point[0], points[-1][1])
    return points


def best(points: list[tuple[str, float | None]]) -> float:
    """The smallest loss of some points."""
    return min(value for _, value in points if value is not None)


def test_tuning_improves_and_counts() -> None:
    """CMA-ES comes much closer within its evaluations, and asks for no more."""
    before = loss(RULE)
    assert before is not None
    points = drive(RULE, loss, 150, seed=1)
    assert best(points) < before / 3
    assert len(points) == 150


def test_a_generation_waits_for_its_losses() -> None:
    """Until a generation is told nothing new is asked; the order of telling does not matter."""
    forward, backward = Generations(RULE, 40, 5), Generations(RULE, 40, 5)
    seen: list[list[str]] = [[], []]
    for texts, work, step in ((seen[0], forward, 1), (seen[1], backward, -1)):
        for _ in range(3):
            points = list(iter(work.ask, None))
            assert points
            texts += [text for _, text in points]
            for number, text in points[::step]:
                work.tell(number, loss(text))
    assert seen[0] == seen[1]


def test_same_seed_same_result_and_no_global_state() -> None:
    """Two runs with one seed agree, and numpy's global generator is not touched."""
    np.random.seed(3)
    state = np.random.get_state()[1].tolist()  # type: ignore[union-attr, index]
    first, second = (drive(RULE, loss, 40, seed=7) for _ in range(2))
    assert first == second
    assert np.random.get_state()[1].tolist() == state  # type: ignore[union-attr, index]


def test_failures_are_survived() -> None:
    """Texts without a loss rank last; when all of them fail the asking goes on to its end."""
    points = drive(RULE, lambda text: loss(text) if constants(text)[0] > 0.5 else None, 60, seed=2)
    assert best(points) < (loss(RULE) or 0.0)
    assert len(drive(RULE, lambda text: None, 60, seed=2)) == 60


def test_one_constant_is_enough() -> None:
    """A single number is tuned, though CMA-ES itself wants two dimensions."""
    text = "def rule(x):\n    return 3 * x\n"
    points = drive(text, lambda child: abs(constants(child)[0] - 8), 60, seed=4)
    assert best(points) < 1


def test_structure_is_the_text_without_its_numbers() -> None:
    """Tuned forms of one program share a structure; a text without numbers, or no text, has none."""
    assert structure(RULE) == structure(substitute(RULE, [9.0, 8.0, 7.0]))
    assert structure("def rule(x):\n    return x\n") is None
    assert structure(f"def rule(x):\n    return x * 1{'0' * 400}\n") is None
