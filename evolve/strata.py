"""Mean loss by stratum, and which elites win on strata where the best elite loses.

Where there is one stratum alone, its instances take the place of strata in comparisons of programs that are
shown together: otherwise none would stand beside the best, and no two could be combined.
"""

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
        self._alone: dict[str, dict[str, float]] = {}
        self._several = len({instance.stratum for instance in instances.values()}) > 1

    @property
    def groups(self) -> dict[str, str]:
        """Instance id → its stratum."""
        return {id: instance.stratum for id, instance in self._instances.items()}

    def grow(self) -> None:
        """Forgets the means that were computed on fewer instances."""
        self._losses.clear()
        self._alone.clear()

    def losses(self, elite: Elite) -> dict[str, float]:
        """Stratum → mean loss (ratio), strata in the order of their names."""
        id = elite.candidate.id
        if id not in self._losses:
            groups: dict[str, list[float]] = {}
            for instance, loss in losses_of(elite.evaluation, self._loss_of).items():
                groups.setdefault(self._instances[instance].stratum, []).append(loss)
            self._losses[id] = {name: fmean(groups[name]) for name in sorted(groups)}
        return self._losses[id]

    def parts(self, elite: Elite) -> dict[str, float]:
        """Stratum → mean loss (ratio), or instance → loss where there is one stratum alone."""
        if self._several:
            return self.losses(elite)
        id = elite.candidate.id
        if id not in self._alone:
            self._alone[id] = losses_of(elite.evaluation, self._loss_of)
        return self._alone[id]

    def beaten(self, elite: Elite, others: Sequence[Elite]) -> bool:
        """Whether one of the others is better on every stratum."""
        return self._beaten(elite, others, self.losses)

    def beaten_in_parts(self, elite: Elite, others: Sequence[Elite]) -> bool:
        """Whether one of the others is better on every stratum, or on every instance of the only one."""
        return self._beaten(elite, others, self.parts)

    def _beaten(
        self, elite: Elite, others: Sequence[Elite], of: Callable[[Elite], Mapping[str, float]]
    ) -> bool:
        mine = of(elite)
        return any(all(loss < mine[name] - _CLOSE for name, loss in of(other).items()) for other in others)

    def complements(self, best: Elite, elites: Sequence[Elite]) -> tuple[Complement, ...]:
        """The elites that together would reduce the best elite's loss most, each with the strata it wins.

        The first reduces the loss of the best elite most; each next one reduces the remaining loss most.
        Returns fewer elites where fewer win a stratum.
        """
        least = dict(self.parts(best))
        rest = [elite for elite in unique(elites) if elite.candidate.id != best.candidate.id]
        complements: list[Complement] = []
        while rest and len(complements) < COMPLEMENTS:
            first = max(rest, key=lambda elite: (self.gain(elite, least), elite.fitness, elite.candidate.id))
            won = tuple(name for name, loss in self.parts(first).items() if loss < least[name] - _CLOSE)
            if not won:
                break
            complements.append(Complement(first, won))
            rest.remove(first)
            least = {name: min(loss, self.parts(first)[name]) for name, loss in least.items()}
        return tuple(complements)

    def gain(self, elite: Elite, least: Mapping[str, float]) -> float:
        """By how much an elite is below some losses of parts (ratio, summed)."""
        return sum(max(0.0, least[name] - loss) for name, loss in self.parts(elite).items())
