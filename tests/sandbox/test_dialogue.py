"""Interactive executions: the parent reveals, the child decides, and what was read is final."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from types import ModuleType

import pytest
from gapsmith.sandbox.base import Execution, ExecutionStatus, Json, Limits, Program, SandboxError
from gapsmith.sandbox.conversation import Conversation
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.slot import Slot

RunText = Callable[..., Execution]


def test_honest_dialogue(run_text: RunText, corpus: ModuleType) -> None:
    """The answer is the parent's transcript of the decisions, in order."""
    found = run_text("def f(item, history): return item", driver=corpus.LOOP, dialogue=corpus.Items())
    assert (found.status, found.answer) == (ExecutionStatus.OK, list(range(1, 21)))


def test_a_dialogue_leaves_the_thread_where_it_was(run_text: RunText, corpus: ModuleType) -> None:
    """Parent and child share a processor for the time of a dialogue, and for no longer."""
    before = os.sched_getaffinity(0)
    run_text("def f(item, history): return item", driver=corpus.LOOP, dialogue=corpus.Items())
    assert os.sched_getaffinity(0) == before


def test_dialogues_beside_each_other_have_a_processor_each(corpus: ModuleType) -> None:
    """As many conversations as processors are on all of them; the next one begins again."""
    processors = os.sched_getaffinity(0)
    with ExitStack() as stack:
        found = [stack.enter_context(Conversation(corpus.Items())).place for _ in processors]
        assert set(found) == processors
        with Conversation(corpus.Items()) as another:
            assert another.place == found[0]
    with Conversation(corpus.Items()) as first:
        assert first.place == sorted(processors)[os.getpid() % len(processors)]


def test_driver_sees_the_end(run_text: RunText) -> None:
    """An empty instance ends before the first line; the driver need not have done anything."""

    class Nothing:
        def next(self, line: bytes) -> bytes | None:
            return None

        def answer(self) -> Json:
            return []

    driver = "def drive(entry, instance, receive, send):\n    assert receive() is None"
    assert run_text("def f(): pass", driver=driver, dialogue=Nothing()).answer == []


def test_protocol_errors_are_invalid_answers(run_text: RunText, corpus: ModuleType) -> None:
    """A ValueError of the dialogue is an invalid answer with its message; the child is ended at once."""

    class Strict(corpus.Items):  # type: ignore[name-defined, misc]
        def next(self, line: bytes) -> bytes | None:
            if line == b"7":
                raise ValueError("bin 7 is full")
            result: bytes | None = super().next(line)
            return result

    found = run_text("def f(item, history): return item", driver=corpus.LOOP, dialogue=Strict())
    assert (found.status, found.error) == (ExecutionStatus.INVALID_ANSWER, "bin 7 is full")


def test_no_child_can_begin_a_dialogue_again(run_text: RunText, corpus: ModuleType) -> None:
    """An empty line is how a dialogue learns that it begins; sent by a child that saw all, it is refused."""

    class Restarted(corpus.Items):  # type: ignore[name-defined, misc]
        def next(self, line: bytes) -> bytes | None:
            if line == b"":
                self.decisions = []
            result: bytes | None = super().next(line)
            return result

    ahead = """
def drive(entry, instance, receive, send):
    seen = []
    for _ in range(20):
        seen.append(int(receive()))
        send(b"0" if len(seen) < 20 else b"")
    for item in reversed(seen):
        receive()
        send(b"%d" % item)
"""
    found = run_text("def f(): pass", driver=ahead, dialogue=Restarted())
    assert found.status is ExecutionStatus.INVALID_ANSWER
    assert found.error == "the program sent an empty line, expected a decision"


def test_other_errors_of_a_dialogue_are_the_tools(slot: Slot, run_text: RunText, corpus: ModuleType) -> None:
    """Any other exception of a dialogue is a bug of the tool: it is raised, and the slot stays usable."""

    class Broken(corpus.Items):  # type: ignore[name-defined, misc]
        def next(self, line: bytes) -> bytes | None:
            raise KeyError("a bug")

    with pytest.raises(KeyError):
        run_text("def f(item, history): return item", driver=corpus.LOOP, dialogue=Broken())
    assert run_text("def f(): return 1").answer == 1


