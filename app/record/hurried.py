"""What a budget of wall seconds left out of a campaign's end, and why a campaign took longer than asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...evolve.store.progress import training_fitness
from ...evolve.store.reader import Reader
from ...evolve.store.work import validated_candidates
from ..numbers import duration
from ..words import count

_LONGER = 1.25
"""Wall seconds relative to those asked for from which on a line says why (ratio)."""


def better_left_out(reader: Reader) -> int:
    """Elites better in training than the champion that were not validated for want of time (count)."""
    champion = reader.record("champion")
    least = None if champion is None else training_fitness(reader, champion)
    left_out = [training_fitness(reader, id) for id in reader.record("left_out") or ()]
    return sum(least is None or fitness > least for fitness in left_out if fitness is not None)


def section(reader: Reader, name: str) -> Mapping[str, Any]:
    """A section of a run's configuration; empty where the record holds none."""
    found = (reader.record("config") or {}).get(name)
    return found if isinstance(found, Mapping) else {}


def hurried(reader: Reader) -> list[str]:
    """A line on elites without validation, and one on a campaign that took longer than asked."""
    limit = section(reader, "budget").get("seconds")
    if not isinstance(limit, int | float) or reader.record("champion") is None:
        return []
    return [*_left_out(reader, limit), *_longer(reader, limit)]


def _left_out(reader: Reader, limit: float) -> list[str]:
    left_out = len(reader.record("left_out") or ())
    if not left_out:
        return []
    validated = validated_candidates(reader)
    better = better_left_out(reader)
    others = f"{better or 'none'} of the others {'are' if better > 1 else 'is'}"
    return [
        f"validated {validated} of {count(validated + left_out, 'elite')}: there was no time for more within "
        f"{duration(limit)}; {others} better in training than the champion"
    ]


def _longer(reader: Reader, limit: float) -> list[str]:
    prepared = reader.record("prepared_seconds") or 0.0
    taken = prepared + (reader.record("search_seconds") or 0.0)
    test = reader.evaluation(reader.record("champion"), "test")
    if taken <= _LONGER * limit or test is None:
        return []
    seconds = sum(score.cpu_seconds for score in test.scores)
    why = [
        f"preparation took {duration(prepared)}" if 4 * prepared > limit else "",
        f"the champion's test took {duration(seconds)} of CPU time" if 4 * seconds > limit else "",
    ]
    words = ", ".join(["evaluations under way were finished", *filter(None, why)])
    return [f"the campaign took {duration(taken)} in place of {duration(limit)}: {words}"]
