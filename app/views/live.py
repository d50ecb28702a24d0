"""The progress display of `run` and `resume`: a table, or plain lines, with pace and time left."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from ...evolve.campaign import Campaign
from ...evolve.store.schema import StoreError
from ..errors import UserError
from ..formatting import SHORTER, UNKNOWN, clean, count, duration
from .watch import Looks, line, panel

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live


# How far a piece of work is, and how long it may still take.

_BAR = 24


class StepPace:
    """Tells how long a step takes from how fast it went so far."""

    def __init__(self) -> None:
        """Begins with no step."""
        self._what = ""
        self._began = 0.0
        self._first = 0

    def text(self, what: str, done: int, total: int) -> str:
        """`references 12/44, about 2 min 05 s left`; without a time before anything is done."""
        left = self.left(what, done, total)
        return f"{what} {done}/{total}" + ("" if left is None else f", about {duration(left)} left")

    def left(self, what: str, done: int, total: int) -> float | None:
        """Wall seconds that the step may still take; None as long as nothing was done since it began."""
        if what != self._what or done < self._first:
            self._what, self._began, self._first = what, time.monotonic(), done
        if done == self._first:
            return None
        return (time.monotonic() - self._began) / (done - self._first) * (total - done)


def bar(done: int, total: int) -> str:
    """A bar of text for a row of the live table."""
    full = _BAR * done // max(1, total)
    return "█" * full + "░" * (_BAR - full)


_PLAIN_SECONDS = 10.0
_SLOW_SECONDS = 30.0
_RETRACING_SECONDS = 1.0
_FINISHING = "finishing what is under way"


class LiveView:
    """Shows progress on standard error and leaves standard output to the results."""

    def __init__(self, title: str, workers: str) -> None:
        """Takes the title (problem, model, seed) and what the workers are."""
        from rich.console import Console

        self._console = Console(stderr=True, highlight=False)
        self._title = title
        self._workers = workers
        self._live: Live | None = None
        self._preparing = ""
        self._next = "sandbox and problem"
        self._pace = StepPace()
        self._warned = False
        self._campaign: Campaign | None = None
        self._looks: Looks | None = None
        self._next_look = 0.0
        self._shown_best: str | None = None
        self._next_line = 0.0
        self._said = 0
        self._began: float | None = None
        self._retracing = False

    def __enter__(self) -> LiveView:
        """Starts the live table if standard error is a terminal."""
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            from rich.live import Live

            self._live = Live(
                console=self._console, get_renderable=self.table, refresh_per_second=4, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the live table; without a table, prints the campaign's final progress as a line."""
        if self._live is not None:
            self._live.stop()
        elif error is None and self._campaign is not None:
            self._look(self._campaign)
            if said := self._status():
                self._line(said)

    def notify(self, what: str, done: int, total: int) -> None:
        """Shows the progress of a preparation step, and once how slow references become fewer or faster."""
        left = self._pace.left(what, done, total)
        text = self._pace.text(what, done, total)
        self._preparing = f"{bar(done, total)} {text}" if done < total else ""
        self._next = "programs that the search begins with" if what == "baselines" else self._next
        if what == "references" and left is not None and left > _SLOW_SECONDS and not self._warned:
            self._warned = True
            # A table below shows how much is left, and goes on counting.
            said = text if self._live is None else "references take a while"
            self.say(f"{said}; Ctrl-C keeps those that are computed; {SHORTER}")
        elif self._live is None and left is None and done < total:
            self._line(f"{what}: {total - done} to do")
        elif self._live is None and done < total and time.monotonic() >= self._next_line:
            self._line(text)
        else:
            return
        self._next_line = time.monotonic() + _PLAIN_SECONDS

    def say(self, text: str) -> None:
        """Shows a line above the table, cleaned because it may quote a stranger's configuration."""
        if self._live is not None:
            self._live.console.print(clean(text), markup=False)
        else:
            self._line(clean(text))

    def observe(self, campaign: Campaign) -> None:
        """Updates the display from the state of a campaign."""
        now = time.monotonic()
        self._retrace(campaign, now)
        self._campaign = campaign
        if now >= self._next_look:
            self._next_look = now + self._look(campaign)
        while self._said < len(campaign.search.notes):
            self.say(campaign.search.notes[self._said])
            self._said += 1
        if self._live is not None or not (said := self._status()):
            return
        best = self._looks.now["best"] if self._looks and self._looks.now else None
        if best != self._shown_best or now >= self._next_line:
            self._shown_best = best
            self._next_line = now + _PLAIN_SECONDS
            self._line(said)

    def _look(self, campaign: Campaign) -> float:
        """Reads the record as `watch` does; returns the wall seconds until it is read again."""
        self._looks = self._looks or Looks(campaign.ports.store.folder)
        # What is shown may be old, but a view ends no campaign.
        with suppress(UserError, StoreError):
            return self._looks.look()[1]
        return _PLAIN_SECONDS

    def _retrace(self, campaign: Campaign, now: float) -> None:
        """Says that a resumed campaign repeats its record, once that takes more than a second."""
        self._began = now if self._began is None else self._began
        recorded = campaign.recorded.told
        told = campaign.search.tally.told
        if told < recorded and not self._retracing and now - self._began > _RETRACING_SECONDS:
            self._retracing = True
            self.say(
                f"retracing the record: {count(recorded, 'iteration')} without executions, {told:,} done; "
                "the search goes on after them"
            )

    def _status(self) -> str:
        """A line of progress; empty before the first outcome."""
        campaign = self._campaign
        now = None if self._looks is None else self._looks.now
        if now is None or self._looks is None or campaign is None or not campaign.search.tally.told:
            return ""
        return line(now, self._looks.speed or UNKNOWN, self._phase(campaign) or "")

    def _phase(self, campaign: Campaign) -> str | None:
        """What is done after the search, and how far it is; None during the search."""
        if not campaign.stopped:
            return None
        if campaign.phase is not None:
            return self._pace.text(*campaign.phase)
        under_way = campaign.search.tally.asked - campaign.search.tally.told
        return f"{_FINISHING}: {count(under_way, 'iteration')}" if under_way else "validation"

    def _line(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def table(self) -> RenderableType:
        """What a terminal shows at present: the title with the phase, and the figures of the last look."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        campaign = self._campaign
        now = None if self._looks is None else self._looks.now
        first = Table.grid(padding=(0, 2))
        if campaign is None or self._looks is None or now is None:
            first.add_row(Text("preparing", style="bold"), self._preparing or self._next)
            return Group(Text(self._title), first)
        retracing = campaign.search.tally.told < campaign.recorded.told
        phase = self._phase(campaign) or ("retracing the record" if retracing else "search")
        title = Text(f"{self._title}, {self._workers}: {phase}")
        return Group(title, panel(now, self._looks.speed))
