"""Islands of MAP-Elites cells (Mouret and Clune 2015, arXiv:1504.04909; islands as in FunSearch)."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from ..evaluators.base import Evaluation, losses_of
from .measures import MeasureSpace
from .types import AddStatus, Candidate, Elite, Origin

_NEIGHBOURS = 3
_NOVELTY = 0.25  # weight of the novelty rank beside the fitness rank


class Archive:
    """Holds one elite per cell and island; a better candidate of the same cell replaces the elite.

    A candidate that answers every training instance as an earlier one did is its duplicate and takes no cell,
    unless time is a measure and the candidate is at least one class faster, or it was asked for as a
    simplification and is shorter: then it takes the place of the earlier one.

    A pure function of the sequence of `add`, `migrate` and `reset` calls: rebuilt from the store on resume.
    """

    def __init__(self, space: MeasureSpace, islands: int) -> None:
        """Makes `islands` (count, ≥ 1) empty islands over the cells of `space`."""
        if islands < 1:
            raise ValueError(f"Archive islands: got {islands}, expected at least 1")
        self.space = space
        self._islands: list[dict[tuple[int, ...], Elite]] = [{} for _ in range(islands)]
        self._best: Elite | None = None
        self._behaviours: dict[str, tuple[Candidate, int]] = {}
        self._losses: dict[str, dict[str, float]] = {}
        self._ranked: dict[int, list[Elite]] = {}

    @property
    def islands(self) -> int:
        """Number of islands."""
        return len(self._islands)

    @property
    def best(self) -> Elite | None:
        """The elite with the largest training fitness; of equals the first one added."""
        return self._best

    def duplicate(self, candidate: Candidate, evaluation: Evaluation) -> str | None:
        """Id of an earlier candidate with the same answers on all training instances; None if there is none.

        Where time is a measure, a slower candidate is no duplicate.
        """
        id = self.same(candidate, evaluation)
        return None if id is None or self._faster(evaluation) else id

    def same(self, candidate: Candidate, evaluation: Evaluation) -> str | None:
        """Id of the fastest earlier candidate with the same answers, whatever its time; None if there is
        none.
        """
        other, _ = self._behaviours.get(behaviour(evaluation), (candidate, 0))
        return None if other.id == candidate.id else other.id

    def _faster(self, evaluation: Evaluation) -> bool:
        """Whether an evaluation is at least one class faster than the earlier ones with its answers."""
        _, best = self._behaviours[behaviour(evaluation)]
        return self.space.time_class(evaluation.scores) < best

    def _know(self, candidate: Candidate, evaluation: Evaluation) -> None:
        """Remembers answers, and the fastest candidate that gave them."""
        key = behaviour(evaluation)
        if key not in self._behaviours or self._faster(evaluation):
            self._behaviours[key] = candidate, self.space.time_class(evaluation.scores)

    def add(self, candidate: Candidate, evaluation: Evaluation, island: int) -> AddStatus:
        """Adds a candidate with its complete training evaluation to an island."""
        elite = self.elite(candidate, evaluation, island)
        if self.duplicate(candidate, evaluation) is not None:
            return self._simplify(elite)
        self._know(candidate, evaluation)
        return self._place(elite)

    def elite(self, candidate: Candidate, evaluation: Evaluation, island: int) -> Elite:
        """The elite that a candidate with a complete training evaluation would be on an island; adds
        nothing.
        """
        measures = self.space.measures(candidate, evaluation)
        return Elite(candidate, evaluation, island, self.space.cell(measures), measures)

    def migrate(self, elite: Elite, island: int) -> AddStatus:
        """Copies an elite, with its candidate, evaluation and lineage, to another island."""
        return self._place(replace(elite, island=island))

    def reset(self, island: int, survivors: Sequence[Elite]) -> None:
        """Empties an island and refills it with copies of elites of other islands."""
        self._islands[island] = {}
        self._ranked.pop(island, None)
        for elite in survivors:
            self.migrate(elite, island)

    def grow(self, evaluations: Mapping[str, Evaluation]) -> bool:
        """Places all elites again by their evaluations on more instances; drops elites that failed there.

        An island left without elites receives the best elite of all islands.

        Args:
            evaluations: of all elites, by candidate.

        Returns:
            False if every elite failed: then nothing is changed.
        """
        before = [self.elites(island) for island in range(self.islands)]
        if all(evaluations[elite.candidate.id].fitness is None for elite in self.elites()):
            return False
        self._islands = [{} for _ in before]
        self._best = None
        self._behaviours.clear()
        self._losses.clear()
        self._ranked.clear()
        for island, elites in enumerate(before):
            for elite in elites:
                evaluation = evaluations[elite.candidate.id]
                if evaluation.fitness is not None:
                    self._know(elite.candidate, evaluation)
                    self._place(self.elite(elite.candidate, evaluation, island))
        for island, cells in enumerate(self._islands):
            if not cells:
                self.migrate(self.elites()[0], island)
        return True

    def elites(self, island: int | None = None) -> list[Elite]:
        """Elites of one island or all, best first; ties by id."""
        groups = self._islands if island is None else [self._islands[island]]
        found = [elite for group in groups for elite in group.values()]
        return sorted(found, key=lambda e: (-e.fitness, e.candidate.id, e.island))

    def bests(self) -> list[Elite]:
        """The best elite of each island that is not empty."""
        return [elite for island in range(self.islands) for elite in self.elites(island)[:1]]

    def select(
        self,
        island: int,
        rng: random.Random,
        parents: int = 2,
        fertile: Callable[[list[Elite]], list[Elite]] = list,
    ) -> list[Elite]:
        """Selects parents from an island: the first by rank, the second to complement the first, others
        uniformly.

        Ranks combine fitness and a novelty term; a better rank is likelier (squared uniform). No elite is
        chosen twice, so an island with few elites gives fewer parents. Where time is a measure, the first
        parent comes from a drawn time class and the others from that class or its neighbours.

        Args:
            island: index.
            rng: stream of random numbers.
            parents: how many (count).
            fertile: which of the ranked elites may be the first.
        """
        pool = list(self._by_rank(island))
        number = self.draw_class(pool, rng)
        firsts = fertile([elite for elite in pool if number is None or self.class_of(elite) == number])
        if number is not None:
            pool = [elite for elite in pool if abs(self.class_of(elite) - number) <= 1]
        chosen = [firsts[int(len(firsts) * rng.random() ** 2)]] if pool else []
        pool = [elite for elite in pool if not chosen or elite is not chosen[0]]
        if pool and parents > 1:
            pool.sort(key=lambda e: (-self._complement(chosen[0], e), e.candidate.id))
            chosen.append(pool.pop(int(len(pool) * rng.random() ** 2)))
        while pool and len(chosen) < parents:
            chosen.append(pool.pop(rng.randrange(len(pool))))
        return chosen

    def incumbent(self, island: int, barred: Collection[str] = ()) -> Elite | None:
        """The weakest elite of an island's best quarter, against which new candidates race; None if there is
        none.

        Args:
            island: index.
            barred: ids of elites that do not count.
        """
        ranked = [elite for elite in self.elites(island) if elite.candidate.id not in barred]
        return ranked[(len(ranked) - 1) // 4] if ranked else None

    def incumbents(self, island: int) -> dict[int, Elite]:
        """Time class → the weakest elite of the best quarter of its elites on an island."""
        classes: dict[int, list[Elite]] = {}
        for elite in self.elites(island):
            classes.setdefault(self.class_of(elite), []).append(elite)
        return {number: elites[(len(elites) - 1) // 4] for number, elites in sorted(classes.items())}

    def class_of(self, elite: Elite) -> int:
        """Number of an elite's time class, 0 for the fastest; always 0 unless time is a measure."""
        return self.space.time_class(elite.evaluation.scores)

    def class_losses(self) -> dict[int, float]:
        """Time class → loss of its best elite (percent); empty unless time is a measure."""
        losses: dict[int, float] = {}
        for elite in self.elites() if self.space.timed else ():  # best first
            losses.setdefault(self.class_of(elite), -100 * elite.fitness)
        return losses

    def draw_class(self, elites: Sequence[Elite], rng: random.Random) -> int | None:
        """Draws a time class for a parent, uniformly among classes whose best elite beats all faster elites.

        Half of the draws return the class of the time budget, if there is a budget and its class holds an
        elite.

        Returns:
            None where time is no measure or there is no elite; then nothing is drawn.
        """
        if not self.space.timed or not elites:
            return None
        bests: dict[int, float] = {}
        for elite in elites:
            number = self.class_of(elite)
            bests[number] = max(elite.fitness, bests.get(number, elite.fitness))
        if self.space.aim in bests and rng.random() < 0.5:
            return self.space.aim
        fronts = [n for n in sorted(bests) if all(bests[n] > bests[m] for m in bests if m < n)]
        return fronts[rng.randrange(len(fronts))]

    def _by_rank(self, island: int) -> list[Elite]:
        """Elites of an island by fitness rank plus a share of their novelty rank."""
        if island not in self._ranked:
            fit = self.elites(island)
            novel = sorted(fit, key=lambda e: (-_novelty(e, fit), e.candidate.id))
            rank = {id(e): float(n) for n, e in enumerate(fit)}
            for number, elite in enumerate(novel):
                rank[id(elite)] += _NOVELTY * number
            self._ranked[island] = sorted(fit, key=lambda e: rank[id(e)])
        return self._ranked[island]

    def _complement(self, first: Elite, other: Elite) -> float:
        """Gain of taking the better of two elites on each instance over the first elite alone (ratio,
        summed).
        """
        mine = self._losses_of(first)
        its = self._losses_of(other)
        return sum(max(0.0, loss - its[id]) for id, loss in mine.items())

    def _losses_of(self, elite: Elite) -> dict[str, float]:
        id = elite.candidate.id
        if id not in self._losses:
            self._losses[id] = losses_of(elite.evaluation, self.space.loss)
        return self._losses[id]

    def _simplify(self, elite: Elite) -> AddStatus:
        """Replaces a longer program by its simplification, which gives the same answers."""
        answers = behaviour(elite.evaluation)
        longer, time = self._behaviours[answers]
        shorter = elite.candidate.description.nodes < longer.description.nodes
        cells = self._islands[elite.island]
        holder = cells.get(elite.cell)
        free = holder is None or holder.candidate.id == longer.id or holder.fitness < elite.fitness
        if elite.candidate.origin is not Origin.SIMPLIFY or not shorter or not free:
            return AddStatus.NOT_ADDED
        for cell in [cell for cell, other in cells.items() if other.candidate.id == longer.id]:
            del cells[cell]
        self._behaviours[answers] = elite.candidate, time
        if self._best is not None and self._best.candidate.id == longer.id:
            self._best = elite
        self._place(elite)
        return AddStatus.IMPROVED

    def _place(self, elite: Elite) -> AddStatus:
        if self.space.cell(elite.measures) != elite.cell:
            raise AssertionError(f"elite {elite.candidate.id}: cell {elite.cell} is not that of its measures")
        cells = self._islands[elite.island]
        holder = cells.get(elite.cell)
        if holder is not None and elite.fitness <= holder.fitness:
            return AddStatus.NOT_ADDED
        cells[elite.cell] = elite
        self._ranked.pop(elite.island, None)
        if self._best is None or elite.fitness > self._best.fitness:
            self._best = elite
        return AddStatus.NEW if holder is None else AddStatus.IMPROVED


def settled(space: MeasureSpace, islands: int, starts: Sequence[tuple[Candidate, Evaluation]]) -> Archive:
    """An archive with the start programs on each of its islands (count, ≥ 1)."""
    archive = Archive(space, islands)
    for candidate, evaluation in starts:
        for island in range(islands):
            archive.add(candidate, evaluation, island)
    return archive


def behaviour(evaluation: Evaluation) -> str:
    """Digest of a candidate's answers on all instances of a split."""
    answers = "\0".join(f"{score.instance} {score.answer_digest}" for score in evaluation.scores)
    return hashlib.sha256(answers.encode()).hexdigest()


def _novelty(elite: Elite, others: Sequence[Elite]) -> float:
    """Mean distance (bins, summed over measures) to the nearest other elites."""
    distances = sorted(
        sum(abs(a - b) for a, b in zip(elite.cell, other.cell, strict=True))
        for other in others
        if other is not elite
    )[:_NEIGHBOURS]
    return sum(distances) / len(distances) if distances else 0.0
