"""The driver of a search: threads, store, budget, stop file and validation around a pure `Search`.

Nothing between an ask and its tell changes the search, so iterations overlap. The order of steps comes from a
recorded course, from live events, or first from the one and then from the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..evaluators.base import Evaluation, Evaluator
from .admission import Admission
from .budget import Budget, StopReason, Usage
from .course import Course, Pace, RecordedCourse, Submission, Submissions, TellOrder, is_point
from .executor import EvaluationJob, Executor, leave, sheltered
from .iteration import Iteration, awaited, done
from .llm.base import Leavable, LeftOpen
from .llm.episodes import Conversing
from .llm.ledger import BudgetSpent
from .llm.prompt_register import Expectation
from .racing import outcome_of_iteration, race_for
from .remote.proposals import Draft, Drafter, draft_of
from .search import Search
from .store.course import SHARES
from .store.course import steps as recorded_steps
from .store.store import Store
from .types import Candidate, Elite, Proposal, Proposer, Refused, Rejection, stream
from .validation import Validation


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a campaign.

    Attributes:
        beside: the offline proposer that works beside models, None if none does.
        drafter: makes and examines proposals in other processes; None where the driver does so itself.
        submissions: programs that somebody outside the search brought, by iteration.
    """

    evaluator: Evaluator
    proposer: Proposer
    executor: Executor
    admission: Admission
    store: Store
    beside: Proposer | None = None
    drafter: Drafter | None = None
    submissions: Submissions = field(default_factory=Submissions)


# The prefix of the pool grows: all elites are evaluated on the new instances before the search goes on.


def grow(search: Search, ports: Ports, prefix: int, stopped: Callable[[], bool], tick: float) -> bool:
    """Goes on to a longer prefix; nothing may be in flight.

    Each evaluation is recorded as soon as it ends and never repeated, so after a stop or a kill the growth
    continues where it was.

    Args:
        search: the search for which this prefix is due.
        ports: where evaluations are made and recorded.
        prefix: training instances in use from now on (count).
        stopped: asked at least every `tick` wall seconds whether to leave the rest for later.
        tick: see there.

    Returns:
        False if it was stopped before the end: then the search has not changed.
    """
    store = ports.store
    evaluator = ports.evaluator
    evaluations: dict[str, Evaluation] = {}
    under_way: dict[Future[Evaluation], Elite] = {}
    for elite in search.to_grow():
        candidate = elite.candidate
        count = len(elite.evaluation.scores)
        recorded = store.read.evaluation(candidate.id, "train", prefix)
        if recorded is not None and len(recorded.scores) > count:
            evaluations[candidate.id] = recorded
        else:
            job = EvaluationJob(evaluator.program(candidate.files), "train", first=count, last=prefix)
            under_way[ports.executor.submit(job)] = elite
    while under_way:
        wait(under_way, timeout=tick, return_when=FIRST_COMPLETED)
        for future in [future for future in under_way if future.done()]:
            elite = under_way.pop(future)
            whole = evaluator.joined(elite.evaluation, future.result())
            evaluations[elite.candidate.id] = whole
            store.put_growth(elite.candidate.id, prefix, whole, evaluator.version)
        if stopped() and under_way:
            for future in under_way:
                future.cancel()  # what has not begun would hold up validation and test
            return False
    event = search.grow(evaluations)
    if not store.read.grown(event.iteration):
        store.event(event.iteration, event.kind, event.data)
    return True


_TICK_SECONDS = 0.2
_LATE_SECONDS = 1.0
"""Wall seconds after the end of a search within which evaluations under way may still end."""


