"""`compare` puts campaigns side by side at an equal budget and says whether they differ."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.statistics import EXACT, paired

Say = Callable[..., Any]
LONG, SHORT, OTHER = "20260105-100000-smtt-long", "20260106-100000-smtt-short", "20260107-100000-smtt-other"
SHIFTED = "20260108-100000-smtt-shifted"


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A runs folder with groups of several seeds, one of a model, and a run on other instances."""
    folder = tmp_path_factory.mktemp("arms")
    for seed in (1, 2):
        make_run(folder / f"{LONG}-s{seed}", candidates=40, seed=seed)
        make_run(folder / f"{SHORT}-s{seed}", candidates=12, seed=seed, model=True)
    for seed in (2, 3, 4):
        make_run(folder / f"{SHIFTED}-s{seed}", candidates=12, seed=seed)
    make_run(folder / OTHER, candidates=3, jobs=7)
    return folder


def test_arms_are_cut_at_the_smallest_total_of_all_runs(say: Say, arms: Path) -> None:
    """The budget is what the shortest run evaluated, and no arm used more of it."""
    document = say("compare", LONG, SHORT, "--json", runs=arms).document
    totals = [say("show", f"{SHORT}-s{s}", "--json", runs=arms).document["evaluations"] for s in (1, 2)]
    assert document["budget"] == min(totals)
    for arm in document["arms"]:
        assert {"name", "runs", "evaluations", "cpu_seconds", "cost_usd", "test"} <= set(arm)
        assert arm["evaluations"] == min(totals)
        assert len(arm["runs"]) == 2
    assert [arm["cost_usd"] > 0 for arm in document["arms"]] == [False, True]
    assert len(document["pairs"]) == 1


@pytest.mark.parametrize("by", ["evaluations", "executions", "cpu"])
def test_a_champion_from_beyond_the_budget_gives_no_test_figure(by: str, say: Say, arms: Path) -> None:
    """At a budget that a champion was found after, validation decides, and a note names the run."""
    document = say("compare", LONG, SHORT, "--by", by, "--json", runs=arms).document
    assert document["arms"][0]["test"] is None
    assert document["split"] == document["pairs"][0]["split"] == "valid"
    assert LONG in document["notes"][0]
    whole = say("compare", f"{LONG}-s1", f"{LONG}-s2", "--by", by, "--json", runs=arms).document
    known = [arm["test"] for arm in whole["arms"] if arm["test"]]
    champion = say("show", f"{LONG}-s1", "--json", runs=arms).document["best"]["splits"]["test"]
    assert known == [] or known[0]["mean_gap_percent"] == champion["mean_gap_percent"]


def test_groups_with_the_same_seeds_are_paired_by_seed(say: Say, arms: Path) -> None:
    """Two groups of the same seeds give one pair for each seed, and their mean difference."""
    document = say("compare", LONG, SHORT, "--json", runs=arms).document
    pair = document["pairs"][0]
    assert pair["paired_by"] == "seeds"
    assert pair["wins"] + pair["ties"] + pair["losses"] == pair["pairs"] == 2
    means = [arm["valid"]["mean_gap_percent"] for arm in document["arms"]]
    assert pair["difference_percent"] == pytest.approx(means[0] - means[1])


