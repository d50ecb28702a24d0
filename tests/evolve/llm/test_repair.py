"""A candidate whose evaluation failed is given back to a model, with the reason."""

import random
import sqlite3
from pathlib import Path

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse

PROBLEM = str(Path(__file__).parents[2] / "app" / "campaign" / "flow_time.py")
RULE = "```python\ndef order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n```"
WRONG = RULE.format("times[j] / (weights[j] - weights[0]) + @N@ / 0")
RIGHT = RULE.format("times[j] / weights[j] + @N@ * times[j]")


@pytest.mark.slow
def test_what_failed_is_repaired_in_a_later_iteration(tmp_path, monkeypatch, loopback):
    """Its code and the error, quoted, are in a prompt of its own, once; the campaign is replayed alike."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    rng = random.Random(4)
    server = loopback(replies=[rng.choice([WRONG, WRONG, RIGHT]) for _ in range(200)])
    folder = tmp_path / "run"
    folder.mkdir()
    sections = {
        "campaign": {"problem": PROBLEM, "in_flight": 1},
        "archive": {"islands": 1},
        "budget": {"iterations": 24},
        "model": [{"spec": "openai/x", "base_url": server.url}],
    }
    summary = compose.run(parse(sections, "test"), folder)
    store = sqlite3.connect(folder / "archive.sqlite")
    prompts = store.execute(
        "SELECT p.user FROM calls c JOIN prompts p ON p.digest = c.prompt "
        "WHERE operator = 'repair' AND round = 1"
    ).fetchall()
    origins = {row[0] for row in store.execute("SELECT origin FROM candidates")}
    store.close()
    assert prompts
    for (prompt,) in prompts:
        assert "# Repair a program" in prompt
        assert "> ZeroDivisionError" in prompt
        assert prompt.count("+ @N@") == 0
    assert "repair" in origins
    assert any(row["operator"] == "repair" for row in summary["models"])
    assert replay(folder)["differences"] == []
