"""Whether a model can be used at all, before a campaign and without one."""

import json
from decimal import Decimal

import pytest
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.proposers import build_callers
from gapsmith.cli import app
from gapsmith.evolve.llm.ledger import LedgerEntry
from gapsmith.evolve.store.store import StoredCalls
from typer.testing import CliRunner


@pytest.fixture(autouse=True)
def models_alone(monkeypatch):
    """Solvers and sandbox count as checked: `doctor` is tested for them elsewhere."""
    sound = {"layers": {}, "self_test": "passed", "reason": None}
    monkeypatch.setattr("gapsmith.app.analysis.doctor.solvers", dict)
    monkeypatch.setattr("gapsmith.app.analysis.doctor.sandbox", lambda without: sound)


def reach(server_url, **environment):
    """Exit code and what `doctor` says of a model behind a server's address."""
    words = ["doctor", "--model", "openai/x", "--set", f"model.base_url={server_url}", "--json"]
    done = CliRunner().invoke(app, words, env={"OPENAI_API_KEY": "", **environment})
    return done.exit_code, json.loads(done.stdout)["models"]


@pytest.mark.slow
def test_a_server_that_answers_is_reachable(loopback):
    """One question is sent, to the address that was set, and its reply need not be of use."""
    server = loopback(faults=["ok", "empty"])
    for asked in (1, 2):
        code, (row,) = reach(server.url)
        assert (code, row["spec"], row["reachable"], row["reason"]) == (0, "openai/x", True, None)
        assert len(server.seen()["requests"]) == asked


@pytest.mark.parametrize("trouble", ["nobody", "key"])
def test_trouble_is_told(loopback, trouble):
    """Nobody at the address, or a key that is refused: exit code 8 and the reason."""
    server = loopback(key="Bearer right")
    if trouble == "nobody":
        server.close()
    code, (row,) = reach(server.url, OPENAI_API_KEY="wrong")
    assert (code, row["reachable"]) == (8, False)
    assert ("connection" if trouble == "nobody" else "key") in row["reason"].lower()


@pytest.mark.quick("{{ nonsense }}-improve")
@pytest.mark.parametrize(
    ("template", "name"),
    [(None, "improve"), ("{{ nonsense }}", "explore"), ("{{ nonsense }}", "improve"), ("{% if %}", "notes")],
)
def test_templates_of_no_use_are_the_users_mistake(tmp_path, template, name):
    """A folder that is not there leaves no run behind; a wrong name in a template is told with its file."""
    folder = tmp_path / "templates"
    if template is not None:
        folder.mkdir()
        (folder / f"{name}.md.jinja").write_text(template)
    words = ["run", "orienteering", "--model", "manual", "--runs", str(tmp_path / "runs"), "--json"]
    options = [
        "--set",
        f"prompts.folder={folder}",
        "--set",
        "problem.train_per_stratum=1",
    ]
    options.append("--dry-run")
    done = CliRunner().invoke(app, [*words, *options])
    error = json.loads(done.stdout)["error"]
    assert (done.exit_code, error["code"]) == (3, 3), error
    assert ("expected a folder" if template is None else f"{name}.md.jinja") in error["message"]
    assert not (tmp_path / "runs").exists()


def test_a_dollar_cap_needs_to_know_what_was_spent(tmp_path):
    """Replies without a price in the record: what is left of a cap is not known, so nothing is sent."""

    class Unpriced(StoredCalls):
        def __init__(self):
            pass

        def entries(self):
            return [LedgerEntry(100, Decimal(1), True, replied=True, tokens_in=10, tokens_out=10)]

    prices = {"price_in_usd_per_million": 1, "price_out_usd_per_million": 1}
    model = {"spec": "openai/x", "base_url": "http://127.0.0.1:9/v1", **prices}
    config = parse({"campaign": {"problem": "smtt"}, "budget": {"usd": 1.0}, "model": [model]}, "test")
    with pytest.raises(UserError, match="no known price"):
        build_callers(config, Unpriced(), tmp_path)
