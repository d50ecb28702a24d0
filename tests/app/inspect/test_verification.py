"""`verify`: a true record holds, and every kind of falsehood in it is found."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Say = Callable[..., Any]
SMALL = "20260102-203301-smtt-small"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, make_run: Callable[..., Path]) -> Path:
    """A runs folder with one run of a few candidates."""
    folder = tmp_path_factory.mktemp("small")
    make_run(folder / SMALL, candidates=5, islands=1)
    return folder


@pytest.fixture
def copy(small: Path, tmp_path: Path) -> Path:
    """A runs folder with a copy of that run that may be changed."""
    shutil.copytree(small / SMALL, tmp_path / SMALL)
    return tmp_path


def _change(copy: Path, *statements: str) -> None:
    with sqlite3.connect(copy / SMALL / "archive.sqlite") as db:
        for statement in statements:
            assert db.execute(statement).rowcount > 0


def test_a_true_record_holds(say: Say, small: Path) -> None:
    """All answers, gaps, digests and references of a true run agree; the exit code is 0."""
    said = say("verify", SMALL, "--json", runs=small)
    document = said.document
    assert said.code == 0, document["differences"]
    assert document["differences"] == []
    assert document["checked"] == document["agree"] == sum(document["compared"].values())
    assert document["compared"]["executions"] > 60  # start program and baselines too
    assert document["compared"]["references proved again"] == 10
    assert document["compared"]["instances drawn"] == 60


@pytest.mark.slow
def test_all_elites_are_more_programs(say: Say, small: Path) -> None:
    """`--all` runs the elites too, each on the splits for which the record holds its evaluation."""
    said = say("verify", SMALL, "--all", "--json", "--references", "0", runs=small)
    assert said.code == 0, said.err
    assert len(said.document["programs"]) > 1
    assert "references proved again" not in said.document["compared"]


@pytest.mark.quick(
    "UPDATE executions SET answer = zeroblob(32) WHERE answer IS NOT NULL-on test-",
    "UPDATE candidates SET files = replace(files, 'return order', 'return order[::-1]')-source",
)
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE executions SET answer = zeroblob(32) WHERE answer IS NOT NULL", "on test-"),
        ("UPDATE executions SET objective = '1', excess = '1' WHERE objective IS NOT NULL", "on test-"),
        ("UPDATE evaluations SET fitness = -0.5 WHERE fitness IS NOT NULL", "fitness"),
        ("UPDATE instances SET digest = 'x' WHERE id = 1", "content"),
        (
            "UPDATE instance_references SET value = value + 1, bound = bound + 1 WHERE value > 0",
            "reference of",
        ),
        ("UPDATE candidates SET files = replace(files, 'return order', 'return order[::-1]')", "source"),
    ],
)
def test_falsehoods_are_found(statement: str, expected: str, say: Say, copy: Path) -> None:
    """A changed answer, objective, fitness, instance, reference or source is a difference: exit code 5."""
    _change(copy, statement)
    said = say("verify", SMALL, "--json", "--workers", "1", "--references", "4", runs=copy)
    assert said.code == 5
    assert any(expected in row["what"] for row in said.document["differences"])
    assert said.document["agree"] == said.document["checked"] - len(said.document["differences"])


@pytest.fixture
def claiming(copy: Path) -> Path:
    """The copy, with the claims that follow from its evaluations."""
    from gapsmith.app.analysis.verify import claims_now
    from gapsmith.app.runs.record import open_record
    from gapsmith.app.runs.trust import NO_TRUST
    from gapsmith.app.setup.reruns import setup_of_record

    with open_record(copy / SMALL) as record:
        found = claims_now(record, setup_of_record(record, NO_TRUST, uses=[]))
    assert {claim["against"].split()[0] for claim in found} == {"start", "baseline"}
    with sqlite3.connect(copy / SMALL / "archive.sqlite") as db:
        db.execute("INSERT OR REPLACE INTO run (key, value) VALUES ('claims', ?)", (json.dumps(found),))
    return copy


OF = "evaluation IN (SELECT id FROM evaluations WHERE {})"
BASELINES = OF.format("program LIKE 'baseline/%' AND split = 'test'")
START = OF.format(
    "program = (SELECT json_extract(value, '$') FROM run WHERE key = 'start') AND split = 'valid'"
)


@pytest.mark.quick("statement3-candidate ")
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (f"UPDATE executions SET answer = zeroblob(32) WHERE {BASELINES}", "baseline "),
        (f"UPDATE executions SET objective = '1', excess = '1' WHERE {BASELINES}", "baseline "),
        (
            "UPDATE evaluations SET fitness = -9 WHERE program LIKE 'baseline/%' AND split = 'valid'",
            "baseline ",
        ),
        (f"UPDATE executions SET objective = '1', excess = '1' WHERE {START}", "candidate "),
        (
            "UPDATE run SET value = json_set(value, '$[0].p_value', 1e-9) WHERE key = 'claims'",
            "claim against",
        ),
        ("UPDATE run SET value = json_set(value, '$[1].wins', 19) WHERE key = 'claims'", "claim against"),
        ("UPDATE run SET value = json_set(value, '$[0].against', 'x') WHERE key = 'claims'", "claim against"),
        ("UPDATE run SET value = json_remove(value, '$[1]') WHERE key = 'claims'", "claim against"),
    ],
)
def test_what_a_record_compares_with_is_not_believed(
    statement: str, expected: str, say: Say, claiming: Path
) -> None:
    """Figures of baselines and of the start program, and each claim, are made again and named."""
    whole = ("verify", SMALL, "--json", "--workers", "1", "--references", "0")
    _change(claiming, statement)
    said = say(*whole, runs=claiming)
    assert said.code == 5
    assert any(row["what"].startswith(expected) for row in said.document["differences"])


WITHOUT_ONE = (
    "PRAGMA foreign_keys = OFF",
    "DELETE FROM executions WHERE instance = (SELECT id FROM instances WHERE name = 'test-020')",
    "DELETE FROM instance_references WHERE instance = (SELECT id FROM instances WHERE name = 'test-020')",
    "DELETE FROM instances WHERE name = 'test-020'",
    "UPDATE evaluations SET executions = executions - 1 WHERE split = 'test'",
)
PROBLEM = "UPDATE run SET value = json_set(value, '$.{}', '{}') WHERE key = 'problem'"
FIRST = "(SELECT min(program) FROM evaluations WHERE program LIKE 'baseline/%')"


@pytest.mark.quick("statements0-differences-instance test-020: stored")
@pytest.mark.parametrize(
    ("statements", "where", "expected"),
    [
        (WITHOUT_ONE, "differences", "instance test-020: stored"),
        (["UPDATE instances SET stratum = 'easy'"], "differences", "instance test-001: stratum"),
        ([PROBLEM.format("sense", "maximise")], "changed", "problem sense"),
        ([PROBLEM.format("unit", "years")], "changed", "problem unit"),
        ([PROBLEM.format("name", "tsp")], "changed", "problem name"),
        (["DELETE FROM run WHERE key = 'claims'"], "changed", "claims"),
        (
            [
                "DELETE FROM executions WHERE " + OF.format(f"program = {FIRST}"),
                f"DELETE FROM evaluations WHERE program = {FIRST}",
            ],
            "changed",
            "baselines",
        ),
    ],
)
def test_what_is_left_out_or_renamed_is_named(
    statements: list[str], where: str, expected: str, say: Say, claiming: Path
) -> None:
    """A dropped test instance, claim or baseline, another stratum and other words of the problem."""
    with sqlite3.connect(claiming / SMALL / "archive.sqlite", isolation_level=None) as db:
        for statement in statements:
            assert db.execute(statement).rowcount != 0
    said = say("verify", SMALL, "--json", "--workers", "1", "--references", "0", runs=claiming)
    assert said.code == (5 if where == "differences" else 0), said.err
    assert expected in [row["what"] for row in said.document[where]]


def test_true_claims_hold(say: Say, claiming: Path) -> None:
    """Each is counted as a comparison."""
    said = say("verify", SMALL, "--json", "--workers", "1", "--references", "0", runs=claiming)
    assert said.code == 0, said.document["differences"]
    assert said.document["compared"]["claims"] == 2


@pytest.mark.slow
def test_the_sample_of_references_is_another_one_each_time(say: Say, copy: Path) -> None:
    """One false reference cannot know whether it is looked at; a seed draws a sample again."""
    from gapsmith.app.analysis.verify import _sample
    from gapsmith.app.runs.record import open_record

    with open_record(copy / SMALL) as record:
        instances = list(record.instances.values())
        digits = [next(s for s in range(99) if one in _sample(instances, 4, s)) for one in instances]
        assert len(digits) == len(instances)  # each can be drawn
        last, seed = instances[-1].id, digits[-1]
    _change(
        copy,
        "UPDATE instance_references SET value = value + 1, bound = bound + 1 WHERE instance = "
        f"(SELECT id FROM instances WHERE name = '{last}')",
    )
    words = ("verify", SMALL, "--workers", "1", "--references", "4")
    said = say(*words, "--json", "--references-seed", str(seed), runs=copy)
    assert said.code == 5
    assert said.document["references_seed"] == seed
    assert f"reference of {last}" in [row["what"] for row in said.document["differences"]]
    seeds = set()
    for _ in range(2):
        out = say(*words, runs=copy).out
        seeds.add(out.partition("--references-seed ")[2].split()[0])
    assert len(seeds) == 2


@pytest.mark.slow
def test_other_surroundings_are_told_but_are_no_failure(say: Say, copy: Path) -> None:
    """A run made with other versions still holds; the change is listed with both values."""
    versions = json.dumps({"python": "2.7.18"})
    _change(copy, f"UPDATE run SET value = '{versions}' WHERE key = 'versions'")
    said = say("verify", SMALL, "--workers", "1", "--references", "1", runs=copy)
    assert said.code == 0, said.err
    assert "the record holds" in said.out
    assert "changed since: python: recorded 2.7.18" in said.out


@pytest.mark.slow
def test_another_time_class_is_noted_and_is_no_failure(say: Say, copy: Path) -> None:
    """A program whose executions took ten seconds more when the record was made is in a faster one today."""
    _change(copy, "UPDATE executions SET cpu_seconds = cpu_seconds + 10")
    said = say("verify", SMALL, "--workers", "1", "--references", "0", "--json", runs=copy)
    assert said.code == 0, said.err
    notes = [row for row in said.document["changed"] if row["what"].startswith("time class of candidate")]
    assert [row["recorded"] for row in notes] == ["≤ 16 s"] * len(said.document["programs"])


@pytest.mark.slow
def test_one_line_says_what_did_not_hold(say: Say, copy: Path) -> None:
    """In the terminal the first line is the verdict and the differences follow, at most ten of them."""
    _change(copy, "UPDATE executions SET answer = zeroblob(32) WHERE answer IS NOT NULL")
    said = say("verify", SMALL, "--workers", "1", "--references", "1", runs=copy)
    assert said.code == 5
    lines = said.out.splitlines()
    assert "DOES NOT HOLD" in lines[0]
    assert sum(line.startswith("  differs:") for line in lines) == 10
    assert any("more; --json lists all" in line for line in lines)


def test_a_record_that_contradicts_itself_is_damaged(say: Say, copy: Path) -> None:
    """A store that holds a gap to a reference of 0 is named as damaged, not run."""
    _change(copy, "UPDATE instance_references SET value = '0', bound = '0'")
    said = say("verify", SMALL, runs=copy)
    assert said.code == 3
    assert "damaged" in said.err


_DAMAGE = {
    "executions": "DELETE FROM executions WHERE position >= 5",
    "number": "UPDATE executions SET gap = 'much' WHERE gap IS NOT NULL",
    "reference": "UPDATE instance_references SET value = 'some'",
    "reference of nothing": "DELETE FROM instances WHERE id > 30",
}


@pytest.mark.parametrize("statement", _DAMAGE.values(), ids=_DAMAGE)
def test_damage_is_no_bug(statement: str, say: Say, copy: Path) -> None:
    """Missing executions and rows that are no numbers end every look with exit code 3."""
    _change(copy, statement)
    for words in (["show"], ["show", "best"], ["report"], ["verify"], ["replay"]):
        said = say(words[0], SMALL, *words[1:], runs=copy)
        assert said.code == 3, (words, said.err)
        assert "damaged" in said.err


_TEXTS = {
    "run": ("UPDATE run SET value = '{' WHERE key = 'config'", ["show"]),
    "list of it": ("UPDATE run SET value = '[1' WHERE key = 'champion'", ["report"]),
    "files": ("UPDATE candidates SET files = '{'", ["show", "best"]),
    "files of none": ("UPDATE candidates SET files = '7'", ["show", "best"]),
    "description": ("UPDATE candidates SET description = '[]'", ["show", "best"]),
    "origin": ("UPDATE candidates SET origin = 'stork'", ["replay"]),
    "parents": ("UPDATE iterations SET parents = 'none'", ["replay"]),
    "status": ("UPDATE iterations SET added = 7", ["replay"]),
    "events": ("UPDATE events SET data = '{,}'", ["report"]),
    "exported": ("UPDATE candidates SET files = '{'", ["export"]),
}


@pytest.mark.parametrize(("statement", "words"), _TEXTS.values(), ids=_TEXTS)
def test_texts_that_are_none_are_damage(statement: str, words: list[str], say: Say, copy: Path) -> None:
    """A stored text that is no JSON, or not of the kind it should be, is damage and no bug."""
    _change(copy, statement)
    said = say(words[0], SMALL, *words[1:], runs=copy)
    assert said.code == 3, said.err
    assert "damaged" in said.err


def test_a_damaged_run_stays_in_the_list(say: Say, copy: Path) -> None:
    """One run whose executions are missing is listed as unreadable, and the list itself is no error."""
    _change(copy, "DELETE FROM executions WHERE position >= 5")
    said = say("list", "--json", runs=copy)
    assert said.code == 0, said.err
    assert said.document[0]["status"] == "unreadable"


def test_a_run_without_its_problem_is_a_clear_error(say: Say, copy: Path) -> None:
    """A run whose problem is not installed here ends with the problem's name, not with a traceback."""
    with sqlite3.connect(copy / SMALL / "archive.sqlite") as db:
        (text,) = db.execute("SELECT value FROM run WHERE key = 'config'").fetchone()
        config = json.loads(text)
        config["campaign"]["problem"] = "knapsack-of-mine"
        db.execute("UPDATE run SET value = ? WHERE key = 'config'", (json.dumps(config),))
    said = say("verify", SMALL, runs=copy)
    assert said.code == 2
    assert "knapsack-of-mine" in said.err
