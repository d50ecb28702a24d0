"""Expressions for the offline proposer that follow from the data; apart, as an author may state others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from ...problems.base import Primitive

_WIDEST = 8
"""Numbers of an item that are combined (count)."""
_SAMPLE = 40
"""Questions that are looked at (count)."""
Questions = Sequence[Mapping[str, Any]]


def primitives_of(questions: Questions) -> list[Primitive]:
    """Numbers of item i, their quotients, and what lists say of now and of the time until then.

    Items are the rows of a list of equally long lists of numbers. A number is taken as a place in another
    list, or as the length of a part of it, where that holds in all questions.

    Args:
        questions: arguments of the entry point by name.
    """
    questions = questions[:: max(1, len(questions) // _SAMPLE)]
    found: list[Primitive] = []
    for name in questions[0]:
        if width := _width([question[name] for question in questions]):
            found += _of_items(name, width, questions)
    return found + [one for one, _, _ in _now(questions)]


def _of_items(name: str, width: int, questions: Questions) -> Iterator[Primitive]:
    """Expressions over one list of items."""
    columns = [f"{name}[i][{k}]" for k in range(width)]
    rows = [row for question in questions for row in question[name]]
    for k, text in enumerate(columns):
        yield Primitive(text, "number", f"number {k} of item i of {name}")
    for k, other in permutations(range(width), 2):
        if all(row[other] > 0 for row in rows):
            text = f"{columns[k]} / {columns[other]}"
            yield Primitive(text, "number", f"number {k} of item i of {name} by its number {other}")
    over_time = {series for _, series, _ in _now(questions)}
    for series in [one for one in _series(questions) if one not in over_time]:
        for k, text in enumerate(columns):
            if _places(rows, k) and all(row[k] < len(q[series]) for q in questions for row in q[name]):
                yield Primitive(f"{series}[{text}]", "number", f"what {series} has at number {k} of item i")
    for _, series, now in _now(questions):
        for k, text in enumerate(columns):
            part = f"{series}[{now}:{now} + {text}]"
            inside = all(q[now] + row[k] <= len(q[series]) for q in questions for row in q[name])
            if inside and _places(rows, k) and min(row[k] for row in rows) > 0:
                words = f"{series} from {now} on, number {k} of item i of {name} long"
                yield Primitive(f"min({part})", "number", f"the least of {words}")
                yield Primitive(f"sum({part}) / {text}", "number", f"the mean of {words}")
                below = f"sum(x < {series}[{now}] for x in {part})"
                yield Primitive(below, "number", f"how many are below now of {words}")


def _now(questions: Questions) -> Iterator[tuple[Primitive, str, str]]:
    """What a list has at the place that a whole number of the question names."""
    for now in questions[0]:
        values = {question[now] for question in questions if type(question[now]) is int}
        for series in _series(questions) if len(values) > 1 else ():
            text = f"{series}[{now}]"
            if all(type(q[now]) is int and 0 <= q[now] < len(q[series]) for q in questions):
                yield Primitive(text, "number", f"what {series} has at {now}"), series, now


def _series(questions: Questions) -> list[str]:
    """Names of lists of numbers."""
    return [
        name
        for name in questions[0]
        if all(
            type(q[name]) is list and q[name] and set(map(type, q[name])) <= {int, float} for q in questions
        )
    ]


def _width(values: Sequence[Any]) -> int:
    """How many numbers each row has where all rows have equally many, 2 to 8; else 0."""
    rows = [row for value in values if type(value) is list for row in value]
    widths = {len(row) if type(row) is list else 0 for row in rows}
    lists = all(type(value) is list for value in values) and len(widths) == 1
    width = widths.pop() if lists else 0
    numbers = all(type(number) in (int, float) for row in rows for number in row) if width else False
    return width if numbers and 2 <= width <= _WIDEST else 0


def _places(rows: Sequence[Sequence[Any]], k: int) -> bool:
    """Whether a number of the items is a whole number ≥ 0 that differs among them."""
    return all(type(row[k]) is int and row[k] >= 0 for row in rows) and len({row[k] for row in rows}) > 1
