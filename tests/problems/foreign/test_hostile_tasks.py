"""Folders of other tools' tasks that were made to hang, crash or fill the memory of whoever names them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gapsmith.app.errors import ProblemError
from gapsmith.app.plugins.foreign import load_foreign
from gapsmith.problems.foreign.shinka import message_of

START = "# EVOLVE-BLOCK-START\ndef solve(n):\n    return n\n# EVOLVE-BLOCK-END\n"
EVALUATOR = "def evaluate(program_path):\n    return {'combined_score': 1.0}\n"
LONG = "0x" + "F" * 20_000
DEEP = "x = " + "-" * 30_000 + "1\n"


def aliases(last: str, inside: str = "[{}]", first: str = "[x, x]") -> str:
    """Twelve lines of aliases, each with nine of the line before: 9¹² parts, and a last line."""
    lines = [f"a0: &a0 {first}"]
    lines += [f"a{i}: &a{i} " + inside.format(", ".join([f"*a{i - 1}"] * 9)) for i in range(1, 12)]
    return "\n".join([*lines, last])


CONFIGURATIONS = {
    "aliases in a count": (aliases("max_iterations: *a11"), "aliases"),
    "aliases in thresholds": (aliases("evaluator: {cascade_thresholds: *a11}"), "aliases"),
    "aliases that nobody asks for": (aliases("other: *a11"), "aliases"),
    "merged mappings": (aliases("", "{{<<: [{}]}}", "{k: 1}"), "aliases"),
    "a list that holds itself": ("max_iterations: &a [*a]\n", "aliases"),
    "a mapping merged with itself": ("a: &a\n  <<: *a\n", "aliases"),
    "a long hexadecimal count": (f"max_iterations: {LONG}\n", "no number of at most 1000 digits"),
    "a long negative count": (f"max_iterations: -{LONG}\n", "no number of at most 1000 digits"),
    "a long threshold": (
        f"evaluator: {{cascade_thresholds: [{LONG}]}}\n",
        "no number of at most 1000 digits",
    ),
    "a threshold that is no number": ("evaluator: {cascade_thresholds: [.nan]}\n", "expected numbers"),
    "a time that is no number": ("evaluator: {timeout: .nan}\n", "got nan"),
    "a time without end": ("evaluator: {timeout: .inf}\n", "got inf"),
    "a long decimal count": (f"max_iterations: {'9' * 5000}\n", "expected YAML"),
    "a count in base 60": ("max_iterations: 1" + ":59" * 3000 + "\n", "max_iterations: got '1:59"),
    "a call": ("a: !!python/object/apply:os.system ['true']\n", "expected YAML"),
    "brackets": ("a: " + "[" * 20_000, "expected YAML"),
    "levels": ("".join(" " * i + "- \n" for i in range(900)), "expected YAML"),
    "an impossible date": ("a: 2001-99-99\n", "expected YAML"),
    "bytes that are none": ("a: !!binary é\n", "expected YAML"),
    "a null character": ("a: \0\n", "expected YAML"),
    "two documents": ("--- 1\n--- 2\n", "expected YAML"),
}


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """An honest task of OpenEvolve."""
    (tmp_path / "initial_program.py").write_text(START)
    (tmp_path / "evaluator.py").write_text(EVALUATOR)
    return tmp_path


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_hostile_configuration_is_refused_in_one_sentence(task: Path, name: str) -> None:
    """Neither the reader nor the message writes out what a few lines stand for."""
    text, words = CONFIGURATIONS[name]
    (task / "config.yaml").write_text(text)
    with pytest.raises(ProblemError, match=words) as refused:
        load_foreign(f"openevolve:{task}", {})
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("name", ["initial_program.py", "evaluator.py", "config.yaml"])
@pytest.mark.parametrize("kind", ["a terabyte", "a pipe", "a device"])
def test_a_file_that_does_not_end_is_not_read(task: Path, name: str, kind: str) -> None:
    """Sizes and kinds of files are looked at before any of them is opened."""
    path = task / name
    path.touch()
    if kind == "a terabyte":
        os.truncate(path, 2**40)
    else:
        path.unlink()
        os.mkfifo(path) if kind == "a pipe" else path.symlink_to("/dev/zero")
    with pytest.raises(ProblemError, match=r"more than|no |plain file|link"):
        load_foreign(f"openevolve:{task}", {})


def test_a_program_that_no_parser_reads_is_no_bug(task: Path) -> None:
    """Thirty thousand signs before a number exhaust the parser's stack."""
    (task / "initial_program.py").write_text(DEEP)
    with pytest.raises(ProblemError, match="no Python"):
        load_foreign(f"openevolve:{task}", {})
    (task / "run_evo.py").write_text(DEEP)
    assert message_of(task) == ""
