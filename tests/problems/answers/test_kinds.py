"""Kinds of answers: what they accept, refuse in one sentence, draw, and move."""

from __future__ import annotations

import random

import pytest
from gapsmith.evolve.offline.neighbours import source
from gapsmith.problems.answers import (
    KINDS,
    NEIGHBOURHOODS,
    Assignment,
    Choice,
    FormError,
    Offsets,
    Partition,
    Permutation,
    Ratings,
    Routes,
    Subset,
    Values,
)
from gapsmith.problems.answers.kind import COLLIDING
from gapsmith.problems.base import Moves, Sense

NAMES = {"jobs": 6, "times": [3, 4, 5, 1], "machines": 3, "far": [[0, 1], [1, 0]]}
SOME = [
    Permutation("times"),
    Permutation(5),
    Subset("jobs"),
    Assignment("jobs", "machines"),
    Assignment("times", "far"),
    Partition("jobs"),
    Partition("jobs", "machines"),
    Routes("jobs"),
    Routes("jobs", "machines"),
    Offsets("times"),
    Values("times", 0, "times[i]", integer=True),
    Values(3, -1.5, "jobs / 4"),
    Ratings(),
    Ratings("times"),
    Choice("machines"),
]
MOVED = [kind for kind in SOME if kind.moves is not None and kind.moves != "offsets"]


def test_every_kind_is_tried_here() -> None:
    """A new kind comes into these tests, and every neighbourhood belongs to a kind."""
    assert {type(kind) for kind in SOME} == set(KINDS)
    assert {kind.moves for kind in SOME} - {None} == set(NEIGHBOURHOODS)


@pytest.mark.parametrize("kind", SOME, ids=repr)
def test_what_a_kind_draws_is_of_its_form(kind: Permutation) -> None:
    """Random answers are accepted, and not all alike."""
    rng = random.Random(4)
    answers = [kind.draw(NAMES, rng) for _ in range(200)]
    assert [kind.fault(answer, NAMES) for answer in answers] == [None] * 200
    assert len({repr(answer) for answer in answers}) > 2


@pytest.mark.parametrize("kind", SOME, ids=repr)
def test_what_is_nearly_of_the_form_is_refused(kind: Permutation) -> None:
    """Hostile answers are each refused by one line of text."""
    faults = {words: kind.fault(answer, NAMES) for words, answer in kind.hostile(NAMES).items()}
    assert len(faults) > 6
    assert [words for words, fault in faults.items() if not fault] == []
    assert all("\n" not in fault and len(fault) < 200 for fault in faults.values() if fault)


@pytest.mark.parametrize(
    ("kind", "answer", "fault"),
    [
        (Permutation("times"), None, "expected a list of whole numbers, got None"),
        (Permutation("times"), [0, 1], "expected a list of 4 whole numbers, got 2"),
        (Permutation("times"), [0, 1, True, 9], "item 2: got True, expected a whole number from 0 to 3"),
        (Permutation("times"), [0, 1, 1, 9], "item 3: got 9, expected a whole number from 0 to 3"),
        (Permutation("times"), [0, 1, 1, 3], "1 stands twice, expected different numbers"),
        (Permutation("times"), [0, 1, 2, 3.0], "item 3: got 3.0, expected a whole number from 0 to 3"),
        (Subset("jobs"), [0] * 7, "expected a list of at most 6 different whole numbers, got 7"),
        (
            Assignment("jobs", "machines"),
            [0, 0, 0, 0, 0, -1],
            "item 5: got -1, expected a whole number from 0 to 2",
        ),
        (Partition("jobs"), [[0, 1, 2, 3, 4, 5], []], "list 1: is empty, expected items in each list"),
        (Partition("jobs"), [[0, 1, 2]], "expected 6 items in all lists together, got 3"),
        (Partition("jobs", "machines"), [[0, 1, 2, 3, 4, 5]], "expected a list of 3 lists, got 1"),
        (Routes("jobs"), [[0, 0]], "0 stands twice, expected different numbers"),
        (Routes("jobs"), [0], "list 0: got 0, expected a list of whole numbers"),
        (
            Values("times", 0, "times[i]", integer=True),
            [3, 5, 0, 0],
            "item 1: got 5, expected a whole number from 0 to 4",
        ),
        (Values(1, 0, 1), [float("nan")], "item 0: got nan, expected a number"),
        (Ratings(), float("inf"), "expected a finite number (at most 1e300), got inf"),
        (Choice("machines"), 3, "expected a whole number from 0 to 2, got 3"),
    ],
)
def test_a_fault_says_what_was_got_and_expected(kind: Permutation, answer: object, fault: str) -> None:
    """Type, length, types of items, range and distinctness are looked at in this order."""
    assert kind.fault(answer, NAMES) == fault


