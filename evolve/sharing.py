"""Lets iterations share one reply: a model may be asked for several programs, so its input is paid once."""

from __future__ import annotations

from .asks import Ask
from .base import Failed
from .memory import crashed


class Sharing:
    """Counts the programs of replies; depends only on the asks in their order.

    An ask of a model opens as many iterations as its reply is to hold programs, one after the other, before
    anything else is asked for. An ask that mends a program that crashed is for one program.

    Attributes:
        programs: number of programs that a reply is to hold (at least 1).
        before: the ask of the iteration before, if its reply holds a program for the next one.
        joined: iterations that took a further program of a reply (count).
        under_way: numbers of the iterations that wait for their outcome.
    """

    def __init__(self, programs: int) -> None:
        """Starts without asks."""
        self.programs = programs
        self.before: Ask | None = None
        self.joined = 0
        self.under_way: set[int] = set()

    def wanted(self, failed: Failed | None) -> int:
        """Number of programs that an ask is for, given the failure that it is to mend."""
        return 1 if failed is not None and crashed(failed) else self.programs

    def open(self, ask: Ask) -> Ask:
        """Notes an ask that was opened, and returns it."""
        self.joined += ask.program > 1
        if ask.of_model:
            self.under_way.add(ask.number)
        self.before = ask if ask.of_model and ask.program < ask.programs else None
        return ask

    def tell(self, number: int) -> None:
        """Closes an iteration."""
        self.under_way.discard(number)
