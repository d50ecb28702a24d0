"""The loop: ask, evaluate, tell.

After AlphaEvolve (Novikov et al. 2025, arXiv:2506.13131) with islands as in FunSearch (Romera-Paredes et al.
2024, doi:10.1038/s41586-023-06924-6). Nothing between an ask and its tell changes shared state, so iterations
overlap.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ..evaluators.base import Evaluation, ScoreStatus
from .archive import Archive
from .base import AddStatus, Budget, Candidate, Context, Elite, Proposal, Rejection, StopReason, Usage, stream
from .executor import Job
from .faults import sheltered
from .follow import Coursed, follow, recorded_steps
from .islands import Islands
from .ledger import BudgetSpent
from .memory import Memory
from .models.base import Leavable, LeftOpen
from .racing import PairedRace
from .selection import Control, Selection
from .state import Ask, Order, Ports, Settings, Tally
from .store.reader import Iteration
from .store.schema import StoreError
from .tune import Tuner
from .validation import Validation

_TICK_SECONDS = 0.2


class Campaign:
    """A search over programs: `ask` for a candidate, `tell` what came of it, `run` until the budget ends."""

    def __init__(
        self,
        ports: Ports,
        archive: Archive,
        start: Elite,
        settings: Settings,
        budget: Budget,
        *,
        baseline: tuple[str, Evaluation] | None,
        cpu_seconds: float,
        stop_file: Path,
        observe: Callable[[Campaign], None],
    ) -> None:
        """Takes the ports, an archive that holds the start programs, and what limits the search.

        Args:
            ports: what the loop works with.
            archive: holds the start programs on every island.
            start: the first start program.
            settings: how to search.
            budget: totals over all stops and resumes.
            baseline: best baseline on the training split, shown to models.
            cpu_seconds: CPU limit per execution, shown to models.
            stop_file: a file that ends the campaign when it exists.
            observe: called after every outcome and at least a few times a second.
        """
        self.ports = ports
        self.archive = archive
        self.start = start
        self.settings = settings
        self.budget = budget
        self.tally = Tally()
        self.validation = Validation(ports)
        self.stopped: StopReason | None = None
        self.trouble: Exception | None = None
        self._halt: StopReason | None = None
        self._baseline = baseline
        self._cpu_seconds = cpu_seconds
        self._stop_file = stop_file
        self._observe = observe
        self._record = {i.number: i for i in ports.store.read.iterations()}
        self._asks: deque[Ask] = deque()
        self._memory = Memory(ports.store.read.started_from(), archive.elites())
        self._selection = Selection(
            settings.control, start, settings.seed, share=settings.fresh_share, until=settings.fresh_until
        )
        self._islands = Islands(
            archive,
            seed=settings.seed,
            migration_every=settings.migration_every,
            reset_after=settings.reset_after,
        )
        self.tuner = Tuner(settings.seed, settings.tune_share, settings.tune_evaluations)
        self._threads = ThreadPoolExecutor(settings.in_flight, "proposal") if settings.waits else None
        self._began = time.monotonic() - float(ports.store.read.record("search_seconds") or 0.0)

    def run(self) -> StopReason:
        """Asks and tells until a budget ends or somebody stops it; what is in flight is finished and told.

        A resumed campaign runs the same loop: recorded outcomes take the place of executions.

        Raises:
            StoreError: the store cannot be written.
            SandboxError: candidates cannot be run.
        """
        self.validation.start(self.start.candidate)
        self._replay_completed()
        if isinstance(self.ports.proposer, Coursed) and (course := self.ports.proposer.course) is not None:
            follow(self, course)
        while True:
            if self.may_ask():
                self._launch(self.ask())
            elif (landed := self._landed()) is not None:
                self.tell(landed)
            elif self._asks:
                self._wait()
            else:
                break
        self.settle()
        if self.stopped is None:
            raise AssertionError("the loop ended without a reason")
        return self.stopped

    def interrupt(self, reason: StopReason) -> None:
        """Asks for no more; what is in flight is told, people aside. Safe to call from a signal handler."""
        self.stopped = self.stopped or reason
        self._halt = self._halt or (reason if reason.halts else None)

    def usage(self) -> Usage:
        """What the campaign has used so far, stops and resumes included."""
        calls = self.ports.store.model_usage() if self.settings.waits else None
        return Usage(
            iterations=self.tally.asked,
            evaluations=self.tally.evaluations,
            executions=self.tally.executions + self.validation.executions,
            cpu_seconds=self.tally.cpu_seconds + self.validation.cpu_seconds,
            tokens_in=calls.tokens_in if calls else 0,
            tokens_out=calls.tokens_out if calls else 0,
            cost_usd=calls.cost_usd if calls else None,
            model_calls=calls.calls if calls else 0,
            wall_seconds=time.monotonic() - self._began,
            since_improvement=self.tally.since_improvement,
        )

    def ask(self) -> Ask:
        """Opens the next iteration: chooses parents, or takes them from the record; one transaction."""
        number = self.tally.asked + 1
        self.tally.asked = number
        recorded = self._record.get(number)
        if recorded is not None:
            return self._asked_before(recorded)
        tuned = self.tuner.ask(number, self.archive)
        chosen = [tuned[0]] if tuned is not None else self._parents(number)
        island = tuned[0].island if tuned is not None else self._island(number)
        rival = None if not self.settings.races else chosen[0] if tuned else self.archive.rival(island)
        ask = Ask(number, island, tuple(e.candidate.id for e in chosen[:1]), self._race(rival, chosen[0]))
        inspirations = [e.candidate.id for e in chosen[1:]]
        raced = rival.candidate.id if rival is not None else None
        if self._threads is not None and tuned is None:
            self.ports.store.asked(number, island, ask.parents, inspirations, raced)
            ask.proposal = self._threads.submit(self._propose, chosen, self.context(number, chosen))
            return ask
        proposal = tuned[1] if tuned is not None else self._propose(chosen, self.context(number, chosen))
        with self.ports.store.transaction():
            self.ports.store.asked(number, island, ask.parents, inspirations, raced)
            self.admit(ask, proposal)
        return ask

    def tell(self, ask: Ask) -> None:
        """Closes an iteration: the archive learns what came of it; one transaction."""
        store = self.ports.store
        evaluation = ask.evaluation.result() if ask.evaluation is not None else None
        best = self.archive.best
        with store.transaction():
            added = self._place(ask, evaluation)
            if not ask.recorded:
                store.told(ask.iteration, evaluation, self.ports.evaluator.version, added)
                store.set("search_seconds", time.monotonic() - self._began)
                self._record_events(ask, evaluation, best)
            improved = self.archive.best is not best
            gained = None  # almost any change of a start program is a gain, which says little of its operator
            if ask.tuned or not self._selection.fresh(ask.iteration):
                gained = self._memory.better_than_parent(ask.outcome, ask.parents)
            cost = store.call_cost(ask.iteration) if self.settings.waits else None
            self.tally.count(ask, evaluation, improved=improved, gained=gained, cost=cost)
            if self.settings.control is Control.NONE:  # a control's proposals know nothing of each other
                self._memory.told(ask.island, ask.outcome, evaluation)
            self.tuner.tell(ask.iteration, evaluation, tuned=ask.tuned, alike=ask.alike)
            for event in self._islands.told(self.tally.told):
                if not ask.recorded:
                    store.event(self.tally.told, event.kind, event.data)
        if self.tally.told % self.settings.validate_every == 0:
            self.validation.start_best(self.archive.bests())
        self._observe(self)

    def settle(self) -> None:
        """Waits for all validations under way."""
        while self.validation.futures:
            self._wait()

    def close(self) -> None:
        """Ends proposal threads and remembers how long the search took."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        self.ports.store.set("search_seconds", time.monotonic() - self._began)

    def may_ask(self) -> bool:
        """Whether one more iteration may be opened now; notes the reason when none may ever be."""
        if self._stop_file.exists():
            self.interrupt(StopReason.STOP_FILE)
        replaying = self.tally.asked + 1 in self._record
        if self.stopped is None and not replaying:
            self.stopped = self.budget.exhausted(self.usage())
        if not self._room() or (self.stopped is not None and not replaying):
            return False
        if replaying and self.settings.order is Order.COMPLETED:
            return True
        admitted = self.budget.admits(self.tally.asked + 1, self.tally.evaluations, len(self._asks))
        if not admitted and not self._asks:  # a replay that took another course than the record
            self.interrupt(StopReason.EVALUATIONS)
        return admitted

    def _room(self) -> bool:
        # In order of completion only asks that wait for somebody count, and as many again may be evaluated;
        # otherwise the number of asks under way decides what an ask can know, so it is kept exactly.
        most = self.settings.in_flight
        if self.settings.order is Order.SUBMITTED:
            return len(self._asks) < most
        return sum(ask.outcome is None for ask in self._asks) < most and len(self._asks) < 2 * most

    def _parents(self, number: int) -> list[Elite]:
        count = 1 + self.settings.inspirations
        return self._selection.parents(self.archive, self._island(number), number, count)

    def _island(self, number: int) -> int:
        return (number - 1) % self.archive.islands

    def _race(self, rival: Elite | None, parent: Elite) -> PairedRace | None:
        if rival is None:
            return None
        answers = tuple(score.answer_digest for score in parent.evaluation.scores)
        loss, level = self.ports.evaluator.loss, self.settings.race_level
        return PairedRace.against(rival.evaluation, loss, level, answers)

    def _asked_before(self, recorded: Iteration) -> Ask:
        """The ask of a recorded iteration; only what was not told is done."""
        if self.settings.order is Order.SUBMITTED:
            self.tuner.ask(recorded.number, self.archive)  # as it was asked then: it goes on from here
        ask = Ask(recorded.number, recorded.island, recorded.parents)
        ask.recorded = recorded.told is not None
        read = self.ports.store.read
        if recorded.candidate is not None:
            ask.outcome = found = read.candidate(recorded.candidate)
            if found is not None:
                self._memory.know(found)
            if ask.recorded and (evaluation := read.evaluation(recorded.candidate, "train")) is not None:
                ask.evaluation = Future()
                ask.evaluation.set_result(evaluation)
        elif recorded.rejection is not None:
            ask.outcome = recorded.rejection
        elif self._threads is not None:
            elites = [self.elite(id) for id in (*recorded.parents, *recorded.inspirations)]
            ask.proposal = self._threads.submit(self._propose, elites, self.context(recorded.number, elites))
        if recorded.rival and (ask.tuned or not ask.recorded):  # nobody asks for the race of other told ones
            ask.race = self._race(self.elite(recorded.rival), self.elite(recorded.parents[0]))
        return ask

    def elite(self, id: str) -> Elite:
        """A recorded candidate with its training evaluation, whether or not it still holds a cell."""
        read = self.ports.store.read
        candidate, evaluation = read.candidate(id), read.evaluation(id, "train")
        if candidate is None or evaluation is None:
            raise StoreError(f"candidate {id}: not in the store, expected the parent of an open iteration")
        return self.archive.elite(candidate, evaluation, candidate.island)

    def context(self, number: int, chosen: list[Elite]) -> Context:
        """What the proposer may know at an ask (1-based number) with these elites."""
        return Context(
            problem=self.ports.problem,
            iteration=number,
            instances=self.ports.evaluator.instances("train"),
            start=self.start,
            baseline=self._baseline,
            inspirations=tuple(chosen[1:]),
            modules=tuple(self.ports.admission.modules),
            cpu_seconds=self._cpu_seconds,
            operators=dict(self.tally.operators) if self.settings.control is Control.NONE else {},
            costs=dict(self.tally.costs),
            lineage=self._memory.lineage(chosen[0].candidate.id),
            failed=self._memory.failed.get(self._island(number)),
        )

    def _propose(self, chosen: list[Elite], context: Context) -> Proposal | Rejection:
        rng = stream(self.settings.seed, "propose", context.iteration)
        return sheltered(lambda: self.ports.proposer.propose(chosen, context, rng))

    def admit(self, ask: Ask, proposal: Proposal | Rejection) -> None:
        """Makes a candidate of a proposal, or a rejection, and records it."""
        outcome: Candidate | Rejection | Proposal = proposal
        if isinstance(outcome, Proposal):
            admit = self.ports.admission.admit
            outcome = admit(outcome, ask.parents, ask.island, ask.iteration, self._memory)
        if isinstance(outcome, Candidate):
            self._memory.know(outcome)
        ask.outcome = outcome
        self.ports.store.admitted(ask.iteration, outcome)

    def _launch(self, ask: Ask) -> None:
        self._asks.append(ask)
        self.evaluate(ask)

    def evaluate(self, ask: Ask) -> None:
        """Starts the training evaluation of an admitted candidate, unless its outcome is known."""
        if isinstance(ask.outcome, Candidate) and ask.evaluation is None:
            job = Job(self.ports.evaluator.program(ask.outcome.files), "train", race=ask.race)
            ask.evaluation = self.ports.executor.submit(job)

    def _landed(self) -> Ask | None:
        """The next ask that may be told: the oldest, or in order of completion any."""
        self._admit_arrived()
        for ask in list(self._asks)[: 1 if self.settings.order is Order.SUBMITTED else None]:
            if ask.landed:
                self._asks.remove(ask)
                return ask
        return None

    def _admit_arrived(self) -> None:
        """Admits proposals that have arrived, in the order of telling; a model's trouble stops all."""
        for ask in list(self._asks):
            if ask.outcome is None and ask.proposal is not None and ask.proposal.done():
                if (error := ask.proposal.exception()) is not None:
                    self._asks.remove(ask)
                    self.give_up(error)
                    continue
                self.admit(ask, ask.proposal.result())
                self.evaluate(ask)
            elif ask.outcome is None and self.settings.order is Order.SUBMITTED:
                return

    def give_up(self, error: BaseException) -> None:
        """Ends the asking because a model cannot go on; what is neither a budget nor a model's is raised."""
        if not isinstance(error, Exception):
            raise error
        # An open ask stays open: whatever ended the asking before, the campaign is not complete.
        if isinstance(error, BudgetSpent):
            self.stopped = error.reason
        elif isinstance(error, LeftOpen):
            self.stopped = self._halt or self.stopped
        else:
            self.trouble = self.trouble or error
            self.stopped = self._halt = StopReason.PROVIDER

    def _wait(self) -> None:
        """Waits until something may have landed, a tick at most, and collects validations."""
        if self._halt is not None and isinstance(self.ports.proposer, Leavable):
            self.ports.proposer.leave()
        futures: list[Future[Any]] = list(self.validation.futures)
        in_turn = self.settings.order is Order.SUBMITTED
        asks = [a for n, a in enumerate(self._asks) if n == 0 or a.outcome is None or not in_turn]
        futures += [future for ask in asks if (future := ask.awaited) is not None]
        wait(futures, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
        self.validation.collect()
        self._observe(self)

    def _place(self, ask: Ask, evaluation: Evaluation | None) -> AddStatus | None:
        if not isinstance(ask.outcome, Candidate) or evaluation is None:
            return None
        if evaluation.fitness is None:
            return AddStatus.NOT_ADDED
        self._memory.fitness[ask.outcome.id] = evaluation.fitness
        if self.settings.control is not Control.NONE:
            self._selection.told(self.archive.elite(ask.outcome, evaluation, ask.island))
        twin = self.archive.twin(ask.outcome, evaluation)
        if twin is not None and not ask.recorded:
            self.ports.store.event(ask.iteration, "twin", {"candidate": ask.outcome.id, "of": twin})
        return self.archive.add(ask.outcome, evaluation, ask.island)

    def _record_events(self, ask: Ask, evaluation: Evaluation | None, best: Elite | None) -> None:
        store = self.ports.store
        if (found := self.archive.best) is not None and found is not best:
            store.event(ask.iteration, "best", {"candidate": found.candidate.id, "fitness": found.fitness})
        failure = evaluation.failure if evaluation is not None else None
        if failure is not None and failure.status is ScoreStatus.BEYOND_BOUND:
            data = {"instance": failure.instance, "message": failure.message}
            store.event(ask.iteration, "beyond_bound", data)

    def _replay_completed(self) -> None:
        """In order of completion: asks and tells again as recorded, so that open asks know what they knew."""
        if self.settings.order is Order.SUBMITTED:
            return
        for step in recorded_steps(self.ports.store.read):
            recorded = self._record[abs(step)]
            if step > 0 and recorded.told is None:
                self._launch(self._asked_before(recorded))
            elif step < 0:
                ask = self._asked_before(recorded)
                if isinstance(ask.outcome, Candidate) and ask.tuned:
                    self.tuner.skip(ask.outcome.files)
                self.tell(ask)
        self.tally.asked = len(self._record)
