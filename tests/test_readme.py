"""The README's Python example is run as it is printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"


@pytest.mark.slow
def test_python_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The block after the marker prints a program and two percentages."""
    found = re.search(r"<!-- python example -->\s*```python\n(.+?)\n```", README.read_text("utf-8"), re.S)
    assert found is not None
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    exec(compile(found.group(1), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    best, due_dates = map(float, printed.split()[-2:])
    assert "def schedule(" in printed
    assert 0 <= best < due_dates


def test_named_pages_exist() -> None:
    """Every page that the README links to is there."""
    links = re.findall(r"\]\((docs/[^)#]+)\)", README.read_text("utf-8"))
    assert links
    assert [link for link in links if not (README.parent / link).is_file()] == []


def test_first_block_installs_what_it_runs() -> None:
    """The first block is one line that a clone on a fresh machine needs nothing else for."""
    block = re.search(r"```(\w*)\n(.+?)\n```", README.read_text("utf-8"), re.S)
    assert block is not None
    assert block[1] == "sh"
    steps = block[2].split(" && ")
    assert steps[:2] == ["python3 -m venv .venv", ".venv/bin/pip install -q ."]
    assert [step.split()[0] for step in steps[2:]] == [".venv/bin/gapsmith"]


def test_every_page_for_users_is_listed() -> None:
    """The list of pages names those on other tools' tasks and on several machines."""
    listed = README.read_text("utf-8").split("## Documentation")[1]
    for page in ("foreign", "from-openevolve", "several-machines"):
        assert f"](docs/{page}.md)" in listed
