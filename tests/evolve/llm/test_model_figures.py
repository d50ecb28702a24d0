"""What a campaign says of its models: figures per model and operator, and notes."""

import json
from pathlib import Path

import pytest
from gapsmith.app import compose
from gapsmith.app.config import parse
from gapsmith.cli import app
from typer.testing import CliRunner

PROBLEM = str(Path(__file__).parents[2] / "app" / "campaign" / "flow_time.py")
RULE = "```python\ndef order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n```"
PROSE = "I would look at the ratio of time and weight."
REPLIES = [RULE.format("times[j] / weights[j]"), PROSE, RULE.format("-times[j]"), PROSE, PROSE, PROSE]
ROW = {
    "model", "operator", "calls", "share_percent", "replies", "candidates", "apply_rate_percent", "improved",
    "improvement_rate_percent", "tokens_in", "tokens_out", "cost_usd",
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory, module_loopback):
    """(folder, summary, log) of four iterations: better, repaired to something worse, hopeless, refused."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(tmp_path_factory.mktemp("cache")))
        server = module_loopback(replies=REPLIES, faults=[*["ok", "picky"] * 2, *["ok"] * 20])
        prices = {"price_in_usd_per_million": 1, "price_out_usd_per_million": 10}
        table = {"spec": "openai/x", "base_url": server.url, "temperature": 0.5, **prices}
        folder = tmp_path_factory.mktemp("runs") / "asked"
        folder.mkdir()
        sections = {"campaign": {"problem": PROBLEM, "in_flight": 1}, "budget": {"iterations": 3}}
        summary = compose.run(parse({**sections, "model": [table]}, "test"), folder)
        return folder, summary, (folder / "campaign.log").read_text()


def test_shares_rates_and_cost_of_each_operator(found):
    """Every call is counted once, a candidate for the reply it came from, and the cost adds up."""
    _, summary, _ = found
    total, *rows = summary["models"]
    assert all(set(row) == ROW for row in summary["models"])
    assert (total["model"], total["operator"], total["share_percent"]) == ("openai/x", None, 100)
    assert total["calls"] == summary["usage"]["model_calls"] == sum(row["calls"] for row in rows)
    assert total["candidates"] == summary["evaluations"] == 2
    assert total["improved"] == 1
    assert total["apply_rate_percent"] == pytest.approx(100 * 2 / total["replies"])
    repair = next(row for row in rows if row["operator"] == "repair")
    assert (repair["replies"], repair["candidates"], repair["apply_rate_percent"]) == (2, 1, 50)
    assert sum(row["share_percent"] for row in rows) == pytest.approx(100)
    assert total["cost_usd"] == pytest.approx(summary["usage"]["cost_usd"])


def test_a_refused_parameter_is_told_where_results_are_read(found):
    """The note stands in the summary, in the run's log and on the screen, once."""
    folder, summary, log = found
    (note,) = [note for note in summary["notes"] if "temperature" in note]
    assert note.startswith("openai/x: temperature is not supported")
    assert log.count("temperature is not supported") == 1
    shown = CliRunner().invoke(app, ["show", str(folder)], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert "temperature is not supported" in " ".join(shown.stdout.split())
    assert "applied" in shown.stdout
    assert "repair" in shown.stdout


def test_a_run_without_a_model_has_no_such_figures(tmp_path, monkeypatch):
    """Both lists are there and empty."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    (tmp_path / "run").mkdir()
    sections = {"campaign": {"problem": PROBLEM}, "budget": {"iterations": 2}}
    document = compose.run(parse(sections, "test"), tmp_path / "run")
    assert json.loads(json.dumps(document))["models"] == []
    assert document["notes"] == []
