"""Unrelated machines with setups: verification, pictures, words, files, programs, larger instances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.shops.unrelated_machines import (
    arithmetic_bound,
    least_setups,
    searched,
    unrelated_machines,
)
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.shops.unrelated_machines import judge, loads

PROBLEM: Any = unrelated_machines.problem()
HAND = {
    "times": [[3, 5, 2], [4, 1, 6]],
    "setups": [[[0, 7, 2], [1, 0, 9], [3, 4, 0]], [[0, 2, 8], [5, 0, 1], [6, 3, 0]]],
}
TEXT = "3 2 1\n0 3 1 4\n0 5 1 1\n0 2 1 6\nSSD\nM0\n0 7 2\n1 0 9\n3 4 0\nM1\n0 2 8\n5 0 1\n6 3 0\n"


@pytest.mark.parametrize(
    ("plan", "value"),
    [([[0, 2], [1]], 7), ([[2, 0], [1]], 8), ([[0, 1, 2], []], 26), ([[], [2, 1, 0]], 19)],
)
def test_a_plan_by_hand_has_its_makespan(plan: Any, value: int) -> None:
    """Worked out on paper: the first job of a machine needs no setup, an empty machine ends at 0."""
    assert judge(HAND, plan).objective == value


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "expected a list of lists"),
        ([[0, 1, 2]], "expected a list of 2 lists, got 1"),
        ([[0, 1], [2], []], "expected a list of 2 lists, got 3"),
        ([[0, 1], []], "expected 3 items in all lists together, got 2"),
        ([[0, 1], [1]], "1 stands twice"),
        ([[0, 1], [3]], "got 3"),
        ([[0, 1], [2.0]], "got 2.0"),
        ([[0, True], [2]], "got True"),
        ([[0, 1], 2], "list 1: got 2"),
    ],
)
def test_what_is_no_plan_is_invalid(answer: Any, words: str) -> None:
    """Number of machines and jobs, types, ranges, repetition."""
    verdict = judge(HAND, answer)
    assert verdict.status is VerdictStatus.INVALID_ANSWER
    assert words in verdict.violations[0]


def test_pictures_and_words() -> None:
    """Blocks of jobs and setups fill each machine up to its end; the words name loads and setups."""
    instance = Instance("i", "i", "i", HAND, 1, "by hand")
    shapes = PROBLEM.draw(instance, [[0, 2], [1]]).shapes
    assert [(s.x, s.width, s.text, s.group) for s in shapes] == [
        (0, 3, "0", "job"),
        (3, 2, "", "setup"),
        (5, 2, "2", "job"),
        (0, 1, "1", "job"),
    ]
    text = PROBLEM.explain(instance, [[0, 1], [2]])
    assert "- machine 0: ends 15; 2 jobs, 8, 7" in text
    assert "2 jobs are not on their quickest machine and work 8 longer" in text
    assert "7 from job 0 to job 1 (the least from it is 2)" in text
    with pytest.raises(ValueError, match="instance i"):
        PROBLEM.explain(instance, [[0], [1]])


def read(folder: Path, text: str) -> Any:
    """The instance of a file with this text."""
    path = folder / "I_3_2_S_1-9_1.txt"
    path.write_text(text, "utf-8")
    (instance,) = PROBLEM.read_instances(path)
    return instance


def test_the_layout_of_the_benchmark(tmp_path: Path) -> None:
    """Pairs of machine and time by job, then a square of setups for each machine; further numbers aside."""
    instance = read(tmp_path, TEXT)
    assert (instance.id, instance.stratum, dict(instance.public)) == ("I_3_2_S_1-9_1", "2x3", HAND)
    for head in ("3 2\n", "3\t2\n\n57\n", "3 2 0\n1\n"):
        assert dict(read(tmp_path, head + TEXT[6:]).public) == HAND


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (TEXT, "", "line 1: got the end of the file, expected a line that begins"),
        ("3 2 1", "3", "line 1: got 1 words"),
        ("3 2 1", "3 0", "line 1 column 2: got '0'"),
        ("3 2 1", "1000 1000", "got 1000 x 1000 x 1000, expected at most 400,000 setups"),
        ("0 5 1 1", "0 5", "line 3: got 2 words, expected 2 pairs of machine and time"),
        ("0 5 1 1", "1 5 0 1", "line 3 column 1: got '1', expected the machine 0"),
        ("0 5 1 1", "0 5 1 -1", "line 3 column 4: got '-1', expected a processing time"),
        ("SSD", "DUE", "line 5: got 'DUE', expected the line SSD"),
        ("M1", "M2", "line 10: got 'M2', expected the line M1"),
        ("1 0 9", "1 0.5 9", "line 8 column 2: got '0.5', expected a setup"),
        ("6 3 0\n", "", "line 12: got the end of the file, expected 3 setups"),
        ("6 3 0\n", "6 3 0\n3 2\n", "line 14: got '3 2', expected the end of the file"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    """What was got, what was expected, where."""
    assert old in TEXT
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, TEXT.replace(old, new))
    assert message in str(error.value)


def test_programs_by_hand() -> None:
    """Earliest end and insertion, worked out on paper; the search finds the optimum of 7."""
    answers = {}
    for name, text in PROBLEM.baselines().items():
        scope: dict[str, Any] = {}
        exec(text, scope)
        answers[name] = scope["schedule"](**HAND)
    assert answers["earliest-end"] == [[2, 0], [1]]
    assert max(loads(HAND, answers["iterated-greedy"])) == 7


def test_bounds_by_hand() -> None:
    """Least setups before and behind each job; the mean of what all jobs take at least."""
    assert least_setups(HAND["setups"][0]) == ([1, 4, 2], [2, 1, 3])
    # The jobs take 4, 3 and 4 at least, of which first jobs may save 9; but job 0 takes 3 on any machine.
    assert arithmetic_bound(HAND) == 3
    # Alone, machine 0 takes 3 + 1, 5 + 4 and 2 + 2, and saves 4 at most; the order 1, 0, 2 attains that.
    alone = {key: value[:1] for key, value in HAND.items()}
    assert arithmetic_bound(alone) == 13 == loads(alone, [[1, 0, 2]])[0]
    assert least_setups([[0]]) == ([0], [0])


@pytest.mark.slow
def test_what_is_too_large_for_subsets_gets_a_bound_and_a_plan() -> None:
    """Forty jobs in some seconds: a valid plan above the bound, and an optimum only where they meet."""
    instance = PROBLEM.instances("large", 1)[0]
    made = searched(instance.public, 4.0)
    assert judge(instance.public, made.answer).objective == made.value
    assert arithmetic_bound(instance.public) <= made.bound <= made.value
    kind = made.reference("tried").kind
    assert (kind is ReferenceKind.OPTIMUM) == (made.bound == made.value)
