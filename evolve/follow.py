"""Asks and tells in a recorded order: replies of real models depend on time, their replay must not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .base import StopReason

if TYPE_CHECKING:
    from .campaign import Campaign
    from .state import Ask
    from .store.reader import Reader


@dataclass(frozen=True, slots=True)
class Course:
    """How asks and outcomes followed each other in a campaign that told outcomes as they arrived.

    Attributes:
        steps: the number of an iteration where it was asked, minus that number where it was told.
        late: iterations whose text had come from another one first, whatever was asked first.
    """

    steps: tuple[int, ...]
    late: frozenset[int] = frozenset()


@runtime_checkable
class Coursed(Protocol):
    """A proposer that answers from a record."""

    @property
    def course(self) -> Course | None:
        """The record's order, None where outcomes were told in the order of asking."""


def recorded_steps(read: Reader) -> Iterator[int]:
    """Iterations as they were asked, and minus their numbers as they were told.

    Asks are numbered and tells ranked; how the two interleave is taken from their times.
    """
    asks = read.rows("SELECT iteration, asked_at FROM iterations ORDER BY iteration")
    asked = 0
    for tell in read.rows("SELECT iteration, told_at FROM iterations WHERE told IS NOT NULL ORDER BY told"):
        while asked < len(asks) and (
            asks[asked]["asked_at"] <= tell["told_at"] or asks[asked]["iteration"] <= tell["iteration"]
        ):
            yield asks[asked]["iteration"]
            asked += 1
        yield -tell["iteration"]
    yield from (ask["iteration"] for ask in asks[asked:])


def follow(campaign: Campaign, course: Course) -> None:
    """Asks and tells as recorded, until the record, a budget or a model ends; ends the asking."""
    told = {-step for step in course.steps if step < 0}
    under_way: dict[int, Ask] = {}
    for step in course.steps:
        if step > 0 and campaign.may_ask():
            under_way[step] = campaign.ask()
            if step in told and step not in course.late and not _land(campaign, under_way[step]):
                break
        elif -step in under_way:
            if not _land(campaign, under_way[-step]):
                break
            campaign.tell(under_way.pop(-step))
    campaign.interrupt(StopReason.ITERATIONS)


def _land(campaign: Campaign, ask: Ask) -> bool:
    """Admits what came of an ask and starts its evaluation; False if no more can be asked."""
    if ask.outcome is None and ask.proposal is not None:
        if (error := ask.proposal.exception()) is not None:
            campaign.give_up(error)
            return False
        campaign.admit(ask, ask.proposal.result())
    campaign.evaluate(ask)
    return True
