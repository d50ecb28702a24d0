"""Pressures below a target as weights that fit, and optima of few models, both against all placements."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.placement.model_placement import confirm, solve, weights


def _models(stream: random.Random, rate: int) -> dict[str, Any]:
    """Five models that fit two GPUs; of a hundred draws of sizes about one does not."""
    while True:
        sizes = [stream.randint(5, 25) for _ in range(5)]
        rates = [stream.randint(1, rate) for _ in sizes]
        public = {"gpus": 2, "memory": 60, "sizes": sizes, "rates": rates}
        if _placements(public):
            return public


def _placements(public: dict[str, Any]) -> list[tuple[tuple[int, ...], Fraction]]:
    """All placements with a free GB on each GPU, with the largest pressure of each."""
    found = []
    for places in product(range(public["gpus"]), repeat=len(public["sizes"])):
        worst = Fraction(0)
        for gpu in range(public["gpus"]):
            held = [i for i, place in enumerate(places) if place == gpu]
            free = public["memory"] - sum(public["sizes"][i] for i in held)
            worst = worst if free < 1 else max(worst, Fraction(sum(public["rates"][i] for i in held), free))
            if free < 1:
                break
        else:
            found.append((places, worst))
    return found


def test_weights_that_fit(stream: random.Random) -> None:
    """The weights of a GPU fit iff its pressure is below the target, at the pressures of placements too."""
    for rate in (3, 9, 99, 999):
        public = _models(stream, rate)
        placements = _placements(public)
        for _, target in stream.sample(placements, min(8, len(placements))):
            items, capacity = weights(public, target)
            for places, worst in placements:
                loads = [0] * public["gpus"]
                for item, place in zip(items, places, strict=True):
                    loads[place] += item
                assert (max(loads) <= capacity) == (worst < target)


def test_least_pressures(stream: random.Random) -> None:
    """The optimum by bin completion; CP-SAT confirms the value, and attains none that is not least."""
    for number in range(12):
        public = _models(stream, (5, 60, 999)[number % 3])
        values = sorted({worst for _, worst in _placements(public)})
        reference = solve(public, 60.0).reference
        assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, values[0])
        if number == 0:
            again = confirm(public, values[0], ReferenceKind.OPTIMUM, 60.0)
            assert (again.kind, again.value) == (ReferenceKind.OPTIMUM, values[0])
            assert confirm(public, values[1], ReferenceKind.OPTIMUM, 60.0).value < values[1]


def test_pressures_just_below_a_start(stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """Six models with nearly equal rates: the best placements lie close together."""
    for _ in range(4):
        public = _models(stream, 9)
        public["rates"] = [900 + rate for rate in public["rates"]]
        least = min(worst for _, worst in _placements(public))
        assert prove("model-placement", drawn(public)).value == least
