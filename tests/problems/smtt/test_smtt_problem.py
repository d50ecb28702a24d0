"""The problem: instances, splits, verdicts and the programs that ship with it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from gapsmith.evaluators.smtt import smtt
from gapsmith.evaluators.smtt.decomposition import Decomposition
from gapsmith.problems.base import VerdictStatus
from gapsmith.problems.smtt.generator import strata
from gapsmith.problems.smtt.verification import total_tardiness


def test_splits_are_disjoint_and_repeatable() -> None:
    """No instance of one split is in another, and the same seed gives the same sets."""
    problem = smtt.problem(jobs=10)
    splits = {name: {i.digest for i in problem.instances(name, 3)} for name in ("train", "valid", "test")}
    assert not splits["train"] & splits["valid"]
    assert not splits["train"] & splits["test"]
    assert not splits["valid"] & splits["test"]
    assert splits["test"] == {i.digest for i in problem.instances("test", 3)}
    assert splits["test"].isdisjoint(i.digest for i in problem.instances("test", 4))


def test_tiny_instances_stay_disjoint() -> None:
    """With two jobs, where collisions are likely, a repeated draw is replaced."""
    problem = smtt.problem(jobs=2, train_per_stratum=20, valid_per_stratum=20, test_per_stratum=20)
    digests = [i.digest for name in ("train", "valid", "test") for i in problem.instances(name, 1)]
    assert len(digests) == len(set(digests)) == 1200


def test_every_prefix_covers_the_strata_evenly() -> None:
    """Five instances in a row see every due-date range, four every tightness, twenty every stratum once."""
    order = strata()
    assert len(set(order)) == 20
    for start in range(0, 20, 5):
        assert len({rdd for rdd, _ in order[start : start + 5]}) == 5
    for start in range(0, 20, 4):
        assert len({tf for _, tf in order[start : start + 4]}) == 4
    names = Counter(i.stratum for i in smtt.problem().instances("valid", 1)[:20])
    assert set(names.values()) == {1}


def test_instances_follow_the_scheme() -> None:
    """Processing times are 1 to 100, due dates integers within the stratum's interval, cut off at 0."""
    for instance in smtt.problem(jobs=30).instances("train", 5):
        times, dates = instance.public["processing_times"], instance.public["due_dates"]
        rdd, tf = (float(part.split("=")[1]) for part in instance.stratum.split())
        total = sum(times)
        assert all(1 <= p <= 100 for p in times)
        assert all(
            max(0, total * (1 - tf - rdd / 2)) - 1 <= d <= total * (1 - tf + rdd / 2) + 1 for d in dates
        )
        assert instance.scale * 30 == total


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (None, "nothing"),
        ("012", "a text"),
        ([0, 1], "2 entries"),
        ([0, 1, 1], "twice"),
        ([0, 1, 3], "got 3"),
        ([0, 1, -1], "got -1"),
        ([0, 1, 2.0], "a float"),
        ([0, 1, True], "true or false"),
        ([0, 1, [2]], "a list"),
        ([0, 1, 10**5000], "a huge integer"),
    ],
)
def test_what_is_no_permutation_is_refused_with_a_sentence(answer: object, word: str) -> None:
    """Every wrong answer is INVALID_ANSWER and says what was got."""
    problem = smtt.problem(jobs=3)
    verdict = problem.verify(problem.instances("train", 1)[0], answer)  # type: ignore[arg-type]
    assert verdict.status is VerdictStatus.INVALID_ANSWER
    assert word in verdict.violations[0]


def test_the_published_example_gives_its_published_sequence() -> None:
    """On the six jobs of arXiv 2510.24013, MDDC gives the printed sequence, whose value is the optimum."""
    public = {"processing_times": [10, 11, 10, 10, 11, 10], "due_dates": [15, 11, 13, 11, 12, 11]}
    scope: dict[str, Any] = {}
    exec(smtt.problem().baselines()["mddc"], scope)
    order = scope["schedule"](**public)
    assert [job + 1 for job in order] == [4, 6, 3, 1, 2, 5]
    assert total_tardiness(public, order) == 141 == Decomposition(**public).value()
