"""Jobs that end: a stream by hand, hostile transcripts, the bound, files, and schedulers in the sandbox."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.cluster import cluster_churn
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus, canonical_json
from gapsmith.problems.cluster import cluster_scheduling
from gapsmith.problems.cluster.churn import offered_weight
from gapsmith.problems.cluster.churn_verification import Stream, judge, placed_jobs
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox

PROBLEM: Any = cluster_churn.problem()
PROGRAMS = PROBLEM.baselines()
PUBLIC = {"cpu": 4, "memory": 8, "free_cpu": [4, 2], "free_memory": [8, 4]}
JOBS = [
    [0, 10, 4, 2, 9],
    [0, 3, 2, 2, 3],
    [2, 5, 1, 1, 3],
    [3, 30, 2, 4, 20],
    [10, 12, 4, 8, 2],
]
HIDDEN = {"horizon": 20, "jobs": JOBS}
"""Both machines have no free cpu from 0 to 3, so job 2 is lost; at 3 and at 10 room is free again."""


def run(name: str, public: Any, jobs: Any) -> tuple[list[int], list[bytes]]:
    """Decisions of a shipped program, asked by the driver, and the lines that the parent sent."""
    loop: dict[str, Any] = {}
    exec(PROBLEM.driver, loop)
    scope: dict[str, Any] = {}
    exec(PROGRAMS[name], scope)
    stream, last, sent = Stream(public, jobs), [b""], list[bytes]()

    def receive() -> bytes | None:
        line = stream.next(last[0])
        sent.extend([] if line is None else [line])
        return line

    loop["drive"](scope["Scheduler"], public, receive, lambda line: last.__setitem__(0, line))
    return stream.answer(), sent  # type: ignore[return-value]


def test_a_stream_by_hand() -> None:
    """Weights 4·8 + 2·4, 2·8 + 2·4, 2·8 + 4·4 and 4·8 + 8·4, times 10, 3, 17 and 2 minutes."""
    assert judge(PUBLIC, HIDDEN, [0, 1, 1, 0]).objective == 40 * 10 + 24 * 3 + 32 * 17 + 64 * 2
    assert [placed for _, placed in placed_jobs(PUBLIC, HIDDEN, [0, 1, 1, 0])] == [
        True,
        True,
        False,
        True,
        True,
    ]
    decisions, sent = run("first-fit", PUBLIC, JOBS)
    assert decisions == [0, 1, 1, 0]
    assert sent == [b"0 4 2 9", b"0 2 2 3", b"3 2 4 20 1 2 2", b"10 4 8 2 0 4 2"]


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        ({}, VerdictStatus.INVALID_ANSWER, "expected a list of machines"),
        ([0, 1, 1], VerdictStatus.INVALID_ANSWER, "expected one more for job 4"),
        ([0, 1, 1, 0, 0], VerdictStatus.INVALID_ANSWER, "got 5 decisions, expected 4"),
        ([0, False], VerdictStatus.INVALID_ANSWER, "job 1 (2 cpu, 2 memory): got True"),
        ([0, 2], VerdictStatus.INVALID_ANSWER, "got 2, expected a machine from 0 to 1"),
        ([0, 0], VerdictStatus.INFEASIBLE, "job 1 (2 cpu, 2 memory) does not fit machine 0, which has 0 cpu"),
    ],
)
def test_faults_of_a_transcript(answer: Any, status: VerdictStatus, words: str) -> None:
    """Refusing a job, going on after the end, no machine, and no room are named."""
    verdict = judge(PUBLIC, HIDDEN, answer)
    assert verdict.status is status
    assert words.replace("True", "true or false") in verdict.violations[0]


def test_the_bound_by_hand_and_above_every_program() -> None:
    """Offered jobs or the whole fleet at each minute; random streams with zeros and many equal times."""
    busy = [(0, 2, 6, 4), (2, 3, 6, 5), (3, 5, 6, 7), (5, 10, 6, 6), (10, 12, 6, 12), (12, 20, 2, 4)]
    assert offered_weight(PUBLIC, HIDDEN) == sum((t - s) * (8 * c + 4 * m) for s, t, c, m in busy)
    stream = random.Random(4)
    for _ in range(30):
        jobs = sorted(
            [s, s + stream.randint(1, 9), stream.randint(0, 4), stream.randint(0, 8), 5]
            for s in (stream.randint(0, 9) for _ in range(15))
        )
        hidden = {"horizon": 12, "jobs": jobs}
        for name in PROGRAMS:
            value = judge(PUBLIC, hidden, run(name, PUBLIC, jobs)[0]).objective  # type: ignore[arg-type]
            assert value is not None
            assert value <= offered_weight(PUBLIC, hidden)


def test_without_departures_both_problems_decide_alike() -> None:
    """Jobs that all arrive at 0 and stay: the decisions of cluster scheduling, for every program."""
    problem: Any = cluster_scheduling()
    instance = problem.instances("train", 1)[0]
    jobs = [[0, 9, *job, 9] for job in instance.hidden["jobs"]]
    for name in PROGRAMS:
        decisions = run(name, instance.public, jobs)[0]
        hidden = {"horizon": 1, "jobs": jobs}
        value = judge(instance.public, hidden, decisions).objective  # type: ignore[arg-type]
        assert value == problem.verify(instance, decisions).objective


@pytest.mark.slow
def test_programs_in_the_sandbox_and_what_they_do_in_words_and_pictures() -> None:
    """Every baseline is valid under the default limits; use of cpu over time adds up in the picture."""
    instance = PROBLEM.instances("train", 1)[1]
    public = canonical_json(dict(instance.public)).encode()
    with open_sandbox() as slot:
        for name in ("best-fit", "alphaevolve"):
            program = Program({"heuristic.py": PROGRAMS[name]}, PROBLEM.entry_point, PROBLEM.driver)
            execution = slot.execute(program, public, Limits(), 1, PROBLEM.dialogue(instance))
            assert execution.status is ExecutionStatus.OK, (name, execution.error)
            assert PROBLEM.verify(instance, execution.answer).objective is not None
    answer = execution.answer
    assert f"{len(answer)} jobs were placed on 36 machines" in PROBLEM.explain(instance, answer)  # type: ignore[arg-type]
    heights = [shape.height for shape in PROBLEM.draw(instance, answer).shapes if shape.group == "cpu"]
    jobs = [job for job, placed in placed_jobs(instance.public, instance.hidden, answer) if placed]
    end = instance.hidden["horizon"]
    used = sum(job[2] * (min(job[1], end) - job[0]) for job in jobs)
    assert sum(heights) / len(heights) == pytest.approx(100 * used / (36 * 64 * end))
    assert max(heights) <= 100.0001
    with pytest.raises(ValueError, match=instance.id):
        PROBLEM.draw(instance, [])


@pytest.mark.slow
def test_instances_of_the_default_seed() -> None:
    """Jobs come in order of arrival, and the reference is a bound."""
    for instance in PROBLEM.instances("train", 1):
        arrivals = [job[0] for job in instance.hidden["jobs"]]
        assert arrivals == sorted(arrivals)
        assert all(job[0] < job[1] and job[4] >= 1 for job in instance.hidden["jobs"])
        reference = cluster_churn.references.reference(instance, 1)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.BOUND


def test_a_secret_changes_all_streams() -> None:
    """One secret repeats; another gives other jobs."""
    small: Any = cluster_churn.problem(1, 1, 1)
    one, other = (small.keyed(secret).instances("train", 1) for secret in ("aa", "bb"))
    assert [i.digest for i in one] == [i.digest for i in small.keyed("aa").instances("train", 1)]
    assert not {i.digest for i in one} & {i.digest for i in other}


MACHINES = "free_cpu,free_memory\n4,8\n2,4\n"


def read(folder: Path, jobs: str) -> Instance:
    """The instance of two files."""
    (folder / "jobs.csv").write_text(jobs, "utf-8")
    (folder / "machines.csv").write_text(MACHINES, "utf-8")
    (instance,) = PROBLEM.read_instances(folder / "jobs.csv")
    return instance  # type: ignore[no-any-return]


def test_a_users_stream(tmp_path: Path) -> None:
    """Rows in any order; without a departure a job stays; without a told duration the true one is told."""
    instance = read(tmp_path, "cpu,memory,duration,depart,arrive\n1,2,,,7\n2,3,50,9,4\n1,1,,5,4\n")
    assert instance.hidden == {"horizon": 8, "jobs": [[4, 9, 2, 3, 50], [4, 5, 1, 1, 1], [7, 8, 1, 2, 1]]}
    assert PROBLEM.verify(instance, [0, 1, 0]).objective is not None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("4,4,1,1,1", "row 2 column depart: got 4, expected a minute after the arrival at 4"),
        ("4,3,1,1,1", "row 2 column depart: got 3"),
        ("1.5,3,1,1,1", "row 2 column arrive: got '1.5'"),
        (",3,1,1,1", "row 2 column arrive: got ''"),
        ("0,3,1,1,0", "row 2 column duration: got 0"),
        (f"0,{2**62},1,1,1", "row 2 column depart: got 4611686018427387904"),
        ("0,3,-1,1,1", "row 2 column cpu: got -1"),
    ],
)
def test_a_fault_is_one_line_with_row_and_column(tmp_path: Path, row: str, message: str) -> None:
    """What was found and what was expected."""
    with pytest.raises(InstanceFileError) as caught:
        read(tmp_path, f"arrive,depart,cpu,memory,duration\n{row}\n")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
