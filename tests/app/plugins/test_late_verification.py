"""What a problem computes from an answer runs in a process that a deadline ends; nobody else is harmed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import Reference, ReferenceKind, Score, ScoreStatus
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evaluators.helpers import Helpers
from gapsmith.evaluators.judging import Judges, NotDrawn
from gapsmith.problems.base import Drawing, Instance, Json, Sense, Shape, Verdict
from gapsmith.sandbox.base import MAIN_FILE, Limits
from gapsmith.sandbox.slot import Slot, open_sandbox

COLLIDING = "[i * (2**61 - 1) for i in range(40_000)]"
KNOWN = Reference(1, ReferenceKind.BEST_KNOWN, None, None, "none", "1", None, "test")


class Careless:
    """A problem that builds a set before it looks at any range."""

    name, version, sense, unit = "careless", "1", Sense.MINIMISE, "numbers"
    entry_point, signature, statement = "f", "def f()", "Give numbers."
    verify_seconds = 0.3

    def verify(self, instance: Instance, answer: Any) -> Verdict:
        """Counts different numbers, or does what a plug-in never should."""
        match answer:
            case "leave":
                sys.exit(3)
            case "end":
                os._exit(3)
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "quote":
                return Verdict.infeasible(*["x" * 10**6] * 300)
            case {"number": number}:
                return Verdict.valid(1 // number)
        return Verdict.valid(len(set(answer)))

    def draw(self, instance: Instance, answer: Any) -> Drawing:
        """A picture of how many different numbers there are."""
        return Drawing("numbers", "x", "y", (Shape("label", 0.5, 1, text=str(len(set(answer)))),))


class Told(Careless):
    """The same where numbers are asked for line by line, and kept under keys that JSON does not have."""

    driver = "def drive(entry, instance, receive, send):\n    while receive():\n        send(entry())"

    def dialogue(self, instance: Instance) -> Any:
        """Takes three lines of numbers."""
        kept: dict[int, set[int]] = {}

        class Numbers:
            def next(self, line: bytes) -> bytes | None:
                if line:
                    kept[len(kept)] = {int(number) * (2**61 - 1) for number in line.split()}
                return b"more" if len(kept) < 3 else None

            def answer(self) -> Json:
                return {key: len(numbers) for key, numbers in kept.items()}  # type: ignore[misc]

        return Numbers()

    def verify(self, instance: Instance, answer: Any) -> Verdict:
        """The sum, by keys that are numbers."""
        return Verdict.valid(sum(answer[key] for key in range(3)))


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    """One warm slot."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture
def scored(slot: Slot) -> Iterator[Callable[..., Score]]:
    """Scores an expression of a problem's candidate."""
    made: dict[type[Careless], GapEvaluator] = {}

    def run(expression: str, problem: type[Careless] = Careless) -> Score:
        if problem not in made:
            instance = Instance("one", "train", "s", {}, 1, "test")
            made[problem] = GapEvaluator(
                problem(),  # type: ignore[arg-type]
                {"train": [instance]},
                lambda instance: KNOWN,
                limits=Limits(),
                seed=1,
                policy="test",
            )
        program = made[problem].program({MAIN_FILE: f"def f(): return {expression}"})
        return made[problem].evaluate(program, "train", slot).scores[0]

    yield run
    for evaluator in made.values():
        evaluator.close()


def test_an_answer_that_verify_never_ends_on_is_not_valid(scored: Callable[..., Score]) -> None:
    """Colliding integers cost the candidate its score after the deadline; the next answer is judged."""
    late = scored(COLLIDING)
    assert (late.status, late.answer_digest) == (ScoreStatus.INVALID_ANSWER, None)
    assert late.message == "careless: verification took more than 0.3 CPU seconds"
    assert scored("[1, 2, 2]").objective == 2


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("'leave'", "careless: verify raised SystemExit (test_late_verification.py:"),
        ("'end'", "careless: verify ended its process"),
        ("'stop'", "careless: verification took more than 0.3 CPU seconds"),
        (
            "{'number': 0}",
            "division or modulo by zero (test_late_verification.py:",
        ),
    ],
)
def test_whatever_verify_does_is_an_invalid_answer(
    scored: Callable[..., Score], answer: str, words: str
) -> None:
    """An exit, the end of the process, a standstill and an exception end in a status that says which."""
    found = scored(answer)
    assert found.status is ScoreStatus.INVALID_ANSWER
    assert words in (found.message or "")
    assert scored("[1]").status is ScoreStatus.OK


def test_a_verdict_that_quotes_the_answer_is_cut(scored: Callable[..., Score]) -> None:
    """300 violations of a million characters leave the helper as 100 of 4,000."""
    found = scored("'quote'")
    assert found.status is ScoreStatus.INFEASIBLE
    assert len(found.message or "") < 10**6


def test_a_dialogue_that_never_ends_on_a_line_is_ended(scored: Callable[..., Score]) -> None:
    """The deadline holds for `next` too, and the objects that a dialogue made reach `verify` as they are."""
    numbers = "b' '.join(b'%d' % i for i in range({}))"
    late = scored(numbers.format(12_000), Told)
    assert (late.status, late.message) == (
        ScoreStatus.INVALID_ANSWER,
        "careless: verification took more than 0.3 CPU seconds",
    )
    assert scored(numbers.format(5), Told).objective == 15


