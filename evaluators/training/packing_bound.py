"""A lower bound on the time of a training step by arithmetic; see docs/problems/sequence-packing.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def lower_bound(public: Mapping[str, Any]) -> int:
    """Units of 10 µs that no plan can undercut."""
    overhead: int = public["overhead"]
    return span_bound(public) + overhead * least_microbatches(public)


def least_microbatches(public: Mapping[str, Any]) -> int:
    """Microbatches that the tokens need."""
    room: int = public["devices"] * public["capacity"]
    tokens: int = sum(public["lengths"])
    return -(-tokens // room)


def span_bound(public: Mapping[str, Any]) -> int:
    """Least X whose devices, all busy for X, have the device time that the sequences need at least.

    Let X be the sum over microbatches of the slowest group's time. Every time that a plan uses is at most X,
    so a sequence takes at least its least device time among its times of at most X; and in a microbatch no
    device works longer than the slowest group. The device time needed falls as X grows: bisection is exact.
    """
    low = 1
    high = sum(max(row) for row in public["times"])
    while low < high:
        middle = (low + high) // 2
        if suffices(public, middle):
            high = middle
        else:
            low = middle + 1
    return low


def suffices(public: Mapping[str, Any], span: int) -> bool:
    """Whether all devices, busy for `span`, could have the device time that the sequences need."""
    total = 0
    for row in public["times"]:
        usable = [d * t for d, t in zip(public["degrees"], row, strict=True) if 0 < t <= span]
        if not usable:
            return False
        total += min(usable)
    return bool(total <= public["devices"] * span)
