"""The least span of a training step and its microbatches, at spans that a single sequence decides."""

from __future__ import annotations

import random
from typing import Any

from gapsmith.evaluators.training.packing_bound import (
    least_microbatches,
    lower_bound,
    span_bound,
    suffices,
)


def _step(stream: random.Random) -> dict[str, Any]:
    """Few sequences on many devices: the longest one's least time is often the span."""
    count = stream.randint(1, 4)
    times = []
    for _ in range(count):
        work = stream.randint(4, 60)
        row = [-(-work // degree) + stream.randint(0, 3) for degree in (1, 2, 4)]
        times.append([time if place or stream.random() < 0.7 else 0 for place, time in enumerate(row)])
    return {
        "devices": stream.choice((4, 8, 16)),
        "capacity": stream.randint(5, 30),
        "overhead": stream.randint(0, 9),
        "degrees": [1, 2, 4],
        "lengths": [stream.randint(1, 40) for _ in range(count)],
        "times": times,
    }


def test_least_spans(stream: random.Random) -> None:
    """The bisection comes to the least span that suffices, tried one by one; some are a sequence's time."""
    alone = 0
    for _ in range(60):
        public = _step(stream)

        def enough(span: int, public: dict[str, Any] = public) -> bool:
            needs = 0
            for row in public["times"]:
                products = [d * t for d, t in zip(public["degrees"], row, strict=True) if t and t <= span]
                if not products:
                    return False
                needs += min(products)
            return needs <= public["devices"] * span

        spans = [span for span in range(200) if enough(span)]
        assert [span for span in range(200) if suffices(public, span)] == spans
        assert span_bound(public) == spans[0]
        alone += any(spans[0] in row for row in public["times"])
        batches = 1
        while batches * public["devices"] * public["capacity"] < sum(public["lengths"]):
            batches += 1
        assert least_microbatches(public) == batches
        assert lower_bound(public) == spans[0] + batches * public["overhead"]
    assert alone
