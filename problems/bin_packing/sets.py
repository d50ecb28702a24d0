"""Named sets of instances: which laws, how many, and the two historic sets bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from .laws import (
    ItemDraw,
    ItemLaw,
    any_length,
    beta,
    discrete,
    reordered,
    stream_for,
    triplets,
    uniform,
    weibull,
    weibull_sizes,
)

if TYPE_CHECKING:
    from numpy.random import RandomState

SHORTEST, LONGEST = 250, 4000
"""Numbers of items (items) between which the laws of varied length draw."""


def _u(items: int) -> tuple[str, ItemLaw]:
    text = f"{items} items uniform on 20..100, capacity 150"
    return f"u{items}", ItemLaw(f"u{items}", text, uniform(20, 100, 150, items))


def _plain(name: str, low: int, high: int) -> tuple[str, ItemLaw]:
    text = f"500 items uniform on {low}..{high}, capacity 100"
    return name, ItemLaw(name, text, uniform(low, high, 100, 500))


def _weibull(name: str, items: int, capacity: int) -> tuple[str, ItemLaw]:
    text = f"{items} items from Weibull(3)·45 rounded and clipped to 1..100, capacity {capacity}"
    return name, ItemLaw(name, text, weibull(capacity, items))


def _any_length(
    name: str, sizes: str, law: Callable[[int], Callable[[RandomState], ItemDraw]]
) -> tuple[str, ItemLaw]:
    text = f"{SHORTEST} to {LONGEST:,} items (log-uniform) {sizes}, capacity 100"
    return name, ItemLaw(name, text, any_length(SHORTEST, LONGEST, law))


def _triplets(items: int) -> tuple[str, ItemLaw]:
    text = f"{items} items, three of which fill a bin of 1000 exactly"
    return f"t{items}", ItemLaw(f"t{items}", text, triplets(items // 3))


def _hostile(values: tuple[int, ...], capacity: int, name: str) -> tuple[str, ItemLaw]:
    text = f"2000 items uniform on the integers {name.split('-of-')[0]}, capacity {capacity}"
    return name, ItemLaw(name, text, discrete(values, capacity, 2000))


LAWS: Mapping[str, ItemLaw] = dict(
    (
        _u(120),
        _u(250),
        _u(500),
        _u(1000),
        _weibull("weibull-1k", 1000, 100),
        _weibull("weibull-5k", 5000, 100),
        _weibull("weibull-10k", 10000, 100),
        _weibull("weibull-5k-c500", 5000, 500),
        _triplets(60),
        _triplets(120),
        _triplets(249),
        _triplets(501),
        ("beta", ItemLaw("beta", "500 items int(50 − 40·Beta(2, 5)), capacity 100", beta(100, 500))),
        _plain("uniform", 1, 100),
        _plain("quarter-half", 26, 50),
        _any_length(
            "weibull-lengths", "from Weibull(3)·45 rounded and clipped to 1..100", partial(weibull, 100)
        ),
        _any_length("uniform-lengths", "uniform on 1..100", partial(uniform, 1, 100, 100)),
        _hostile((2, 3), 9, "2..3-of-9"),
        _hostile((2, 3, 4), 9, "2..4-of-9"),
        _hostile(tuple(range(1, 67)), 100, "1..66-of-100"),
        _hostile((3, 4), 11, "3..4-of-11"),
    )
)
"""Stratum → law."""


@dataclass(frozen=True, slots=True)
class SetSpec:
    """What a named set holds: a sentence, and stratum → number of instances."""

    sentence: str
    parts: Mapping[str, int]


def _single(law: str, count: int) -> SetSpec:
    return SetSpec(f"{count} instances: {LAWS[law].meaning}.", {law: count})


NAMED: Mapping[str, SetSpec] = {
    "u120": _single("u120", 20),
    "u250": _single("u250", 20),
    "u500": _single("u500", 20),
    "u1000": _single("u1000", 20),
    "triplets": SetSpec(
        "20 instances of 60, 120, 249 and 501 items, three of which fill a bin of 1000 exactly.",
        {"t60": 5, "t120": 5, "t249": 5, "t501": 5},
    ),
    "weibull-1k": _single("weibull-1k", 20),
    "weibull-5k": _single("weibull-5k", 10),
    "weibull-10k": _single("weibull-10k", 5),
    "weibull-5k-c500": _single("weibull-5k-c500", 5),
    "beta": _single("beta", 20),
    "uniform": _single("uniform", 20),
    "quarter-half": _single("quarter-half", 20),
    "weibull-lengths": _single("weibull-lengths", 20),
    "uniform-lengths": _single("uniform-lengths", 20),
    "hostile": SetSpec(
        "20 instances of 2,000 items on which best fit (three strata) or sum of squares (3..4-of-11) "
        "wastes bins in proportion to the number of items.",
        {"2..3-of-9": 5, "2..4-of-9": 5, "1..66-of-100": 5, "3..4-of-11": 5},
    ),
    "transfer": SetSpec(
        "40 instances of laws that no split is drawn from: a rule made for one law shows here.",
        {
            "beta": 8,
            "uniform": 8,
            "quarter-half": 8,
            "1..66-of-100": 4,
            "2..4-of-9": 4,
            "t249": 4,
            "u1000": 4,
        },
    ),
}
"""Sets with data of their own for every seed."""

HISTORIC: Mapping[str, str] = {
    "weibull-2024": "5 instances of 5,000 Weibull items, capacity 100: numpy legacy seed 2024, one draw "
    "order (L1 2018, 2019, 2008, 2007, 2005); the seed of the call is ignored.",
    "offline-3": "64 instances of 500 and 64 of 1,000 items uniform on 20..100, capacity 150: numpy legacy "
    "seed 3, the validation draw of the published offline comparisons; the seed of the call is ignored.",
    "offline-4": "As offline-3 with legacy seed 4: the test draw that the published offline figures are for "
    "(L1 200.66 and 400.41, best fit decreasing 203.34 and 405.36 on average).",
}
"""Sets that are the same bit for bit for everybody."""


MIXED_OFFLINE = ("u120", "t60", "u250", "t120", "u500")
"""Strata of the offline splits, in the order of execution."""
MIXED_ONLINE = ("weibull-1k", "u500")
"""Strata of the online splits."""


def draws(spec: SetSpec, *key: str | int, secret: str = "") -> Iterator[tuple[ItemLaw, int, ItemDraw]]:
    """(law, number within its law, items) of every instance of a set, each from a stream of its own."""
    for number in range(max(spec.parts.values())):
        for name in (law for law, count in spec.parts.items() if number < count):
            draw = LAWS[name].draw(stream_for("bin-packing", *key, name, number, secret=secret))
            if secret:
                draw = reordered(draw, "order", *key, name, number, secret)
            yield LAWS[name], number, draw


def historic_draws(name: str) -> Iterator[tuple[str, str, ItemDraw]]:
    """(id, stratum, items) of every instance of a historic set.

    Raises:
        KeyError: no historic set of this name.
    """
    from numpy.random import RandomState

    if name not in HISTORIC:
        raise KeyError(name)
    family, legacy_seed = name.split("-")
    stream = RandomState(int(legacy_seed))
    if family == "weibull":
        for number in range(5):
            yield f"{name}-{number}", "weibull-5k", ItemDraw(100, weibull_sizes(stream, 5000))
        return
    for items in (500, 1000):
        for number, row in enumerate(stream.randint(20, 101, (64, items)).tolist()):
            yield f"{name}-u{items}-{number:02d}", f"u{items}", ItemDraw(150, row)
