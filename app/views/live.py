"""The progress display of `run` and `resume`: a table, or plain lines, with pace and time left."""

from __future__ import annotations

import sys
import time
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation
from ...evaluators.figures import is_reported
from ...evolve.budget import Usage
from ...evolve.campaign import Campaign
from ...evolve.champion import search_seconds_left
from ..formatting import SHORTER, clean, count, duration, percent, usd

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
_RATE_SECONDS = 10.0
_LEAST_RATE_SECONDS = 1.0
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
        self._rates: deque[tuple[float, int]] = deque()
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
                console=self._console, get_renderable=self._render, refresh_per_second=4, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Removes the live table; without a table, prints the campaign's final progress as a line."""
        if self._live is not None:
            self._live.stop()
        elif error is None and self._campaign is not None and self._campaign.search.tally.told:
            self._line(self._status(self._campaign))

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
        self._rates.append((now, campaign.usage().executions))
        self._campaign = campaign
        while len(self._rates) > 2 and now - self._rates[0][0] > _RATE_SECONDS:
            self._rates.popleft()
        while self._said < len(campaign.search.notes):
            self.say(campaign.search.notes[self._said])
            self._said += 1
        best = best_validated(campaign)
        if self._live is not None or campaign.search.tally.told == 0:
            return
        improved = best is not None and best[0] != self._shown_best
        if improved or now >= self._next_line:
            self._shown_best = best[0] if best else None
            self._next_line = now + _PLAIN_SECONDS
            self._line(self._status(campaign))

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

    def _status(self, campaign: Campaign) -> str:
        usage = campaign.usage()
        best = best_validated(campaign)
        gap = "–" if best is None else _figure(best[1])
        left = _left(campaign)
        left = f"{left} left" if left else "no limit"
        left = self._phase(campaign) or left
        return (
            f"iteration {usage.iterations}  evaluations {usage.evaluations}  "
            f"executions/s {self._rate()}  best {_quality(campaign)} on validation {gap}  "
            f"{_calls(usage)}{left}"
        )

    def _phase(self, campaign: Campaign) -> str | None:
        """What is done after the search, and how far it is; None during the search."""
        if not campaign.stopped:
            return None
        if campaign.phase is not None:
            return self._pace.text(*campaign.phase)
        under_way = campaign.search.tally.asked - campaign.search.tally.told
        return f"{_FINISHING}: {count(under_way, 'iteration')}" if under_way else "validation"

    def _rate(self) -> str:
        (then, before), (now, after) = self._rates[0], self._rates[-1]
        # Over a shorter time, one batch of executions would look like a high rate.
        return f"{(after - before) / (now - then):.0f}" if now - then >= _LEAST_RATE_SECONDS else "–"

    def _line(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def _render(self) -> RenderableType:
        from rich.table import Table

        table = Table(title=self._title, title_justify="left", show_header=False, box=None, pad_edge=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column()
        campaign = self._campaign
        if campaign is None:
            table.add_row("preparing", self._preparing or self._next)
            return table
        for name, value in self._rows(campaign):
            table.add_row(name, value)
        return table

    def _rows(self, campaign: Campaign) -> list[tuple[str, str]]:
        usage = campaign.usage()
        best = best_validated(campaign)
        start = _start_gap(campaign)
        gap = "–" if best is None else f"{_figure(best[1])}   (began at {start})"
        counts = sorted(campaign.search.tally.rejections.items())
        rejections = ", ".join(f"{reason} {n}" for reason, n in counts)
        retracing = campaign.search.tally.told < campaign.recorded.told
        state = self._phase(campaign) or ("retracing the record" if retracing else "search")
        return [
            ("phase", state),
            ("iteration", f"{usage.iterations} begun   {campaign.search.tally.told} done"),
            ("evaluations", f"{usage.evaluations}   executions {usage.executions}   {self._rate()}/s"),
            (f"best {_quality(campaign)}", f"{gap} on validation"),
            ("archive", " ".join(str(n) for n in campaign.search.archive.occupancy()) + " cells by island"),
            ("rejections", rejections or "none"),
            *([("models", spent)] if (spent := _calls(usage).strip()) else []),
            ("budget left", _left(campaign) or "no limit"),
            ("elapsed", f"{duration(usage.wall_seconds)} on {self._workers}"),
        ]


def best_validated(campaign: Campaign) -> tuple[str, Evaluation] | None:
    """The candidate with the best validation fitness so far, with its evaluation."""
    complete = [(e.fitness, id) for id, e in campaign.validation.evaluations.items() if e.fitness is not None]
    if not complete:
        return None
    id = max(complete)[1]
    return id, campaign.validation.evaluations[id]


def mean_gap(evaluation: Evaluation) -> float | None:
    """Mean of ratios over instances with a positive reference, percent."""
    gaps = [float(score.gap) for score in evaluation.scores if score.gap is not None]
    return sum(gaps) / len(gaps) * 100 if gaps else None


def _start_gap(campaign: Campaign) -> str:
    evaluation = campaign.validation.evaluations.get(campaign.search.start.candidate.id)
    return "–" if evaluation is None else _figure(evaluation)


def _quality(campaign: Campaign) -> str:
    """What is said of the best candidate: its gap, or its score where that is only reported."""
    start = campaign.search.start.evaluation
    return "score (unverified)" if is_reported(start) else "gap"


def _figure(evaluation: Evaluation) -> str:
    """Mean gap, or mean reported score."""
    if not is_reported(evaluation):
        return percent(mean_gap(evaluation))
    scores = [float(score.objective) for score in evaluation.scores if score.objective is not None]
    return f"{sum(scores) / len(scores):.5g}" if scores else "–"


def _calls(usage: Usage) -> str:
    """Calls of models, their tokens and cost so far; empty without a call."""
    if not usage.model_calls:
        return ""
    tokens = usage.tokens_in + usage.tokens_out
    return f"{count(usage.model_calls, 'call')}, {tokens:,} tokens, {usd(usage.cost_usd)}  "


def _left(campaign: Campaign) -> str:
    """What is left of the budget, each part with its unit."""
    budget = campaign.budget
    usage = campaign.usage()
    parts: list[Any] = []
    if budget.iterations is not None:
        parts.append(f"{max(0, budget.iterations - usage.iterations)} iterations")
    if budget.evaluations is not None:
        parts.append(f"{max(0, budget.evaluations - usage.evaluations)} evaluations")
    if budget.tokens is not None:
        parts.append(f"{max(0, budget.tokens - usage.tokens_in - usage.tokens_out):,} tokens")
    if budget.usd is not None:
        parts.append(usd(max(0.0, budget.usd - (usage.cost_usd or 0.0))))
    if budget.executions is not None:
        parts.append(f"{max(0, budget.executions - usage.executions):,} executions")
    if budget.cpu_seconds is not None:
        parts.append(f"{max(0.0, budget.cpu_seconds - usage.cpu_seconds):.0f} CPU seconds")
    if (seconds := search_seconds_left(campaign)) is not None:
        parts.append(f"{duration(seconds)} of search")
    if budget.patience is not None:
        parts.append(f"patience {max(0, budget.patience - usage.since_improvement)}")
    return ", ".join(parts)
