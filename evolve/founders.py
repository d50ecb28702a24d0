"""Founders that are no rivals at first: one much slower than a candidate would stop it before it can grow.

A local search of a second beats every rule of a millisecond, so a race against the search would stop all
children of the rule. Until a child is better than the slow founder, such children race others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from .base import Candidate, Elite
from .memory import Memory

SLOWER = 4.0
"""How much longer than a candidate's own founder a rival among the founders may take (ratio)."""
_LEAST_SECONDS = 0.005
"""CPU seconds of an execution below which every founder is quick; ratios of less are noise."""


class SlowFounders:
    """The founders that a candidate does not race, by the founder that it descends from.

    A function of recorded times and of the outcomes so far: the times of candidates differ between machines
    and do not count.
    """

    def __init__(self, seconds: Mapping[str, float], founders: Sequence[Elite]) -> None:
        """Takes the recorded mean CPU seconds of an execution of each founder, and the founders."""
        self._seconds = {e.candidate.id: seconds.get(e.candidate.id, 0.0) for e in founders}
        self._unbeaten = {e.candidate.id for e in founders}
        self._ancestors: dict[str, str] = {}

    def beaten(self, fitness: float, known: Mapping[str, float]) -> None:
        """Takes the training fitness of a child: the founders below it may be rivals from now on.

        Args:
            fitness: of the child.
            known: candidate → training fitness; a founder without one holds no cell.
        """
        self._unbeaten = {id for id in self._unbeaten if known.get(id, -math.inf) >= fitness}

    def barred(self, parent: Candidate, memory: Memory) -> frozenset[str]:
        """Ids of the founders that a child of `parent` does not race."""
        if not self._unbeaten:
            return frozenset()
        own = max(_LEAST_SECONDS, self._seconds.get(self._ancestor(parent, memory), 0.0))
        return frozenset(id for id in self._unbeaten if self._seconds[id] > SLOWER * own)

    def _ancestor(self, candidate: Candidate, memory: Memory) -> str:
        """Id of the founder at the end of the chain of first parents."""
        chain: list[str] = []
        id = candidate.id
        while id not in self._ancestors:
            chain.append(id)
            parents = memory.candidates[id].parents if id in memory.candidates else ()
            if not parents:
                self._ancestors[id] = id
            else:
                id = parents[0]
        self._ancestors.update(dict.fromkeys(chain, self._ancestors[id]))
        return self._ancestors[id]


def best_elite(elites: Sequence[Elite]) -> Elite:
    """The elite with the largest training fitness; of equals the first one."""
    return max(elites, key=lambda elite: elite.fitness)