def test_a_helper_that_was_killed_is_nobodys_fault(scored: Callable[..., Score]) -> None:
    """Where the processes that verify were ended from outside, an answer is judged by a fresh one."""
    assert scored("[1]").objective == 1
    helpers = [pid for pid in _descendants(os.getpid()) if _is_helper(pid)]
    assert helpers
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
    assert scored("[1, 2]").objective == 2


def _descendants(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        found += map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split())
    return found[1:]


def _is_helper(pid: int) -> bool:
    """A helper leads a group of its own inside the fork server's session."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    group, session = int(words[2]), int(words[3])
    return group == pid != session and Path(f"/proc/{pid}/cmdline").read_bytes() == _OWN


_OWN = Path("/proc/self/cmdline").read_bytes()


def test_a_helper_stays_beside_its_caller_for_a_moment() -> None:
    """A quick reply comes from the caller's processor; a slow one and a dialogue may use any."""
    anywhere = os.sched_getaffinity(0)
    naps = {b"quick": 0.0, b"slow": 0.5}

    def where(request: bytes, descriptors: Sequence[int]) -> bytes:
        time.sleep(naps[request])
        return json.dumps(sorted(os.sched_getaffinity(0))).encode()

    helpers = Helpers(where)
    try:
        helper = helpers.take()
        assert len(json.loads(helper.ask(b"quick", 5, 15))) == 1
        assert set(json.loads(helper.ask(b"slow", 5, 15))) == anywhere
        assert len(json.loads(helper.ask(b"quick", 5, 15))) == 1
        assert set(json.loads(helper.ask(b"quick", 5, 15, (0,)))) == anywhere
    finally:
        helpers.close()


@pytest.mark.parametrize("text", ["[1,2,2]", " [1.0, 2, 2]\n", '{"a": 1, "a": 2}', '"\\u00e9\\ud83d\\ude00"'])
def test_text_of_an_answer_and_the_answer_are_judged_alike(text: str) -> None:
    """The text that a program wrote stands for the answer that was read from it, with the same digest."""
    instance = Instance("[1],2", "train", "s", {}, 1, "test")
    judges = Judges(Careless(), {instance.id: instance})  # type: ignore[arg-type]
    try:
        answer = json.loads(text)
        assert judges.judge(instance, answer, text.encode()) == judges.judge(instance, answer)
    finally:
        judges.close()


def test_a_drawing_has_a_deadline(scored: Callable[..., Score]) -> None:
    """A drawing arrives whole; one that takes too long, or raises, is refused with a sentence."""
    instance = Instance("one", "train", "s", {}, 1, "test")
    evaluator = GapEvaluator(
        Careless(),  # type: ignore[arg-type]
        {"train": [instance]},
        lambda instance: KNOWN,
        limits=Limits(),
        seed=1,
        policy="test",
    )
    assert evaluator.draw(instance, [1, 2]) == Careless().draw(instance, [1, 2])
    with pytest.raises(NotDrawn, match=r"more than 0\.3 CPU seconds"):
        evaluator.draw(instance, [i * (2**61 - 1) for i in range(40_000)])
    with pytest.raises(NotDrawn, match=r"TypeError.*test_late_verification.py:\d+"):
        evaluator.draw(instance, 3)
    evaluator.close()


SCRIPT = """
import sys, threading
from gapsmith.evaluators.helpers import Helpers
helpers = Helpers(lambda request, descriptors: b"x" if request == b"pid" else exec("while True: pass"))
one, two = helpers.take(), helpers.take()
print(helpers._finalize.peek()[2][1], one.pid, two.pid, flush=True)
threading.Thread(target=one.ask, args=(b"forever", 60, 60), daemon=True).start()
one_more = two.ask(b"pid", 5, 5)
if sys.argv[1:]:
    sys.exit()
threading.Event().wait()
"""


@pytest.mark.parametrize("killed", [False, True], ids=["ended", "killed"])
def test_no_helper_outlives_the_tool(killed: bool) -> None:
    """A helper in an endless loop is ended with the tool, also when the tool is killed."""
    words = [sys.executable, "-c", SCRIPT, *([] if killed else ["exit"])]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        pids = [int(word) for word in tool.stdout.readline().split()]
        if killed:
            tool.kill()
        tool.wait(timeout=30)
    until = time.monotonic() + 20
    while (left := [pid for pid in pids if _alive(pid)]) and time.monotonic() < until:
        time.sleep(0.02)
    assert left == []


READING = """
import os
from gapsmith.evaluators.helpers import Helpers
helpers = Helpers(lambda request, descriptors: os.read(0, 9))
print(helpers.take().ask(b"read", 5, 5), os.read(0, 9))
"""


def test_a_helper_reads_nothing_from_a_person() -> None:
    """What is typed stays for the tool."""
    done = subprocess.run([sys.executable, "-c", READING], input=b"typed", capture_output=True, check=True)
    assert done.stdout.split() == [b"b''", b"b'typed'"]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
