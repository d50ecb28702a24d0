"""Problems of nodes that read users' files up to a size that the user may raise."""

from __future__ import annotations

from collections.abc import Mapping

from ..stratified import StratifiedProblem


class ReadsNodes(StratifiedProblem):
    """Base of a problem whose users' files hold distances of nodes.

    Attributes:
        most_nodes: nodes of an instance in a file, at most.
    """

    def __init__(self, rounds: Mapping[str, int], most_nodes: int) -> None:
        """Takes the sizes of the splits, and the nodes that a file may have."""
        super().__init__(rounds)
        self.most_nodes = most_nodes
