"""The wall limit ends children that wait; one that computes on a busy machine gets more time."""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from types import SimpleNamespace

import pytest
from gapsmith.sandbox import verdicts
from gapsmith.sandbox.base import Execution, ExecutionStatus, Limits
from gapsmith.sandbox.process import ChildEnd
from gapsmith.sandbox.sealed import server
from gapsmith.sandbox.sealed.protocol import OUT_OF_CPU, OUT_OF_TIME

RunText = Callable[..., Execution]
WALL = 0.05
ENOUGH = 0.05 * WALL
"""CPU seconds that a child must use in a period."""


@pytest.fixture
def sleeper() -> Iterator[int]:
    """The number of a process that does nothing for a minute."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


def watched(pid: int, used: list[float], monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Cause of the end of a process with these CPU seconds at the looks at it, and looks that are left."""
    wall = count()
    clocks = SimpleNamespace(clock_gettime=lambda clock: used.pop(0), monotonic=lambda: WALL * next(wall))
    monkeypatch.setattr(server, "time", clocks)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        return server._watch(pid, select.poll(), ours, 1.0, WALL), len(used)


@pytest.mark.parametrize(
    ("periods", "cause"),
    [
        ([0.0], OUT_OF_TIME),
        ([0.9 * ENOUGH], OUT_OF_TIME),
        ([0.3, 0.6, 0.6 + 0.9 * ENOUGH], OUT_OF_TIME),
        ([0.3, 0.6, 0.9, 1.01], OUT_OF_CPU),
    ],
)
def test_a_child_that_computes_gets_its_wall_limit_again(
    periods: list[float], cause: int, sleeper: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is ended in the first period in which it waited, or at its CPU limit."""
    assert watched(sleeper, list(periods), monkeypatch) == (cause, 0)


@pytest.mark.parametrize(
    ("seconds", "given", "taken", "crowded", "words"),
    [
        (0.198, 1, 60, True, "the machine was too busy, which says nothing of the program"),
        (0.198, 60, 1, False, "it waited, and gave up the processor by itself 60 times"),
        (0.001, 1, 0, False, "sleeping or waiting does not help"),
        (0.003, 1, 4, False, "sleeping or waiting does not help"),
    ],
)
def test_a_message_says_who_is_to_blame(
    seconds: float, given: int, taken: int, crowded: bool, words: str
) -> None:
    """The machine, if the processor was taken from the child more often than the child gave it up."""
    verdict = ChildEnd(9, OUT_OF_TIME, seconds, 0, given, taken)
    places = [os.memfd_create(name) for name in ("answer", "output")]
    marks, writes = os.pipe2(os.O_NONBLOCK)
    try:
        files = SimpleNamespace(answer=places[0], output=places[1], marks=marks)
        found = verdicts.read(verdict, Limits(cpu_seconds=1.0), files, 4.04)
    finally:
        for place in (*places, marks, writes):
            os.close(place)
    assert (found.status, found.crowded) == (ExecutionStatus.TIMEOUT, crowded)
    assert (
        found.error
        == f"used {seconds:.2g} s of CPU time, of 1 s, and was ended after 4.04 s of wall time: {words}"
    )


def test_the_kernel_counts_how_often_a_child_gave_up_the_processor(
    run_text: RunText, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that sleeps a hundred times, in short naps, gives the processor up as often."""
    seen: list[ChildEnd] = []
    read = verdicts.read
    monkeypatch.setattr(verdicts, "read", lambda verdict, *rest: seen.append(verdict) or read(verdict, *rest))
    text = "import sys\ndef f():\n    for _ in range(100): sys.modules['time'].sleep(0.001)\n    return 1"
    assert run_text(text).status is ExecutionStatus.OK
    assert seen[-1].given >= 100


@pytest.mark.slow
def test_a_message_says_the_seconds_and_blames_waiting_only_where_little_was_computed(
    run_text: RunText,
) -> None:
    """A sleeper reads its CPU seconds, its limit, and the wall seconds until it was ended."""
    text = "import sys\ndef f(): sys.modules['time'].sleep(60)"
    found = run_text(text, limits=Limits(cpu_seconds=0.2))
    assert found.status is ExecutionStatus.TIMEOUT
    assert found.error is not None
    assert "s of CPU time, of 0.2 s, and was ended after" in found.error
    assert found.error.endswith("sleeping or waiting does not help")
    assert not found.crowded
