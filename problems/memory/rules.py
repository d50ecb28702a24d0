"""The programs that ship: orders for first and best fit, and ratings for the loop that stacks buffers."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

_LIFE = "buffers[i][0] - buffers[i][1]"
_ORDERS = {
    "size": ("Largest first", "-buffers[i][2]"),
    "area": ("Largest size times life first", f"buffers[i][2] * ({_LIFE})"),
    "life": ("Longest life first", _LIFE),
    "start": ("In the order in which lives begin, as an allocator at run time must", "buffers[i][0]"),
    "contention-size": (
        "Largest load during its life first, of equal ones the largest",
        "(-load[i], -buffers[i][2])",
    ),
    "contention-life": (
        "Largest load during its life first, of equal ones the longest life",
        f"(-load[i], {_LIFE})",
    ),
}
"""Name → what is placed first, and the key of the order."""

_TIES = {
    "rest-area": ("area", "size * (end - start)"),
    "rest-life": ("life", "end - start"),
    "rest-size": ("size", "size"),
}
"""Name → what breaks ties of the lowest floor (the largest wins), and its value."""

_ENTRY = '''
def place(buffers: list[list[int]]) -> list[int]:
    """An offset for each buffer."""
{body}
'''

_WHOLE_REST = """\
offsets = rest(buffers, [-({value}) for start, end, size in buffers])
return first_fit(buffers, sorted(range(len(buffers)), key=lambda i: offsets[i]))"""

_BEST = """\
indices = range(len(buffers))
load = contentions(buffers)
keys = [
    lambda i: -buffers[i][2],
    lambda i: buffers[i][2] * (buffers[i][0] - buffers[i][1]),
    lambda i: buffers[i][0] - buffers[i][1],
    lambda i: buffers[i][0],
    lambda i: -buffers[i][1],
    lambda i: (-load[i], -buffers[i][2]),
    lambda i: (-load[i], buffers[i][0] - buffers[i][1]),
    lambda i: -load[i] * buffers[i][2],
]
orders = [*(sorted(indices, key=key) for key in keys), breadth(buffers, *live_loads(buffers))]
answers = [*(first_fit(buffers, order) for order in orders), best_fit(buffers, orders[0])]
return min(answers, key=lambda offsets: max(o + row[2] for o, row in zip(offsets, buffers)))"""

_RULE = '''"""{title}."""

import numpy as np


def priority({arguments}) -> np.ndarray:
    """The smallest number goes first; the tie counts less than one unit of the floor."""
    tie = {value}
    return floor - tie / (tie.max() + 1.0)
'''


def driver() -> str:
    """The loop that stacks buffers by a rule's ratings."""
    return _program("driver")


def moves() -> str:
    """The peak, and moves in the order of stacking."""
    return _program("moves")


def place_programs() -> dict[str, str]:
    """Id → text of the programs that return offsets."""
    texts = {
        name: _whole(
            f"{title}; first fit", _fit("first_fit", key), ("live",) * ("load" in key) + ("first_fit",)
        )
        for name, (title, key) in _ORDERS.items()
    }
    texts["breadth"] = _whole(
        "Operations with the most live units first, their largest buffers first (Pisarchyk and Lee, "
        "arXiv:2001.03288)",
        "return first_fit(buffers, breadth(buffers, *live_loads(buffers)))",
        ("live", "breadth", "first_fit"),
    )
    texts["size-best-fit"] = _whole(
        "Largest first; best fit", _fit("best_fit", _ORDERS["size"][1]), ("best_fit",)
    )
    texts["best-of-orders"] = _whole(
        "The best of nine orders with first fit, and of best fit by size",
        _BEST,
        ("live", "breadth", "first_fit", "best_fit"),
    )
    for name, (word, value) in _TIES.items():
        texts[name] = _whole(_rest_title(word), _WHOLE_REST.format(value=value), ("first_fit", "rest"))
    return texts


def rule_programs(arguments: str) -> dict[str, str]:
    """Id → text of the rules; `arguments` are the parameters of their signature."""
    texts = {}
    for name, (word, value) in _TIES.items():
        texts[name] = _RULE.format(title=_rest_title(word), arguments=arguments, value=value)
    return texts


def _rest_title(word: str) -> str:
    return f"The lowest floor first, of equal ones the largest {word}"


def _fit(function: str, key: str) -> str:
    """Lines that sort the buffers by a key and place them."""
    load = "load = contentions(buffers)\n" if "load" in key else ""
    return (
        f"{load}order = sorted(range(len(buffers)), key=lambda i: {key})\nreturn {function}(buffers, order)"
    )


def _whole(title: str, body: str, parts: tuple[str, ...]) -> str:
    """One text: the entry point, then the functions that it calls."""
    entry = _ENTRY.format(body="\n".join(f"    {line}" for line in body.splitlines()))
    functions = [_program(part).partition('"""\n\n')[2] for part in parts]
    return "\n\n\n".join(part.strip("\n") for part in (f'"""{title}."""\n{entry}', *functions)) + "\n"


@cache
def _program(name: str) -> str:
    return files(__package__).joinpath("programs", f"{name}.py").read_text("utf-8")
