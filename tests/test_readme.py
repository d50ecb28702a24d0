"""The README's blocks run as they are printed, its links lead somewhere, and its words are few."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
"""A link in Markdown; its first group is the target without the heading."""


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


def test_links_work_in_a_clone() -> None:
    """Each page links only to files and folders of the repository, not to pages that only the site has."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "gallery" / "README.md"]
    dead = []
    for page in pages:
        text = re.sub(r"^`{3,}.*?^`{3,}$", "", page.read_text("utf-8"), flags=re.S | re.M)
        links = [link for link in LINK.findall(text) if ":" not in link]
        assert len(links) > 10 or page != README
        dead += [f"{page.relative_to(ROOT)}: {link}" for link in links if not (page.parent / link).exists()]
    assert dead == []


def test_every_page_can_be_reached_by_links() -> None:
    """From the list of pages a reader of a clone comes to each page of `docs` without the site's menu."""
    pages = {path.resolve() for path in (ROOT / "docs").rglob("*.md")}
    reached = {(ROOT / "docs" / "index.md").resolve()}
    new = set(reached)
    while new:
        links = {(page, link) for page in new for link in LINK.findall(page.read_text("utf-8"))}
        new = {(page.parent / link).resolve() for page, link in links} & pages - reached
        reached |= new
    assert [path.relative_to(ROOT).as_posix() for path in sorted(pages - reached)] == []


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
