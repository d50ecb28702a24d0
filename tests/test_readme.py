"""The README's blocks run as they are printed, its links lead somewhere, and its words are few."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"


@pytest.mark.slow
def test_the_problem_of_the_page_runs(
    gapsmith: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block after the marker is a problem file that a campaign improves."""
    found = re.search(r"<!-- problem example -->\s*```python\n(.+?)\n```", README.read_text("utf-8"), re.S)
    assert found is not None
    (tmp_path / "posts.py").write_text(found.group(1) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    done = gapsmith("run", "posts.py", "--iterations", "12", "--runs", str(tmp_path / "runs"))
    assert done.returncode == 0, done.stderr
    assert "best baseline every-first-end" in done.stdout
    assert list(tmp_path.glob("runs/*/best.py"))


def test_named_pages_exist() -> None:
    """Every file and folder of the repository that the README links to is there."""
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", README.read_text("utf-8"))
    inside = [link for link in links if "://" not in link]
    assert len(inside) > 10
    assert [link for link in inside if not (ROOT / link).exists()] == []


def test_first_block_installs_what_it_runs() -> None:
    """The first block is one line that a clone on a fresh machine needs nothing else for."""
    block = re.search(r"```(\w*)\n(.+?)\n```", README.read_text("utf-8"), re.S)
    assert block is not None
    assert block[1] == "sh"
    steps = block[2].split(" && ")
    assert steps[:2] == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    assert [step.split()[0] for step in steps[2:]] == [".venv/bin/gapsmith"]


def test_every_page_is_listed_on_the_site() -> None:
    """The navigation of the site names each page of the folder `docs`."""
    listed = (ROOT / "mkdocs.yml").read_text("utf-8").split("\nnav:")[1]
    pages = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    assert len(pages) > 40
    assert [page for page in pages if f": {page}\n" not in f"{listed}\n"] == []
