"""The parent's side of an interactive execution: two pipes, and who leads the dialogue over them."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from types import TracebackType

from .base import Ending, Led, SandboxDialogue
from .lines import Talk

_busy: Counter[int] = Counter()
_choosing = threading.Lock()


def _take_place(processors: set[int]) -> int:
    """The processor with the fewest conversations of this process; where there are several, by its number.

    Campaigns beside each other know nothing of each other: they should not all begin at processor 0.
    """
    first = os.getpid() % len(processors)
    ordered = sorted(processors)
    with _choosing:
        place = min(ordered[first:] + ordered[:first], key=lambda processor: _busy[processor])
        _busy[place] += 1
    return place


def _leave_place(place: int) -> None:
    with _choosing:
        _busy[place] -= 1


class Conversation:
    """The pipes of one dialogue, and how it ended."""

    def __init__(self, dialogue: SandboxDialogue | Led) -> None:
        self.dialogue = dialogue
        self.ending = Ending()
        self._lead = dialogue.lead if isinstance(dialogue, Led) else Talk(dialogue.next).run
        self._inbound, self._theirs_out, self._theirs_in, self._outbound = -1, -1, -1, -1
        self.place = -1

    def __enter__(self) -> Conversation:
        self.place = _take_place(os.sched_getaffinity(0))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        _leave_place(self.place)

    def child_ends(self) -> tuple[int, int]:
        """Fresh pipes; returns the descriptors that the child reads from and writes to."""
        self._close()
        self._theirs_in, self._outbound = os.pipe()
        self._inbound, self._theirs_out = os.pipe()
        return self._theirs_in, self._theirs_out

    def _close(self) -> None:
        for descriptor in (self._inbound, self._theirs_out, self._theirs_in, self._outbound):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._inbound, self._theirs_out, self._theirs_in, self._outbound = -1, -1, -1, -1

    def run(self) -> None:
        """Leads the dialogue until it, or the child, has ended; the child must have its ends already."""
        os.close(self._theirs_in)
        os.close(self._theirs_out)
        self._theirs_in = self._theirs_out = -1
        self.ending = self._lead(self._inbound, self._outbound, self.place)