def test_errors_inside_a_dialogue_are_reported(run_text: RunText, corpus: ModuleType) -> None:
    """A candidate that fails in the middle gets its own error, not one of the pipe."""
    found = run_text(
        "def f(item, history): return 1 // (5 - item)", driver=corpus.LOOP, dialogue=corpus.Items()
    )
    assert found.status is ExecutionStatus.RAISED
    assert "ZeroDivisionError" in str(found.error)


def test_long_lines_pass_in_both_directions(run_text: RunText) -> None:
    """A line larger than a pipe's buffer arrives whole; a decision may have 64 kB."""

    class Long:
        size = 0

        def next(self, line: bytes) -> bytes | None:
            if line:
                self.size = len(line)
                return None
            return b"x" * 300_000

        def answer(self) -> Json:
            return self.size

    driver = "def drive(entry, instance, receive, send):\n    send(receive()[:60000])"
    assert run_text("def f(): pass", driver=driver, dialogue=Long()).answer == 60_000


def test_a_server_that_dies_in_a_dialogue_is_an_error(corpus: ModuleType) -> None:
    """A dialogue cannot be told twice, so the loss of its server is the tool's trouble, not a status."""
    with Slot(Policy()) as slot:

        class Killer(corpus.Items):  # type: ignore[name-defined, misc]
            def next(self, line: bytes) -> bytes | None:
                if line == b"3":
                    os.killpg(slot.server.pid, signal.SIGKILL)
                result: bytes | None = super().next(line)
                return result

        program = Program({"heuristic.py": "def f(item, history): return item"}, "f", corpus.LOOP)
        with pytest.raises(SandboxError):
            slot.execute(program, b"{}", Limits(), 1, Killer())
        assert slot.execute(program, b"{}", Limits(), 1, corpus.Items()).status is ExecutionStatus.OK


def test_a_server_lost_before_the_first_decision_is_not_the_candidates_fault(corpus: ModuleType) -> None:
    """Nothing was decided yet: a new server gets the same first item, and is bound to no processor."""
    with Slot(Policy()) as slot:

        class Killer(corpus.Items):  # type: ignore[name-defined, misc]
            asked = 0

            def next(self, line: bytes) -> bytes | None:
                if not line:
                    self.asked += 1
                    os.killpg(slot.server.pid, signal.SIGKILL)
                result: bytes | None = super().next(line)
                return result

        program = Program({"heuristic.py": "def f(item, history): return item"}, "f", corpus.LOOP)
        before, killer = slot.server.pid, Killer()
        found = slot.execute(program, b"{}", Limits(), 1, killer)
        assert (found.status, found.answer) == (ExecutionStatus.OK, list(range(1, 21)))
        assert killer.asked == 1
        assert slot.server.pid != before
        assert os.sched_getaffinity(slot.server.pid) == os.sched_getaffinity(0)


def test_a_server_lost_while_the_first_item_is_decided(
    corpus: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same when the item has been sent and half of an answer has come back."""
    with Slot(Policy()) as slot:
        program = Program({"heuristic.py": "def f(item, history): return item"}, "f", corpus.LOOP)
        victims, read = [slot.server.pid], os.read

        def lossy(descriptor: int, size: int) -> bytes:
            if not victims:
                return read(descriptor, size)
            os.killpg(victims.pop(), signal.SIGKILL)
            while read(descriptor, size):
                pass
            return b""

        monkeypatch.setattr("gapsmith.sandbox.lines.os.read", lossy)
        found = slot.execute(program, b"{}", Limits(), 1, corpus.Items())
        assert victims == []
        assert (found.status, found.answer) == (ExecutionStatus.OK, list(range(1, 21)))
