"""Replays by hand, hostile transcripts, pictures and explanations, and schedulers that cheat."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from gapsmith.evaluators.cluster import cluster_scheduling
from gapsmith.problems.base import Instance, VerdictStatus, canonical_json
from gapsmith.problems.cluster.verification import judge, weight
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox

PUBLIC = {"cpu": 4, "memory": 8, "free_cpu": [4, 2], "free_memory": [4, 8]}
JOBS = [[2, 2], [3, 1], [2, 6], [1, 3], [2, 1]]
INSTANCE = Instance("i", "i", "i", PUBLIC, 64, "by hand", {"jobs": JOBS})
"""With job 0 on machine 0 job 1 fits nowhere; job 2 then takes all cpu of machine 1."""


def test_a_queue_by_hand() -> None:
    """Jobs 0, 2 and 4 are placed: weights 2·8 + 2·4, 2·8 + 6·4 and 2·8 + 1·4."""
    assert [weight(PUBLIC, job) for job in JOBS] == [24, 28, 40, 20, 20]
    assert judge(PUBLIC, JOBS, [0, 1, 0]).objective == 84
    assert judge(PUBLIC, JOBS, [1, 0, 0]).objective == 24 + 28 + 20


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (None, VerdictStatus.INVALID_ANSWER, "expected a list of machines"),
        ([0, 1], VerdictStatus.INVALID_ANSWER, "expected one more for job 4, which fits somewhere"),
        ([0, 1, 0, 0], VerdictStatus.INVALID_ANSWER, "got 4 decisions, expected 3"),
        ([2], VerdictStatus.INVALID_ANSWER, "job 0 (2 cpu, 2 memory): got 2, expected a machine from 0 to 1"),
        ([-1], VerdictStatus.INVALID_ANSWER, "got -1"),
        ([True], VerdictStatus.INVALID_ANSWER, "got true or false"),
        ([0.0], VerdictStatus.INVALID_ANSWER, "got a float"),
        ([10**5000], VerdictStatus.INVALID_ANSWER, "got an integer"),
        ([0, 0], VerdictStatus.INFEASIBLE, "job 2 (2 cpu, 6 memory) does not fit machine 0, which has 2 cpu"),
    ],
)
def test_faults_of_a_transcript(answer: Any, status: VerdictStatus, words: str) -> None:
    """Refusing a job, going on after the end, no machine, and no room are named."""
    verdict = judge(PUBLIC, JOBS, answer)
    assert verdict.status is status
    assert words in verdict.violations[0]


def test_jobs_without_demand_fit_everywhere() -> None:
    """Zeros of a file are allowed: the job is placed and weighs nothing."""
    public = {"cpu": 4, "memory": 8, "free_cpu": [0], "free_memory": [0]}
    assert judge(public, [[0, 0], [1, 0]], [0]).objective == 0


def test_a_picture_and_an_explanation() -> None:
    """Columns of cpu and memory end at what was taken; the text names free and stranded shares."""
    problem = cluster_scheduling.problem()
    drawing = problem.draw(INSTANCE, [0, 1, 0])  # type: ignore[attr-defined]
    tops: dict[float, float] = {}
    for shape in drawing.shapes:
        assert shape.y == pytest.approx(tops.get(shape.x, 0.0))
        tops[shape.x] = shape.y + shape.height
    assert list(tops.values()) == [100.0, 87.5, 100.0, 75.0] or sorted(tops.values()) == [75, 87.5, 100, 100]
    text = problem.explain(INSTANCE, [0, 1, 0])  # type: ignore[attr-defined]
    assert "3 jobs were placed on 2 machines of 4 cpu and 8 memory" in text
    assert "Free in the end: 0.0 % of the free cpu, 25.0 % of the free memory" in text
    assert "0.0 % of that cpu, 25.0 % of that memory" in text
    with pytest.raises(ValueError, match="instance i"):
        problem.draw(INSTANCE, [0])  # type: ignore[attr-defined]


def scheduler(body: str) -> str:
    """Source of a candidate with this `place` body."""
    head = (
        "import sys\nclass Scheduler:\n    def __init__(self, cpu, memory, machines):\n        self.n = 0\n"
    )
    head += "    def place(self, cpu, memory, free_cpu, free_memory):\n"
    return head + textwrap.indent(textwrap.dedent(body).strip(), " " * 8) + "\n"


FIRST = "return next(i for i, x in enumerate(free_cpu) if x >= cpu and free_memory[i] >= memory)"


@pytest.mark.parametrize(
    ("body", "status", "objective"),
    [
        (FIRST, ExecutionStatus.OK, 84),
        ("import numpy\n" + FIRST.replace("return ", "return numpy.int64(") + ")", ExecutionStatus.OK, 84),
        ("return 0", ExecutionStatus.OK, None),
        ("return -1", None, None),
        ("return None", None, None),
        ("free_cpu[:] = [99, 99]\nfree_memory[:] = [99, 99]\nreturn 0", ExecutionStatus.OK, None),
        ("sys._getframe(1).f_locals['free_cpu'][:] = [99, 99]\nreturn 0", None, None),
        ("sys.exit(0)", None, None),
        ("sys._getframe(1).f_locals['receive']()\nreturn 0", None, None),
    ],
)
def test_schedulers_in_the_sandbox(body: str, status: Any, objective: int | None) -> None:
    """Honest ones are scored; tampering, ending early and reading ahead never are."""
    problem: Any = cluster_scheduling.problem()
    with open_sandbox() as slot:
        program = Program({"heuristic.py": scheduler(body)}, problem.entry_point, problem.driver)
        public = canonical_json(PUBLIC).encode()
        limits = Limits(cpu_seconds=0.3)
        execution = slot.execute(program, public, limits, 1, problem.dialogue(INSTANCE))
    assert status is None or execution.status is status, execution.error
    if execution.status is ExecutionStatus.OK:
        assert problem.verify(INSTANCE, execution.answer).objective == objective
    else:
        assert objective is None
