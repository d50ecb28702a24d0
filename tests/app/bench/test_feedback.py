"""What an experimenter steers by: noise within groups, and words on neighbouring sets."""

from __future__ import annotations

import random

import pytest
from gapsmith.app.analysis.neighbours import _specialised
from gapsmith.app.runs.figures import paired, within_groups
from gapsmith.app.views.bench import neighbour_lines
from gapsmith.problems.base import Instance


def test_noise_is_that_within_groups() -> None:
    """Groups that differ by much leave a difference visible that is the same in all of them."""
    stats = pytest.importorskip("scipy.stats")
    levels = {"a": 0.0, "b": 50.0, "c": -40.0}
    offsets = (-1.0, 0.0, 1.0)
    values = [(group, level + offset) for group, level in levels.items() for offset in offsets]
    low, high = within_groups(values) or (0.0, 0.0)
    mean = sum(value for _, value in values) / len(values)
    reach = stats.t.ppf(0.975, 6) * (6 / 6 / 9) ** 0.5  # squares within groups: 2 each; freedom: 9 - 3
    assert (low, high) == (pytest.approx(mean - reach), pytest.approx(mean + reach))


def test_the_interval_holds_its_mean() -> None:
    """Of 600 samples from three groups with equal noise about 95 % cover the true mean."""
    rng = random.Random(7)
    levels = {"a": 3.0, "b": -10.0, "c": 25.0}
    truth = sum(levels.values()) / 3
    hits = 0
    for _ in range(600):
        values = [(group, rng.gauss(level, 2.0)) for group, level in levels.items() for _ in range(4)]
        low, high = within_groups(values) or (0.0, 0.0)
        hits += low <= truth <= high
    assert 0.92 < hits / 600 < 0.98


def test_one_instance_a_group_has_no_noise() -> None:
    """Without two instances in any group nothing can be said."""
    assert within_groups([("a", 1.0), ("b", 2.0)]) is None
    assert within_groups([]) is None


def test_groups_make_a_clear_difference_beyond_noise() -> None:
    """The same gain in every group is beyond noise, although gaps differ by a hundred points."""
    instances = {
        f"{group}{number}": Instance(f"{group}{number}", "train", group, {"x": number}, 1, "test")
        for group in "abc"
        for number in range(3)
    }
    other = {id: 100.0 * "abc".index(id[0]) + int(id[1]) for id in instances}
    mine = {id: gap - 4.0 - 0.1 * int(id[1]) for id, gap in other.items()}
    compared = paired(mine, other, instances)
    assert compared is not None
    assert compared["beyond_noise"]
    assert compared["difference_points"] == pytest.approx(-4.1)


def test_neighbouring_sets_are_said_in_words() -> None:
    """Each set in a line: figures of both, who is better where, and whether the champion is specialised."""
    row = {
        "set": "long",
        "instances": 8,
        "rival": "edd",
        "paired": {
            "instances": 8,
            "mean_gap_percent": 7.0,
            "other_mean_gap_percent": 4.5,
            "better": 1,
            "worse": 7,
        },
        "specialised": True,
    }
    text = "\n".join(neighbour_lines([row, {**row, "set": "broken", "paired": None}]))
    assert "long: champion 7.00 %, edd 4.50 %, 1 better, 7 worse of 8; specialised" in text
    assert "broken: fails here" in text
    assert "none tried" in "\n".join(neighbour_lines([]))


@pytest.mark.parametrize(
    ("failures", "beyond", "specialised"),
    [
        ({"champion": 20, "rival": 20}, None, None),
        ({"champion": 20, "rival": 3}, None, True),
        ({"champion": 0, "rival": 0}, True, True),
        ({"champion": 0, "rival": 5}, False, False),
    ],
)
def test_a_champion_that_fails_where_its_rival_does_is_not_specialised(
    failures: dict[str, int], beyond: bool | None, specialised: bool | None
) -> None:
    """Failures are said with the rival's, and count only where there are more of them."""
    compared = {"beyond_noise": beyond, "difference_points": 1.0}
    assert _specialised(failures, compared) is specialised
    row = {"set": "long", "instances": 24, "rival": "edd", "failures": failures, "specialised": specialised}
    figures = {
        "mean_gap_percent": 7.0,
        "other_mean_gap_percent": 4.5,
        "better": 1,
        "worse": 7,
        "instances": 4,
    }
    line = list(neighbour_lines([{**row, "paired": {**compared, **figures}}]))[1]
    assert ("worse beyond noise here" in line) is (beyond is True)
    assert (f"fails on 20 of 24 instances (edd: {failures['rival']})" in line) is (failures["champion"] == 20)
