"""The commands of the tutorials run in the order in which they stand; campaigns are made small."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SMALL = "--budget 3it --set problem.jobs=8 --set problem.valid_per_stratum=1 --set problem.test_per_stratum=1"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["first-campaign", "with-a-coding-agent"])
def test_the_commands_of_a_tutorial_run(name: str, tmp_path: Path) -> None:
    """Each line of each block of commands ends well, in a folder of its own."""
    page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text("utf-8")
    lines = [
        line for block in re.findall(r"^```sh\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()
    ]
    assert len(lines) >= 3
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "GAPSMITH_CACHE": str(tmp_path / "cache")}
    for line in lines:
        small = re.sub(r" --budget \S+", "", line) + f" {SMALL}"
        command = small if line.startswith("gapsmith run") else line
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (command, done.stderr)


@pytest.mark.slow
def test_the_plan_of_the_tutorial_on_models_is_printed(tmp_path: Path) -> None:
    """The first command asks nothing, and prints the price of a call that the page shows."""
    page = (ROOT / "docs" / "tutorials" / "with-a-model.md").read_text("utf-8")
    command, shown = re.findall(r"^```(?:sh)?\n(.*?)^```$", page, re.M | re.S)[:2]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {
        **os.environ,
        "PATH": path,
        "GAPSMITH_CACHE": str(tmp_path / "cache"),
        "OPENAI_API_KEY": "",
    }
    done = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for line in shown.splitlines():
        assert line.split(";")[0] in done.stdout + done.stderr


def test_too_many_words_are_named() -> None:
    """A group, a page, everything together and a page without a group are each named."""
    faults = runpy.run_path(str(ROOT / "benchmarks" / "words.py"))["faults"]
    assert faults({"docs/index.md": 400, "docs/problems/smtt.md": 400}, 20_000) == []
    named = faults({"docs/index.md": 401, "docs/problems/smtt.md": 50_000, "docs/other.md": 1}, 20_001)
    starts = [sentence.split(":")[0] for sentence in named]
    assert starts == ["generated", "index", "problems", "together", "docs/problems/smtt.md", "docs/other.md"]
