"""Problems whose splits are drawn from strata by the campaign's seed, beside sets of other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .base import Instance
from .programs import ShipsPrograms
from .strata import Cell, draw_set, draw_splits, split_sentences


def rounds(train: int, valid: int, test: int) -> dict[str, int]:
    """Split → instances per stratum, as `StratifiedProblem` takes them."""
    return {"train": train, "valid": valid, "test": test}


class StratifiedProblem(ShipsPrograms):
    """Base of a problem whose splits are drawn from strata.

    Attributes:
        stream: keys the random streams: forms that share it have the same instances.
        law: one phrase for the instances' source.
        cells: the strata of the splits.
        other_sets: name of each set beside the splits → one sentence; `other` makes its instances.
    """

    stream: str
    law: str
    cells: Sequence[Cell]
    other_sets: Mapping[str, str] = {}

    def __init__(self, rounds: Mapping[str, int]) -> None:
        """Takes split (`train`, `valid`, `test`) → instances per stratum, ≥ 1."""
        self._rounds = dict(rounds)
        self._drawn: dict[int, dict[str, list[Instance]]] = {}

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        return {**split_sentences(self.cells, self._rounds), **self.other_sets}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set in stratified order; the splits of one seed are disjoint.

        Raises:
            KeyError: no set of this name.
        """
        if set in self._rounds:
            return [*self._splits(seed)[set]]
        if set not in self.other_sets:
            raise KeyError(set)
        return self.other(set, seed)

    def _splits(self, seed: int) -> dict[str, list[Instance]]:
        """The splits of a seed, those of the last seed kept: no split is known without those before it."""
        splits = self._drawn.get(seed)
        if splits is None:
            splits = draw_splits(self.stream, seed, self.cells, self._rounds, self.law)
            self._drawn = {seed: splits}
        return splits

    def other(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set of `other_sets`; a set with fixed data ignores the seed."""
        raise NotImplementedError(set)

    def draw_other(self, set: str, seed: int, cells: Sequence[Cell], rounds: int) -> list[Instance]:
        """The instances of another set, drawn by the same law from strata of its own."""
        return draw_set(self.stream, set, seed, cells, rounds, self.law)
