"""Few verbs at the front, the others behind; names that moved still work, and every page is short."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from gapsmith.app.runs.folders import all_runs, begun_before
from gapsmith.cli import GROUPS, SECTIONS, VERBS, app
from gapsmith.evolve.store.schema import FILE_NAME
from typer.testing import CliRunner

Say = Callable[..., Any]


def commands() -> dict[str, Any]:
    """Name → command of every verb on the help page."""
    root: Any = typer.main.get_command(app)
    return {name: root.get_command(None, name) for names in SECTIONS.values() for name in names}


def test_the_sentences_of_the_help_page_are_those_of_the_verbs() -> None:
    """The page of all verbs does not load them, so it holds their sentences itself."""
    said = {**VERBS, **GROUPS}
    for name, command in commands().items():
        assert command.help.split("\n\n")[0].replace("\n", " ").rstrip(".") == said[name].rstrip(".")


def test_values_are_named_in_words_on_every_page(say: Say) -> None:
    """A type of Python's is no word for people, nor is a formula; a place has one pair of brackets."""
    members = {group: commands()[group].commands for group in GROUPS}
    pages = [(name,) for name in (*VERBS, *GROUPS)]
    pages += [(group, name) for group, inside in members.items() for name in inside]
    pages.append(("run", "--help-all"))
    for words in pages:
        page = say(*words, "--help").out if words[-1] != "--help-all" else say(*words).out
        assert not re.search(r"<\w+( range)?>|\bx[<>]=|\d\.0[];]", page), words
        usage = page.partition("\n\n")[0]
        assert "[[" not in usage, words
        assert not re.search(r"[\[{][a-z]+[\]}]", usage), words
        assert max(map(len, page.splitlines())) <= 80, words


def test_the_first_page_of_run_is_short_and_the_second_has_all(say: Say) -> None:
    """At most a dozen options; the first page says how many more there are."""
    first = say("run", "--help").out
    every = say("run", "--help-all").out
    assert len(re.findall(r"^  --", first, re.M)) <= 12
    hidden = {"--control", "--fronts", "--workers", "--unsafe-without", "--slurm"}
    assert all(option in every and option not in first for option in hidden)
    assert f"shows {len(hidden)} more options" in first


def test_differences_and_ancestors_are_options_of_show(say: Say) -> None:
    """The earlier verbs say the same and are on no page."""
    assert say("show", "latest", "best", "--diff", "start", "--json").document == (
        say("diff", "latest", "start", "best", "--json").document
    )
    assert (
        say("show", "latest", "--lineage", "--json").document == say("lineage", "latest", "--json").document
    )
    assert say("show", "latest", "--diff", "start", "--lineage").code == 2
    page = say("--help").out
    assert not any(f"\n  {name} " in page for name in ("diff", "lineage", "prune", "worker", "member"))


def test_all_but_the_latest_are_deleted_by_an_option(say: Say, runs: Path) -> None:
    """Without `--yes` nothing goes; RUN and `--keep` exclude each other."""
    assert say("delete", "--keep", "1", "--json").document == say("prune", "--keep", "1", "--json").document
    assert len(say("delete", "--keep", "1", "--json").document["would_delete"]) == len(all_runs(runs)) - 1
    assert say("delete").code == say("delete", "latest", "--keep", "1").code == 2


def test_the_tenth_run_of_a_group_began_after_the_second() -> None:
    """`latest` is the run that began last, whatever its name's letters say."""
    names = ["20260101-000000-x-s10", "20260101-000000-x-s2", "20260102-000000-a-1", "20251231-000000-z-9"]
    found = sorted((Path(name) for name in names), key=begun_before)
    assert [folder.name for folder in found] == [names[3], names[1], names[0], names[2]]


def test_names_with_other_digits_have_an_order() -> None:
    """Digits of another script are letters of a name: whoever made it does not end every list of runs."""
    names = ["20260101-000000\u0663", "20260101-000000-x", "20260101-000000\u00b2"]
    assert sorted((Path(name) for name in names), key=begun_before)[0].name == names[1]


def completed(runs: Path, shell: str, *words: str) -> str:
    """What the tool says to a shell that completes the last word."""
    line = " ".join(("gapsmith", *words))
    environment = {
        "_GAPSMITH_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words)),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "GAPSMITH_RUNS": str(runs),
    }
    return CliRunner().invoke(app, [], env=environment, prog_name="gapsmith").stdout


EVALUATED = (
    *(r"\$(touch pwned)", r"\`touch pwned\`", "$(touch pwned)", '";touch pwned;"', "';touch pwned;'"),
    *("x;touch pwned", "x touch", "x\ntouch", "-x", "*", "~", "x\x1b[31m", "x|y", "x&y", "(x)", "x\\"),
)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_name_of_others_is_evaluated_by_a_shell(
    make_run: Callable[..., Path], tmp_path: Path, shell: str
) -> None:
    """zsh evaluates what is completed, bash inserts it as it is: only words are offered."""
    make_run(tmp_path / "20260101-000000-good", candidates=3)
    for name in EVALUATED:
        (tmp_path / name).mkdir()
        (tmp_path / name / FILE_NAME).touch()
    with sqlite3.connect(tmp_path / "20260101-000000-good" / FILE_NAME) as store:
        for number, name in enumerate(EVALUATED):
            store.execute(
                "INSERT INTO evaluations (program, split, status, fitness, executions, cpu_seconds, "
                "evaluator, at) VALUES (?, 'valid', 'complete', ?, 1, 1.0, 'x', 1.0)",
                (name, float(number)),
            )
    for words in (("show", ""), ("show", "20260101-000000-good", "")):
        said = completed(tmp_path, shell, *words)
        names = re.findall(r'"([^"]*)"', said) if shell == "zsh" else said.splitlines()
        assert len(names) >= 2
        assert all(re.fullmatch(r"[\w-]+", name) for name in names), said
        assert "pwned" not in said


def test_the_shell_completes_problems_runs_and_candidates(runs: Path, say: Say) -> None:
    """Names that the folder of the runs holds, and those of a run's validated candidates."""

    def completed_words(*words: str) -> list[str]:
        return completed(runs, "bash", *words).split()

    assert completed_words("run", "job") == ["job-shop", "job-shop-rule"]
    assert completed_words("show", "la") == ["latest"]
    assert len(completed_words("show", "2026")) == len(all_runs(runs))
    names = completed_words("show", "20260102-203301-smtt-aaaa", "")
    assert names[:2] == ["best", "start"]
    assert len(names) > 2
