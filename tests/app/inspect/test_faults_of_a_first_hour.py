"""What a new user met: damaged runs, empty names, absurd numbers, exports of nothing, narrow tables."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.commands.terminal import write_crash_log
from gapsmith.app.views.plots.drawing import in_terminal
from gapsmith.problems.base import Drawing, Shape

Say = Callable[..., Any]
FINISHED, EMPTY = "20260102-203301-smtt-aaaa", "20260104-090000-smtt-cccc"


@pytest.mark.slow
def test_one_damaged_store_does_not_end_the_list(say: Say, runs: Path, tmp_path: Path) -> None:
    """Flipped bytes anywhere in a store make one line of the list unreadable at most."""
    for name in (FINISHED, EMPTY):
        shutil.copytree(runs / name, tmp_path / name)
    store = tmp_path / FINISHED / "archive.sqlite"
    whole = store.read_bytes()
    for begin in range(0, len(whole), max(1, len(whole) // 12)):
        store.write_bytes(
            whole[:begin] + bytes(255 - b for b in whole[begin : begin + 64]) + whole[begin + 64 :]
        )
        said = say("list", "--json", "--runs", str(tmp_path))
        assert said.code == 0, said.err
        assert [row["run"] for row in said.document] == [FINISHED, EMPTY]


def test_a_narrow_list_names_the_columns_that_it_leaves_out(say: Say) -> None:
    """Nothing disappears without a word."""
    assert "left out of a narrow table: problem, started; --json has them" in say("list", width=70).out
    assert "left out" not in say("list", width=140).out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["list", "--runs", ""], "got an empty name"),
        (["run", "smtt", "--iterations", str(10**24)], "1000000000"),
        (["run", "smtt", "--set", f"budget.evaluations={10**24}"], "budget"),
        (["run", "smtt", "--tokens", str(10**24)], "1000000000000"),
    ],
)
def test_absurd_values_are_refused(say: Say, words: list[str], message: str) -> None:
    """An empty folder name and budgets that no machine can spend are slips of the keyboard."""
    said = say(*words)
    assert said.code in (2, 3)
    assert message in said.err


def test_a_file_is_no_folder_of_runs(say: Say, tmp_path: Path) -> None:
    """`list --runs FILE` says so instead of that there are no runs."""
    (tmp_path / "mine").write_text("", "utf-8")
    said = say("list", "--runs", str(tmp_path / "mine"))
    assert (said.code, "a file, expected the folder of the runs" in said.err) == (2, True)


@pytest.mark.parametrize("verb", ["show", "delete"])
def test_an_unrelated_run_is_not_proposed(say: Say, verb: str) -> None:
    """A name that is like no run's leads to the list; one that is nearly right is proposed."""
    said = say(verb, "nope")
    assert "`gapsmith list` shows the runs" in said.err
    assert "did you mean" not in said.err
    assert FINISHED in say(verb, FINISHED.replace("aaaa", "aaab")).err


def test_a_run_that_ended_while_it_was_prepared_says_so(say: Say, tmp_path: Path) -> None:
    """Its folder is there, and nothing is stored: no run of that name is looked for elsewhere."""
    (tmp_path / EMPTY).mkdir()
    said = say("resume", EMPTY, runs=tmp_path)
    assert (said.code, "ended before its search began" in said.err) == (2, True)
    assert "start it again" in said.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "smtt", "--start", "."], "a folder that holds no run, expected a program (.py)"),
        (["run", "smtt", "--start", ""], "an empty name, expected a program (.py)"),
        (["run", "smtt", "--start", "absent.py"], "no such file, expected a program (.py)"),
        (["run", "smtt", "--start", "mddd"], "did you mean mdd"),
        (["baselines", "smtt", "--source", "nope"], "covert, "),
        (["config", "explain", "nope"], "`gapsmith config show` lists all keys"),
    ],
)
def test_a_wrong_word_leads_to_right_ones(say: Say, words: list[str], message: str) -> None:
    """The error says what a start program may be; nothing that only looks a little alike is proposed."""
    said = say(*words)
    assert said.code in (2, 3)
    assert message in " ".join(said.err.split())


def test_what_an_encoding_lacks_is_plain() -> None:
    """A sparkline and signs become ASCII, one for one; a stranger's character is escaped."""
    assert "▁▄█ 3 → 4 – é".encode("ascii", "gapsmith-plain") == b"_-# 3 > 4 - \\xe9"


def test_an_export_of_nothing_says_so(say: Say) -> None:
    """A run without a model has no completions: a word on standard error, and nothing on standard output."""
    said = say("export", FINISHED, "--what", "completions")
    assert (said.code, said.out) == (0, "")
    assert "it holds no completions" in said.err


def test_exported_scores_have_numbers(say: Say) -> None:
    """`gap_percent` and the numbers beside the exact texts are floats everywhere."""
    rows = list(
        csv.DictReader(io.StringIO(say("export", FINISHED, "--what", "scores", "--format", "csv").out))
    )
    assert rows
    for row in rows:
        for key in ("gap_percent", "objective_number", "reference_number", "excess_number"):
            assert row[key] == "" or isinstance(float(row[key]), float)


def test_piped_code_has_the_numbers_of_its_lines(say: Say) -> None:
    """What `--explain` cites can be found; `best` prints the program alone."""
    shown = say("show", FINISHED, "best").out.partition("\nheuristic.py")[2].splitlines()
    numbers = [int(line.split()[0]) for line in shown if line.strip() and line.split()[0].isdigit()]
    assert numbers[:3] == [1, 2, 3]


