"""Mean loss by stratum, and which elites win on strata where the best elite loses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from ..evaluators.base import Score
from ..problems.base import Instance
from .archive import unique
from .base import Complement, Elite
from .racing import losses_of

COMPLEMENTS = 2
"""How many complements of the best elite are looked for (count)."""
_CLOSE = 1e-12


class Strata:
    """Mean training loss of elites on each stratum; computed once per elite."""

    def __init__(self, instances: Mapping[str, Instance], loss_of: Callable[[Score], float | None]) -> None:
        """Takes the training instances by id, and the function that gives an execution's loss."""
        self._instances = instances
        self._loss_of = loss_of
        self._losses: dict[str, dict[str, float]] = {}

    @property
    def groups(self) -> dict[str, str]:
        """Instance id → its stratum."""
        return {id: instance.stratum for id, instance in self._instances.items()}

    def grow(self) -> None:
        """Forgets the means that were computed on fewer instances."""
        self._losses.clear()

    def losses(self, elite: Elite) -> dict[str, float]:
        """Stratum → mean loss (ratio), strata in the order of their names."""
        id = elite.candidate.id
        if id not in self._losses:
            groups: dict[str, list[float]] = {}
            for instance, loss in losses_of(elite.evaluation, self._loss_of).items():
                groups.setdefault(self._instances[instance].stratum, []).append(loss)
            self._losses[id] = {name: fmean(groups[name]) for name in sorted(groups)}
        return self._losses[id]

    def beaten(self, elite: Elite, others: Sequence[Elite]) -> bool:
        """Whether one of the others is better on every stratum."""
        mine = self.losses(elite)
        return any(
            all(loss < mine[name] - _CLOSE for name, loss in self.losses(other).items()) for other in others
        )

    def complements(self, best: Elite, elites: Sequence[Elite]) -> tuple[Complement, ...]:
        """The elites that together would reduce the best elite's loss most, each with the strata it wins.

        The first reduces the loss of the best elite most; each next one reduces the remaining loss most.
        Returns fewer elites where fewer win a stratum.
        """
        least = dict(self.losses(best))
        rest = [elite for elite in unique(elites) if elite.candidate.id != best.candidate.id]
        complements: list[Complement] = []
        while rest and len(complements) < COMPLEMENTS:
            first = max(rest, key=lambda elite: (self.gain(elite, least), elite.fitness, elite.candidate.id))
            won = tuple(name for name, loss in self.losses(first).items() if loss < least[name] - _CLOSE)
            if not won:
                break
            complements.append(Complement(first, won))
            rest.remove(first)
            least = {name: min(loss, self.losses(first)[name]) for name, loss in least.items()}
        return tuple(complements)

    def gain(self, elite: Elite, least: Mapping[str, float]) -> float:
        """By how much an elite is below some losses (ratio, summed over strata)."""
        return sum(max(0.0, least[name] - loss) for name, loss in self.losses(elite).items())
