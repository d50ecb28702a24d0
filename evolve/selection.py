"""Parent selection: one class for each way to choose what an iteration starts from, and their registry.

`OfflineSelection` draws from an island, `ModelSelection` chooses for models, `BestOfN` and `RandomDrift` are
controls. Another one is a class with a method `parents` (docs/how-to/add-a-selection.md).

A share of the iterations begins again at the start program, or at the best founder, as random immigrants do
in a population (Grefenstette 1992, PPSN II, pp. 137-144): islands with a poor or slow structure thus keep
meeting other structures. Where a search begins with start programs alone, the share is
larger at first: their changes are the first population, and as long as the archive is poor a race lets more
of them through.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ..evaluators.base import Evaluation
from .archive import Archive
from .history import CandidateRegistry, Strata
from .iteration import Iteration, IterationResult, Part
from .settings import constant, knob
from .types import (
    Complete,
    Context,
    Elite,
    Event,
    Origin,
    Outcome,
    Refused,
    stream,
)

# Exhausted parents: all proposals from them are rejected, so the search selects other parents if there are
# any.
#
# The offline proposer has only a few dozen changes for a program of one line. Once all of them are made,
# every further proposal repeats a program, and thousands of iterations may pass without an evaluation.

PATIENCE = 40
"""Proposals in succession without a candidate after which a parent counts as exhausted (count)."""


class ExhaustedParents:
    """The parents whose latest proposals were all rejected; a function of the outcomes in their order."""

    def __init__(self) -> None:
        """Starts without outcomes."""
        self.parents: set[str] = set()
        self._rejections: dict[str, Counter[str]] = {}

    def tell(self, number: int, parent: str, outcome: Outcome) -> list[Event]:
        """Takes an outcome; returns an event when its parent becomes exhausted, once for each parent.

        Args:
            number: of the iteration.
            parent: id of its first parent.
            outcome: outcome of the iteration.
        """
        if not isinstance(outcome, Refused):
            self._rejections.pop(parent, None)
            self.parents.discard(parent)
            return []
        reasons = self._rejections.setdefault(parent, Counter())
        reasons[outcome.rejection.reason.value] += 1
        if reasons.total() != PATIENCE:
            return []
        self.parents.add(parent)
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        text = (
            f"iteration {number}: the last {PATIENCE} proposals from program {parent[:8]} were no new "
            f"programs ({counts}); other programs are the parents where there are any: `--start` and "
            "`search.founders=all` begin with more"
        )
        return [Event(number, "note", {"text": text})]

    def filter(self, elites: list[Elite]) -> list[Elite]:
        """The elites that are not exhausted; all of them if every one is."""
        return [elite for elite in elites if elite.candidate.id not in self.parents] or elites


class Control(StrEnum):
    """A control that replaces the search, to measure what the search contributes."""

    NONE = "none"
    BEST_OF_N = "best-of-n"
    RANDOM = "random"


FRESH_UNTIL = 600
"""Default of `fresh_until` before it is capped (count)."""


@dataclass(frozen=True)
class InspirationSettings:
    """What a proposer gets beside the parent."""

    inspirations: int = constant(
        1, "elites given to the proposer beside the parent (count, 0 to 8)", ge=0, le=8
    )


@dataclass(frozen=True)
class FreshSettings:
    """Share of iterations that begin again at the start program, or at the best founder."""

    fresh_share: float = knob(
        0.25,
        "share of the iterations whose parent is the best founder, whatever the archive holds "
        "(ratio; 0 is none; with models 0 by default)",
        ge=0,
        le=0.9,
    )
    fresh_until: int | None = constant(
        None,
        "first iterations, over which the share of fresh starts falls from 1 to fresh_share (count; "
        f"0 is none); {FRESH_UNTIL}, capped at a quarter of the iteration budget; 0 with models, with all "
        "founders, or without fresh starts",
        ge=0,
    )


@dataclass(frozen=True)
class SelectionSettings(FreshSettings):
    """What the strategies read of the configuration."""


@dataclass(frozen=True, slots=True)
class SelectionBasis:
    """What a strategy may use.

    Attributes:
        archive: the elites, as they are now.
        memory, strata: how candidates came about; where elites are good.
        start: the elite that fresh starts and best-of-n change.
        founders: what the search begins with.
        settings: see there.
        count: programs that a proposer sees, the parent among them (count).
        seed: of the choices.
    """

    archive: Archive
    memory: CandidateRegistry
    strata: Strata
    start: Elite
    founders: tuple[Elite, ...]
    settings: SelectionSettings
    count: int
    seed: int

    def rng(self, number: int) -> random.Random:
        """The random stream of a choice (1-based number of the ask)."""
        return stream(self.seed, "select", number)


class Selection(Part):
    """Chooses what an iteration starts from; a pure function of the archive and of the outcomes so far.

    Attributes:
        learns: whether proposals may know of each other; a control's may not.
        races: whether candidates are stopped early.
    """

    learns = True
    races = True

    def __init__(self, basis: SelectionBasis) -> None:
        """Takes what the choice may use."""
        self.basis = basis
        self.start = basis.start

    def parents(self, number: int, island: int) -> list[Elite]:
        """First parent and inspirations of an ask.

        Args:
            number: of the ask, 1-based.
            island: index of the island that the iteration belongs to.
        """
        raise NotImplementedError

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """Whether an outcome is a gain of its operator; None if it says nothing of it.

        Args:
            iteration, result: what was asked for and what came of it.
            better: whether the candidate is better in training than its first parent.
        """
        return better

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """See `Part`: takes the start program's elite on more instances."""
        start = evaluations.get(self.start.candidate.id)
        if start is not None and start.fitness is not None:
            self.start = self.basis.archive.elite(self.start.candidate, start, 0)