def test_a_crash_log_names_command_and_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the log knows what was run."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["gapsmith", "show", "a b"])
    path = write_crash_log(ValueError("broken"))
    assert path is not None
    lines = path.read_text("utf-8").splitlines()
    assert lines[0].startswith("gapsmith ")
    assert lines[1] == "gapsmith show 'a b'"


def test_routes_are_lines_in_a_terminal() -> None:
    """A slanting line covers the cells on its way and no rectangle of them."""
    drawing = Drawing("route", "km", "km", (Shape("line", 0, 0, 10, 10), Shape("line", 10, 10, -10, -5)))
    text = in_terminal(drawing, 20, 10, 10.0, 10.0).plain
    marked = sum(line.count("·") for line in text.splitlines()[:10])
    assert 20 <= marked <= 45


def test_the_help_page_has_every_verb_in_a_group_and_whole_sentences(say: Say) -> None:
    """No verb is missing, no sentence is cut, and the exit codes are explained."""
    from gapsmith.cli import GROUPS, SECTIONS, VERBS

    assert sorted(name for names in SECTIONS.values() for name in names) == sorted([*VERBS, *GROUPS])
    text = say("--help").out
    assert "..." not in text.partition("Every day:")[2]
    for word in ("Every day:", "Advanced:", "Exit codes:", "130"):
        assert word in text
    for name in GROUPS:
        text = say(name, "--help").out
        assert "..." not in text.partition("Commands:")[2]
        assert all(word in text for word in ({"open", "finish"} if name == "bench" else {"show"}))


def test_problems_are_listed_in_families_with_a_sentence(say: Say) -> None:
    """Each problem says what it is; a family stands once."""
    rows = say("problems", "list", "--json").document
    assert all(row["summary"].endswith(".") for row in rows if row["error"] is None)
    text = say("problems", "list").out
    assert text.count("ONE MACHINE, TOTAL TARDINESS") == 1
    assert "minimise the total tardiness" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "smtt", "--seconds", "5parsecs"],
            "got '5parsecs', expected seconds as a number, or with a unit",
        ),
        (["run", "smtt", "--seconds", "0"], "got '0', expected a finite number of seconds >= 0.001"),
        (["run", "smtt", "--cpu-seconds", "inf"], "got 'inf', expected a finite number of seconds"),
        (["run", "smtt", "--iterations", "5k"], "got '5k'"),
        (["resume", FINISHED, "--usd", "two"], "got 'two'"),
        (["run", "smtt", "--set", "budget.seconds=5min"], "got '5min'"),
        (["run", "smtt", "--seed", "-1"], "got '-1', expected at least 0"),
        (["run", "smtt", "--seed", "one"], "got 'one', expected a whole number"),
        (["run", "smtt", "--repeat", "1001"], "got '1001', expected at most 1000"),
        (["run", "smtt", "--iterations"], "Option '--budget' requires an argument"),
        (["run", "smtt", "--fronts", "all"], "'--fronts': 'all' is not one of 'time'"),
        (["bench", "probe", "latest", "-", "--wait", "soon"], "got 'soon', expected seconds as a number, or"),
        (["shwo"], "No such command 'shwo'. Did you mean show?"),
    ],
)
def test_a_wrong_number_is_named(say: Say, words: list[str], message: str) -> None:
    """The error of an option holds what was given, and what form was expected."""
    said = say(*words)
    assert said.code in (2, 3)
    assert message in " ".join(said.err.split())


@pytest.mark.parametrize(
    "words", [["--seconds", "5min"], ["--seconds", "300"], ["--seconds", "0.0833333333h"]]
)
def test_seconds_have_units(say: Say, words: list[str]) -> None:
    """A budget of time may be written as people say it."""
    said = say("run", "smtt", *words, "--dry-run", "--json")
    assert said.code == 0, said.err
    assert "budget: seconds 300" in " ".join(said.document["lines"]).replace("299.9", "300")


@pytest.mark.parametrize(
    ("spec", "guess"),
    [
        ("gpt-5", "write --model openai/gpt-5"),
        ("claude-x", "write --model litellm/anthropic/claude-x"),
        ("anthropic/claude-x", "write --model litellm/anthropic/claude-x"),
        ("ollama/llama", "--model openai/llama with OPENAI_BASE_URL=http://localhost:11434/v1"),
        ("some-name", "write --model openai/some-name"),
        ("opnai/x", "did you mean openai/NAME?"),
    ],
)
@pytest.mark.parametrize("cap", [["--usd", "1"], ["--iterations", "1"]])
def test_a_bare_name_of_a_model_leads_to_its_specification(
    say: Say, spec: str, guess: str, cap: list[str]
) -> None:
    """The specification that was probably meant is named before prices are."""
    said = say("run", "smtt", "--model", spec, *cap)
    assert said.code == 2
    assert guess in " ".join(said.err.split())


@pytest.mark.parametrize("cap", ["usd", "tokens"])
def test_a_cap_of_costs_needs_a_model(say: Say, cap: str) -> None:
    """A cap on what models cost would bound nothing where none is asked."""
    said = say("run", "smtt", f"--{cap}", "2", "--json")
    assert said.code == 2
    assert (
        f"[budget] {cap} 2: caps what models cost, and no model is asked" in said.document["error"]["message"]
    )
