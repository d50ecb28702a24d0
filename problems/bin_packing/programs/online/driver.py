"""Runs inside the sandbox around an online rule: keeps the open bins and hands the rule copies of them."""

import operator
from collections.abc import Callable
from typing import Any


def drive(
    entry: Any, instance: dict[str, Any], receive: Callable[[], bytes | None], send: Callable[[bytes], None]
) -> None:
    """Asks the rule for a bin for each item as it arrives; the parent judges every decision again."""
    capacity = instance["capacity"]
    place = entry(**instance).place
    residuals: list[int] = []
    gap_counts = [0] * (capacity + 1)
    while (line := receive()) is not None:
        item = int(line)
        decision = place(item, residuals.copy(), gap_counts.copy())
        try:
            index = decision if type(decision) is int else operator.index(decision)
        except TypeError:
            index = -1
        if type(decision) is bool or not 0 <= index <= len(residuals):
            send(repr(decision).encode("ascii", "replace")[:80].replace(b"\n", b" "))
            return
        if index == len(residuals):
            residuals.append(capacity)
        else:
            gap_counts[residuals[index]] -= 1
        residual = residuals[index] - item
        residuals[index] = residual
        send(b"%d" % index)
        if residual < 0:
            return
        gap_counts[residual] += 1
