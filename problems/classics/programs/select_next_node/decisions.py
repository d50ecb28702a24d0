"""Runs inside the sandbox after the recorder: a decision of a rule that selects nodes is a node."""

from operator import index
from typing import Any

import numpy as np


def decision(reply: Any) -> int:
    """The number of a node."""
    return index(reply)


class Notes:
    """The rule, with the nodes that it selects."""

    calls = None

    def __init__(self, entry: Any) -> None:
        """Nothing is selected yet."""
        self.entry = entry
        self.decisions: list[int] = []

    def __call__(self, **arguments: Any) -> Any:
        """The rule's reply, noted if it can be a node."""
        reply = self.entry(**arguments)
        if hasattr(reply, "__index__"):
            self.decisions.append(decision(reply))
        return reply


class Again:
    """Recorded nodes in the place of a rule; keeps the arguments of the wanted ones."""

    def __init__(self, decisions: list[int], calls: Any, wanted: list[int]) -> None:
        """Takes decisions, and places in their list."""
        self.decisions, self.made = decisions, 0
        self.arguments: dict[int, Any] = dict.fromkeys(wanted)

    def __call__(self, **arguments: Any) -> int:
        """The recorded node."""
        if self.made in self.arguments:
            self.arguments[self.made] = arguments
        self.made += 1
        return self.decisions[self.made - 1]


def unpack(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of one call as the rule gets them: lists as arrays, those of nodes hold integers."""
    return {
        name: np.array(value, dtype=int if name == "unvisited_nodes" else float)
        if isinstance(value, list)
        else value
        for name, value in arguments.items()
    }
