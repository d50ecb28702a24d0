"""A run's figures come out again from its own configuration, whatever references were computed since."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gapsmith.cli import app
from typer.testing import CliRunner

PROBLEM = """
from gapsmith import Instance, Reference, Sense, Verdict

START = "def pick(numbers: list[int]) -> int:\\n    return 0\\n"

class Least:
    name = "least"; version = "1"; sense = Sense.MINIMISE; unit = "units"; entry_point = "pick"
    signature = "def pick(numbers: list[int]) -> int:"
    statement = "Return the place of the least number."
    def sets(self):
        return {"train": "4", "valid": "4", "test": "4"}
    def instances(self, set, seed):
        return [
            Instance(id=f"{set}-{i}", split=set, stratum="u", scale=1, source="u",
                     public={"numbers": [200 + i, 90 + i, ord(set[1])]}) for i in range(4)
        ]
    def start_programs(self):
        return {"first": START}
    def baselines(self):
        return self.start_programs()
    def verify(self, instance, answer):
        numbers = instance.public["numbers"]
        if type(answer) is not int or not 0 <= answer < len(numbers):
            return Verdict.invalid("no place")
        return Verdict.valid(numbers[answer])
    def reference(self, instance, seconds):
        return Reference.proven_bound(40 if seconds < 10 else 80, source="more time, a tighter bound")
"""


def test_a_run_is_checked_by_its_own_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header's command gives the header's figure, and says which references it used."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "least.py").write_text(PROBLEM, "utf-8")

    def say(*words: str) -> Any:
        said = CliRunner().invoke(app, list(words))
        assert said.exit_code == 0, said.stderr
        return said

    quick = ("--set", "evaluation.reference_seconds=5", "--iterations", "2", "--workers", "1")
    ran = json.loads(say("run", "least:Least", *quick, "--json").stdout)
    folder, figures = tmp_path / "runs" / ran["run"], ran["best"]["splits"]["test"]
    say("best", ran["run"], "-o", "best.py")
    plain = say("evaluate", "least:Least", "best.py", "--json")
    assert "references: 0 of 4 there, the others are computed" in plain.stderr
    assert json.loads(plain.stdout)["summary"]["mean_gap_percent"] < figures["mean_gap_percent"]
    again = say("evaluate", str(folder / "campaign.toml"), "best.py", "--split", "test", "--json")
    assert json.loads(again.stdout)["summary"]["mean_gap_percent"] == figures["mean_gap_percent"]
    assert f"references: those of run {ran['run']} (5 s each) on 4 of 4 instances" in again.stderr
    assert "4 of them differ from the cache" in again.stderr
    header = (tmp_path / "best.py").read_text("utf-8")
    assert f"gapsmith evaluate runs/{ran['run']}/campaign.toml" in header
