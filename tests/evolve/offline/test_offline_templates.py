"""Phases that templates write: what they do to an order, on trusted texts executed here."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
import pytest
from gapsmith.evolve.offline import change
from gapsmith.evolve.offline.phases import for_arrays, operators_of
from gapsmith.problems.sequencing import SEQUENCING
from hypothesis import given, settings
from hypothesis import strategies as st

PHASES = tuple(operators_of(SEQUENCING))
ORDER = '''
"""Earliest due date first."""
from __future__ import annotations


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    return sorted(range(len(due_dates)), key=lambda j: due_dates[j])
'''
RULE = """
import numpy as np


def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray) -> np.ndarray:
    return due_dates - time
"""


def phase(name: str, text: str, entry: str, *parts: str) -> dict[str, Any]:
    """What the first child of an operator that has all the parts defines, with 1,000 rounds of moves."""
    operator = next(o for o in PHASES if o.name == name)
    for seed in count():
        made = change(text, entry, random.Random(seed), operators=[operator], numpy=True)
        if made is not None and all(part in made[1] for part in parts) and made[1].count("def cost") == 1:
            tree = ast.parse(made[1])
            for loop in ast.walk(tree):
                if isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call):
                    loop.iter.args = [ast.Constant(1000)]
            names: dict[str, Any] = {}
            exec(compile(ast.fix_missing_locations(tree), "child", "exec"), names)
            return names
    raise AssertionError


def tardiness(order: Sequence[int], p: Sequence[int], d: Sequence[int]) -> int:
    """Total tardiness of a sequence, by its definition."""
    end = total = 0
    for j in order:
        end += p[j]
        total += max(0, end - d[j])
    return total


def neighbours(order: list[int]) -> list[list[int]]:
    """Every order that the move of one item makes."""
    return [
        [*rest[:k], j, *rest[k:]]
        for i, j in enumerate(order)
        for rest in [order[:i] + order[i + 1 :]]
        for k in range(len(order))
    ]


LATE = ("return np.maximum(0, ends - due_dates[jobs])\n", "weight = processing_times[order]")
jobs = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 80)), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def best_insertion() -> Callable[[list[int], list[int]], list[int]]:
    """The entry point of a child that descends by best insertions with total tardiness as its cost."""
    made = phase("best-insertion-phase", ORDER, "schedule", *LATE)["schedule"]
    assert callable(made)
    return made


@settings(max_examples=60, deadline=None)
@given(drawn=jobs)
def test_best_insertions_end_where_no_move_helps(
    best_insertion: Callable[[list[int], list[int]], list[int]], drawn: list[tuple[int, int]]
) -> None:
    """The order is a permutation, no worse than before, and no move of one item makes it better."""
    p, d = [one for one, _ in drawn], [one for _, one in drawn]
    order = best_insertion(p, d)
    assert sorted(order) == list(range(len(p)))
    least = tardiness(order, p, d)
    assert least <= tardiness(sorted(range(len(d)), key=lambda j: d[j]), p, d)
    assert all(tardiness(other, p, d) >= least for other in neighbours(order))


def test_a_rating_is_the_place_after_the_same_moves() -> None:
    """Ratings of a ranking descent are the places in an order that no move of one item makes better."""
    rate = phase("ranking-descent", RULE, "priority", *LATE[:1], "end = time + np.cumsum", LATE[1])[
        "priority"
    ]
    stream = random.Random(4)
    for _ in range(30):
        n = stream.randint(1, 9)
        p = [stream.randint(1, 20) for _ in range(n)]
        d = [stream.randint(0, 80) for _ in range(n)]
        rating = rate(7, np.array(p), np.array(d))
        order = sorted(range(n), key=lambda j: rating[j])
        shifted = [one - 7 for one in d]
        least = tardiness(order, p, shifted)
        assert all(tardiness(other, p, shifted) >= least for other in neighbours(order))


def test_numpy_comes_with_a_phase_that_needs_it_where_it_is_allowed() -> None:
    """The import stands after what must come first; without leave to import there is no child."""
    operator = [o for o in PHASES if o.name == "best-insertion-phase"]
    made = [change(ORDER, "schedule", random.Random(s), operators=operator, numpy=True) for s in range(5)]
    texts = [one[1] for one in made if one is not None]
    assert texts
    for text in texts:
        body = ast.parse(text).body
        places = [ast.unparse(node) for node in body[:2]]
        assert places == ["from __future__ import annotations", "import numpy as np"]
    assert all(change(ORDER, "schedule", random.Random(s), operators=operator) is None for s in range(5))


COSTS = (
    "max(0, end - due_dates[j])",
    "abs(end - due_dates[j])",
    "max(0, end - due_dates[j]) * processing_times[j]",
    "min(end, 3 * due_dates[j]) - 2 / max(1, processing_times[j])",
)


@pytest.mark.parametrize("text", COSTS)
def test_costs_of_many_items_are_those_of_each(text: str) -> None:
    """The text for arrays has the values of the text for one item, on two axes as well."""
    written = for_arrays(text)
    assert written is not None
    p, d = np.array([3, 8, 5]), np.array([9, 2, 14])
    names = {"np": np, "processing_times": p, "due_dates": d}
    ends = np.array([[4, 9, 20], [1, 2, 30]])
    jobs = np.array([[2, 0, 1]])
    values = eval(written, {**names, "jobs": jobs, "ends": ends})
    for row, column in np.ndindex(ends.shape):
        one = eval(text, {**names, "j": int(jobs[0, column]), "end": int(ends[row, column])})
        assert values[row, column] == pytest.approx(one)


def test_a_cost_with_a_choice_is_not_written_for_arrays() -> None:
    """`a if b else c` over arrays would fail in every execution."""
    assert for_arrays("end if end > due_dates[j] else 0") is None
