"""A campaign against a real OpenAI-compatible server process over loopback HTTP."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parents[2] / "evolve" / "llm" / "loopback.py"
REPLIES = [
    "I would weigh the jobs.",
    "By ratio.\n```python\ndef order(times, weights):\n"
    "    return sorted(range(len(times)), key=lambda j: times[j] / weights[j] + 0 * @N@)\n```",
    "By weight.\n```python\ndef order(times, weights):\n"
    "    return sorted(range(len(times)), key=lambda j: -weights[j] + 0 * @N@)\n```",
]
"""Replies of a model: no code, a better program, a worse one; @N@ makes each a program of its own."""

Command = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., dict[str, str]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server from a script; returns the environment that leads to it."""
    running: list[subprocess.Popen[str]] = []

    def start(**script: Any) -> dict[str, str]:
        words = [sys.executable, "-I", str(SERVER), json.dumps(script)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        port = int(process.stdout.readline())
        return {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "sk-test"}

    yield start
    for process in running:
        process.kill()
        process.wait()


SMALL = ["--set", "campaign.in_flight=2"]


def test_campaign_against_a_server_improves_the_heuristic(
    command: Command, serve: Serve, problem: str, tmp_path: Path
) -> None:
    """Prompts go out over HTTP, replies are stored, and the best is better than the start on validation.

    The problem explains no answers, so no explanation is looked for.
    """
    environment = serve(replies=REPLIES)
    words = ["run", problem, "--model", "openai/loopback-1", "--iterations", "8", *SMALL, "--json"]
    done = command(*words, **environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["best"]["splits"]["valid"]["fitness"] > found["start"]["splits"]["valid"]["fitness"]
    assert found["usage"]["model_calls"] >= 8
    assert found["usage"]["tokens_in"] > 0
    asked = {"improve", "explore", "combine", "simplify", "repair"}
    assert found["best"]["origin"] in {"tune", *asked}
    database = sqlite3.connect(tmp_path / "runs" / found["run"] / "archive.sqlite")
    assert not database.execute("SELECT 1 FROM events WHERE kind = 'explained'").fetchall()


@pytest.mark.parametrize(
    "fault", ["cut", *(pytest.param(f, marks=pytest.mark.slow) for f in ("429", "500", "garbage", "empty"))]
)
def test_faults_of_a_server_lose_nothing(
    command: Command, serve: Serve, problem: str, tmp_path: Path, fault: str
) -> None:
    """A fault now and then is retried or ends as a rejection; the campaign ends by itself."""
    environment = serve(replies=REPLIES, faults=[fault, "ok"])
    words = ["run", problem, "--model", "openai/loopback-1", "--iterations", "3", *SMALL, "--json"]
    done = command(*words, **environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["iterations"] == 3
    database = sqlite3.connect(tmp_path / "runs" / found["run"] / "archive.sqlite")
    states = dict(database.execute("SELECT state, count(*) FROM calls GROUP BY state").fetchall())
    assert states.get("requested", 0) == 0
    assert states["replied"] >= 2


@pytest.mark.slow
def test_wrong_key_stops_at_once_and_is_resumable(
    command: Command, serve: Serve, problem: str, tmp_path: Path
) -> None:
    """The provider's sentence, exit code 8, and the same run goes on with the right key."""
    environment = serve(replies=REPLIES, key="sk-right")
    words = ["run", problem, "--model", "openai/loopback-1", "--iterations", "2", *SMALL]
    done = command(*words, **environment)
    assert done.returncode == 8, done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    for name in ("campaign.toml", "campaign.log"):
        assert "sk-test" not in (folder / name).read_text()
    again = command("resume", folder.name, "--json", **{**environment, "OPENAI_API_KEY": "sk-right"})
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["iterations"] == 2


@pytest.mark.slow
def test_a_cap_used_up_by_useless_replies_says_so(command: Command, serve: Serve, problem: str) -> None:
    """A server that streams what nobody asked it to: the end names what came of the money."""
    environment = serve(faults=["garbage"])
    words = ["run", problem, "--model", "openai/loopback-1", "--tokens", "18000", *SMALL]
    done = command(*words, **environment)
    assert done.returncode == 6, done.stderr  # no reply became a candidate
    assert "may have been billed: 1; the last: openai/loopback-1: the server's answer" in " ".join(
        done.stdout.split()
    )


def test_money_is_a_hard_cap(command: Command, serve: Serve, problem: str, tmp_path: Path) -> None:
    """`--usd` refuses a model without a price before the first call, and never spends above the cap."""
    environment = serve(replies=REPLIES)
    words = ["--model", "openai/loopback-1", "--usd", "0.5", *SMALL]
    done = command("run", problem, *words, **environment)
    assert done.returncode == 3, done.stderr
    prices = re.findall(r"--set (model\.price_\w+)=", done.stderr)
    given = [word for key in prices for word in ("--set", f"{key}=1")]
    done = command("run", problem, *words, *given, "--dry-run", "--json", **environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cost"][0]["high_usd"] > 0
    configuration = tmp_path / "campaign.toml"
    configuration.write_text(
        f'[campaign]\nproblem = "{problem}"\nin_flight = 2\n[budget]\nusd = 0.02\n'
        '[[model]]\nspec = "openai/loopback-1"\nmax_output_tokens = 500\n'
        "price_in_usd_per_million = 1.0\nprice_out_usd_per_million = 4.0\n"
    )
    done = command("run", str(configuration), "--json", **environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["stop_reason"] == "cost"
    assert 0 < found["usage"]["cost_usd"] <= 0.02
