"""The tutorial is executed: its code becomes a file, its commands run, its package is the one kept here."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from gapsmith import ReferenceKind, check_problem
from gapsmith.app.plugins.loader import load_problem

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "tutorials" / "add-a-problem.md").read_text("utf-8")
AS_CLASS = (ROOT / "docs" / "how-to" / "problem-as-a-class.md").read_text("utf-8")
PACKAGE = ROOT / "tests" / "app" / "plugin_package"


def blocks(kind: str, page: str = PAGE) -> list[str]:
    """Texts of the fenced blocks of a kind, in order."""
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def problem() -> str:
    """The problem that the page's blocks make up."""
    return "".join(blocks("python"))


def gapsmith(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command of the page in a folder."""
    words = shlex.split(command)
    if words[0] == "gapsmith":
        words = [sys.executable, "-m", "gapsmith.cli", *words[1:]]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def test_the_kept_package_is_the_tutorials() -> None:
    """What the page writes and installs is the example, and what `tests/app/plugin_package` holds."""
    assert len(PAGE.split()) <= 1500
    assert (ROOT / "examples" / "watch_posts.py").read_text("utf-8") == problem()
    assert (PACKAGE / "gapsmith_watch_posts" / "__init__.py").read_text("utf-8") == problem()
    project = (PACKAGE / "pyproject.toml").read_text("utf-8")
    assert all(block in project for block in blocks("toml"))


@pytest.mark.slow
def test_every_command_of_the_page_works(tmp_path: Path) -> None:
    """All commands end well in the order of the page, in an empty folder."""
    (tmp_path / "watch_posts.py").write_text(problem(), "utf-8")
    (tmp_path / "mine.py").write_text("".join(blocks("python title=mine.py")), "utf-8")
    commands = [line for block in blocks("console") for line in block.splitlines()]
    assert len(commands) == 10
    for command in commands:
        done = gapsmith(command, tmp_path)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


@pytest.fixture
def as_class(tmp_path: Path) -> Path:
    """The file that the page on classes writes."""
    path = tmp_path / "watch_posts.py"
    path.write_text("".join(blocks("python", AS_CLASS)).replace("\n\n\n\n", "\n\n\n"), "utf-8")
    return path


def test_the_class_judges_as_the_short_form_does(as_class: Path) -> None:
    """Both forms of the problem have one verdict on an answer, and prove one optimum."""
    whole = load_problem(str(as_class), {"crossings": 6, "roads": 8})
    short = load_problem(str(ROOT / "examples" / "watch_posts.py"), {"crossings": 6})
    instance = whole.instances("train", 1)[0]
    answers = [[], [0, 1, 2], [*range(6)], [0, 0], [True], [6]]
    verdicts = [
        [one.problem.verify(instance, answer).objective for answer in answers] for one in (whole, short)
    ]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][2:] == [6, None, None, None]
    first, second = (one.reference(instance, 5.0) for one in (whole, short))
    assert first is not None
    assert second is not None
    assert first.kind is second.kind is ReferenceKind.OPTIMUM
    assert first.value == second.value


@pytest.mark.slow
def test_the_class_passes_its_check(as_class: Path) -> None:
    """Contract and attacks find nothing."""
    report = check_problem(str(as_class), seconds=4.0)
    assert report.passed, report.findings


@pytest.mark.slow
def test_the_package_installs_and_is_found(tmp_path: Path) -> None:
    """Installed by pip, the problem has its name and its origin, and can be evaluated by name."""
    source = tmp_path / "source"
    shutil.copytree(PACKAGE, source)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*pip, "--target", str(tmp_path / "site"), str(source)], check=True)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r}); from gapsmith.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "problems", "list", "--json"], capture_output=True, text=True, check=True
    )
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["watch-posts"]["origin"] == "package gapsmith-watch-posts 0.1.0"
    assert rows["smtt"]["origin"] == "built-in"
