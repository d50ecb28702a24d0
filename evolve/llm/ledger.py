"""The ledger sets aside the largest possible cost of a call before sending it, and settles when the call
ends.

spent + kept + open ≤ cap holds at every moment, so `--usd` and `--tokens` are hard caps with any number of
calls in flight. The state is never stored: it is a fold over the recorded calls (`restore`).
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from ..budget import StopReason
from ..types import Completion, Prompt
from .base import Transcript

MESSAGE_TOKENS = 64
"""Tokens set aside for what a provider's chat format adds to the two texts of a prompt."""


def most_tokens_in(prompt: Prompt, counted: Iterable[tuple[Prompt, int]] = ()) -> int:
    """Upper bound of a prompt's tokens: a token of a byte-level vocabulary covers at least one UTF-8 byte.

    Args:
        prompt: that is to be sent.
        counted: prompts with the tokens that the same model counted. A prompt that begins and ends as one of
            them takes no more tokens than that one and one for each byte in between; likewise one that shares
            lines with it, and one more for each two lines that did not follow each other.
    """
    least = len(prompt.system.encode()) + len(prompt.user.encode())
    alike = [(other.user, tokens) for other, tokens in counted if other.system == prompt.system]
    for text, tokens in alike:
        least = min(least, tokens + _other_lines(prompt.user, text))
    for text, tokens in alike:
        if _shares(prompt.user, text, len(prompt.user) - (least - tokens)):
            least = min(least, tokens + _other_bytes(prompt.user, text))
    return least + MESSAGE_TOKENS


def talk_tokens(talk: Transcript | None) -> int:
    """Upper bound of the tokens that a conversation takes beyond its prompt's two texts: tools, messages."""
    if talk is None:
        return 0
    messages = sum(1 + len(turn.answers) for turn in talk.turns)
    return len(json.dumps([dict(tool) for tool in talk.tools]).encode()) + MESSAGE_TOKENS * messages


