"""The race of a candidate, made of the archive as it is at the ask; and whether an outcome is a new best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .archive import Archive
from .base import Elite
from .founders import SlowFounders
from .memory import Memory
from .pool import Pool
from .racing import PairedRace, Racing, TimedRace, alike_after
from .strata import Strata


@dataclass(frozen=True, slots=True)
class Races:
    """Chooses whom a candidate races.

    Attributes:
        archive, memory, strata, pool: of the search.
        slow: founders that quicker candidates do not race.
        level: of the test (probability); 0 is no race.
    """

    archive: Archive
    memory: Memory
    strata: Strata
    pool: Pool
    slow: SlowFounders
    level: float

    def rival(self, island: int, parent: Elite) -> Elite | None:
        """The elite that a child of `parent` races; where time is a measure, that of the parent's class."""
        if self.level <= 0:
            return None
        if not self.archive.space.timed:
            return self.archive.rival(island, self.slow.barred(parent.candidate, self.memory))
        rivals = self.archive.rivals(island)
        quicker = [number for number in rivals if number <= self.archive.class_of(parent)]
        return rivals[max(quicker, default=min(rivals))] if rivals else None

    def race(self, island: int, rival: Elite | None, parent: Elite, hardest_first: bool) -> Racing | None:
        """The race of a child of `parent`; None without a rival.

        Args:
            island, rival, parent: of the ask.
            hardest_first: whether the hardest instances are executed first.
        """
        if rival is None:
            return None
        groups = self.strata.groups if hardest_first else None
        compared = alike_after(self.pool.first)
        return race_of(self.archive, island, rival, parent, self.level, compared, groups)


def race_of(
    archive: Archive,
    island: int,
    rival: Elite,
    parent: Elite,
    level: float,
    compared: int,
    groups: Mapping[str, str] | None,
) -> Racing:
    """The race of a candidate.

    Args:
        archive: whose measures say whether time counts.
        island: of the ask; where time counts, its best elites of each class are rivals too.
        rival, parent: of the ask.
        level: of the test (probability).
        compared: answers that are compared with the parent's (count).
        groups: instance id → its stratum where the hardest instances are executed first; None otherwise.
    """
    space = archive.space

    def against(elite: Elite) -> PairedRace:
        return PairedRace.against(elite.evaluation, space.loss, level, parent.evaluation, compared, groups)

    race = against(rival)
    if not space.timed:
        return race
    rivals = {number: against(elite) for number, elite in archive.rivals(island).items()}
    seconds = {score.instance: score.cpu_seconds - space.floor for score in parent.evaluation.scores}
    first = (race.order or tuple(seconds))[:compared]
    return TimedRace(rivals, race.parent, sum(seconds[id] for id in first), space.floor, race.order)


def better(best: Elite | None, before: Elite | None) -> bool:
    """Whether the best elite is another one than before and no simplification of it."""
    if best is None or best is before:
        return False
    return before is None or best.fitness > before.fitness