class BestOfN(Selection):
    """A control: changes the start program alone, and learns nothing."""

    learns = False

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        return [self.start]


class RandomDrift(Selection):
    """A control: changes any valid candidate so far, good or bad; a race would be the selection it lacks."""

    learns = False
    races = False

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        self._valid = list(basis.founders) or [basis.start]

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        return [self._valid[self.basis.rng(number).randrange(len(self._valid))]]

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Remembers what is valid on all training instances."""
        if isinstance(result.outcome, Complete):
            candidate = result.outcome.candidate
            self._valid.append(
                self.basis.archive.elite(candidate, result.outcome.evaluation, iteration.island)
            )


class OfflineSelection(Selection):
    """Draws from an island by rank; a share begins again, and exhausted parents are left out."""

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        founders = basis.founders or (basis.start,)
        self._founders = sorted(founders, key=lambda elite: (-elite.fitness, elite.candidate.id))
        self._exhausted = ExhaustedParents()

    def fresh(self, number: int) -> bool:
        """Whether an iteration (1-based number) begins again at the start if it is not one of tuning."""
        settings = self.basis.settings
        until = settings.fresh_until
        share = 1 - number / until if until else 0.0
        return stream(self.basis.seed, "fresh", number).random() < max(settings.fresh_share, share)

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        if self.fresh(number):
            return self._exhausted.filter([self.start, *self._founders])[:1]
        rng = self.basis.rng(number)
        return self.basis.archive.select(island, rng, self.basis.count, self._exhausted.filter)

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """See `Selection`; almost any change of a start program is a gain, so it says nothing."""
        return better if iteration.tuned or not self.fresh(iteration.first) else None

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Notes whether the parent still brings new programs."""
        if not iteration.tuned:
            events = self._exhausted.tell(iteration.number, iteration.parents[0], result.outcome)
            result.notes += [str(event.data["text"]) for event in events]
            result.events += events


class ModelSelection(Selection):
    """Draws by rank for models, whose calls are few, and knows which programs they were asked to simplify.

    Attributes:
        beside: draws, also for the offline proposer where that works beside models.
    """

    for_models = True

    def __init__(self, basis: SelectionBasis) -> None:
        """See `Selection`."""
        super().__init__(basis)
        self.beside = OfflineSelection(basis)
        self._simplified: set[str] = set()

    def parents(self, number: int, island: int) -> list[Elite]:
        """See `Selection`."""
        return self.beside.parents(number, island)

    def gained(self, iteration: Iteration, result: IterationResult, better: bool) -> bool | None:
        """See `Selection`; of a model's calls, which are few, only a new best is a gain."""
        if iteration.of_model:
            return result.improved
        return self.beside.gained(iteration, result, better)

    def brief(self, number: int, parent: Elite, context: Context) -> Context:
        """Whether the parent was to be simplified before."""
        return replace(context, simplified=parent.candidate.id in self._simplified)

    def tell(self, iteration: Iteration, result: IterationResult) -> None:
        """Takes an outcome."""
        if result.outcome.operator.split(" ")[0] == Origin.SIMPLIFY and iteration.of_model:
            self._simplified.update(iteration.parents[:1])

    def grow(self, evaluations: Mapping[str, Evaluation]) -> None:
        """See `Part`."""
        super().grow(evaluations)
        self.beside.grow(evaluations)


SELECTIONS: dict[str, type[Selection]] = {
    Control.NONE: OfflineSelection,
    Control.BEST_OF_N: BestOfN,
    Control.RANDOM: RandomDrift,
    "models": ModelSelection,
}
"""Name → strategy; to register one, add a row."""
