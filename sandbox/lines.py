"""A dialogue over two pipes, one line out and one line in per step, in the process that holds it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from .answers import clean
from .base import Ending

MAX_LINE_BYTES = 65536
_USUAL_BYTES = 4096  # read at once: a large buffer costs more than the decision in it


class Talk:
    """Feeds one dialogue to a child; reads block, but at its limits the server ends child and pipe."""

    def __init__(self, step: Callable[[bytes], bytes | None]) -> None:
        """Takes the `next` of a dialogue."""
        self._step = step
        self._begun = False
        self._pending = b""
        self._opening: tuple[bytes | None] | None = None

    def run(self, inbound: int, outbound: int, place: int) -> Ending:
        """Talks until the dialogue or the child is at its end, or the child breaks the protocol.

        Args:
            inbound: descriptor to read decisions from.
            outbound: descriptor to write items to.
            place: number of the processor that the child is bound to. The two never compute at once, and
                waking a neighbour on another processor costs four times as much.
        """
        anywhere = os.sched_getaffinity(0)
        _stay_on({place})
        try:
            finished = self._talk(inbound, outbound)
        except BrokenPipeError:
            finished = False
        except ValueError as error:
            return Ending(self._begun, broken=clean(str(error)) or "the program broke the protocol")
        finally:  # before anything else is started, for it would inherit the binding
            _stay_on(anywhere)
        return Ending(self._begun, finished)

    def _talk(self, inbound: int, outbound: int) -> bool:
        """Whether the dialogue came to its end before the child did."""
        self._pending = b""
        if self._opening is None:  # a second child gets the line that the first one read before it ended
            self._opening = (self._step(b""),)
        line = self._opening[0]
        while line is not None:
            _send(outbound, line + b"\n")
            decision = self._receive(inbound)
            if decision is None:
                return False
            if not decision:  # the dialogue's own sign of its beginning: it might start all over again
                raise ValueError("the program sent an empty line, expected a decision")
            self._begun = True
            line = self._step(decision)
        return True

    def _receive(self, inbound: int) -> bytes | None:
        """The child's next line, or None when the child has ended.

        Raises:
            ValueError: the line is over the cap.
        """
        pending = self._pending
        while b"\n" not in pending:
            chunk = os.read(inbound, _USUAL_BYTES)
            if not chunk:
                return None
            pending += chunk
            if len(pending) > MAX_LINE_BYTES + 1:
                break
        line, end, self._pending = pending.partition(b"\n")
        if not end or len(line) > MAX_LINE_BYTES:
            raise ValueError(f"a line of the program has more than {MAX_LINE_BYTES} bytes")
        return line


def _send(outbound: int, data: bytes) -> None:
    written = os.write(outbound, data)
    while written < len(data):
        data = data[written:]
        written = os.write(outbound, data)


def _stay_on(processors: set[int]) -> None:
    """Binds the calling thread, alone; where that is not allowed, a step is only slower."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, processors)