class Campaign:
    """Runs a search until a budget ends or a person stops it; resumes it from its store."""

    def __init__(
        self,
        search: Search,
        ports: Ports,
        budget: Budget,
        pace: Pace,
        *,
        stop_file: Path,
        observe: Callable[[Campaign], None] = lambda campaign: None,
        kept: Callable[[Campaign], float] = lambda campaign: 0.0,
    ) -> None:
        """Takes a search with its start programs, and what it works with.

        Args:
            search: which has asked for nothing yet, whatever the store holds.
            ports: where texts, evaluations and the record are made.
            budget: totals over all stops and resumes.
            pace: how many iterations are under way.
            stop_file: a file that ends the campaign when it exists.
            observe: called after every outcome and at least a few times a second.
            kept: wall seconds that a budget of time reserves for preparation, validation and test.
        """
        self.search = search
        self.ports = ports
        self.budget = budget
        self.validation = Validation(ports.evaluator, ports.executor, ports.store)
        self.stopped: StopReason | None = None
        self.trouble: Exception | None = None
        self.ending = ""
        self.phase: tuple[str, int, int] | None = None
        self._halt: StopReason | None = None
        self._pace = pace
        self._stop_file = stop_file
        self._observe = observe
        self.kept = kept
        self.recorded = RecordedCourse(ports.store.read)
        self._flights: dict[int, Iteration] = {}
        most = pace.in_flight * search.sharing.programs  # each iteration that shares a reply waits for it
        self._threads = ThreadPoolExecutor(most, "proposal") if pace.waits else None
        self._began = time.monotonic() - float(ports.store.read.record("search_seconds") or 0.0)
        self._rested: float | None = None

    def run(self) -> StopReason:
        """Opens and closes iterations until the budget ends; what is in flight is finished and told.

        Raises:
            StoreError: the store cannot be written.
            SandboxError: candidates cannot be run.
        """
        self.validation.start(self.search.first)
        stopped = self.follow()
        if stopped is not StopReason.SECONDS:  # else they are waited for as long as there is time
            self.settle()
        return stopped

    def follow(self) -> StopReason:
        """Takes the steps of the record, then those of a live campaign; see `run`."""
        for step in self._steps():
            if step > 0:
                self._open(step)
            else:
                self._close(self._flights.pop(-step))
        if self.stopped is None:
            raise AssertionError("the loop ended without a reason")
        return self.stopped

    def take(self, submission: Submission) -> Iteration | None:
        """Opens and closes one iteration for a program from outside; None if it was stopped before.

        Nothing may be in flight. See `run` for what it raises.
        """
        number = self.search.tally.asked + 1
        self.ports.submissions.add(number, submission)
        self._open(number)
        if (flight := self._flights.get(number)) is None:
            return None
        while not flight.finished:
            self.wait()
        self._close(self._flights.pop(number))
        return flight

    def interrupt(self, reason: StopReason) -> None:
        """Stops asking; iterations in flight are still told, unless a person is to reply. Safe in a signal
        handler.
        """
        self.stopped = self.stopped or reason
        self._halt = self._halt or (reason if reason.halts else None)

    def usage(self) -> Usage:
        """What the campaign has used so far, stops and resumes included."""
        calls = self.ports.store.model_usage() if self._pace.waits else None
        tally = self.search.tally
        return Usage(
            iterations=tally.iterations,
            evaluations=tally.evaluations,
            executions=tally.executions + self.validation.executions,
            cpu_seconds=tally.cpu_seconds + self.validation.cpu_seconds,
            tokens_in=calls.tokens_in if calls else 0,
            tokens_out=calls.tokens_out if calls else 0,
            cost_usd=calls.cost_usd if calls else None,
            model_calls=calls.calls if calls else 0,
            wall_seconds=time.monotonic() - self._began,
            since_improvement=tally.since_improvement,
        )

    def report(self, what: str, done: int, total: int) -> None:
        """Tells observers what the end of the campaign does now, and how much of it is done (counts)."""
        self.phase = (what, done, total)
        self._observe(self)

    def settle(self) -> None:
        """Waits for all validations under way."""
        while self.validation.futures:
            self.wait()

    def rest(self) -> None:
        """Remembers how long the search took; what passes until `wake` is no time of the search."""
        self._rested = time.monotonic() - self._began
        self.ports.store.set("search_seconds", self._rested)

    def wake(self) -> None:
        """Goes on after `rest`."""
        if self._rested is not None:
            self._began = time.monotonic() - self._rested
            self._rested = None

    def close(self) -> None:
        """Ends proposal threads and remembers how long the search took, unless `rest` has done so."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
        if self._rested is None:
            self.ports.store.set("search_seconds", time.monotonic() - self._began)

    def _steps(self) -> Iterator[int]:
        """The number of an iteration that is to be opened, or minus that of one that is to be closed.

        In the order of asking the rule for live steps is exact, so that a run that was stopped takes the
        course of one that was not. In order of completion the steps depended on time and are the record's.
        """
        if self._pace.course is not None:
            yield from self._followed(self._pace.course)
        elif self._pace.order is TellOrder.COMPLETED or self.ports.submissions:
            yield from recorded_steps(self.ports.store.read)
        yield from self._live()

    def _followed(self, course: Course) -> Iterator[int]:
        """The steps of another record, until it, a budget or a model ends; ends the asking."""
        for step in course.steps:
            if step > 0 and self._may_ask():
                yield step
                if step not in self._flights:
                    break  # stopped while the elites were evaluated on new instances
                if course.admits(step) and not self._talks_on(step) and not self._land(self._flights[step]):
                    break
            elif -step in self._flights:
                if not self._land(self._flights[-step]):
                    break
                talks = self._talks_on(1 - step)
                yield step
                if talks and course.admits(1 - step) and not self._land(self._flights[1 - step]):
                    break
        self._flights.clear()
        self.interrupt(StopReason.ITERATIONS)

    def _live(self) -> Iterator[int]:
        """Opens iterations while there is room and budget, and closes those that have landed."""
        while True:
            if self._may_ask():
                yield self.search.tally.asked + 1
            elif (landed := self._landed()) is not None:
                yield -landed
            elif self._late():
                self._abandon()
            elif self._flights:
                self.wait()
            else:
                return

    def _late(self) -> bool:
        """Whether a budget of wall seconds leaves no time to wait for what is under way."""
        limit = self.budget.search_seconds(self.kept(self))
        if self.stopped is not StopReason.SECONDS or limit is None or self._threads is not None:
            return False  # a question to a model is paid for
        return bool(self._flights) and self.usage().wall_seconds > limit + _LATE_SECONDS

    def _abandon(self) -> None:
        """Leaves the iterations under way open, as a kill does: `resume` closes them."""
        for flight in self._flights.values():
            if flight.evaluation is not None:
                leave(self.ports.executor, flight.evaluation)
        self._flights.clear()

    def _open(self, number: int) -> None:
        """Opens an iteration, as recorded or anew, and starts what can be started."""
        if not self._flights and self.search.sharing.before is None and not self.grow():
            return
        if number in self.recorded:
            flight = self._reopened(number)
        else:
            flight = self._submitted(number) or self.search.ask()
            with self.ports.store.transaction():
                prefix = self.search.pool.prefix
                self.ports.store.asked(
                    number, flight.island, flight.parents, flight.inspirations, flight.incumbent, prefix
                )
                if flight.program > 1:
                    self.ports.store.event(number, SHARES, {"first": flight.first})
                if self.ports.drafter is None and (self._threads is None or not flight.of_model):
                    self._propose(flight)
        self._flights[number] = flight
        if flight.made is None:
            self._propose(flight)
        self._evaluate(flight)

    def _submitted(self, number: int) -> Iteration | None:
        """The next iteration if somebody outside the search brought its program."""
        submission = self.ports.submissions.get(number)
        best = self.search.archive.best
        return None if submission is None or best is None else self.search.submit(submission, best)

    def grow(self) -> bool:
        """Goes on to the next prefix of the pool if that is due; False if it was stopped before the end."""
        before = self.stopped

        def stopped() -> bool:
            self.validation.collect()
            self._observe(self)
            if self._stop_file.exists():
                self.interrupt(StopReason.STOP_FILE)
            self.stopped = self.stopped or self.budget.exhausted(self.usage(), self.kept(self))
            return self.stopped is not before

        due = self.search.due
        return due is None or grow(self.search, self.ports, due, stopped, _TICK_SECONDS)

    def _reopened(self, number: int) -> Iteration:
        """Reopens a recorded iteration; does only the work whose outcome the record lacks."""
        recorded = self.recorded[number]
        made = self.recorded.made(number)
        flight = self._submitted(number)
        if flight is None:
            shared = self.search.sharing.programs > 1
            elites, incumbent = self.recorded.opened(number, self.search.archive, shared=shared)
            flight = self.search.ask_again(
                recorded.island,
                recorded.parents,
                tuned=None if made is None else is_point(made),
                raced=recorded.incumbent,
                inspirations=recorded.inspirations,
                elites=elites,
                incumbent=incumbent,
            )
        flight.made = made
        flight.recorded = recorded.told is not None
        if isinstance(made, Candidate):
            self.search.memory.add(made)
            evaluation = self.recorded.evaluation(made, recorded.prefix) if flight.recorded else None
            flight.evaluation = None if evaluation is None else done(evaluation)
        return flight

    def _propose(self, flight: Iteration) -> None:
        """Asks the proposer: on a worker, in a thread if it may wait, or here: then its text is admitted."""
        if self.ports.drafter is not None:
            draft = draft_of(flight, self.ports.proposer, self.search.seed, self.ports.admission.plain)
            flight.text = self.ports.drafter.draft(draft) if isinstance(draft, Draft) else done(draft)
        elif self._threads is not None and flight.of_model:
            if isinstance(self.ports.proposer, Expectation) and flight.program == 1:
                self.ports.proposer.expect(flight.number)
            flight.text = self._threads.submit(self._proposal, flight)
        else:
            self._admit(flight, self._proposal(flight) if flight.point is None else flight.point)

    def _proposal(self, iteration: Iteration) -> Proposal | Rejection:
        context = iteration.context
        if context is None:
            raise AssertionError(f"iteration {iteration.number}: nobody is to be asked")
        rng = stream(self.search.seed, "propose", iteration.number)
        proposer = (self.ports.beside if iteration.offline else None) or self.ports.proposer
        return sheltered(lambda: proposer.propose(iteration.elites, context, rng))

    def _admit(self, flight: Iteration, text: Proposal | Rejection) -> None:
        """Makes a candidate of a text, or a rejection, and records it."""
        examined = self.ports.admission.examined(text) if isinstance(text, Proposal) else text
        made = self.search.admit(flight, examined) if isinstance(examined, Proposal) else examined
        flight.made = made
        self.ports.store.admitted(flight.number, made)

    def _evaluate(self, flight: Iteration) -> None:
        """Starts the training evaluation of a candidate, unless there is one."""
        if isinstance(flight.made, Candidate) and flight.evaluation is None:
            program = self.ports.evaluator.program(flight.made.files)
            last = self.search.pool.prefix
            race = race_for(flight.race, flight.made)
            job = EvaluationJob(program, "train", race=race, last=last)
            flight.evaluation = self.ports.executor.submit(job)

    def _close(self, flight: Iteration) -> None:
        """Tells the search an outcome; one transaction."""
        store = self.ports.store
        number = flight.number
        outcome = outcome_of_iteration(flight)
        with store.transaction():
            told = self.search.tell(flight, outcome)
            if not flight.recorded:
                evaluation = None if isinstance(outcome, Refused) else outcome.evaluation
                store.told(number, evaluation, self.ports.evaluator.version, told.added)
                store.set("search_seconds", time.monotonic() - self._began)
                for event in told.events:
                    store.event(event.iteration, event.kind, event.data)
        if isinstance(self.ports.proposer, Conversing):
            self.ports.proposer.learn(flight, outcome, self.search.tally.asked)
        if told.validate is not None:
            late = self.stopped is StopReason.SECONDS  # what still fits is decided when all is told
            (self.validation.leave_out if late else self.validation.start)(told.validate)
        self._observe(self)

    def _may_ask(self) -> bool:
        """Whether one more iteration may be opened now; notes the reason when none may ever be."""
        if self._stop_file.exists():
            self.interrupt(StopReason.STOP_FILE)
        tally = self.search.tally
        followed = self._pace.course is not None
        repeated = tally.asked + 1 in self.recorded
        if self.stopped is None and not repeated:
            reason = self.budget.exhausted(self.usage(), self.kept(self))
            if reason is StopReason.ITERATIONS and self._may_give_back():
                return False
            self.stopped = reason
        if (self.stopped is not None and not repeated) or not (followed or self._room()):
            return False
        under_way = 0 if followed else len(self._flights)
        admitted = self.budget.admits(tally.asked + 1, tally.evaluations, under_way)
        if not admitted and not under_way:  # a replay that took another course than the record
            self.interrupt(StopReason.EVALUATIONS)
        return admitted

    def _talks_on(self, number: int) -> bool:
        """Whether the text of an iteration waits for the outcome of the one before, in an episode."""
        flight = self._flights.get(number)
        before = number - 1 in self._flights
        later = flight is not None and flight.program > 1
        return later and before and self._converses

    @property
    def _converses(self) -> bool:
        """Whether models are asked in episodes."""
        return isinstance(self.ports.proposer, Conversing) and self.ports.proposer.talks

    def _may_give_back(self) -> bool:
        """Whether an episode under way may end before all its iterations have a program."""
        several = any(flight.programs > 1 for flight in self._flights.values())
        return several and self._converses

    def _room(self) -> bool:
        # In order of completion only asks without a text count, and as many again may be evaluated;
        # otherwise the number of asks under way decides what an ask can know, so it is kept exactly.
        # Iterations that share a reply are one ask.
        if self.search.sharing.before is not None:
            return True
        if self.search.due is not None and self._flights:
            return False
        most = self._pace.in_flight
        flights = list(self._flights.values())
        asks = {flight.first for flight in flights}
        if self._pace.order is TellOrder.SUBMITTED:
            return len(asks) < most
        waiting = {flight.first for flight in flights if flight.made is None}
        return len(waiting) < most and len(asks) < 2 * most and not any(one.finished for one in flights)

    def _landed(self) -> int | None:
        """The next iteration that may be closed: the oldest, or in order of completion any."""
        self._admit_arrived()
        for flight in list(self._flights.values())[: 1 if self._pace.order is TellOrder.SUBMITTED else None]:
            if flight.finished:
                return flight.number
        return None

    def _admit_arrived(self) -> None:
        """Admits the texts that have arrived, in the order of telling; a model's trouble stops all."""
        for flight in list(self._flights.values()):
            if flight.made is None and flight.text is not None and flight.text.done():
                self._land(flight)
            elif flight.made is None and self._pace.order is TellOrder.SUBMITTED:
                return

    def _land(self, flight: Iteration) -> bool:
        """Admits the text of an iteration and starts its evaluation; False if the proposer gave up."""
        if flight.made is None and flight.text is not None:
            if (error := flight.text.exception()) is not None:
                if self._threads is None:
                    raise error  # of a worker
                del self._flights[flight.number]
                self._give_up(error)
                return False
            self._admit(flight, flight.text.result())
        self._evaluate(flight)
        return True

    def _give_up(self, error: BaseException) -> None:
        """Ends the asking because a model cannot go on; what is neither a budget nor a model's is raised."""
        if not isinstance(error, Exception):
            raise error
        # An open ask stays open: whatever ended the asking before, the campaign is not complete.
        if isinstance(error, BudgetSpent):
            self.stopped, self.ending = error.reason, str(error)
        elif isinstance(error, LeftOpen):
            self.stopped = self._halt or self.stopped
        else:
            self.trouble = self.trouble or error
            self.stopped = self._halt = StopReason.PROVIDER

    def wait(self) -> None:
        """Waits at most one tick for an iteration that can be closed, and collects validations."""
        if self._halt is not None and isinstance(self.ports.proposer, Leavable):
            self.ports.proposer.leave()
        elif self.stopped is not None and isinstance(self.ports.proposer, Conversing):
            self.ports.proposer.pause()
        futures: list[Future[Any]] = list(self.validation.futures)
        futures += awaited(self._flights.values(), in_turn=self._pace.order is TellOrder.SUBMITTED)
        wait(futures, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
        self.validation.collect()
        self._observe(self)
