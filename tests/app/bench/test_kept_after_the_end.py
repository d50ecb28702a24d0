"""`verify` makes again what a finished run keeps beside its champion: rows of other sets, drawings."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Done = subprocess.CompletedProcess[str]
PROBLEM = """
from gapsmith import Drawing, Instance, Reference, Sense, Shape, Verdict

START = "def pick(numbers: list[int]) -> int:\\n    return 0\\n"


class Least:
    name = "least"; version = "1"; sense = Sense.MINIMISE; unit = "units"; entry_point = "pick"
    signature = "def pick(numbers: list[int]) -> int:"
    statement = "Return the place of the least number."
    def sets(self):
        return {"train": "4", "valid": "4", "test": "4", "big": "larger numbers"}
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
    def draw(self, instance, answer):
        return Drawing("numbers", "place", "units", (Shape("rectangle", answer, 0, 1, 2, "taken"),))
    def reference(self, instance, seconds):
        return Reference.proven_bound(min(instance.public["numbers"]), source="the least")
"""
FORGERIES = {
    "neighbours": ("json_set(value, '$[0].champion.mean_gap_percent', -50.0)", "set big"),
    "neighbours ": ("json_set(value, '$[0].set', 'nowhere')", "set nowhere"),
    "neighbours  ": ("json_set(value, '$[0].set', 'test')", "set test"),
    "drawing": ("replace(value, 'taken', 'won')", "drawing of the answers"),
}
"""Key of the record → how it is forged, and the difference that `verify` names."""


def test_sets_and_drawings_are_made_again(
    gapsmith: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An honest finished bench verifies; a forged row or drawing is a difference, a lost row a note."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    (tmp_path / "least_drawn.py").write_text(PROBLEM, "utf-8")
    (tmp_path / "last.py").write_text("def pick(numbers: list[int]) -> int:\n    return 2\n", "utf-8")

    def document(*words: str) -> dict[str, Any]:
        done = gapsmith(*words, "--json")
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    name = document("bench", "open", "least_drawn.py", "--budget", "5eval")["run"]
    document("bench", "submit", name, "last.py")
    assert len(document("bench", "finish", name)["workbench"]["neighbours"]) == 1
    honest = document("verify", name)
    assert honest["differences"] == []
    assert (honest["compared"]["neighbouring sets"], honest["compared"]["drawings"]) == (1, 1)
    store = tmp_path / "runs" / name / "archive.sqlite"
    whole = store.read_bytes()
    for key, (value, what) in FORGERIES.items():
        with sqlite3.connect(store) as db:
            statement = f"UPDATE run SET value = {value} WHERE key = ?"
            assert db.execute(statement, (key.strip(),)).rowcount == 1
        assert [row["what"] for row in document("verify", name)["differences"]] == [what]
        store.write_bytes(whole)
    for statement in (
        "UPDATE run SET value = '[]' WHERE key = 'neighbours'",
        "DELETE FROM run WHERE key = 'neighbours'",
    ):
        with sqlite3.connect(store) as db:
            assert db.execute(statement).rowcount == 1
        changed = {row["what"]: row["now"] for row in document("verify", name)["changed"]}
        assert changed["set big"]["set"] == "big"
        store.write_bytes(whole)
    with sqlite3.connect(store) as db:
        db.execute(
            "UPDATE run SET value = json_set(value, '$[0].failures.champion', 3) WHERE key = 'neighbours'"
        )
    failed = document("verify", name)
    assert failed["differences"] == []
    assert "failures on set big, not compared" in [row["what"] for row in failed["changed"]]
    store.write_bytes(whole)
    with sqlite3.connect(store) as db:
        db.execute("UPDATE run SET value = '[null]' WHERE key = 'neighbours'")
    assert "the record is damaged" in document("verify", name)["error"]["message"]
