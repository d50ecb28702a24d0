"""Agents at a bench: stand-ins that are real processes and work, or fail, as real agents do."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.bench import agent
from gapsmith.app.config import Config, parse
from gapsmith.app.errors import UserError
from gapsmith.app.proposers import check_models
from gapsmith.app.runs.folders import running
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.resume import stored_config
from gapsmith.app.runs.trust import Use, requests
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.store.reader import Reader

PROBLEM = str(Path(__file__).parents[1] / "campaign" / "flow_time.py")
TOOL = """
import json, os, subprocess, sys, time
task = sys.stdin.read()
run = task.split("the run ")[1].split()[0]

def bench(*words):
    done = subprocess.run(["gapsmith", "bench", *words, "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.returncode == 0 else done.stderr

def submit(factor):
    with open(f"{factor}.py", "w") as file:
        file.write("def order(times, weights):\\n"
                   f"    return sorted(range(len(times)), key=lambda j: times[j] - {factor} * weights[j])\\n")
    return bench("submit", run, f"{factor}.py", "--idea", f"a weight of {factor}")
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Callable[..., str]:
    """Makes the specification of an agent of a Python program's text."""

    def make(text: str) -> str:
        path = tmp_path / "stand_in.py"
        path.write_text(TOOL + text)
        return f"agent:{sys.executable} {path}"

    return make


def with_agent(folder: Path, spec: str, seconds: float = 60.0, **totals: Any) -> Config:
    """The configuration of an open bench that this agent goes on at."""
    config = stored_config(folder, totals, None, models=[spec])
    table = config.model[0].model_copy(update={"timeout_seconds": seconds})
    return config.model_copy(update={"model": (table,)})


def events(folder: Path) -> list[dict[str, Any]]:
    """What the run recorded of its agents."""
    reader = Reader.open(folder)
    found = [dict(event.data) for event in reader.events(agent.EVENT)]
    reader.close()
    return found


FAULTS = {
    "limited": ("print('Usage limit reached, try again in 5 minutes'); sys.exit(1)", "Usage limit reached"),
    "limited in words": ("print('rate limit exceeded')", "rate limit exceeded"),
    "logged out": ("sys.stderr.write('OAuth token has expired'); sys.exit(1)", "log in to the program once"),
    "dead": ("os.kill(os.getpid(), 9)", "exit code -9"),
    "idle": ("print('I am done.')", "ended without a submission; it said: I am done."),
    "slow": ("time.sleep(60)", "submitted no program within 2 seconds"),
    "a flood": (
        "sys.stdout.write('x' * 50_000_000 + '\\x1b[31mlast words\\x1b[0m <|im_start|>')",
        "ended without a submission",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_agent_that_brings_nothing_is_told_in_one_sentence(
    folder: Path, stand_in: Callable[..., str], name: str
) -> None:
    """The sentence says what happened, the record what was printed, and the run waits for `resume`."""
    text, words = FAULTS[name]
    with pytest.raises(ModelError) as caught:
        agent.work(with_agent(folder, stand_in(text), 2.0 if name == "slow" else 60.0), folder)
    assert words in caught.value.sentence
    assert caught.value.sentence.startswith("agent:")
    assert "\n" not in caught.value.sentence
    _, end = events(folder)
    assert end["fault"] == caught.value.sentence
    assert (end["submissions"], end["ended"]) == (0, False)
    assert len(json.dumps(end)) < 12_000
    assert not {"\x1b", "<|im_start|>"} & set(end["printed"].split())
    assert ("last words" in end["printed"]) == (name == "a flood")
    reader = Reader.open(folder)
    assert (reader.record("stop_reason"), reader.record("champion")) == ("provider", None)
    reader.close()


@pytest.mark.slow
def test_what_an_agent_leaves_running_ends_with_it(
    folder: Path, stand_in: Callable[..., str], tmp_path: Path
) -> None:
    """A child in the background that holds the pipes is killed, and the working folder is gone."""
    left = tmp_path / "left"
    text = f"""
if os.fork() == 0:
    time.sleep(2.5)
    open({str(left)!r}, "w").close()
    os._exit(0)
print(os.getcwd(), sorted(os.listdir(".")))
"""
    with pytest.raises(ModelError):
        agent.work(with_agent(folder, stand_in(text)), folder)
    place, *files = events(folder)[-1]["printed"].replace("'", " ").split()
    assert {"SKILL.md", "TASK.md"} < {*files}
    assert not Path(place).exists()
    time.sleep(2)
    assert not left.exists()


def test_an_agent_gets_a_small_environment(
    folder: Path, stand_in: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys of providers and variables that load code stay behind; the runs' folder is named."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-123456789")
    monkeypatch.setenv("PYTHONPATH", "/x")
    with pytest.raises(ModelError):
        agent.work(with_agent(folder, stand_in("print(dict(os.environ))")), folder)
    printed = events(folder)[-1]["printed"]
    assert not [word for word in ("OPENAI", "sk-123456789", "PYTHONPATH") if word in printed]
    assert f"'GAPSMITH_RUNS': '{folder.parent}'" in printed


REFUSED = {
    "another model beside": ({"model": [{"spec": "agent:sh x"}, {"spec": "offline"}]}, "offline"),
    "a cap of cost": ({"model": [{"spec": "agent:sh x"}], "budget": {"usd": 1.0}}, "usd"),
    "a control": (
        {
            "model": [{"spec": "agent:sh x"}],
            "campaign": {"problem": "smtt", "control": "random"},
            "budget": {"iterations": 9},
        },
        "control",
    ),
    "no such program": ({"model": [{"spec": "agent:no-such-program"}]}, "no program 'no-such-program'"),
    "a command without a path": ({"model": [{"spec": "command:no-such -x"}]}, "no program 'no-such'"),
    "a preset that is not there": ({"model": [{"spec": "agent:claude/opus"}]}, "no program 'claude'"),
    "no program": ({"model": [{"spec": "agent:"}]}, "names no program"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_an_agent_cannot_keep_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Before there is a run."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    document, words = REFUSED[name]
    with pytest.raises(UserError) as caught:
        check_models(parse({"campaign": {"problem": "smtt"}, **document}, "test"), tmp_path)
    assert words in caught.value.message


def test_a_dry_run_of_an_agent_is_refused(tmp_path: Path) -> None:
    """There is no prompt to show."""
    document = {"campaign": {"problem": "smtt"}, "model": [{"spec": "agent:sh x"}]}
    with pytest.raises(UserError, match="--dry-run"):
        check_models(parse(document, "test"), tmp_path, sends=False)


def test_a_foreign_run_starts_no_agent_unasked(folder: Path) -> None:
    """The program that a record names is among what the caller must allow."""
    config = with_agent(folder, f"agent:{sys.executable} x")
    with open_record(folder) as record:
        asks = [ask.words for ask in requests(record, config, [Use.MODELS])]
    assert f"the program {sys.executable} x, outside the sandbox" in asks


def test_one_agent_works_at_a_time(folder: Path, stand_in: Callable[..., str]) -> None:
    """While an agent works the run counts as running, and a second one is refused."""
    config = with_agent(folder, stand_in("time.sleep(60)"), 3.0)
    held = folder / agent.AGENT_NAME
    held.mkdir()
    with agent.at_work(held):
        assert running(folder)
        with pytest.raises(UserError, match="another process is at work"):
            agent.work(config, folder)
    assert not running(folder)
    assert events(folder) == []


@pytest.mark.slow
def test_a_spent_budget_ends_an_agent(
    folder: Path, stand_in: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes on after the last submission is ended, and the bench is finished."""
    monkeypatch.setattr(agent, "_GRACE", 0.5)
    config = with_agent(folder, stand_in("submit(2)\ntime.sleep(600)"), 500.0, evaluations=1)
    done = agent.work(config, folder)
    assert (done["stop_reason"], done["evaluations"]) == ("finished", 1)
    assert (folder / "best.py").is_file()
    end = events(folder)[-1]
    assert (end["code"], end["submissions"], end["ended"]) == (None, 1, True)
    assert end["seconds"] < 300


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Starts the tool as a process of its own on the runs beside this folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "gapsmith.cli", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "GAPSMITH_RUNS": str(folder)},
    )


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """Rows of a query over a run's store while others write to it."""
    with sqlite3.connect(f"file:{folder / 'archive.sqlite'}?mode=ro", uri=True) as database:
        return database.execute(query).fetchall()


def until(check: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Waits for something that a process brings about."""
    deadline = time.monotonic() + 240
    while not check():
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@pytest.mark.slow
def test_a_campaign_of_an_agent_is_a_run_like_every_other(
    stand_in: Callable[..., str],
    gapsmith: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`run --model agent:…` ends with champion, test and best.py; the run replays and verifies."""
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    spec = stand_in("print([submit(factor)[1]['outcome'] for factor in (2, 3)], bench('note', run, 'tried'))")
    done = json.loads(gapsmith("run", PROBLEM, "--model", spec, "--evaluations", "5", "--json").stdout)
    assert (done["status"], done["stop_reason"], done["evaluations"]) == ("completed", "finished", 2)
    assert done["best"]["splits"]["test"]["instances"] == 2
    folder = tmp_path / "runs" / done["run"]
    assert (folder / "best.py").is_file()
    assert events(folder)[-1]["ended"]
    for verb in ("replay", "verify"):
        checked = json.loads(gapsmith(verb, done["run"], "--json").stdout)
        assert checked["checked"] == checked["agree"], checked
    refused = gapsmith("resume", done["run"])
    assert refused.returncode == 2
    assert "its workbench is finished" in refused.stderr


@pytest.mark.slow
def test_after_a_kill_the_agent_begins_again_with_what_is_left(
    stand_in: Callable[..., str], tmp_path: Path
) -> None:
    """`kill -9` of the campaign ends its agent; `resume` starts one with the notes and what is left."""
    text = """
seen = bench("note", run)[1]["notes"]
left = task.split("## What is left")[1].split()[0]
bench("note", run, f"notes {len(seen)}, left {left}")
submit(2 + len(seen))
if not seen:
    open(os.path.join(os.environ["GAPSMITH_RUNS"], "pid"), "w").write(str(os.getpid()))
    time.sleep(600)
"""
    runs = tmp_path / "runs"
    campaign = start(runs, "run", PROBLEM, "--model", stand_in(text), "--evaluations", "3")
    until(lambda: (runs / "pid").is_file() and (runs / "pid").read_text(), campaign)
    pid = int((runs / "pid").read_text())
    (folder,) = (path.parent for path in runs.glob("*/archive.sqlite"))
    campaign.send_signal(signal.SIGKILL)
    campaign.wait()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        if "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]:
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{pid}").exists()
    again = start(runs, "resume", folder.name, "--json")
    out, errors = again.communicate(timeout=240)
    assert again.returncode == 0, errors
    done = json.loads(out)
    assert (done["stop_reason"], done["evaluations"]) == ("finished", 2)
    notes = [
        json.loads(row[0])["text"] for row in rows(folder, "SELECT data FROM events WHERE kind = 'ledger'")
    ]
    assert notes == ["notes 0, left 3", "notes 1, left 2"]


@pytest.mark.slow
def test_stop_and_resume(stand_in: Callable[..., str], tmp_path: Path) -> None:
    """`stop` ends an agent that thinks; the run waits, and a person may submit before `resume`."""
    text = "submit(2)\nif len(bench('note', run)[1]['notes']) == 0:\n"
    text += "    bench('note', run, 'x')\n    time.sleep(600)\n"
    runs = tmp_path / "runs"
    campaign = start(runs, "run", PROBLEM, "--model", stand_in(text), "--evaluations", "9", "--json")
    until(lambda: list(runs.glob("*/archive.sqlite")), campaign)
    (folder,) = (path.parent for path in runs.glob("*/archive.sqlite"))
    until(lambda: rows(folder, "SELECT 1 FROM events WHERE kind = 'ledger'"), campaign)
    stopped, _ = start(runs, "stop", folder.name, "--json").communicate(timeout=60)
    assert json.loads(stopped)["asked_to_stop"]
    out, errors = campaign.communicate(timeout=120)
    assert json.loads(out)["status"] == "stopped", errors
    other = tmp_path / "other.py"
    other.write_text(
        "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: times[j])\n"
    )
    submitted, errors = start(runs, "bench", "submit", folder.name, str(other), "--json").communicate(
        timeout=120
    )
    assert json.loads(submitted)["run"] == folder.name, errors
    out, errors = start(runs, "resume", folder.name, "--json").communicate(timeout=240)
    assert json.loads(out)["stop_reason"] == "finished", errors


def test_a_bench_that_an_agent_began_may_go_to_a_model(folder: Path, stand_in: Callable[..., str]) -> None:
    """What an agent brings is submitted, so a replay knows who made each text."""
    with pytest.raises(ModelError) as caught:
        agent.work(with_agent(folder, stand_in("submit(2)\nsys.exit(3)")), folder)
    assert caught.value.kind is ErrorKind.SERVER
    assert events(folder)[-1]["submissions"] == 1
    config = stored_config(folder, {}, None, models=["manual"])
    assert [table.spec for table in config.model] == ["manual"]
