"""The search: which programs an iteration starts from, and what its outcome changes.

After AlphaEvolve (Novikov et al. 2025, arXiv:2506.13131) with islands as in FunSearch (Romera-Paredes et al.
2024, doi:10.1038/s41586-023-06924-6). A `Search` is a pure function of its asks and outcomes in their order:
no thread, no store, no clock and no sandbox. `Campaign` drives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from ..evaluators.base import Evaluation, ScoreStatus
from .agenda import Pages, Subjects
from .archive import Archive
from .counters import SearchCounters
from .history import AttemptLog, CandidateRegistry, Strata
from .islands import Islands, Pool
from .iteration import Ask, Point, Sharing, Told
from .racing import Races, SlowFounders, better
from .search_settings import PopulationSettings, SearchSettings
from .selection import Control, Guide, Selection
from .tuning import Tuner
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
    stream,
    unique,
)

# The events of an outcome: a new best, and an objective beyond a proven bound.

SOLVED = (
    "iteration {}: every training instance is at its proven optimum; training ranks no program higher any "
    "more, validation decides, and prompts say so (Ctrl-C ends the search)"
)


def solved(number: int, best: Elite | None) -> list[str]:
    """What is said when the best program can have no smaller gap in training; nothing before."""
    return [SOLVED.format(number)] if best is not None and best.solved else []


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
    """Asks for candidates and takes their outcomes."""

    def __init__(
        self,
        archive: Archive,
        start: Elite,
        context: Context,
        *,
        seed: int,
        control: Control = Control.NONE,
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
            population, settings: see there.
            starts: all programs that the search begins with, also those that lost their cell to another one.
            founders: those that random changes begin with, `start` alone by default.
            seconds: founder → mean CPU seconds of an execution, as recorded; slow ones are late incumbents.
            points: points of tuning by iteration where a record says them; None tunes.
            guided: whether models are asked, which read what the search has learnt.
            offline_share: share of the iterations that the offline proposer makes beside models (ratio).
            notes_every: outcomes after which a model writes the page of notes anew (count; 0 is never).
            programs: that a model's reply is to hold (count).
            prefixes: sizes of the prefixes of the pool of training instances (counts); None is one prefix.
        """
        self.archive = archive
        self.start = start
        self.first = starts[0] if starts else start.candidate
        self.notes: list[str] = []
        self.tally = SearchCounters()
        self.memory = CandidateRegistry([start.candidate, *starts], archive.elites())
        self.seed = seed
        self._control = control
        self._settings = settings
        self._inspirations = population.inspirations
        self._context = context
        self._selection = Selection(control, start, settings, seed=seed, founders=founders)
        slow = SlowFounders(seconds, founders)
        self._islands = Islands(archive, population, seed=seed)
        self.tuner = Tuner(
            settings if control is Control.NONE else replace(settings, tune_share=0.0),
            seed=seed,
            named=guided and control is Control.NONE,
        )
        self._points = points
        self._offline_share = offline_share
        self._strata = Strata(context.instances, archive.space.loss)
        alone = control is not Control.NONE
        self._guide = None if alone or not guided else Guide(self.memory, self._strata)
        self._attempts = AttemptLog(len(start.evaluation.scores), archive.space.loss, archive.elites())
        self._subjects = Subjects(settings, archive.best)
        self._pages = Pages(notes_every if self._guide is not None else 0)
        self._validated = {start.candidate.id}
        self.pool = Pool(prefixes or [len(start.evaluation.scores)], settings.pool_share)
        self.due: int | None = None
        # A race would be the selection that random changes are to lack.
        level = 0.0 if control is Control.RANDOM else settings.race_level
        self.races = Races(archive, self.memory, self._strata, self.pool, slow, level)
        self.sharing = Sharing(programs)

    def ask(self) -> Ask:
        """Opens the next iteration: a reply's next program, a point of tuning, or parents for a proposer."""
        number = self._next()
        if self.sharing.before is not None:
            return self._joined(number, self.sharing.before)
        point = self._point(number)
        if point is not None:
            elites = [point[0]]
            island = point[0].island
            incumbent = point[0] if self.races.level > 0 else None
        else:
            island = (number - 1) % self.archive.islands
            elites = self._parents(number, island)
            whole = self._subjects.designs(number) and not self._offline(number)  # it may be improved
            incumbent = None if whole else self.races.incumbent(island, elites[0])
        ask = Ask(
            number,
            island,
            (elites[0].candidate.id,),
            tuple(elites),
            None if incumbent is None else incumbent.candidate.id,
            self.races.race(
                island, incumbent, elites[0], self._hardest_first(number, tuned=point is not None)
            ),
            tuned=point is not None,
            offline=point is None and self._offline(number),
            point=None if point is None else point[1],
        )
        if point is not None:
            self._count_point()
            return ask
        failed = self._opened(number, island, ask.shown) if ask.of_model else None
        programs = self.sharing.wanted(failed) if ask.of_model else 1
        context = self.context(number, elites, failed, programs)
        return self.sharing.open(replace(ask, programs=programs, context=context))

    def _joined(self, number: int, before: Ask) -> Ask:
        """Opens an iteration for the next program of the reply that the iteration before shares."""
        program = before.program + 1
        incumbent = (
            None if before.incumbent is None else self.races.incumbent(before.island, before.elites[0])
        )
        ask = replace(
            before,
            number=number,
            program=program,
            incumbent=None if incumbent is None else incumbent.candidate.id,
            race=self.races.race(before.island, incumbent, before.elites[0], self._guide is not None),
            context=self.context(number, before.elites, None, before.programs, program),
        )
        return self.sharing.open(ask)

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
    ) -> Ask:
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
        if tuned:
            self._count_point()
        if tuned and point is not None:
            elites = elites or [point[0]]
            incumbent = incumbent or (point[0] if self.races.level > 0 else None)
        hardest_first = self._hardest_first(number, tuned=tuned)
        race = self.races.race(island, incumbent, elites[0], hardest_first) if elites else None
        raced = raced if incumbent is None else incumbent.candidate.id
        offline = not tuned and self._offline(number)
        ask = Ask(number, island, parents, tuple(elites), raced, race, tuned, offline, again)
        shown = [*parents[:1], *inspirations]
        failed = self._opened(number, island, shown) if ask.of_model and before is None else None
        programs = self.sharing.wanted(failed) if ask.of_model else 1
        program = 1
        if before is not None:
            programs = before.programs
            program = before.program + 1
        context = self.context(number, elites, failed, programs, program) if elites and not tuned else None
        return self.sharing.open(replace(ask, programs=programs, program=program, context=context))

    def admit(self, ask: Ask, proposal: Proposal) -> Candidate | Rejection:
        """The candidate of an examined proposal, or its rejection."""
        return self.memory.admit(proposal, ask.parents, ask.island, ask.number)

    def tell(self, ask: Ask, outcome: Outcome, cost: float | None = None) -> Told:
        """Closes an iteration: every part of the search learns its outcome.

        Args:
            ask: the iteration.
            outcome: how it ended.
            cost: US dollars of its model calls, None if not known.
        """
        best = self.archive.best
        events: list[Event] = []
        added = self._place(ask, outcome, events)
        duplicate = next((str(event.data["of"]) for event in events if event.kind == "twin"), None)
        if self._guide is not None and (ask.of_model or ask.submitted):
            self._attempts.add(outcome, added, duplicate, ask.parents, ask.incumbent)
            self._guide.note(ask.number, outcome, ask.parents)
        self._subjects.tell(ask.number, self.archive, outcome if ask.of_model else None, duplicate)
        improved = better(self.archive.best, best)
        self.notes += solved(ask.number, self.archive.best if improved and self._guide else None)
        events += news(ask.number, outcome, self.archive.best if improved else None)
        gained = None  # almost any change of a start program is a gain, which says little of its operator
        if self._guide is not None and ask.of_model:
            gained = improved
        elif ask.tuned or not self._selection.fresh(ask.first):
            gained = self.memory.better_than_parent(outcome, ask.parents)
        point = ask.tuned and self._guide is not None
        later = ask.program > 1
        self.tally.count(outcome, improved=improved, gained=gained, cost=cost, point=point, later=later)
        if self._control is Control.NONE:  # a control's proposals know nothing of each other
            self.memory.note_failure(ask.island, outcome, repairable=ask.of_model)
        if ask.of_model:
            self._pages.tell(ask.number)
        self.sharing.tell(ask.number)
        if self._control is Control.NONE and not ask.tuned and self._guide is None:
            exhausted = self._selection.exhausted.tell(ask.number, ask.parents[0], outcome)
            self.notes += [str(event.data["text"]) for event in exhausted]
            events += exhausted
        self.tuner.tell(ask.number, outcome, tuned=ask.tuned)
        events += self._islands.meet(self.tally.told)
        self.due = self.due or self.pool.due(self.tally.executions, len(self.to_grow()))
        due = self.tally.told % self._settings.validate_every == 0
        return Told(added, tuple(events), self._to_validate() if due else None)

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
            self.pool.grow()
            self.memory.fitness = {id: e.fitness for id, e in evaluations.items() if e.fitness is not None}
            if (start := evaluations.get(self.start.candidate.id)) and start.fitness is not None:
                self.start = self.archive.elite(self.start.candidate, start, 0)
                self._selection.grow(self.start)
            self._strata.grow()
            self._subjects.grow(self.archive.best)
            self._attempts.grow(self.pool.prefix, self.archive.elites())
            self._islands.grow(self.tally.told)
            self.tuner.grow()
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
        best = self.archive.best
        context = replace(
            self._context,
            iteration=number,
            inspirations=tuple(elites[1:]),
            operators=dict(self.tally.operators) if self._control is Control.NONE else {},
            costs=dict(self.tally.costs),
            lineage=self.memory.lineage(elites[0].candidate.id),
            failed=failed,
            best=best,
            instances=dict(islice(self._context.instances.items(), self.pool.prefix)),
            programs=self.sharing.wanted(failed) if programs is None else programs,
            program=program,
        )
        if self._guide is None or best is None or self._offline(number):
            return context
        if context.times is not None:
            context = replace(context, times=replace(context.times, losses=self.archive.class_losses()))
        return replace(
            self._subjects.told(number, context),
            complements=self._strata.complements(best, self.archive.elites()),
            attempts=self._attempts.lines(),
            under_way=len(self.sharing.under_way),
            simplified=elites[0].candidate.id in self._guide.simplified,
            writes=self._pages.writes(number),
            pages=self._pages.shown,
        )

    def _parents(self, number: int, island: int) -> list[Elite]:
        """First parent and inspirations of an ask."""
        count = 1 + self._inspirations
        if self._guide is None or self._offline(number) or self._selection.fresh(number):
            return self._selection.parents(self.archive, island, number, count)
        rng = stream(self.seed, "select", number)
        first = self._subjects.parent(number, self.archive.best)
        return self._guide.parents(self.archive, island, first, rng, count)

    def _offline(self, number: int) -> bool:
        """Whether an iteration is the offline proposer's, which works beside models in a fixed rhythm."""
        if self.sharing.before is not None:
            return False
        turn = number - self.sharing.joined  # the programs of one reply are one turn
        return int(turn * self._offline_share) != int((turn - 1) * self._offline_share)

    def _opened(self, number: int, island: int, shown: Sequence[str]) -> Failed | None:
        """Notes the ask of a model and the programs that it shows (ids); returns what it may repair."""
        self._pages.ask(number)
        self._subjects.ask(number, shown[0])
        if self._guide is not None:
            self._guide.offer(number, shown)
        return self.memory.take_failure(island)

    def _next(self) -> int:
        self.tally.asked += 1
        return self.tally.asked

    def _count_point(self) -> None:
        """Counts a point of tuning: beside models, whose calls are the iterations, none is an iteration."""
        self.tally.points += self._guide is not None

    def _point(self, number: int) -> Point | None:
        return self.tuner.ask(number, self.archive) if self._points is None else self._points.get(number)

    def _hardest_first(self, number: int, *, tuned: bool) -> bool:
        """Whether an iteration is a model's, whose few replies are to show what they are good for."""
        return self._guide is not None and not tuned and not self._offline(number)

    def _place(self, ask: Ask, outcome: Outcome, events: list[Event]) -> AddStatus | None:
        """Adds a complete candidate to the archive, and notes its duplicate if it has one."""
        if isinstance(outcome, Refused):
            return None
        if not isinstance(outcome, Complete):
            return AddStatus.NOT_ADDED
        candidate = outcome.candidate
        evaluation = outcome.evaluation
        self.memory.fitness[candidate.id] = outcome.fitness
        self.races.slow.beaten(outcome.fitness, self.memory.fitness)
        if self._control is Control.RANDOM:
            self._selection.add(self.archive.elite(candidate, evaluation, ask.island))
        duplicate = self.archive.duplicate(candidate, evaluation)
        slower = self.archive.same(candidate, evaluation)
        second = self._guide is not None
        added = self.archive.add(candidate, evaluation, ask.island, second=second)
        if duplicate is not None and not added:
            events.append(Event(ask.number, "twin", {"candidate": candidate.id, "of": duplicate}))
        elif duplicate is None and slower is not None:
            events.append(Event(ask.number, "faster", {"candidate": candidate.id, "of": slower}))
        return added

    def _to_validate(self) -> Candidate | None:
        """The best of the islands' best elites that was not validated yet."""
        elites = [e for e in self.archive.bests() if e.candidate.id not in self._validated]
        if not elites:
            return None
        best = max(elites, key=lambda elite: (elite.fitness, elite.candidate.id)).candidate
        self._validated.add(best.id)
        return best
