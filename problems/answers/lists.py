"""Lists of lists of items: what partitions and routes share."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from ..plain import brief
from .kind import COLLIDING, HUGE, NO_LISTS, Neighbourhood, Random, length_fault, twice_fault, whole_fault

_MEANING = "Items change their list or place, lists reverse a part or exchange their ends."
_SIZE = "sum(map(len, self.current))"
_ITEMS = "[list(route) for route in answer]"

ROUTES = Neighbourhood(
    "Items change their route or place, routes reverse a part or exchange their ends.",
    """
        i = int(len(current) * random())
        k = int(len(current) * random())
        if not current[i]:
            return False
        first = current[i] = current[i][:]
        second = current[k] = first if i == k else current[k][:]
        a = int(len(first) * random())
        b = int((len(second) + 1) * random())
        if form < 0.4:
            second.insert(min(b, len(second) - (i == k)), first.pop(a))
        elif form < 0.6:
            if b == len(second):
                return False
            first[a], second[b] = (second[b], first[a])
        elif i == k:
            a, b = (min(a, b), max(a, b))
            first[a:b] = first[a:b][::-1]
        else:
            first[a:], second[b:] = (second[b:], first[a:])
""",
    _ITEMS,
    _SIZE,
)
"""A fixed number of lists, which may be empty, with every item."""

_OPENED = """
        i = int(len(current) * random())
        k = int((len(current) + 1) * random())
        first = current[i] = current[i][:]
        a = int(len(first) * random())
        if k == len(current):
            if len(first) == 1:
                return False
            current.append([first.pop(a)])
            return True
        second = current[k] = first if i == k else current[k][:]
        b = int((len(second) + 1) * random())
        if form < 0.5:
            second.insert(min(b, len(second) - (i == k)), first.pop(a))
        elif form < 0.75:
            if b == len(second):
                return False
            first[a], second[b] = (second[b], first[a])
        elif i == k:
            a, b = (min(a, b), max(a, b))
            first[a:b] = first[a:b][::-1]
        else:
            first[a:], second[b:] = (second[b:], first[a:])
        current[:] = [part for part in current if part]
"""
_TAKEN = """
        if random() < 0.4:
            value = self.values[int(len(self.values) * random())]
            k = next((k for k, part in enumerate(current) if value in part), None)
            if k is not None:
                if form < 0.7:
                    return False
                current[k] = [item for item in current[k] if item != value]
                {close}return True
            k = int({lists} * random())
            {opened}part = current[k] = current[k][:]
            b = int((len(part) + 1) * random())
            if form < 0.4 and b < len(part):
                part[b] = value
            else:
                part.insert(b, value)
            return True
"""
_CLOSE = "current[:] = [part for part in current if part]\n                "
_NEW = """if k == len(current):
                current.append([value])
                return True
            """
PARTITION = Neighbourhood(_MEANING, _OPENED, _ITEMS, _SIZE)
"""Any number of lists, none of them empty, with every item."""
PART_OF_ROUTES = Neighbourhood(
    "Items come in, go out, change their route or place; routes reverse a part or exchange their ends.",
    _TAKEN.format(close="", lists="len(current)", opened="") + ROUTES.change.strip("\n"),
    _ITEMS,
    f"{_SIZE} + 1",
)
"""A fixed number of lists, which may be empty, with some of the items."""
PART_OF_PARTITION = Neighbourhood(
    "Items come in, go out, change their list or place; lists reverse a part or exchange their ends.",
    _TAKEN.format(close=_CLOSE, lists="(len(current) + 1)", opened=_NEW)
    + "        if not current:\n            return False"
    + _OPENED.rstrip("\n"),
    _ITEMS,
    f"{_SIZE} + 1",
)
"""Any number of lists, none of them empty, with some of the items."""


def lists_fault(answer: Any, n: int, lists: int | None, whole: bool) -> str | None:
    """The fault of lists of different whole numbers from 0 to n - 1.

    Args:
        answer: any value.
        n: items (count).
        lists: how many lists there must be (count), which may be empty; None for any number, none empty.
        whole: whether every item must be in a list.
    """
    fault = length_fault(answer, "lists", 0 if lists is None else lists, n if lists is None else lists)
    if fault is not None:
        return fault
    for place, part in enumerate(answer):
        if type(part) is not list:
            return f"list {place}: got {brief(part)}, expected a list of whole numbers"
    for place, part in enumerate(answer):
        if lists is None and not part:
            return f"list {place}: is empty, expected items in each list"
    items = list(chain.from_iterable(answer))
    if len(items) > n or (whole and len(items) < n):
        return f"expected {'' if whole else 'at most '}{n} items in all lists together, got {len(items)}"
    return whole_fault(items, 0, n - 1) or twice_fault(items)


def random_lists(items: list[int], lists: int | None, rng: Random) -> list[list[int]]:
    """Items in random lists: so many as are asked for, or any number without empty ones."""
    if not items and lists is None:
        return []
    parts: list[list[int]] = [[] for _ in range(rng.randint(1, len(items)) if lists is None else lists)]
    for item in items:
        rng.choice(parts).append(item)
    return [part for part in parts if part] if lists is None else parts


def hostile_lists(n: int, lists: int | None, whole: bool) -> Mapping[str, Any]:
    """What is wrong → an answer of nearly the right form, for `lists_fault`."""
    if n < 2 or lists == 0:
        return {**NO_LISTS, "items in place of lists": [0]}
    rest: list[list[int]] = [[] for _ in range((lists or 1) - 1)]
    items = list(range(n))
    wrong: dict[str, Any] = {
        "items in place of lists": items,
        "an item twice": [[*items[:-1], items[0]], *rest],
        "true as an item": [[True, *items[2:], 0], *rest],
        "a float as an item": [[*items[:-1], float(n - 1)], *rest],
        "an item below the range": [[*items[:-1], -1], *rest],
        "an item above the range": [[*items[:-1], n], *rest],
        "an item of thousands of digits": [[*items[:-1], HUGE], *rest],
        "an item that collides with another": [[*items[:-1], COLLIDING], *rest],
        "an item too many": [[*items, 0], *rest],
    }
    if whole:
        wrong["an item too few"] = [items[:-1], *rest]
    if lists is None:
        wrong["an empty list"] = [items, []]
    else:
        wrong["a list too many"] = [items, *rest, []]
    return {**NO_LISTS, **wrong}
