"""Shipped programs and the loop around a rule: by hand, against each other, against brute force."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from gapsmith.problems.memory import memory_mapping, memory_mapping_rule
from gapsmith.problems.memory.verification import judge, largest_load

HAND = [[0, 2, 3], [1, 4, 2], [3, 5, 4], [0, 5, 1]]


LOOP: dict[str, Any] = {}
exec(memory_mapping_rule().driver, LOOP)


def drive(rule: Any, buffers: Any) -> Any:
    """Offsets by a rule that is a function."""
    return LOOP["drive"](rule, {"buffers": buffers})


def value(buffers: Any, offsets: Any) -> int:
    """The peak of offsets, which must be valid."""
    verdict = judge({"buffers": buffers}, offsets)
    assert verdict.objective is not None, verdict.violations
    return verdict.objective  # type: ignore[return-value]


def test_programs_by_hand(run: Any) -> None:
    """First fit by size: 4 units at 0, 3 at 0, then 2 on 4 and 1 on 6; by life the order is 3, 1, 0, 2."""
    problem = memory_mapping()
    assert run(problem, problem.baselines()["size"], HAND) == [0, 4, 0, 6]
    assert run(problem, problem.baselines()["life"], HAND) == [3, 1, 3, 0]
    assert run(problem, problem.baselines()["start"], HAND) == [0, 4, 6, 3]


@pytest.mark.parametrize("name", list(memory_mapping().baselines()))
def test_every_program_is_feasible_and_above_the_bound(name: str, draws: Any, run: Any) -> None:
    """On small sets with many ties, and one buffer alone."""
    problem = memory_mapping()
    for buffers in [[[0, 1, 1]], *draws(20, 12, seed=1)]:
        offsets = run(problem, problem.baselines()[name], buffers)
        assert value(buffers, offsets) >= largest_load(buffers)


def test_offsets_and_rules_of_one_name_agree(draws: Any, run: Any) -> None:
    """The whole program `rest-…` and the rule in the loop give the same offsets."""
    whole, rule = memory_mapping(), memory_mapping_rule()
    for buffers in [[[0, 1, 1]], *draws(30, 12, seed=2)]:
        for name, source in rule.baselines().items():
            assert run(rule, source, buffers) == run(whole, whole.baselines()[name], buffers), name


def test_the_best_of_orders_is_no_worse_than_any(draws: Any, run: Any) -> None:
    """It tries every order and fit of the other programs, but not the loop."""
    programs = memory_mapping().baselines()
    for buffers in draws(20, 12, seed=3):
        answers = {name: run(memory_mapping(), text, buffers) for name, text in programs.items()}
        peaks = {name: value(buffers, offsets) for name, offsets in answers.items()}
        others = [peak for name, peak in peaks.items() if not name.startswith("rest")]
        assert peaks["best-of-orders"] == min(others)


def test_some_order_of_the_loop_is_optimal(draws: Any) -> None:
    """Over all orders the loop reaches the least peak that all orders of first fit reach."""
    scope: dict[str, Any] = {}
    exec(memory_mapping().baselines()["size"], scope)
    for buffers in draws(8, 5, seed=4):
        stacked, fitted = [], []
        for order in permutations(range(5)):
            ranks = {tuple(row): [] for row in buffers}  # type: ignore[var-annotated]
            for rank, i in enumerate(order):
                ranks[tuple(buffers[i])].append(rank)
            lowest = {row: min(places) for row, places in ranks.items()}

            def rule(start: Any, end: Any, size: Any, lowest: Any = lowest, **_: Any) -> Any:
                return np.array([lowest[row] for row in zip(start, end, size, strict=True)], dtype=float)

            stacked.append(value(buffers, drive(rule, buffers)))
            fitted.append(value(buffers, scope["first_fit"](buffers, list(order))))
        assert min(stacked) == min(fitted)


def test_the_columns_say_what_the_statement_says() -> None:
    """Second call on the set by hand, after buffer 2 (steps 3 and 4, 4 units) was placed at 0."""
    calls: list[dict[str, Any]] = []

    def rule(**columns: Any) -> Any:
        calls.append(columns)
        return -columns["size"]

    assert drive(rule, HAND) == [0, 4, 0, 6]
    plain = {name: v if isinstance(v, float) else v.tolist() for name, v in calls[1].items()}
    assert plain == {
        "start": [0, 1, 0],
        "end": [2, 4, 5],
        "size": [3, 2, 1],
        "floor": [0, 4, 4],
        "load": [6, 7, 7],
        "unplaced_load": [6, 6, 6],
        "stack": [6, 7, 7],
        "hole": [0, 8, 12],
        "others": [2, 2, 2],
        "peak": 7.0,
        "top": 4.0,
        "progress": 0.25,
    }


def test_a_rule_may_answer_anything_of_the_right_length(draws: Any) -> None:
    """NaN and infinities, changed arrays: always valid offsets; a wrong shape is named."""

    def nan(**columns: Any) -> Any:
        return columns["size"] * np.nan

    def vandal(**columns: Any) -> Any:
        numbers = -columns["size"].copy()
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column[:] = -1e9
        return numbers

    for buffers in draws(10, 10, seed=5):
        for rule in (nan, vandal, lambda size, **_: np.full(len(size), np.inf)):
            value(buffers, drive(rule, buffers))
    assert drive(nan, HAND) == drive(lambda size, **_: np.zeros(len(size)), HAND)
    with pytest.raises(ValueError, match=r"expected \(4,\)"):
        drive(lambda **_: 1.0, HAND)


def test_times_and_sizes_can_be_stretched(draws: Any, run: Any) -> None:
    """Sizes times k give offsets times k; times a·t + b give the same offsets, also beyond 2⁵³."""
    rule = memory_mapping_rule()
    for buffers in draws(10, 10, seed=6):
        for name, source in rule.baselines().items():
            offsets = run(rule, source, buffers)
            wide = [[7 * s - 3, 7 * e - 3, size] for s, e, size in buffers]
            assert run(rule, source, wide) == offsets, name
            if name != "rest-area":
                huge = [[s, e, size * 2**59] for s, e, size in buffers]
                assert value(huge, run(rule, source, huge)) >= largest_load(huge)
