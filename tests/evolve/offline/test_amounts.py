"""Operators for amounts: what they write runs, keeps to the bounds, and is drawn for such answers alone."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evolve.offline import amounts
from gapsmith.evolve.offline.mutation import types_of
from gapsmith.evolve.offline.proposer import change, operators_for

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = {"amounts-wait", "amounts-refill", "amounts-share", "amounts-bound", "amounts-scale", "drop-amounts"}
QUESTION: dict[str, Any] = {
    "slot": 1,
    "prices": [50, 80, 40, 45, 70, 60],
    "limit": 12,
    "penalty": 300,
    "cars": [[20, 3, 7], [5, 2, 11], [40, 4, 7]],
}


@pytest.fixture(scope="module")
def station() -> Any:
    """The charging station."""
    return load_problem(str(EXAMPLES / "charging_station.py"))


def test_only_answers_that_are_amounts_get_the_operators(station: Any) -> None:
    """A choice of items has none of them."""
    assert {o.name for o in operators_for(station.problem)} >= NAMES
    other = load_problem(str(EXAMPLES / "watch_posts.py")).problem
    assert not {o.name for o in operators_for(other)} & NAMES


@pytest.mark.quick("amounts-scale", "amounts-wait")
@pytest.mark.parametrize("form", sorted(NAMES - {"drop-amounts"}))
def test_amounts_stay_within_their_bounds(station: Any, form: str) -> None:
    """Forty programs of each form give whole amounts from 0 to what a car needs and takes."""
    problem = station.problem
    (operator,) = [o for o in operators_for(problem) if o.name == form]
    types = types_of(problem, station.instances("train", 1)[:2])
    text = problem.start_programs()["least-laxity"]
    rng = random.Random(form)
    ran = 0
    for _ in range(40):
        made = change(text, "amounts", rng, tuple(problem.primitives()), operators=[operator], types=types)
        assert made is not None
        scope: dict[str, Any] = {}
        exec(made[1], scope)
        try:
            answer = scope["amounts"](**dict(QUESTION))
        except ZeroDivisionError:
            continue
        ran += 1
        assert problem.answer_kind.fault(answer, QUESTION) is None
    assert ran > 30


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("prices[slot]", "prices"),
        ("min(prices[slot:slot + cars[i][1]])", "prices"),
        ("sum(prices[slot:slot + cars[i][1]]) / cars[i][1]", "prices"),
        ("sum(x < prices[slot] for x in prices[slot:slot + cars[i][1]])", "count"),
        ("cars[i][0] / cars[i][2]", "count"),
        ("cars[i][0]", ""),
        ("limit", ""),
    ],
)
def test_expressions_of_one_unit_are_known_by_their_form(text: str, unit: str) -> None:
    """Values of a list, numbers of values, and quotients of the numbers of an item."""
    assert amounts.unit_of(text) == unit


def test_conditions_compare_like_with_like_and_amounts_with_their_limit(station: Any) -> None:
    """Of 300 waits half compare two expressions of one unit; few take the penalty for a limit of power."""
    problem = station.problem
    (operator,) = [o for o in operators_for(problem) if o.name == "amounts-wait"]
    types = types_of(problem, station.instances("train", 1)[:2])
    text = problem.start_programs()["least-laxity"]
    rng = random.Random(3)
    alike = two = 0
    limits = {"limit": 0, "penalty": 0}
    for _ in range(300):
        made = change(text, "amounts", rng, tuple(problem.primitives()), operators=[operator], types=types)
        assert made is not None
        for node in ast.walk(ast.parse(made[1])):
            if not (isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.BinOp)):
                continue
            right = node.comparators[0]
            if ast.unparse(node.left) == "sum(amounts)":
                limits[ast.unparse(right.right)] += 1
            elif isinstance(right.op, ast.Mult):
                units = [amounts.unit_of(ast.unparse(side)) for side in (node.left, right.right)]
                two += "" not in units
                alike += units[0] == units[1] != ""
    assert two > 100
    assert alike > 0.6 * two
    assert limits["limit"] > 3 * limits["penalty"]


def test_a_form_is_taken_out_again(station: Any) -> None:
    """After one form was put in and taken out the text is what it was, docstrings aside."""
    problem = station.problem
    named = {o.name: o for o in operators_for(problem)}
    text = problem.start_programs()["least-laxity"]
    rng = random.Random(1)
    primitives = tuple(problem.primitives())
    once = change(text, "amounts", rng, primitives, operators=[named["amounts-scale"]])
    assert once is not None
    while once[1].count("scaled(") > 2:  # several operators in one child
        once = change(text, "amounts", rng, primitives, operators=[named["amounts-scale"]])
        assert once is not None
    drop = [named["drop-amounts"]]
    backs = [change(once[1], "amounts", rng, primitives, operators=drop) for _ in range(8)]
    plain = ast.parse(text)
    del plain.body[-1].body[0]  # type: ignore[attr-defined]
    assert ast.unparse(plain) in [back[1] for back in backs if back is not None]  # others drop twice


def test_bounds_that_are_no_amounts_have_no_operators() -> None:
    """A problem without a kind of answers has none."""
    problem = load_problem("smtt").problem
    assert amounts.AmountBounds.of(problem) is None
