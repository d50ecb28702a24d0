"""Naming: field terms take the place of anonymous names and expressions, and nothing else changes."""

from __future__ import annotations

import ast

import pytest
from gapsmith.evolve.syntax.simplify import named
from hypothesis import given
from hypothesis import strategies as st

TERMS = {"due - time": "time_left", "due - time - length": "slack", "length * 2": "double"}


def value(text: str, *arguments: float) -> object:
    """What `rule` of a text that this file wrote returns."""
    space: dict[str, object] = {}
    exec(text, space)
    return space["rule"](*arguments)  # type: ignore[operator]


def test_the_largest_known_expression_gets_its_term() -> None:
    """An expression inside a larger known one is not taken out of it."""
    text = "def rule(time, length, due):\n    return 3 * (due - time - length)\n"
    assert named(text, TERMS).splitlines()[1:] == ["    slack = due - time - length", "    return 3 * slack"]


def test_a_local_that_holds_a_known_expression_is_renamed() -> None:
    """Every use of the local follows, in nested functions too."""
    text = "def rule(time, length, due):\n    a = due - time\n    return (lambda: a + 1)() + a\n"
    found = named(text, TERMS)
    assert "time_left = due - time" in found
    assert "(lambda: time_left + 1)() + time_left" in found


@pytest.mark.parametrize(
    "body",
    [
        "return sum(due - time for _ in range(2))",
        "return (due - time) if length else 0",
        "return length and due - time",
        "return (lambda time: due - time)(1)",
        "while due - time > 0:\n        due -= 1\n    return due",
        "time_left = 7\n    return time_left + (due - time)",
        "return (time := 3) + (due - time)",
        "return [3].pop() + (due - time)",
        "return max([1], key=lambda j: abs(j).conjugate() + (due - time))",
        "return [due - time, due - time]",
        "def time_left():\n        return 1\n    return time_left() + (due - time)",
    ],
)
def test_nothing_is_taken_from_where_it_may_differ(body: str) -> None:
    """Loops' conditions, branches, inner functions and terms in use are left alone."""
    text = f"def rule(time, length, due):\n    {body}\n"
    assert named(text, TERMS) == text


def test_a_call_gets_each_term_once_and_before_anything_happens() -> None:
    """Arguments of the only call with effects are named, the second of two equal ones is left alone."""
    text = "def rule(time, length, due):\n    return helper(due - time, due - time, length * 2)\n"
    lines = named(text, TERMS).splitlines()[1:]
    assert lines == [
        "    time_left = due - time",
        "    double = length * 2",
        "    return helper(time_left, due - time, double)",
    ]


def test_a_local_of_an_inner_function_is_its_own() -> None:
    """The same name outside means something else and stays."""
    inner = "    def inner():\n        a = due - time\n        return a\n"
    found = named(f"def rule(time, length, due):\n{inner}    return inner() + a\n", TERMS)
    assert "        time_left = due - time\n        return time_left\n    return inner() + a" in found


def test_a_condition_is_named() -> None:
    """The test of an `if`, the whole of it too."""
    text = "def rule(time, length, due):\n    if due - time:\n        return 1\n    return 2\n"
    assert "    time_left = due - time\n    if time_left:" in named(text, TERMS)


def test_a_local_that_changes_keeps_its_name() -> None:
    """A name that is bound twice does not stand for the expression."""
    text = "def rule(time, length, due):\n    a = due - time\n    a = a + 1\n    return a\n"
    assert named(text, TERMS) == text


ATOMS = st.sampled_from(
    ["time", "length", "due", "2", "(due - time)", "(due - time - length)", "(length * 2)"]
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
        st.builds("({} if {} > 0 else {})".format, inner, inner, inner),
        st.builds("max({}, {})".format, inner, inner),
    ),
    max_leaves=8,
)


@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), EXPRESSIONS)
def test_values_stay(values: list[str], last: str) -> None:
    """Whatever is named, the function returns what it returned, and every term is bound at most once."""
    names = [f"v{number}" for number in range(len(values))]
    lines = [f"    {name} = {value}" for name, value in zip(names, values, strict=True)]
    test = f"    if {last} > 1:\n        due = {last}"
    text = "\n".join(
        ["def rule(time, length, due):", *lines, test, f"    return ({', '.join([*names, last, 'due'])})"]
    )
    found = named(text, TERMS)
    for point in ((0, 1, 2), (5, 3, 1), (2, 7, 30)):
        assert value(found, *point) == value(text, *point)
    bound = [
        node.id
        for node in ast.walk(ast.parse(found))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in TERMS.values()
    ]
    assert len(bound) == len(set(bound))
