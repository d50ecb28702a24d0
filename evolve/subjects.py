"""What a model is asked for in place of a drawn operator: designs at first, turns at a stand-still."""

from __future__ import annotations

from dataclasses import replace

from .archive import Archive
from .base import Complete, Context, Elite, Origin, Outcome
from .designs import Designs
from .search_settings import SearchSettings
from .stall import Stall


class Subjects:
    """Knows the subject of each ask; a function of the asks and outcomes in their order."""

    def __init__(self, settings: SearchSettings, best: Elite | None) -> None:
        """Begins with the best of the start programs."""
        self._designs = Designs(settings)
        self._stall = Stall(settings, _fitness(best))

    def ask(self, number: int, parent: str) -> None:
        """Opens an ask (1-based number) of a model about a parent (id)."""
        self._designs.ask(number, parent)
        self._stall.ask(number, turns=not self._designs.wanted(number))

    def tell(self, number: int, archive: Archive, outcome: Outcome | None, twin: str | None) -> None:
        """Takes the outcome of an ask, when the archive has its candidate.

        Args:
            number: of the ask, 1-based.
            archive: after the outcome.
            outcome: None if the ask was none of a model: then only a gain counts.
            twin: id of an earlier candidate with the same answers, None if there is none.
        """
        gain = archive.best is not None and self._stall.is_gain(archive.best.fitness)
        if gain or outcome is not None:
            self._stall.note(number, improved=gain)
        if isinstance(outcome, Complete) and twin is None:
            made = archive.elite(outcome.candidate, outcome.evaluation, outcome.candidate.island)
            self._designs.note(number, made)
        elif outcome is not None:
            self._designs.note(number, None)

    def grow(self, best: Elite | None) -> None:
        """Takes the best program with its fitness on more instances."""
        self._designs.grow()
        self._stall.grow(_fitness(best))

    def designs(self, number: int) -> bool:
        """Whether an ask of a model wants a new design."""
        return self._designs.wanted(number)

    def parent(self, number: int, best: Elite | None) -> Elite | None:
        """The first parent of an ask that is not opened yet; None where it is drawn."""
        if best is None or self._designs.wanted(number) or self._stall.turn(number) is not None:
            return best
        return self._designs.to_improve(best.fitness)

    def told(self, number: int, context: Context) -> Context:
        """The context of an open ask with its subject."""
        wanted, improved = self._designs.wanted(number), self._designs.improved(number)
        turn = None if wanted else self._stall.turn(number)
        still = 0 if turn is None else self._stall.before(number)
        develops = improved and turn is None
        return replace(context, turn=turn, still=still, designs=wanted, develops=develops)


def subject_of(context: Context) -> str | None:
    """The operator that an ask's subject fixes; None where it is drawn."""
    if context.designs:
        return Origin.DESIGN
    if context.develops:
        return Origin.IMPROVE
    return None if context.turn is None else Origin.STALLED


def _fitness(best: Elite | None) -> float | None:
    return None if best is None else best.fitness
