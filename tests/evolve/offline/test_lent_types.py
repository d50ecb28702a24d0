"""Programs without annotations are changed as well as those with: the problem says their types."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.evolve.offline import change
from gapsmith.evolve.offline.mutation import is_type, types_of
from gapsmith.problems.base import Instance

TYPED = """
def order(weights: list[int], times: list[int]) -> list[int]:
    remaining = list(range(len(times)))
    result = []
    while remaining:
        chosen = min(remaining, key=lambda j: times[j] - weights[j])
        remaining.remove(chosen)
        result.append(chosen)
    return result
"""
DONOR = """
def order(weights: list[int], times: list[int]) -> list[int]:
    return sorted(range(len(times)), key=lambda j: times[j] / (1 + weights[j]))
"""
SIGNATURE = "def order(weights: list[int], times: list[int]) -> list[int]:"


def problem(signature: str, **more: Any) -> Any:
    """As much of a problem as says what parameters are."""
    return SimpleNamespace(entry_point="order", signature=signature, **more)


def instances(*publics: dict[str, Any]) -> list[Instance]:
    """Training instances with these public parts."""
    return [
        Instance(id=f"train-{i}", split="train", stratum="u", public=public, scale=1, source="u")
        for i, public in enumerate(publics)
    ]


def bare(text: str) -> str:
    """A text without `list[int]` annotations."""
    return text.replace(": list[int]", "").replace(" -> list[int]", "")


def test_children_are_those_of_the_annotated_program() -> None:
    """With lent types each seed makes the annotated program's child, without its annotations."""
    types, children = types_of(problem(SIGNATURE), []), set()
    for seed in range(60):
        typed = change(TYPED, "order", random.Random(seed), donor=DONOR)
        plain = change(bare(TYPED), "order", random.Random(seed), donor=bare(DONOR), types=types)
        assert (typed is None) == (plain is None)
        if typed is not None and plain is not None:
            assert plain[0].name == typed[0].name
            assert plain[1] == bare(typed[1])
            children.add(plain[1])
    assert len(children) > 30


@pytest.mark.parametrize(
    "signature",
    [
        SIGNATURE,
        SIGNATURE[:-1],
        SIGNATURE.removeprefix("def "),
        f"{SIGNATURE} ...",
    ],
)
def test_signature_says_types(signature: str) -> None:
    """The usual ways to write a signature are read."""
    assert types_of(problem(signature), []) == (
        ("order", "weights", "list[int]"),
        ("order", "times", "list[int]"),
        ("order", "return", "list[int]"),
    )


def test_methods_of_a_class_have_types() -> None:
    """A class that keeps state has the types of each method that its signature lists."""
    start = "class order:\n    def __init__(self, room: int) -> None: ...\n"
    text = f"{start}    def place(self, item: float) -> int: ..."
    assert types_of(problem(text), []) == (
        ("order.__init__", "room", "int"),
        ("order.__init__", "return", "None"),
        ("order.place", "item", "float"),
        ("order.place", "return", "int"),
    )


def test_instances_say_what_a_signature_leaves_open() -> None:
    """Ints, floats, lists and matrices are recognised over all training instances; mixtures are not."""
    found = types_of(
        problem("def order(n: int, weights, rates, costs, kind, odd)"),
        instances(
            {"n": 2, "weights": [1, 2], "rates": [1, 2], "costs": [[1, 2], []], "kind": ["a"], "odd": [1]},
            {"n": 3, "weights": [], "rates": [0.5], "costs": [[3]], "kind": ["b"], "odd": ["x"]},
        ),
    )
    assert found == (
        ("order", "n", "int"),
        ("order", "weights", "list[int]"),
        ("order", "rates", "list[float]"),
        ("order", "costs", "list[list[int]]"),
        ("order", "kind", "list[str]"),
    )


def test_driven_rules_take_nothing_from_instances() -> None:
    """A driver's arguments only share names with the instance, so the instance says nothing of them."""
    driven = problem("def order(times)", driver="def drive(entry, instance): ...")
    assert types_of(driven, instances({"times": [1]})) == ()


@pytest.mark.parametrize("text", ["[" * 500, "x" * 1000, "__import__('os')", "list[", "lambda: 0", ""])
def test_recorded_types_are_plain(text: str) -> None:
    """A record's type is a short annotation: nothing else is parsed."""
    assert not is_type(text)
    assert is_type("list[list[int]]")
