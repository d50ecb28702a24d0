"""The page on the workbench: its commands run as they stand, in the order in which they stand."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import gapsmith as package
import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "workbench.md").read_text("utf-8")
Done = subprocess.CompletedProcess[str]


@pytest.mark.slow
def test_the_commands_of_the_page_run(
    gapsmith: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From `open` to `finish`: each ends well, and the experiment's value and the champion are there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    programs = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for name, text in zip(("mine.py", "script.py"), programs, strict=True):
        Path(name).write_text(text, "utf-8")
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    verbs = []
    for line in commands.splitlines():
        words = shlex.split(line)
        assert words[0] == "gapsmith"
        done = gapsmith(*words[1:], COLUMNS="100")
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout.strip(), line
        verbs.append(words[2])
    assert verbs[0] == "open"
    assert verbs[-1] == "finish"
    assert set(json.loads(Path("value.json").read_text())) == {"0.0", "0.5", "1.0"}
    assert list((tmp_path / "runs").glob("*/best.py"))


def test_the_page_is_short() -> None:
    """At most 800 words."""
    assert len(PAGE.split()) <= 800


@pytest.mark.slow
def test_a_workbench_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of the page on Python: open, submit, probe, go on by name, finish."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    runs = tmp_path / "runs"

    def schedule(processing_times, due_dates):  # type: ignore[no-untyped-def]
        return sorted(range(len(due_dates)), key=lambda j: due_dates[j])

    bench = package.open_workbench("smtt", evaluations=3, runs=runs, settings={"problem.jobs": 10})
    assert bench.submit(schedule, "due dates first")["budget"]["evaluations"] == [1, 3]
    assert len(bench.probe(schedule)["instances"]) == 1
    bench.close()
    again = package.workbench("latest", runs=runs)
    assert again.read()["candidates"][-1]["idea"] == "due dates first"
    found = again.finish()
    assert found["best"]["splits"]["test"]["mean_gap_percent"] is not None
    assert isinstance(again, package.Workbench)
    with pytest.raises(package.UserError, match="no runs in"):
        package.workbench("latest", runs=tmp_path / "nothing")