@pytest.mark.slow
def test_seeds_are_won_by_the_figure_whose_difference_is_shown(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """An arm with the smaller mean gaps wins its seeds, though it misses references of 0 by far."""
    names = ("20260105-100000-smtt-missing", "20260106-100000-smtt-other")
    for name in names:
        for seed in (1, 2):
            make_run(tmp_path / f"{name}-s{seed}", candidates=4, seed=seed)
    for seed in (1, 2):
        with sqlite3.connect(tmp_path / f"{names[0]}-s{seed}" / "archive.sqlite") as db:
            db.execute("UPDATE executions SET excess = '9', objective = '9' WHERE gap IS NULL")
            db.execute("UPDATE executions SET gap = '0' WHERE gap IS NOT NULL")
            db.execute("UPDATE evaluations SET fitness = -99 WHERE fitness IS NOT NULL")
    pair = say("compare", *names, "--json", runs=tmp_path).document["pairs"][0]
    assert pair["paired_by"] == "seeds"
    assert pair["difference_percent"] < 0
    assert (pair["wins"], pair["ties"], pair["losses"]) == (2, 0, 0)


def test_no_run_of_a_group_is_left_out(say: Say, arms: Path) -> None:
    """Groups that share some seeds only are paired by instance: the difference is that of all their runs."""
    document = say("compare", LONG, SHIFTED, "--json", runs=arms).document
    pair = document["pairs"][0]
    assert pair["paired_by"] == "instances"
    means = [arm[document["split"]]["mean_gap_percent"] for arm in document["arms"]]
    assert pair["difference_percent"] == pytest.approx(means[0] - means[1])


def test_single_runs_are_paired_by_instance_and_tested(say: Say, arms: Path) -> None:
    """Two runs alone are compared instance by instance, those with reference 0 by count only."""
    document = say("compare", f"{LONG}-s1", f"{SHORT}-s1", "--json", runs=arms).document
    pair = document["pairs"][0]
    figures = document["arms"][0][document["split"]]
    assert pair["paired_by"] == "instances"
    assert pair["wins"] + pair["ties"] + pair["losses"] == figures["instances"]
    assert pair["pairs"] == figures["instances"] - figures["zero_references"]
    assert 0 < pair["p_value"] <= 1


def test_what_was_spent_does_not_depend_on_when_validations_ended(
    say: Say, make_run: Any, tmp_path: Path
) -> None:
    """Validations written after all of the search, as by a slow slot, change no curve at equal executions."""
    names = ("20260105-100000-quick", "20260105-100000-slow")
    for name in names:
        make_run(tmp_path / name, candidates=12)
    with sqlite3.connect(tmp_path / names[1] / "archive.sqlite") as db:
        valid = "(SELECT id FROM evaluations WHERE split = 'valid')"
        db.execute(f"UPDATE executions SET evaluation = evaluation + 10000 WHERE evaluation IN {valid}")
        db.execute(f"UPDATE evaluations SET id = id + 10000 WHERE id IN {valid}")
    document = say("compare", *names, "--by", "executions", "--json", runs=tmp_path).document
    quick, slow = document["arms"]
    assert quick["curve"] == slow["curve"]


def test_the_curve_starts_at_the_start_program(say: Say, arms: Path) -> None:
    """With nothing spent the best on validation is the start program; the end is never worse."""
    document = say("compare", LONG, SHORT, "--json", runs=arms).document
    start = say("show", f"{LONG}-s1", "--json", runs=arms).document["start"]["splits"]["valid"]
    for arm in document["arms"]:
        first, last = arm["curve"][0], arm["curve"][-1]
        assert first["spent"] == 0
        assert first["valid_mean_gap_percent"] == pytest.approx(start["mean_gap_percent"])
        assert last["spent"] == document["budget"]
        assert last["valid_mean_gap_percent"] < first["valid_mean_gap_percent"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([LONG, OTHER], "instances or their references differ"),
        ([LONG], "expected two or more"),
        ([LONG, f"{LONG}-s1"], "named twice"),
        ([LONG, SHORT, "--by", "usd"], "spent nothing of what is compared"),
        ([LONG, SHORT, "--by", "tokens"], "expected one of evaluations, executions, cpu, usd"),
        ([LONG, SHORT, "-o", "curves.gif"], "expected .svg, .png or .pdf"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: list[str], expected: str, say: Say, arms: Path) -> None:
    """Runs that mean different things, or nothing, end with exit code 2 and one clear sentence."""
    said = say("compare", *words, runs=arms)
    assert said.code == 2
    assert expected in said.err


def test_prices_that_are_not_known_are_never_zero(say: Say, make_run: Any, tmp_path: Path) -> None:
    """A run with a reply of unknown price is not compared by dollars."""
    for name in ("20260105-100000-a", "20260105-100000-b"):
        make_run(tmp_path / name, candidates=4, model=True)
    with sqlite3.connect(tmp_path / "20260105-100000-a" / "archive.sqlite") as db:
        db.execute("UPDATE calls SET cost_usd = NULL WHERE id = 2")
    said = say("compare", "20260105-100000-a", "20260105-100000-b", "--by", "usd", runs=tmp_path)
    assert said.code == 2
    assert "not known" in said.err


def test_a_second_look_at_the_test_split_is_told(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """Where a run tested two champions, the table with its test figure says so."""
    names = ["20260105-100000-smtt-once", "20260106-100000-smtt-twice"]
    for name in names:
        folder = make_run(tmp_path / name, candidates=12)
    with sqlite3.connect(folder / "archive.sqlite") as db:
        columns = "status, fitness, executions, cpu_seconds, evaluator, at"
        db.execute(
            f"INSERT INTO evaluations (program, split, {columns}) SELECT 'earlier', 'test', {columns} FROM "
            "evaluations WHERE split = 'test' AND program NOT LIKE 'baseline%' LIMIT 1"
        )
    said = say("compare", *names, runs=tmp_path)
    assert f"note: test seen 2 times in {names[1]}" in said.out
    assert said.out.count("test seen") == 1


@pytest.mark.parametrize("width", [80, 140])
def test_what_compare_prints_is_as_recorded(width: int, say: Say, arms: Path, snapshot: Any) -> None:
    """What people see of a comparison is what was looked at; it fits 80 columns."""
    said = say("compare", LONG, SHORT, width=width, runs=arms)
    assert said.code == 0, said.err
    snapshot(f"compare-{width}", said.out)
    assert max(len(line) for line in said.out.splitlines()) <= width


def test_intervals_of_few_pairs_are_qualified(say: Say, arms: Path) -> None:
    """Two single runs are compared over 20 instances: a line says what such an interval is worth."""
    words = ["compare", f"{LONG}-s1", f"{LONG}-s2"]
    pair = say(*words, "--json", runs=arms).document["pairs"][0]
    assert pair["ci95_percent"] is not None
    line = f"few values (pairs of instances {pair['pairs']}):\n  95 % intervals are wide"
    assert line in say(*words, width=140, runs=arms).out


def test_curves_are_written_as_a_picture(say: Say, arms: Path, tmp_path: Path) -> None:
    """`-o` writes the curves with their axes; a file that exists is replaced only with --force."""
    path = tmp_path / "curves.svg"
    words = ["compare", LONG, SHORT, "-o", str(path)]
    assert say(*words, runs=arms).code == 0
    assert "candidates evaluated in training" in path.read_text()
    assert say(*words, runs=arms).code == 2


def test_sign_flip_counts_patterns_exactly() -> None:
    """All differences of one sign: 2 of the 2ⁿ patterns are as far from 0, so p = 2 / 2ⁿ."""
    for number in (2, 5, EXACT):
        found = paired([float(n + 1) for n in range(number)], [0.0] * number)
        assert found.p_value == 2 / 2**number
        assert "exact" in found.test
    assert paired([1.0, 2.0], [2.0, 1.0]).p_value == 1.0
    assert paired([1.0], [0.0]).p_value is None


def test_random_sign_flips_agree_with_the_exact_test() -> None:
    """More pairs are tested by random draws; adding pairs without a difference changes little."""
    values = [0.5, 1.0, -0.4, 2.0, 1.5, -0.1, 0.7, 0.3, 0.9, -0.6]
    exact = paired(values, [0.0] * len(values))
    drawn = paired(values + [0.0] * 10, [0.0] * (len(values) + 10))
    assert "random draws" in drawn.test
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)


def test_a_start_program_that_failed_on_validation_begins_a_curve_without_a_figure(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """Nothing is known of nothing spent; the curve begins with the first candidate that is valid there."""
    for name in ("one", "two"):
        folder = make_run(tmp_path / f"20260108-100000-smtt-{name}", candidates=12)
    with sqlite3.connect(folder / "archive.sqlite") as database:
        database.execute(
            "UPDATE evaluations SET status = 'failed', fitness = NULL WHERE split = 'valid' "
            "AND program = (SELECT json_extract(value, '$') FROM run WHERE key = 'start')"
        )
    document = say("compare", "20260108-100000-smtt-one", folder.name, "--json", runs=tmp_path).document
    gaps = [arm["curve"][0]["valid_mean_gap_percent"] for arm in document["arms"]]
    assert gaps[0] is not None
    assert gaps[1] is None
    assert document["arms"][1]["curve"][-1]["valid_mean_gap_percent"] is not None


def test_a_run_that_had_found_nothing_by_then_is_lost(
    say: Say, make_run: Callable[..., Path], tmp_path: Path
) -> None:
    """Nothing valid within the budget counts as a failure: no mean difference is made of the other runs."""
    for name, count in (("one", 3), ("two", 12), ("three", 12)):
        folder = make_run(tmp_path / f"20260108-100000-smtt-{name}", candidates=count)
    with sqlite3.connect(folder / "archive.sqlite") as database:
        database.execute(
            "UPDATE evaluations SET status = 'failed', fitness = NULL WHERE split = 'valid' AND program IN "
            "(SELECT id FROM candidates WHERE iteration <= 6)"
        )
    words = ["20260108-100000-smtt-one", folder.name]
    pair = say("compare", *words, "--json", runs=tmp_path).document["pairs"][0]
    assert pair["wins"] + pair["losses"] + pair["ties"] > 0
    assert (pair["difference_percent"], pair["p_value"]) == (None, None)
    said = say("compare", *words, runs=tmp_path)
    assert said.code == 0, said.err
    assert next(line for line in said.out.splitlines() if line.startswith("B  ")).split()[1:3] == ["–", "–"]