@pytest.mark.parametrize(
    "kind", [Permutation(40_000), Subset(40_000), Partition(40_000), Routes(40_000)], ids=repr
)
def test_colliding_integers_cost_nothing(kind: Permutation) -> None:
    """Integers of one hash never meet in a set: the range is looked at first."""
    numbers = [COLLIDING * k for k in range(40_000)]
    answer = numbers if "list[list" not in kind.type else [numbers]
    assert "from 0 to 39999" in (kind.fault(answer, {}) or "")


@pytest.mark.parametrize("kind", MOVED, ids=repr)
@pytest.mark.parametrize("sense", Sense)
def test_moves_keep_the_form(kind: Permutation, sense: Sense) -> None:
    """Ten thousand random moves never leave the form, and reach many answers."""
    text = "def objective(answer, *arguments):\n    return 0\n"
    space: dict[str, object] = {}
    exec(source(Moves(text, kind.moves or "", kind.values(NAMES)), sense, tuple(NAMES)), space)
    rng = random.Random(7)
    moves = space["Neighbours"](kind.draw(NAMES, rng), *NAMES.values())  # type: ignore[operator]
    reached = set()
    for _ in range(10_000):
        _, move = moves.draw(rng.random)
        if move is not None:
            assert kind.fault(move[1], NAMES) is None, move
            moves.make(move)
            reached.add(repr(move[1]))
    assert len(reached) >= 16  # all answers of the smallest form


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Permutation(None), "Permutation n: got None, expected a number or an expression as text"),  # type: ignore[arg-type]
        (
            lambda: Assignment("jobs", "machines +"),
            "Assignment m: got 'machines +', which is no Python expression",
        ),
        (lambda: Values(3, 0, 1, integer=1), "Values integer: got 1, expected True or False"),  # type: ignore[arg-type]
        (
            lambda: Permutation("tims").fault([], NAMES),
            "'tims': NameError: name 'tims' is not defined; expected",
        ),
        (
            lambda: Permutation("-jobs").fault([], NAMES),
            "'-jobs': got -6, expected a whole number from 0 to 10,000,000, or a list",
        ),
        (lambda: Permutation("9**9**9").fault([], NAMES), "'9**9**9': ValueError: a power beyond 4096 bits"),
        (lambda: Permutation("1 << 10**9").fault([], NAMES), "'1 << 10**9': ValueError: a number beyond"),
        (lambda: Subset("sum(range(10**12))").sentence(NAMES), "'sum(range(10**12))': ValueError: a range"),
        (lambda: Permutation(10**9).hostile(NAMES), "1000000000: got 1000000000, expected a whole number"),
        (
            lambda: Values(1, 0, "far").fault([0], NAMES),
            "'far': got [[0, 1], [1, 0]], expected a finite number",
        ),
    ],
)
def test_a_form_that_is_stated_wrongly_is_named(make: object, message: str) -> None:
    """The author's mistakes are errors with the expression, what it gave, and what is expected."""
    with pytest.raises(FormError) as caught:
        make()  # type: ignore[operator]
    assert str(caught.value).startswith(message)


def test_sentences_name_the_parts_of_the_instance() -> None:
    """A statement says how many items there are in the instance's own words."""
    assert Permutation("times").sentence(NAMES).endswith("from 0 to `len(times) - 1`, each once.")
    assert Subset(6).sentence(NAMES).startswith("Return a list of different whole numbers from 0 to 5")
    assert "from 0 to `times[i]`, for item i" in Values("times", 0, "times[i]").sentence(NAMES)
