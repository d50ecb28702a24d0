"""What a candidate reaches for beside its task is noted, also where the refused call was swallowed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from gapsmith.app.plugins.loader import list_problems
from gapsmith.sandbox.base import Execution, ExecutionStatus
from gapsmith.sandbox.sealed.text import describe
from gapsmith.sandbox.slot import Slot

RunText = Callable[..., Execution]
QUIETLY = (
    "import sys\ndef f():\n    try:\n        {}\n    except (OSError, ImportError): pass\n    return 1\n"
)
HONEST = """
import collections, copy, dataclasses, random, sys, typing, warnings
import numpy as np
Pair = collections.namedtuple("Pair", "x y")
@dataclasses.dataclass
class Job:
    due: int
class Point(typing.NamedTuple):
    x: float
def f():
    try:
        import scipy
    except ImportError:
        pass
    sys.setrecursionlimit(5000)
    print(sys.maxsize, file=sys.stderr)
    warnings.warn("careful")
    copy.deepcopy([Job(1), Pair(1, 2), Point(1.0)])
    return np.random.default_rng().integers(3) + random.random() * 0 + np.linalg.svd(np.eye(3))[1][0]
"""


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("open('/etc/passwd')", ("open",)),
        ("import gc", ("import gc",)),
        ("from ctypes import CDLL", ("import ctypes",)),
        ("sys._getframe().f_back", ("sys._getframe",)),
        ("sys.modules['os'].listdir('/')", ("sys.modules", "os.listdir")),
        ("sys.modules['gc'].get_objects()", ("sys.modules", "gc.get_objects")),
        ("__import__('numpy').load('/etc/passwd')", ("open",)),
        ("getattr(sys, 'mod' + 'ules')['posix'].kill(1, 0) if False else sys.path", ("sys.path",)),
    ],
)
def test_what_is_swallowed_is_noted(run_text: RunText, line: str, marks: tuple[str, ...]) -> None:
    """A program that answers as if nothing had been has the names of what it tried."""
    found = run_text(QUIETLY.format(line))
    assert (found.status, found.marks) == (ExecutionStatus.OK, marks)


def test_honest_programs_have_no_marks(run_text: RunText, slot: Slot) -> None:
    """Libraries that look at frames or quote source lines are not the candidate's doing."""
    found = run_text(HONEST)
    assert (found.error, found.marks) == (None, ())
    assert slot.describe(HONEST, "f").internals == ()


@pytest.mark.slow
def test_no_shipped_program_mentions_internals() -> None:
    """Start programs and baselines of the built-in problems are plain programs."""
    texts = {
        text: one.loaded.problem.entry_point
        for one in list_problems()
        if one.loaded is not None and one.origin == "built-in"
        for text in (*one.loaded.problem.start_programs().values(), *one.loaded.problem.baselines().values())
    }
    assert len(texts) > 20
    described = [describe(text, entry) for text, entry in texts.items()]
    assert {(one["error"], *one["internals"]) for one in described} == {(None,)}


def test_the_text_tells_what_no_call_does(slot: Slot) -> None:
    """Attributes of functions, frames and generators are found, also as texts; other words are not."""
    text = "def f(g): return getattr(g, '__globals__'), '{.__code__}'.format(g), g.gi_frame.f_back"
    assert slot.describe(text, "f").internals == ("__code__", "__globals__", "f_back", "gi_frame")
    assert slot.describe("def f(code): return code.frame, 'a __global__ word'\n", "f").internals == ()


def test_no_candidate_takes_a_mark_back(run_text: RunText) -> None:
    """The record can be neither closed nor replaced; what the candidate writes there is itself a mark."""
    text = """
import sys
def f():
    os = sys.modules["os"]
    try:
        os.close(6)
    except OSError:
        pass
    os.write(6, b"\\x1b[31m nothing \\xff\\n")
    try:
        os.dup2(1, 6)
    except OSError:
        pass
    sys.modules["sealed.access_log"].Marks.note = lambda self, name: None
    try:
        open("/etc/passwd")
    except OSError:
        pass
    return 1
"""
    found = run_text(text)
    assert found.status is ExecutionStatus.OK
    assert {"sys.modules", "os.close", "os.write", "os.dup2", "the record of marks", "open"} <= set(
        found.marks
    )
