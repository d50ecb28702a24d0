"""Verification, the loop around rules, Topcuoglu's example, hostile rules, moves, the chart."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from gapsmith.problems.base import Instance, VerdictStatus
from gapsmith.problems.graphs import task_graph, task_graph_rule
from gapsmith.problems.graphs.gantt import chain
from gapsmith.problems.graphs.laws import STRATA
from gapsmith.problems.graphs.rules import RULES
from gapsmith.problems.graphs.verification import judge, on_processors
from hypothesis import given, settings
from hypothesis import strategies as st

PUBLIC = {"times": [[2, 3], [4, None], [3, 1]], "edges": [[0, 1, 5], [0, 2, 2]]}
BEST = [[0, 0], [0, 2], [1, 4]]


def test_a_schedule_by_hand_has_its_makespan() -> None:
    """The third task waits for a transfer of 2 on the other processor; on the same one for the processor."""
    assert judge(PUBLIC, BEST).objective == 6  # type: ignore[arg-type]
    assert judge(PUBLIC, [[0, 0], [0, 2], [0, 6]]).objective == 9
    assert judge(PUBLIC, [[1, 0], [0, 8], [1, 3]]).objective == 12


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([[0, 0], [1, 7], [1, 4]], "task 1: is on processor 1, where it cannot run"),
        ([[0, 0], [0, 2], [1, 3]], "task 2: starts at 3, but task 0 ends at 2, its result arrives at 4"),
        ([[0, 0], [0, 1], [1, 4]], "task 1: starts at 1, but task 0 ends at 2"),
        ([[0, 0], [0, 2], [0, 5]], "processor 0: task 2 starts at 5, but task 1 runs until 6"),
    ],
)
def test_what_breaks_a_rule_is_infeasible(answer: Any, words: str) -> None:
    """The violation names tasks, processor and times."""
    verdict = judge(PUBLIC, answer)
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert words in verdict.violations[0]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        BEST[:2],
        [[0, 0], [0, 2], [1]],
        [[0, 0], [0, 2], [1, True]],
        [[0, 0], [0, 2], [True, 4]],
        [[0, 0], [0, 2], [1, 4.0]],
        [[0, 0], [0, 2], [2, 4]],
        [[0, 0], [0, 2], [-1, 4]],
        [[0, 0], [0, 2], [1, -4]],
        [[0, 0], [0, 2], [1, 18]],
        [[0, 0], [0, 2], [1, 10**300]],
        {"0": [0, 0]},
    ],
)
def test_what_is_no_schedule_is_invalid(answer: Any) -> None:
    """Shape, type and range come before feasibility; 17 is the sum of all longest times and transfers."""
    assert judge(PUBLIC, answer).status is VerdictStatus.INVALID_ANSWER


@pytest.mark.parametrize(
    ("name", "makespan"),
    [("heft", 80), ("cpop", 86), ("peft", 85), ("min-min", 76), ("sufferage", 76)],
)
def test_the_literatures_example(name: str, makespan: int, example: Any, run: Any) -> None:
    """The makespans that the papers print, from the rule and from the whole program."""
    for problem in (task_graph(), task_graph_rule()):
        assert judge(example, run(problem, problem.baselines()[name], example)).objective == makespan


def test_the_examples_ranks(example: Any) -> None:
    """The upward ranks of the paper's table: 108.000, 77.000, 80.000, 80.000, 69.000, 63.333, …"""
    seen: list[dict[str, Any]] = []

    def rule(**columns: Any) -> Any:
        seen.append(columns)
        return columns["finish"] - 1e6 * columns["upward_rank"]

    _drive(rule, example)
    ranks = {
        int(t): round(float(r), 3) for c in seen for t, r in zip(c["task"], c["upward_rank"], strict=True)
    }
    paper = [108.0, 77.0, 80.0, 80.0, 69.0, 63.333, 42.667, 35.667, 44.333, 14.667]
    assert [ranks[task] for task in range(10)] == paper
    assert seen[0]["ccr"] == pytest.approx((241 / 15) / (400 / 30))


def _drive(rule: Any, public: Any) -> Any:
    loop: dict[str, Any] = {}
    exec(task_graph_rule().driver, loop)
    return loop["drive"](rule, public)


def test_whole_programs_make_the_rules_schedules(graphs: Any, run: Any) -> None:
    """A program that returns a schedule and the rule of the same name agree."""
    whole, rule = task_graph(), task_graph_rule()
    assert set(whole.baselines()) == {*rule.baselines(), "look-ahead"}
    for public in graphs(10, 8, 3, 9, seed=1):
        for name, source in rule.baselines().items():
            assert run(rule, source, public) == run(whole, whole.baselines()[name], public), name


