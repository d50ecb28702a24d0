"""Whole campaigns by the command line: killed in the middle of calls, and driven by hand."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gapsmith.evolve.llm.mailbox import LetterState, letters, put_reply

PROBLEM = str(Path(__file__).parents[2] / "app" / "campaign" / "flow_time.py")
RULE = "```python\ndef order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n```"
RULES = ["times[j] / weights[j] + @N@", "times[j] - weights[j] - @N@", "-@N@ * weights[j]", "times[j] % @N@"]
PROSE = "I would look at the ratio of time and weight."
FOUR = ["--set", "campaign.in_flight=4"]
REPLIES = [PROSE, *(f"Number @N@.\n{RULE.format(rule)}" for rule in RULES)]


@pytest.fixture
def start(tmp_path):
    """Starts `gapsmith` with words, in the test's own folder; what still runs at the end is killed."""
    running = []

    def begin(*words, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", "gapsmith.cli", *words],
            cwd=tmp_path,
            env={**os.environ, "GAPSMITH_CACHE": str(tmp_path / "cache"), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def the_run(tmp_path, process):
    """The run folder, as soon as there is one with a store."""
    while not (found := list((tmp_path / "runs").glob("*/archive.sqlite"))):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    return found[0].parent


def rows(run, query):
    """Rows of a run's store; none while its tables are being made."""
    store = sqlite3.connect(f"file:{run / 'archive.sqlite'}?mode=ro", uri=True, timeout=30)
    try:
        return store.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        store.close()


@pytest.mark.slow
def test_a_killed_campaign_asks_nothing_twice(start, loopback, tmp_path):
    """After `kill -9` at three moments every reply that was recorded is used once, none repeated."""
    server = loopback(replies=REPLIES[1:], latency=0.1)
    environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test"}
    process = start("run", PROBLEM, "--model", "openai/x", "--iterations", "40", *FOUR, **environment)
    run = the_run(tmp_path, process)
    rng = random.Random(7)
    for wanted in (6, 16, 28):
        while len(rows(run, "SELECT id FROM calls WHERE state = 'replied'")) < wanted:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.02)
        time.sleep(rng.random() / 5)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process = start("resume", run.name, "--json", **environment)
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, err
    assert json.loads(out)["iterations"] == 40
    answered = rows(run, "SELECT iteration, round, prompt FROM calls WHERE state = 'replied'")
    assert len(set(answered)) == len(answered)
    texts = [text for (text,) in rows(run, "SELECT text FROM calls WHERE state = 'replied'")]
    assert len(set(texts)) == len(texts)
    lost = rows(run, "SELECT count(*) FROM calls WHERE state = 'requested'")[0][0]
    assert len(texts) <= server.seen()["given"] <= len(texts) + lost
    assert lost <= 3 * 4


@pytest.mark.slow
def test_a_campaign_by_hand(start, tmp_path):
    """Prompts are answered with files, a bad reply is explained, and the heuristic improves."""
    process = start("run", PROBLEM, "--model", "manual", "--iterations", "6", *FOUR, "--json")
    box = the_run(tmp_path, process) / "mailbox"
    complaints, answered = [], []
    while process.poll() is None:
        for letter in letters(box):
            if letter.name in answered:
                continue
            if letter.state is LetterState.OPEN and not complaints and not answered:
                put_reply(box, letter.name, PROSE)
            elif letter.state is LetterState.PROBLEM or (letter.state is LetterState.OPEN and complaints):
                complaints += [letter.problem] if letter.problem else []
                text = REPLIES[1 + len(answered) % 4].replace("@N@", str(len(answered) + 1))
                put_reply(box, letter.name, text)
                answered.append(letter.name)
        time.sleep(0.1)
    out, err = process.communicate()
    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["best"]["splits"]["train"]["fitness"] > found["start"]["splits"]["train"]["fitness"]
    assert found["usage"]["cost_usd"] == 0
    assert all(letter.state is LetterState.ANSWERED for letter in letters(box))
    assert {complaint.split(":")[0] for complaint in complaints} == {"no_code"}


@pytest.mark.slow
def test_a_recorded_campaign_runs_again_without_a_server(start, loopback, tmp_path):
    """`replay/RUN` (the latest but for the new one) gives the same candidates, and asks nobody."""
    server = loopback(replies=REPLIES)
    environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test"}
    words = ["--iterations", "5", "--set", "campaign.in_flight=1", "--json"]
    first = start("run", PROBLEM, "--model", "openai/x", *words, **environment)
    out, err = first.communicate(timeout=120)
    assert first.returncode == 0, err
    recorded = json.loads(out)
    asked = len(server.seen()["requests"])
    second = start("run", PROBLEM, "--model", "replay/latest", *words)
    out, err = second.communicate(timeout=120)
    assert second.returncode == 0, err
    again = json.loads(out)
    query = "SELECT id, files FROM candidates ORDER BY id"
    assert rows(tmp_path / "runs" / again["run"], query) == rows(tmp_path / "runs" / recorded["run"], query)
    assert len(server.seen()["requests"]) == asked
