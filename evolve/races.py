"""The race of a candidate, made of the archive as it is at the ask; and whether an outcome is a new best."""

from __future__ import annotations

from collections.abc import Mapping

from .archive import Archive
from .base import Elite
from .racing import PairedRace, Racing, TimedRace


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
