"""The events of an outcome: a new best, and an objective beyond a proven bound."""

from __future__ import annotations

from ..evaluators.base import ScoreStatus
from .base import Elite, Event, Failed, Outcome

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