def _shares(text: str, other: str, wanted: int) -> bool:
    """Whether beginning and end that two texts share may have so many characters; quick where they differ.

    One of the two then has half of them.
    """
    half = -(-wanted // 2)
    return half <= 0 or text.startswith(other[:half]) or text.endswith(other[-half:])


def _other_bytes(text: str, other: str) -> int:
    """UTF-8 bytes of a text without the beginning and the end that it shares with another one."""
    head = _shared(text, other)
    rest = text[head:]
    ending = other[head:]
    tail = _shared(rest[::-1], ending[::-1])
    return len(rest[: len(rest) - tail].encode())


def _other_lines(text: str, other: str) -> int:
    """UTF-8 bytes of a text's lines that another one does not have, and its pairs of lines that are new."""
    mine = _lines(text)
    theirs = _lines(other)
    size = sum(map(mine.pairs.__getitem__, mine.pairs.keys() - theirs.pairs.keys()))
    size += sum(map(mine.sizes.__getitem__, mine.counts.keys() - theirs.counts.keys()))
    for line, bytes_each in mine.repeated.items():
        if line in theirs.counts:
            size += bytes_each * max(0, mine.counts[line] - theirs.counts[line])
    return size


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a text.

    Attributes:
        counts: line → how often it occurs (count).
        sizes: line → UTF-8 bytes of all its occurrences, line ends included.
        repeated: line that occurs more than once → bytes of one occurrence.
        pairs: two lines that follow each other → how often they do (count).
    """

    counts: Mapping[str, int]
    sizes: Mapping[str, int]
    repeated: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]


@lru_cache(maxsize=64)
def _lines(text: str) -> _Lines:
    """Lines of a text; kept, as each prompt is compared with the last ones."""
    lines = text.split("\n")
    counts = Counter(lines)
    each = {line: len(line.encode()) + 1 for line in counts}
    sizes = {line: count * each[line] for line, count in counts.items()}
    repeated = {line: each[line] for line, count in counts.items() if count > 1}
    return _Lines(counts, sizes, repeated, Counter(pairwise(lines)))


def _shared(text: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    alike = 0
    beyond = min(len(text), len(other)) + 1
    while beyond - alike > 1:  # halves the distance: comparing slices is far quicker than characters
        middle = (alike + beyond) // 2
        if text[alike:middle] == other[alike:middle]:
            alike = middle
        else:
            beyond = middle
    return alike


class BudgetSpent(Exception):
    """No further call fits under a cap; the campaign ends by itself, with this reason.

    Attributes:
        reason: `TOKENS` or `COST`.
    """

    def __init__(self, reason: StopReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """What one call may use at most: tokens in and out, and US dollars (None without a price)."""

    tokens: int
    usd: Decimal | None


Smaller = Callable[[int | None, Decimal | None], Reservation | None]
"""What a call could do with less: by tokens and US dollars left (None is no cap), None if it is of no use."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A recorded call as the ledger sees it.

    Attributes:
        reserved_tokens, reserved_usd: what was set aside for it.
        settled: whether its outcome is known; a call that was cut off by the end of a session is not.
        tokens_in, tokens_out: as the provider counted them, None when it did not say.
        cost_usd: None when not known.
        replied: whether a reply arrived, useful or not; without one a settled call cost nothing.
    """

    reserved_tokens: int
    reserved_usd: Decimal | None
    settled: bool
    replied: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: Decimal | None = None
    tokens_cached: int | None = None
    tokens_reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """What calls have used: counts, tokens, US dollars.

    Attributes:
        calls: settled calls that brought a reply.
        cost_usd: None as soon as one of them has no known price.
        kept_tokens, kept_usd: set aside for calls of unknown outcome: perhaps billed, counted against the
            caps.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    tokens_reasoning: int = 0
    cost_usd: Decimal | None = Decimal(0)
    kept_calls: int = 0
    kept_tokens: int = 0
    kept_usd: Decimal = Decimal(0)


class Ledger:
    """Books of a campaign; thread-safe.

    Args:
        usd: hard cap in US dollars over all sessions, None for no cap.
        tokens: hard cap on tokens in and out over all sessions, None for no cap.
    """

    def __init__(self, usd: Decimal | None = None, tokens: int | None = None) -> None:
        self.usd = usd
        self.tokens = tokens
        self.overrun: str | None = None
        self._spending = Spending()
        self._open: set[Reservation] = set()
        self._changed = threading.Condition()

    @property
    def spending(self) -> Spending:
        """What is booked and kept at present."""
        with self._changed:
            return self._spending

    def restore(self, entries: Iterable[LedgerEntry]) -> None:
        """Books the calls of earlier sessions; those of unknown outcome keep what was set aside."""
        with self._changed:
            for entry in entries:
                if not entry.settled:
                    self._keep(entry.reserved_tokens, entry.reserved_usd)
                elif entry.replied:
                    self._book(entry)
            self.overrun = None  # what an earlier session overran is booked; the next reply tells anew

    def reserve(
        self, tokens: int, usd: Decimal | None, smaller: Smaller = lambda tokens, usd: None
    ) -> Reservation:
        """Sets aside what a call may use at most; waits while calls in flight may still give something back.

        Args:
            tokens, usd: wanted.
            smaller: asked once nothing is in flight and what is wanted does not fit.

        Raises:
            BudgetSpent: it does not fit, and nothing in flight can change that.
        """
        reservation = Reservation(tokens, usd)
        with self._changed:
            while (reason := self._lacking(reservation)) is not None:
                if not self._open:
                    less = smaller(*self._left())
                    if less is None or self._lacking(less) is not None:
                        raise BudgetSpent(reason, self._refusal(reason, reservation))
                    reservation = less
                    break
                self._changed.wait()
            self._open.add(reservation)
        return reservation

    def release(self, reservation: Reservation) -> None:
        """Releases the reservation of a call that cost nothing."""
        with self._changed:
            self._open.discard(reservation)
            self._changed.notify_all()

    def keep(self, reservation: Reservation) -> None:
        """Keeps a reservation for good: the outcome of its call is unknown, so the call may have been
        billed.
        """
        with self._changed:
            self._open.discard(reservation)
            self._keep(reservation.tokens, reservation.usd)
            self._changed.notify_all()

    def book(self, reservation: Reservation, completion: Completion, cost: Decimal | None) -> None:
        """Books a reply in place of its reservation; one without token counts keeps the reservation."""
        entry = LedgerEntry(
            reservation.tokens,
            reservation.usd,
            settled=True,
            replied=True,
            tokens_in=completion.tokens_in,
            tokens_out=completion.tokens_out,
            cost_usd=cost,
            tokens_cached=completion.tokens_cached,
            tokens_reasoning=completion.tokens_reasoning,
        )
        with self._changed:
            self._open.discard(reservation)
            self._book(entry)
            self._changed.notify_all()

    def _lacking(self, wanted: Reservation) -> StopReason | None:
        """The cap that a further reservation would break, or None."""
        tokens, usd = self._left()
        if tokens is not None and wanted.tokens > tokens:
            return StopReason.TOKENS
        if usd is not None and (wanted.usd or 0) > usd:
            return StopReason.COST
        return None

    def _left(self) -> tuple[int | None, Decimal | None]:
        """Tokens and US dollars that no call has used or set aside; None without a cap."""
        now = self._spending
        tokens = self.tokens
        usd = self.usd
        if tokens is not None:
            tokens -= now.tokens_in + now.tokens_out + now.kept_tokens + sum(r.tokens for r in self._open)
        if usd is not None:
            usd -= (now.cost_usd or 0) + now.kept_usd + sum(r.usd or 0 for r in self._open)
        return tokens, usd

    def _refusal(self, reason: StopReason, wanted: Reservation) -> str:
        """A sentence with the amounts spent and left, and why they do not suffice."""
        now = self._spending
        tokens, usd = self._left()
        if reason is StopReason.TOKENS:
            kept = f" and {now.kept_tokens:,} kept for calls of unknown outcome" if now.kept_tokens else ""
            return (
                f"tokens: {now.tokens_in + now.tokens_out:,} spent{kept} of {self.tokens:,}, "
                f"{tokens:,} left; the next call may need {wanted.tokens:,}"
            )
        kept = f" and ${now.kept_usd:.4f} kept for calls of unknown outcome" if now.kept_usd else ""
        return (
            f"cost: ${now.cost_usd or 0:.4f} spent{kept} of ${self.usd}, ${usd:.4f} left; "
            f"the next call may cost ${wanted.usd or 0:.4f}"
        )

    def _keep(self, tokens: int, usd: Decimal | None) -> None:
        now = self._spending
        self._spending = replace(
            now,
            kept_calls=now.kept_calls + 1,
            kept_tokens=now.kept_tokens + tokens,
            kept_usd=now.kept_usd + (usd or 0),
        )

    def _book(self, entry: LedgerEntry) -> None:
        if entry.tokens_in is None or entry.tokens_out is None:
            self._keep(entry.reserved_tokens, entry.reserved_usd)
            return
        if self.overrun is None and self._capped:
            self.overrun = _overrun(entry, entry.tokens_in + entry.tokens_out)
        now = self._spending
        cost = None if now.cost_usd is None or entry.cost_usd is None else now.cost_usd + entry.cost_usd
        self._spending = replace(
            now,
            calls=now.calls + 1,
            tokens_in=now.tokens_in + entry.tokens_in,
            tokens_out=now.tokens_out + entry.tokens_out,
            tokens_cached=now.tokens_cached + (entry.tokens_cached or 0),
            tokens_reasoning=now.tokens_reasoning + (entry.tokens_reasoning or 0),
            cost_usd=cost,
        )

    @property
    def _capped(self) -> bool:
        return self.usd is not None or self.tokens is not None


def _overrun(entry: LedgerEntry, used: int) -> str | None:
    """A sentence on how a reply exceeded its reservation; None if it did not."""
    why = "the server does not honour the limit on the reply's length, so the cap cannot be kept"
    if used > entry.reserved_tokens:
        return f"a reply used {used:,} tokens where {entry.reserved_tokens:,} were set aside: {why}"
    # A prompt's bytes are set aside as its tokens. That is too many, and may hide a reply that is too long.
    reserved = entry.reserved_usd
    if entry.cost_usd is not None and reserved is not None and entry.cost_usd > reserved:
        return f"a reply cost ${entry.cost_usd:.4f} where ${reserved:.4f} were set aside: {why}"
    return None
