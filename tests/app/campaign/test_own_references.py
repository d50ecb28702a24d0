"""A run's figures come out again from its own configuration, whatever references were computed since."""

from __future__ import annotations

import json
import shutil
import sqlite3
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


@pytest.fixture(scope="module")
def own_best(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a problem whose references are its best baselines, and one run of it."""
    folder = tmp_path_factory.mktemp("best")
    text = PROBLEM.partition("    def reference(")[0]
    (folder / "best_least.py").write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("GAPSMITH_CACHE", str(folder / "cache"))
        said = CliRunner().invoke(
            app, ["run", "best_least:Least", "--iterations", "3", "--workers", "1", "--seed", "1"]
        )
        assert said.exit_code == 0, said.stderr
    return folder


EDITS = {
    "a better reference": (
        "verify",
        "UPDATE instance_references SET value = CAST(value + 7 AS TEXT) WHERE kind = 'baseline'",
        "beside baseline first",
    ),
    "a claim": (
        "replay",
        "UPDATE run SET value = json_set(value, '$[0].p_value', 1e-9) WHERE key = 'claims'",
        "claim against",
    ),
    "a claim's rival": (
        "replay",
        "UPDATE run SET value = json_set(value, '$[0].against', 'x') WHERE key = 'claims'",
        "claim against",
    ),
    "no claim": ("replay", "UPDATE run SET value = json_remove(value, '$[0]') WHERE key = 'claims'", "claim"),
}


@pytest.mark.parametrize("name", ["as it is", *EDITS])
def test_best_baselines_and_claims_are_not_believed(
    name: str, own_best: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`verify` compares references with baselines, and `replay` makes the claims again."""
    folder = tmp_path / "copy"
    shutil.copytree(own_best, folder)
    monkeypatch.chdir(own_best)
    monkeypatch.setenv("GAPSMITH_CACHE", str(own_best / "cache"))
    (run,) = (folder / "runs").glob("*/archive.sqlite")
    verbs = ["verify", "replay"]
    if name in EDITS:
        verb, statement, expected = EDITS[name]
        verbs = [verb]
        with sqlite3.connect(run) as db:
            assert db.execute(statement).rowcount > 0
    for verb in verbs:
        said = CliRunner().invoke(
            app, [verb, run.parent.name, "--runs", str(folder / "runs"), "--workers", "1", "--json"]
        )
        document = json.loads(said.stdout)
        found = [row["what"] for row in document["differences"]]
        if name in EDITS:
            assert said.exit_code == 5, document
            assert any(expected in what for what in found), found
        else:
            assert (said.exit_code, found) == (0, [])
            assert document["compared"]["claims" if verb == "replay" else "references compared"] > 0
