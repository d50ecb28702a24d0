"""The search: which programs an iteration starts from, and what its outcome changes.

After AlphaEvolve (Novikov et al. 2025, arXiv:2506.13131) with islands as in FunSearch (Romera-Paredes et al.
2024, doi:10.1038/s41586-023-06924-6). A `Search` is a pure function of its asks and outcomes in their order:
no thread, no store, no clock and no sandbox. `Campaign` drives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from ..evaluators.base import Evaluation, ScoreStatus
from .agenda import Briefing
from .archive import Archive
from .course import Submission
from .history import CandidateRegistry, SearchCounters, Strata
from .islands import Islands, IslandSettings, Pool, PoolSettings
from .iteration import Iteration, IterationResult, Part, Point, Sharing
from .racing import Races, RaceSettings, SlowFounders, better
from .selection import SELECTIONS, Control, InspirationSettings, Selection, SelectionBasis, SelectionSettings
from .tuning import Tuner, TuneSettings
from .types import (
    AddStatus,
    Candidate,
    Complete,
    Context,
    Elite,
    Event,
    Failed,
    Outcome,
    Proposal,
    Refused,
    Rejection,
    unique,
)
from .validation import ValidationSettings


@dataclass(frozen=True)
class SearchSettings(RaceSettings, TuneSettings, SelectionSettings, ValidationSettings, PoolSettings):
    """How the budget is spent."""


@dataclass(frozen=True)
class PopulationSettings(IslandSettings, InspirationSettings):
    """Islands, how they meet, and how many of their elites a proposer sees."""


def news(number: int, outcome: Outcome, best: Elite | None) -> list[Event]:
    """Events of an outcome: a new best (None if there is none), and an objective beyond a bound."""
    events: list[Event] = []
    if best is not None:
        events.append(Event(number, "best", {"candidate": best.candidate.id, "fitness": best.fitness}))
    if isinstance(outcome, Failed) and outcome.score.status is ScoreStatus.BEYOND_BOUND:
        data = {"instance": outcome.score.instance, "message": outcome.score.message}
        events.append(Event(number, "beyond_bound", data))
    return events


_POPULATION = PopulationSettings()
_SETTINGS = SearchSettings()


class Search:
    """Asks for candidates and takes their outcomes.

    Attributes:
        parts: what learns from iterations, in the order of telling.
    """

    def __init__(
        self,
        archive: Archive,
        start: Elite,
        context: Context,
        *,
        seed: int,
        control: Control = Control.NONE,
        selection: type[Selection] | None = None,
        population: PopulationSettings = _POPULATION,
        settings: SearchSettings = _SETTINGS,
        starts: Sequence[Candidate] = (),
        founders: Sequence[Elite] = (),
        seconds: Mapping[str, float] = MappingProxyType({}),
        points: Mapping[int, Point] | None = None,
        guided: bool = False,
        offline_share: float = 0.0,
        notes_every: int = 0,
        programs: int = 1,
        prefixes: Sequence[int] | None = None,
    ) -> None:
        """Begins a search.

        Args:
            archive: holds the founders on every island.
            start: the program that fresh starts and best-of-n change.
            context: what a proposer may know from the beginning.
            seed, control: of all random streams; what takes the place of the search.
            selection: chooses parents; by default as the control and the proposer want it.
            population, settings: see there.
            starts: all programs that the search begins with, also those that lost their cell to another one.
            founders: those that random changes begin with, `start` alone by default.
            seconds: founder → mean CPU seconds of an execution, as recorded; slow ones are late incumbents.
            points: points of tuning by iteration where a record says them; None tunes.
            guided: whether models are asked, which read what the search has learnt.
            offline_share: share of the iterations that the offline proposer makes beside models (ratio).
            notes_every: outcomes after which a model writes the page of notes anew (count; 0 is never).
            programs: iterations of an episode with a model (count); 1 for a single question.
            prefixes: sizes of the prefixes of the pool of training instances (counts); None is one prefix.
        """
        guided = guided and control is Control.NONE
        strategy = selection or SELECTIONS["models" if guided else control]
        self.archive = archive
        self.start = start
        self.first = starts[0] if starts else start.candidate
        self.notes: list[str] = []
        self.seed = seed
        self.sharing = Sharing(programs)
        self.due: int | None = None
        self._settings = settings
        self._context = context
        self._points = points
        self._offline_share = offline_share
        self._validated = {start.candidate.id}
        count = len(start.evaluation.scores)
        self.tally = SearchCounters(points_are_free=guided, tells=strategy.learns)
        self.memory = CandidateRegistry([start.candidate, *starts], archive.elites(), repairs=strategy.learns)
        self.pool = Pool(prefixes or [count], settings.pool_share)
        self._strata = Strata(context.instances, archive.space.loss)
        basis = SelectionBasis(
            archive,
            self.memory,
            self._strata,
            start,
            tuple(founders),
            settings,
            1 + population.inspirations,
            seed,
        )
        self.selection = strategy(basis)
        self._beside = SELECTIONS[Control.NONE](basis) if offline_share else self.selection
        share = settings.tune_share if strategy.learns else 0.0
        self.tuner = Tuner(replace(settings, tune_share=share), seed=seed, named=guided)
        level = settings.race_level if strategy.races else 0.0
        slow = SlowFounders(seconds, founders)
        self.races = Races(archive, self.memory, self._strata, self.pool, slow, level)
        islands = Islands(archive, population, seed=seed)
        parts: list[Part] = [
            self.memory,
            self._strata,
            self.selection,
            self.tally,
            self.tuner,
            self.races,
            islands,
        ]
        if guided:
            parts.insert(2, Briefing(archive, self._strata, count, notes_every))
        self.parts = tuple(parts)

    def ask(self) -> Iteration:
        """Opens an iteration: an episode's next program, a point of tuning, or parents for a proposer."""
        number = self._next()
        if self.sharing.before is not None:
            return self.open(self._joined(number, self.sharing.before))
        if (point := self._point(number)) is not None:
            return self.open(self._tuning(number, *point))
        island = (number - 1) % self.archive.islands
        offline = self._offline(number)
        selection = self._beside if offline else self.selection
        elites = selection.parents(number, island)
        incumbent = self.races.incumbent(island, elites[0])
        return self.open(
            Iteration(
                number,
                island,
                (elites[0].candidate.id,),
                tuple(elites),
                None if incumbent is None else incumbent.candidate.id,
                self.races.race(island, incumbent, elites[0]),
                offline=offline,
                shown=tuple(elite.candidate.id for elite in elites),
            )
        )

    def _tuning(self, number: int, elite: Elite, text: Proposal | Rejection) -> Iteration:
        """A point of tuning; it races the elite whose numbers it changes."""
        incumbent = elite if self.races.level > 0 else None
        race = self.races.race(elite.island, incumbent, elite)
        id = elite.candidate.id
        raced = None if incumbent is None else id
        return Iteration(
            number, elite.island, (id,), (elite,), raced, race, tuned=True, point=text, shown=(id,)
        )

    def _joined(self, number: int, before: Iteration) -> Iteration:
        """An iteration for the next program of the reply that the iteration before shares."""
        parent = before.elites[0]
        incumbent = None if before.incumbent is None else self.races.incumbent(before.island, parent)
        race = self.races.race(before.island, incumbent, parent)
        return Iteration(
            number,
            before.island,
            before.parents,
            before.elites,
            None if incumbent is None else incumbent.candidate.id,
            race,
            programs=before.programs,
            program=before.program + 1,
            shown=before.shown,
        )

    def submit(self, submission: Submission, best: Elite) -> Iteration:
        """Opens the next iteration for a program from outside.

        The program races on the island of the best elite, and the hardest instances come first: the submitter
        is to learn the most from a race that ends early.
        """
        incumbent = self.races.incumbent(best.island, best)
        race = None
        if incumbent is not None:
            race = self.races.race(best.island, incumbent, incumbent, hardest_first=True)
        raced = None if incumbent is None else incumbent.candidate.id
        parents = (submission.parent,)
        text = submission.proposal
        return self.open(
            Iteration(self._next(), best.island, parents, (), raced, race, point=text, submitted=True)
        )

    def ask_again(
        self,
        island: int,
        parents: tuple[str, ...],
        *,
        tuned: bool | None,
        raced: str | None = None,
        inspirations: Sequence[str] = (),
        elites: Sequence[Elite] = (),
        incumbent: Elite | None = None,
    ) -> Iteration:
        """Opens the next iteration as it was opened before; the tuner goes on as it did then.

        Args:
            island, parents: as recorded.
            tuned: whether it was a point of tuning; None where its text is not recorded.
            raced: id of the incumbent as recorded.
            inspirations: ids of the programs beside the parent as recorded.
            elites: the first parent and the inspirations of an iteration that is still open.
            incumbent: of an iteration that is still open.
        """
        number = self._next()
        before = self.sharing.before
        point = self._point(number) if self._points is None and before is None else None
        again = point[1] if point is not None and tuned is None else None
        tuned = again is not None if tuned is None else tuned
        if tuned and point is not None:
            elites = elites or [point[0]]
            incumbent = incumbent or (point[0] if self.races.level > 0 else None)
        offline = not tuned and self._offline(number)
        race = None
        if elites:
            race = self.races.race(island, incumbent, elites[0])
        return self.open(
            Iteration(
                number,
                island,
                parents,
                tuple(elites),
                raced if incumbent is None else incumbent.candidate.id,
                race,
                tuned,
                offline,
                again,
                programs=1 if before is None else before.programs,
                program=1 if before is None else before.program + 1,
                shown=(*parents[:1], *inspirations),
            )
        )

    def open(self, iteration: Iteration) -> Iteration:
        """Every part learns of an opened iteration; a proposer gets its context."""
        for part in self.parts:
            part.ask(iteration)
        if iteration.asks:
            iteration.programs = self.sharing.wanted(iteration.failed)
        if iteration.elites and not iteration.tuned:
            iteration.context = self.context(
                iteration.number, iteration.elites, iteration.failed, iteration.programs, iteration.program
            )
        return self.sharing.open(iteration)

    def admit(self, iteration: Iteration, proposal: Proposal) -> Candidate | Rejection:
        """The candidate of an examined proposal, or its rejection."""
        return self.memory.admit(proposal, iteration.parents, iteration.island, iteration.number)

    def tell(self, iteration: Iteration, outcome: Outcome) -> IterationResult:
        """Closes an iteration: every part of the search learns its outcome.

        Args:
            iteration: as it was opened.
            outcome: how it ended.
        """
        best = self.archive.best
        result = IterationResult(outcome)
        self._place(iteration, result)
        result.improved = better(self.archive.best, best)
        result.events += news(iteration.number, outcome, self.archive.best if result.improved else None)
        ahead = self.memory.better_than_parent(outcome, iteration.parents)
        result.gained = self.selection.gained(iteration, result, ahead)
        for part in self.parts:
            part.tell(iteration, result)
        self.notes += result.notes
        self.due = self.due or self.pool.due(self.tally.executions, len(self.to_grow()))
        if self.tally.told % self._settings.validate_every == 0:
            result.validate = self._to_validate()
        return result

    def to_grow(self) -> list[Elite]:
        """The elites and the start program: they are evaluated on new instances when the prefix grows."""
        # A start program that failed on new instances before has no fitness any more.
        start = [self.start] if self.start.candidate.id in self.memory.fitness else []
        return unique([*self.archive.elites(), *start])

    def grow(self, evaluations: Mapping[str, Evaluation]) -> Event:
        """Goes on with the next prefix of the pool; if every elite fails on it, the prefix stays for good.

        `evaluations` are those of `to_grow` on the next prefix, by candidate.
        """
        before = [elite.candidate.id for elite in unique(self.archive.elites())]
        self.due = None
        for elite in self.to_grow():
            scores = evaluations[elite.candidate.id].scores[len(elite.evaluation.scores) :]
            self.tally.executions += len(scores)
            self.tally.cpu_seconds += sum(score.cpu_seconds for score in scores)
        if self.archive.grow(evaluations):
            self.pool.grow(evaluations)
            if (start := evaluations.get(self.start.candidate.id)) and start.fitness is not None:
                self.start = self.archive.elite(self.start.candidate, start, 0)
            for part in self.parts:
                part.grow(evaluations)
        else:
            self.pool.stop()
        best = self.archive.best
        failed = [id for id in before if evaluations[id].fitness is None]
        data = {"prefix": self.pool.prefix, "elites": before, "failed": failed}
        if best is not None:
            data |= {"candidate": best.candidate.id, "fitness": best.fitness}
        return Event(self.tally.told, "growth", data)

    def context(
        self,
        number: int,
        elites: Sequence[Elite],
        failed: Failed | None = None,
        programs: int | None = None,
        program: int = 1,
    ) -> Context:
        """What the proposer may know at an ask (1-based number) of these elites, with a failure to mend."""
        context = replace(
            self._context,
            iteration=number,
            inspirations=tuple(elites[1:]),
            lineage=self.memory.lineage(elites[0].candidate.id),
            failed=failed,
            best=self.archive.best,
            instances=dict(islice(self._context.instances.items(), self.pool.prefix)),
            programs=self.sharing.wanted(failed) if programs is None else programs,
            program=program,
        )
        offline = self._offline(number)
        for part in self.parts:
            context = context if offline and part.for_models else part.brief(number, elites[0], context)
        return context

    def _offline(self, number: int) -> bool:
        """Whether an iteration is the offline proposer's, which works beside models in a fixed rhythm."""
        if self.sharing.before is not None:
            return False
        turn = number - self.sharing.joined  # the iterations of one episode are one turn
        return int(turn * self._offline_share) != int((turn - 1) * self._offline_share)

    def _next(self) -> int:
        self.tally.asked += 1
        return self.tally.asked

    def _point(self, number: int) -> Point | None:
        return self.tuner.point(number, self.archive) if self._points is None else self._points.get(number)

    def _place(self, iteration: Iteration, result: IterationResult) -> None:
        """Adds a complete candidate to the archive, and notes its duplicate if it has one."""
        outcome = result.outcome
        if not isinstance(outcome, Complete):
            result.added = None if isinstance(outcome, Refused) else AddStatus.NOT_ADDED
            return
        candidate = outcome.candidate
        evaluation = outcome.evaluation
        self.memory.fitness[candidate.id] = outcome.fitness
        duplicate = self.archive.duplicate(candidate, evaluation)
        slower = self.archive.same(candidate, evaluation)
        result.added = self.archive.add(candidate, evaluation, iteration.island)
        if duplicate is not None and not result.added:
            result.duplicate = duplicate
            result.events.append(
                Event(iteration.number, "twin", {"candidate": candidate.id, "of": duplicate})
            )
        elif duplicate is None and slower is not None:
            result.events.append(Event(iteration.number, "faster", {"candidate": candidate.id, "of": slower}))

    def _to_validate(self) -> Candidate | None:
        """The best of the islands' best elites that was not validated yet."""
        elites = [e for e in self.archive.bests() if e.candidate.id not in self._validated]
        if not elites:
            return None
        best = max(elites, key=lambda elite: (elite.fitness, elite.candidate.id)).candidate
        self._validated.add(best.id)
        return best
