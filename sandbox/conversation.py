"""The parent's side of an interactive execution: two pipes, one line out and one line in per step."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from types import TracebackType

from .answers import clean
from .base import Dialogue

MAX_LINE_BYTES = 65536
_USUAL_BYTES = 4096  # read at once: a large buffer costs more than the decision in it

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
    """Feeds a dialogue to a child; reads block, for at its limits the server ends the child and the pipe."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self.begun = False
        self.finished = False
        self.broken: str | None = None
        self._inbound, self._theirs_out, self._theirs_in, self._outbound = -1, -1, -1, -1
        self._pending = b""
        self._opening: tuple[bytes | None] | None = None
        # The two never compute at once, and waking a neighbour on another processor costs four times as much.
        self._anywhere = os.sched_getaffinity(0)
        self.place = -1

    def __enter__(self) -> Conversation:
        self.place = _take_place(self._anywhere)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()
        _leave_place(self.place)

    def child_ends(self) -> tuple[int, int]:
        """Fresh pipes; returns the descriptors that the child reads from and writes to."""
        self._close()
        self._pending = b""
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
        """Talks until the dialogue is `finished`, or the protocol `broken`, or the child has ended."""
        os.close(self._theirs_in)
        os.close(self._theirs_out)
        self._theirs_in = self._theirs_out = -1
        self._stay_on({self.place})
        step = self.dialogue.next
        try:
            if self._opening is None:  # a second server gets the line that the first one took along
                self._opening = (step(b""),)
            line = self._opening[0]
            while line is not None:
                self._send(line + b"\n")
                decision = self._receive()
                if decision is None:
                    return
                if not decision:  # the dialogue's own sign of its beginning: it might start all over again
                    raise ValueError("the program sent an empty line, expected a decision")
                self.begun = True
                line = step(decision)
        except BrokenPipeError:
            return
        except ValueError as error:
            self.broken = clean(str(error)) or "the program broke the protocol of the dialogue"
            return
        finally:  # before anything else is started, for it would inherit the binding
            self._stay_on(self._anywhere)
        self.finished = True

    @staticmethod
    def _stay_on(processors: set[int]) -> None:
        """Binds the calling thread, alone; where that is not allowed, a step is only slower."""
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, processors)

    def _send(self, data: bytes) -> None:
        written = os.write(self._outbound, data)
        while written < len(data):
            data = data[written:]
            written = os.write(self._outbound, data)

    def _receive(self) -> bytes | None:
        """The child's next line, or None when it has ended.

        Raises:
            ValueError: the line is over the cap.
        """
        pending = self._pending
        while b"\n" not in pending:
            chunk = os.read(self._inbound, _USUAL_BYTES)
            if not chunk:
                return None
            pending += chunk
            if len(pending) > MAX_LINE_BYTES + 1:
                break
        line, found, self._pending = pending.partition(b"\n")
        if not found or len(line) > MAX_LINE_BYTES:
            raise ValueError(f"a line of the program has more than {MAX_LINE_BYTES} bytes")
        return line
