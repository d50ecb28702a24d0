"""The caller: one policy for money, records, retries and the number of calls in flight."""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal

from ..types import Completion, Prompt
from .base import (
    Call,
    CallLog,
    CallTurn,
    Closable,
    ErrorKind,
    Model,
    ModelError,
    Parameterised,
    Recourse,
    Request,
    Transcript,
    plain,
    plain_wait,
)
from .ledger import BudgetSpent, Ledger, Reservation, most_tokens_in, talk_tokens
from .settings import ModelSettings

# How many calls may be in flight at once: as configured, fewer while the provider limits the rate.
#
# Additive increase, multiplicative decrease (Chiu and Jain 1989, doi:10.1016/0169-7552(89)90019-6).

DECREASE = 0.7


class CallPermit:
    """A place for one call; tells the gate how the call went."""

    def __init__(self, gate: ConcurrencyLimit, epoch: int) -> None:
        self._gate = gate
        self._epoch = epoch

    def succeeded(self) -> None:
        """A reply arrived: after a full round of replies one more call may be in flight."""
        self._gate.increase()

    def limited(self, retry_after: float | None) -> None:
        """The provider limited the rate and perhaps asked to wait (seconds)."""
        self._gate.decrease(self._epoch, retry_after)


class ConcurrencyLimit:
    """Places for calls in flight; `most` of them (≥ 1) when the provider has no objection."""

    def __init__(self, most: int) -> None:
        self._most = float(most)
        self._limit = float(most)
        self._taken = 0
        self._epoch = 0
        self._not_before = 0.0
        self._closed = False
        self._changed = threading.Condition()

    @property
    def limit(self) -> int:
        """Calls that may be in flight at present (count)."""
        return max(1, int(self._limit))

    @contextmanager
    def place(self) -> Iterator[CallPermit]:
        """Waits for a place and for the end of a pause, and gives the place back."""
        with self._changed:
            while not self._closed and (wait := self._wait()) != 0:
                self._changed.wait(wait)
            self._taken += 1
            epoch = self._epoch
        try:
            yield CallPermit(self, epoch)
        finally:
            with self._changed:
                self._taken -= 1
                self._changed.notify_all()

    def _wait(self) -> float | None:
        """Seconds to wait for a place: 0 for none, None until something changes."""
        if self._taken >= self.limit:
            return None
        return max(0.0, self._not_before - time.monotonic())

    def increase(self) -> None:
        """One more place after as many replies as there are places."""
        with self._changed:
            self._limit = min(self._most, self._limit + 1 / self._limit)
            self._changed.notify_all()

    def decrease(self, epoch: int, retry_after: float | None) -> None:
        """Fewer places; once for all calls that set out before the last time."""
        with self._changed:
            if epoch == self._epoch:
                self._epoch += 1
                self._limit = max(1.0, self._limit * DECREASE)
            if retry_after is not None:
                self._not_before = max(self._not_before, time.monotonic() + retry_after)

    def close(self) -> None:
        """Lets everybody through; callers check for themselves that all is over."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


COUNTED = 32
"""Latest prompts whose tokens are remembered (count)."""
LEAST_REPLY = 64
"""No reply is asked for with a smaller limit (tokens), unless `max_output_tokens` is smaller."""
FIRST_REPLY = 1024
"""The least limit of a reply (tokens) as long as no reply has told how long they are."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to ask again.

    Attributes:
        first_seconds, longest_seconds: waits start here, double each time and end here (seconds); each is
            multiplied by a random factor in [0.5, 1], so that calls that failed together do not return
            together.
        useless_attempts: how often a call is made when its replies are empty or garbage (count).
        useless_calls: how many calls in succession may end so, before a person must act (count).
        contact_seconds: how long a server that has not yet answered in this session may be unreachable.
        sets_aside: whether a model is asked no more when its replies are of no use time after time.
    """

    first_seconds: float = 1.0
    longest_seconds: float = 60.0
    useless_attempts: int = 3
    useless_calls: int = 3
    contact_seconds: float = 30.0
    sets_aside: bool = True


class Caller:
    """Asks one model, within its budget, until there is a reply or a person must act. Thread-safe."""

    def __init__(
        self,
        model: Model,
        settings: ModelSettings,
        ledger: Ledger,
        log: CallLog,
        in_flight: int,
        policy: RetryPolicy = RetryPolicy(),
    ) -> None:
        self.model = model
        self.settings = settings
        self._ledger = ledger
        self._log = log
        self.places = in_flight
        self._gate = ConcurrencyLimit(in_flight)
        self._policy = policy
        self._jitter = random.Random(settings.spec)
        self._closed = threading.Event()
        self._last_reply: float | None = None
        self._useless = 0
        self._useless_replies: list[str] = []
        self._told = 0
        self._counted: deque[tuple[Prompt, int, int]] = deque(maxlen=COUNTED)

    def ask(
        self,
        prompt: Prompt,
        operator: str,
        iteration: int,
        round: int = 1,
        check: Callable[[str], str | None] | None = None,
        *,
        whole: bool = False,
        talk: Transcript | None = None,
    ) -> Completion:
        """The reply to a prompt; one that an earlier session received is taken from the record.

        Args:
            prompt: both texts.
            operator: what the prompt asks for; recorded.
            iteration, round, check, talk: see `Request`.
            whole: whether the reply must be allowed its whole limit; otherwise the limit shrinks, down to a
                reply of usual size, where a cap leaves less.

        Raises:
            ModelError: there is none; its `recourse` is `REJECT` or `PERSON`.
            BudgetSpent: the call does not fit under a cap.
        """
        recorded = self._log.reply(iteration, round, prompt.digest)
        if recorded is not None:
            return recorded
        most = self.settings.max_output_tokens
        request = Request(prompt, most, self.settings.timeout_seconds, iteration, round, check, talk)
        attempt = 0
        failing_since = None
        while True:
            attempt += 1
            try:
                return self._attempt(request, operator, attempt, whole)
            except BudgetSpent:
                self._tell_useless()
                raise
            except ModelError as error:
                failing_since = failing_since or time.monotonic()
                self._closed.wait(self._wait_or_give_up(error, attempt, failing_since))

    def turns(self, first: int, last: int) -> Sequence[CallTurn]:
        """Recorded questions of the asks from `first` to `last`; see `CallLog`."""
        return self._log.turns(first, last)

    @property
    def unusable_replies(self) -> int:
        """Unusable replies in succession after which the model is set aside (count; 0 is never)."""
        return self.settings.unusable_replies if self._policy.sets_aside else 0

    @property
    def answered(self) -> bool:
        """Whether the model has replied in this session."""
        return self._last_reply is not None

    def note(self, sentence: str) -> None:
        """Records what a reader of the results must know of the model."""
        self._log.noted(f"{self.model.name}: {sentence}")

    def cut(self, completion: Completion) -> str:
        """What is said of a reply that ended at its limit."""
        used = "" if completion.tokens_out is None else f" after {completion.tokens_out:,} tokens"
        thought = (
            f", {completion.tokens_reasoning:,} of them reasoning" if completion.tokens_reasoning else ""
        )
        return (
            f"the reply was cut{used}{thought}: raise max_output_tokens of the [[model]] table "
            f"({self.settings.max_output_tokens:,}), or lower reasoning_effort"
        )

    def close(self) -> None:
        """Ends waits and the model's connections; calls that wait end with `ErrorKind.CLOSED`."""
        self._closed.set()
        self._gate.close()
        if isinstance(self.model, Closable):
            self.model.close()

    def _attempt(self, request: Request, operator: str, attempt: int, whole: bool) -> Completion:
        """One call, recorded before it is sent and settled when it ends."""
        with self._gate.place() as place:
            if self._closed.is_set():
                raise ModelError(ErrorKind.CLOSED, "the campaign is ending")
            if self._ledger.overrun is not None:
                raise ModelError(ErrorKind.OVERRUN, f"{self.model.name}: {self._ledger.overrun}")
            call, reservation = self._prepare(request, operator, attempt, whole)
            request = call.request
            try:
                number = self._log.requested(call)
            except BaseException:
                self._ledger.release(reservation)
                raise
            try:
                completion = self._reply(request)
                self._tell_notes()
            except ModelError as error:
                self._settle_failure(number, reservation, error)
                if error.recourse is Recourse.AGAIN:
                    self._useless_replies.append(error.sentence)
                if error.kind is ErrorKind.RATE_LIMIT:
                    place.limited(error.retry_after)
                raise
            except BaseException:
                self._ledger.keep(reservation)
                raise
            completion, cost = self._priced(completion)
            if completion.tokens_in is not None and completion.tokens_out is not None:
                self._counted.append((request.prompt, completion.tokens_in, completion.tokens_out))
            self._log.replied(number, completion)
            self._ledger.book(reservation, completion, cost)
            self._last_reply = time.monotonic()
            self._useless = 0
            place.succeeded()
            return completion

    def _reply(self, request: Request) -> Completion:
        """The model's reply with plain values, whoever wrote the provider."""
        started = time.monotonic()
        try:
            return plain(self.model.complete(request), self.model.name, time.monotonic() - started)
        except ModelError as error:
            if error.completion is not None:
                error.completion = plain(error.completion, self.model.name, time.monotonic() - started)
            error.retry_after = plain_wait(error.retry_after)
            raise

    def _tell_notes(self) -> None:
        """Records what the provider refused, as soon as it is known."""
        notes = self.model.notes if isinstance(self.model, Parameterised) else ()
        for note in notes[self._told :]:
            self._log.noted(f"{self.model.name}: {note}")
        self._told = len(notes)

    def _tell_useless(self) -> None:
        """Records what was paid for nothing, where the budget ends before it would have called a person."""
        replies = self._useless_replies
        self._useless_replies = []
        if replies:  # told once, also where several calls end with the budget
            many = f"replies were of no use, and may have been billed: {len(replies)}"
            self._log.noted(f"{self.model.name}: {many}; the last: {replies[-1]}")

    def _prepare(
        self, request: Request, operator: str, attempt: int, whole: bool
    ) -> tuple[Call, Reservation]:
        """The call, with a reply's limit that the caps allow, and what is set aside for it."""
        counted = list(self._counted)  # at once: other threads add to it
        tokens_in = most_tokens_in(request.prompt, [(prompt, count) for prompt, count, _ in counted])
        tokens_in += talk_tokens(request.talk)
        price = self.settings.price
        most = request.max_output_tokens

        def of(reply: int) -> Reservation:
            return Reservation(tokens_in + reply, None if price is None else price.cost(tokens_in, reply))

        def smaller(tokens: int | None, usd: Decimal | None) -> Reservation | None:
            reply = most if tokens is None else min(most, tokens - tokens_in)
            if usd is not None and price is not None and price.output:
                reply = min(reply, int((usd - price.cost(tokens_in, 0)) * 1_000_000 / price.output))
            return of(reply) if reply >= self._least(most) else None

        reservation = self._ledger.reserve(of(most).tokens, of(most).usd, *(() if whole else (smaller,)))
        request = replace(request, max_output_tokens=reservation.tokens - tokens_in)
        parameters = self.model.parameters if isinstance(self.model, Parameterised) else {}
        tokens = reservation.tokens
        usd = reservation.usd
        return Call(self.model.name, operator, request, attempt, tokens, usd, parameters), reservation

    def _least(self, most: int) -> int:
        """The smallest limit of a reply worth asking for (tokens): the median reply so far."""
        usual = sorted(reply for _, _, reply in list(self._counted))
        return min(most, max(LEAST_REPLY, usual[len(usual) // 2]) if usual else FIRST_REPLY)

    def _settle_failure(self, number: int, reservation: Reservation, error: ModelError) -> None:
        cost: Decimal | None = None
        if error.completion is not None:
            error.completion, cost = self._priced(error.completion)
        self._log.failed(number, error)
        if error.unknown_outcome:
            self._ledger.keep(reservation)
        elif error.completion is not None:
            self._ledger.book(reservation, error.completion, cost)
        else:
            self._ledger.release(reservation)

    def _priced(self, completion: Completion) -> tuple[Completion, Decimal | None]:
        price = self.settings.price
        if price is None or completion.tokens_in is None or completion.tokens_out is None:
            return completion, None
        cost = price.cost(completion.tokens_in, completion.tokens_out, completion.tokens_cached or 0)
        return replace(completion, cost_usd=float(cost)), cost

    def _wait_or_give_up(self, error: ModelError, attempt: int, failing_since: float) -> float:
        """Seconds to wait before the next attempt.

        Raises:
            ModelError: the error, when there shall be none.
        """
        if self._closed.is_set() or error.recourse in (Recourse.REJECT, Recourse.PERSON):
            raise error
        if error.recourse is Recourse.AGAIN and attempt >= self._policy.useless_attempts:
            self._useless += 1
            error.final = self._useless >= self._policy.useless_calls
            raise error
        doubled = self._policy.first_seconds * 2.0 ** (min(attempt, 32) - 1)
        delay = min(self._policy.longest_seconds, doubled) * self._jitter.uniform(0.5, 1.0)
        if error.retry_after is not None:
            delay = error.retry_after + self._jitter.uniform(0, self._policy.first_seconds)
        if error.recourse is Recourse.WAIT:
            self._check_outage(error, failing_since, delay)
        return delay

    def _check_outage(self, error: ModelError, failing_since: float, delay: float) -> None:
        patience = self.settings.outage_seconds
        if self._last_reply is None and error.kind is not ErrorKind.RATE_LIMIT:
            patience = min(patience, self._policy.contact_seconds)
        silent = time.monotonic() - max(failing_since, self._last_reply or 0.0)
        if silent + delay > patience:
            error.sentence += (
                f" (asked again for {silent:.0f} s without success; the limit is {patience:g} s, "
                "outage_seconds of the [[model]] table)"
            )
            error.final = True
            raise error