def test_every_placement_is_the_earliest(graphs: Any, run: Any) -> None:
    """Removed from its processor, no task fits at an earlier moment after its inputs; and gaps are used."""
    problem, filled = task_graph_rule(), 0
    for public in graphs(25, 9, 2, 9, seed=2):
        schedule = run(problem, problem.baselines()["heft"], public)
        assert judge(public, schedule).objective is not None
        ends = [start + public["times"][i][p] for i, (p, start) in enumerate(schedule)]
        for task, (processor, start) in enumerate(schedule):
            arrivals = [
                ends[i] + (size if schedule[i][0] != processor else 0)
                for i, k, size in public["edges"]
                if k == task
            ]
            length = public["times"][task][processor]
            others = [row for row in on_processors(public, schedule)[processor] if row[2] != task]
            for begin in range(max(arrivals, default=0), start):
                assert any(begin < end and first < begin + length for first, end, _ in others)
        order = sorted(range(len(schedule)), key=lambda t: schedule[t][1])
        filled += order != sorted(order)
    assert filled


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_scaling_changes_nothing(data: Any) -> None:
    """Times and transfers times k give the same processors and starts times k."""
    tasks, processors = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 3))
    numbers = st.integers(1, 50)
    times = [[data.draw(numbers) for _ in range(processors)] for _ in range(tasks)]
    edges = [
        [i, k, data.draw(st.integers(0, 50))]
        for k in range(tasks)
        for i in range(k)
        if data.draw(st.booleans())
    ]
    factor = data.draw(st.integers(2, 9))
    public = {"times": times, "edges": edges}
    longer = {
        "times": [[factor * time for time in row] for row in times],
        "edges": [[i, k, factor * size] for i, k, size in edges],
    }
    rule: dict[str, Any] = {}
    exec(task_graph_rule().baselines()[data.draw(st.sampled_from(["peft", "min-min", "heft"]))], rule)
    schedule = _drive(rule["score"], public)
    assert judge(public, schedule).objective is not None
    assert _drive(rule["score"], longer) == [[p, factor * start] for p, start in schedule]


def test_a_rule_may_answer_anything_of_the_right_length(graphs: Any) -> None:
    """NaN, infinities and changed arrays: always a valid schedule; a wrong shape is named."""

    def nan(**columns: Any) -> Any:
        return columns["finish"] * np.nan

    def some(**columns: Any) -> Any:
        return np.where(columns["start"] > 3, np.nan, -columns["finish"])

    def vandal(**columns: Any) -> Any:
        score = -columns["finish"].copy()
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column[:] = -1e9
        return score

    for public in graphs(15, 7, 3, 9, seed=4):
        for rule in (nan, some, vandal):
            assert judge(public, _drive(rule, public)).objective is not None
    with pytest.raises(ValueError, match="expected"):
        _drive(lambda **columns: 1.0, PUBLIC)


def test_columns_are_finite(graphs: Any) -> None:
    """Also where tasks cannot run on some processors: an audit hands them on as JSON."""

    def rule(**columns: Any) -> Any:
        assert all(np.isfinite(value).all() for value in columns.values())
        return columns["finish"]

    for public in graphs(10, 8, 2, 9, seed=5):
        _drive(rule, public)
    for cell in STRATA:
        _drive(rule, dict(cell.draw(random.Random(1)).public))


def test_a_chart_has_every_task_and_every_transfer_once(example: Any, run: Any) -> None:
    """Rectangles are tasks, lines the edges that cross processors; an invalid answer raises."""
    problem = task_graph()
    schedule = run(problem, problem.baselines()["heft"], example)
    instance = Instance("i", "i", "i", example, 1, "by hand")
    shapes = problem.draw(instance, schedule).shapes
    assert sorted(int(s.text) for s in shapes if s.kind == "rectangle") == list(range(10))
    crossing = [e for e in example["edges"] if schedule[e[0]][0] != schedule[e[1]][0]]
    assert sum(s.kind == "line" for s in shapes) == len(crossing)
    links = chain(example, schedule)
    assert schedule[list(links)[-1]][1] == 0
    assert "makespan 80" in problem.draw(instance, schedule).title
    assert f"{len(crossing)} of 15 edges" in problem.explain(instance, schedule)
    with pytest.raises(ValueError, match="instance i"):
        problem.draw(instance, [[0, 0]])


def test_moves_keep_to_the_constraints(graphs: Any, run: Any) -> None:
    """After hundreds of moves the value, the objective and the verification agree."""
    problem = task_graph()
    moves = problem.moves()
    assert moves is not None
    scope: dict[str, Any] = {}
    exec(moves.source, scope)
    stream = random.Random(3)
    for public in graphs(5, 8, 3, 9, seed=6):
        schedule = run(problem, problem.baselines()["peft"], public)
        neighbours = scope["Neighbours"](schedule, **public)
        assert neighbours.value <= judge(public, schedule).objective
        for _ in range(200):
            change, move = neighbours.draw(stream.random)
            if move is not None and change < 3:
                before = neighbours.value
                neighbours.make(move)
                assert neighbours.value == before + change
        value = judge(public, neighbours.answer()).objective
        assert value == neighbours.value == scope["objective"](neighbours.answer(), **public)
    assert task_graph_rule().moves() is None


def test_rules_are_named_after_the_literature() -> None:
    """Start programs are baselines, the first of them HEFT."""
    for problem in (task_graph(), task_graph_rule()):
        assert list(problem.start_programs()) == ["heft", "peft", "min-min"]
        assert set(problem.start_programs().items()) <= set(problem.baselines().items())
        assert set(RULES) <= set(problem.baselines())
