"""Runs inside the sandbox after the recorder: the decision of a rule that rates all items is their order."""

from typing import Any

import numpy as np


def decision(reply: Any) -> list[int]:
    """The items by falling number; empty for a reply that is no list of numbers."""
    rating = np.asarray(reply, dtype=float)
    return ranked(rating) if rating.ndim == 1 else []  # type: ignore[name-defined]  # noqa: F821


class Again:
    """Recorded orders in the place of a rule; keeps the arguments of the wanted ones."""

    def __init__(self, decisions: list[list[int]], calls: Any, wanted: list[int]) -> None:
        """Takes decisions, and places in their list."""
        self.decisions, self.made = decisions, 0
        self.arguments: dict[int, Any] = dict.fromkeys(wanted)

    def __call__(self, **arguments: Any) -> Any:
        """Numbers that lead to the recorded order."""
        if self.made in self.arguments:
            self.arguments[self.made] = arguments
        order = self.decisions[self.made]
        self.made += 1
        reply = np.empty(len(order))
        reply[order] = -np.arange(len(order), dtype=float)
        return reply
