"""Expressions that follow from the data of a problem in the short form."""

from __future__ import annotations

from typing import Any

from gapsmith.app.plugins.short_offline import primitives_of

QUESTIONS: list[dict[str, Any]] = [
    {"slot": 0, "prices": [5, 7, 3, 4, 6], "usual": [4, 9, 2], "cars": [[4, 2, 0], [6, 1, 1]]},
    {"slot": 3, "prices": [5, 7, 3, 4, 6], "usual": [4, 9, 2], "cars": [[2, 1, 2]]},
]


def test_numbers_of_items_their_quotients_and_time() -> None:
    """Columns, quotients whose divisor is never 0, places in lists, and what comes until then."""
    texts = [primitive.text for primitive in primitives_of(QUESTIONS)]
    assert {"cars[i][0]", "cars[i][0] / cars[i][1]", "usual[cars[i][2]]", "prices[slot]"} <= set(texts)
    assert "sum(x < prices[slot] for x in prices[slot:slot + cars[i][1]])" in texts
    assert not [text for text in texts if "/ cars[i][2]" in text or "prices[cars" in text]
    for question in QUESTIONS:
        for i in range(len(question["cars"])):
            for text in texts:
                assert isinstance(eval(text, {**question, "i": i}), int | float)


def test_rows_of_different_length_are_no_items() -> None:
    """Nothing is said of lists whose rows have different lengths, or hold other things than numbers."""
    assert primitives_of([{"rows": [[1], [1, 2]], "names": [["a", "b"]], "n": 3}]) == []
