"""`doctor --model`: whether a model answers, without a campaign."""

import json

import pytest
from gapsmith.cli import app
from typer.testing import CliRunner


def reach(server_url, **environment):
    """Exit code and what `doctor` says of a model behind a server's address."""
    words = ["doctor", "--model", "openai/x", "--set", f"model.base_url={server_url}", "--json"]
    done = CliRunner().invoke(app, words, env={"OPENAI_API_KEY": "", **environment})
    return done.exit_code, json.loads(done.stdout)["models"]


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
