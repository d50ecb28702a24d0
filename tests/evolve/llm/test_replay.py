"""Recorded campaigns run again from their store, and from an exported cassette."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.app.runs.course import recorded_course
from gapsmith.app.runs.trust import Trust
from gapsmith.cli import app
from gapsmith.evolve.store.reader import Reader
from typer.testing import CliRunner

PROBLEM = str(Path(__file__).parents[2] / "app" / "campaign" / "flow_time.py")
RULE = "```python\ndef order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n```"
REPLIES = [
    # With four under way, six in a row meet one iteration twice whatever the order: it ends as no_code.
    *["Prose without a program."] * 6,
    *(RULE.format(rule) for rule in ("times[j] / weights[j] + @N@", "times[j] % @N@", "-weights[j] - 0")),
    RULE.format("-weights[j] - 0"),
    "Stuck.\n```python\ndef order(times, weights):\n    while True: pass\n```",
]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """A cache folder of the module's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def run(folder, **sections):
    """Runs a campaign in this process into a folder; sections as keyword arguments."""
    sections["campaign"] = {"problem": PROBLEM, **sections.get("campaign", {})}
    sections["sandbox"] = {"cpu_seconds": 0.2}
    folder.mkdir(parents=True, exist_ok=True)
    compose.run(parse(sections, "test"), folder)
    return folder


@pytest.fixture(scope="module")
def offline(tmp_path_factory, own_cache):
    """The folder of a campaign without a model."""
    return run(tmp_path_factory.mktemp("runs") / "offline", budget={"iterations": 20})


@pytest.fixture(scope="module")
def asked(tmp_path_factory, own_cache, module_loopback):
    """A campaign whose model answered out of order, filtered, repeated itself, and wrote endless loops."""
    server = module_loopback(
        replies=REPLIES, faults=["ok", "pause", "ok", "ok", "filter", "ok", "pause", "ok"]
    )
    table = {"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}
    folder = tmp_path_factory.mktemp("runs") / "asked"
    parts = {"model": [table], "campaign": {"in_flight": 4}}
    for iterations in (9, 24):  # stopped and resumed
        run(folder, budget={"iterations": iterations}, **parts)
    return folder


def change(folder, statement, *values):
    """Changes one value of a run's store."""
    store = sqlite3.connect(folder / "archive.sqlite")
    with store:
        assert store.execute(statement, values).rowcount > 0
    store.close()


def test_an_offline_run_is_replayed(offline):
    """All comes out the same, the contract's document says so, and the run stays as it was."""
    before = {path.name: path.read_bytes() for path in offline.iterdir()}
    told = CliRunner().invoke(app, ["replay", str(offline), "--json"])
    assert told.exit_code == 0
    found = json.loads(told.stdout)
    assert (found["run"], found["iterations"], found["differences"]) == ("offline", 20, [])
    assert found["checked"] == found["agree"]
    assert found["champion"]
    assert found["compared"]["executions"] > 20
    assert {path.name: path.read_bytes() for path in offline.iterdir()} == before


@pytest.mark.parametrize(
    ("seed", "limits"), [(4, (16, 24)), pytest.param(2, (36, 45), marks=pytest.mark.slow)]
)
@pytest.mark.slow
def test_a_run_that_waited_near_its_limits_is_replayed(tmp_path, seed, limits):
    """Near a limit of evaluations asks wait for outcomes; a resumed run and its replay wait alike."""
    for limit in limits:
        folder = run(
            tmp_path / "run", budget={"evaluations": limit}, campaign={"in_flight": 16, "seed": seed}
        )
    reader = Reader.open(folder)
    assert reader.value("SELECT count(*) FROM iterations WHERE candidate IS NOT NULL") == limits[-1]
    assert reader.value("SELECT count(*) FROM iterations WHERE rejection IS NOT NULL") > 0
    reader.close()
    assert replay(folder)["differences"] == []


@pytest.mark.parametrize("seed", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_a_replay_that_takes_another_course_says_where(tmp_path, seed):
    """A problem that judges otherwise now: the replay ends and names the first difference, at any limit."""
    problem = tmp_path / "mine.py"
    shutil.copy(PROBLEM, problem)
    folder = run(
        tmp_path / "run",
        budget={"evaluations": 60},
        campaign={"problem": str(problem), "in_flight": 16, "seed": seed},
    )
    text = problem.read_text()
    assert "total += time * instance" in text
    problem.write_text(text.replace("total += time * instance", "total += (time % 7) * time * instance"))
    assert replay(folder, Trust(run=True))["differences"] != []


@pytest.mark.slow
def test_a_run_whose_tokens_were_spent_is_replayed(tmp_path, module_loopback):
    """An ask may stay open while later ones are told; the replay still tells all that was told."""
    server = module_loopback(replies=REPLIES, faults=["pause", "ok", "ok", "ok", "ok", "ok", "ok", "ok"])
    folder = run(
        tmp_path / "run",
        model=[{"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}],
        budget={"tokens": 40_000, "iterations": 200},
        campaign={"in_flight": 4},
    )
    reader = Reader.open(folder)
    told = reader.value("SELECT count(*) FROM iterations WHERE told IS NOT NULL")
    assert reader.record("stop_reason") == "tokens"
    reader.close()
    document = replay(folder)
    assert document["differences"] == []
    assert document["iterations"] == told


@pytest.mark.slow
def test_a_run_of_two_models_of_one_specification_is_replayed(tmp_path, module_loopback):
    """Each iteration is asked again of the one that was asked then, by the name that was counted."""
    rules = ("times[j] + @N@", "-weights[j] - @N@")
    servers = [module_loopback(replies=[RULE.format(rule)]) for rule in rules]
    folder = run(
        tmp_path / "run",
        model=[{"spec": "openai/x", "base_url": server.url, "unusable_replies": 0} for server in servers],
        budget={"iterations": 8},
    )
    reader = Reader.open(folder)
    names = {row["operator"] for row in reader.rows("SELECT operator FROM iterations")}
    reader.close()
    assert {name.endswith("openai/x #2") for name in names} == {True, False}
    assert replay(folder)["differences"] == []


@pytest.mark.slow
def test_a_run_that_ended_by_its_cpu_time_is_replayed(tmp_path):
    """CPU seconds are never the same twice: the replay ends where the record does."""
    folder = run(tmp_path / "run", budget={"cpu_seconds": 0.5})
    document = replay(folder)
    assert document["differences"] == []
    assert document["iterations"] > 5


def test_a_run_of_a_model_is_replayed_in_the_recorded_order(asked):
    """Replies told as they arrived, rejections and time-outs included, and nobody is asked."""
    reader = Reader.open(asked)
    steps = [-step for step in recorded_course(reader).steps if step < 0]
    reasons = set(reader.rejections())
    timeouts = reader.value("SELECT count(*) FROM executions WHERE status = 'timeout'")
    reader.close()
    assert sorted(steps) == list(range(1, 25))
    assert steps != sorted(steps)
    assert {"no_code", "duplicate", "refused_by_model"} <= reasons
    assert timeouts > 0
    found = replay(asked)
    assert found["differences"] == []
    assert (found["iterations"], found["checked"]) == (24, found["agree"])


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE iterations SET parents = '[\"0\"]' WHERE iteration = 7", "iteration 7: parents"),
        (
            "UPDATE prompts SET user = user || '!' WHERE digest = (SELECT prompt FROM calls LIMIT 1)",
            ": prompt",
        ),
        (
            "UPDATE executions SET answer = zeroblob(32) WHERE evaluation = (SELECT max(id) FROM evaluations "
            "WHERE fitness IS NOT NULL AND split = 'train')",
            "answer on train-0",
        ),
    ],
)
def test_a_record_that_was_changed_is_found_out(asked, tmp_path, statement, what):
    """The first difference names the iteration, what differs, what is recorded and what came out."""
    copy = tmp_path / "runs" / "changed"
    shutil.copytree(asked, copy)
    change(copy, statement)
    done = CliRunner().invoke(app, ["replay", str(copy)])
    assert done.exit_code == 5
    line = done.stdout.splitlines()[0]
    assert "DOES NOT HOLD" in line
    assert what in line
    assert "recorded" in line


def test_a_run_of_a_model_by_an_earlier_search_is_read_and_not_gone_on_with(tmp_path, module_loopback):
    """One line each for resume and replay; the run opens, and an offline run of then goes on."""
    server = module_loopback(replies=REPLIES)
    table = {"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}
    folder = run(tmp_path / "earlier", model=[table], budget={"iterations": 2})
    change(folder, "DELETE FROM run WHERE key = 'search_version'")
    assert compose.read_summary(folder)["evaluations"] >= 0
    with pytest.raises(UserError, match="earlier: made by an earlier version of the search"):
        replay(folder, Trust(run=True))
    with pytest.raises(UserError, match="made by an earlier version of the search"):
        run(folder, model=[table], budget={"iterations": 4})
    alone = run(tmp_path / "alone", budget={"iterations": 2})
    change(alone, "DELETE FROM run WHERE key = 'search_version'")
    run(alone, budget={"iterations": 4})


@pytest.mark.parametrize(("key", "value"), [("search.stall_after", 8), ("prompts.choice", "bandit")])
def test_a_run_by_a_mechanism_that_left_is_read_and_not_gone_on_with(tmp_path, module_loopback, key, value):
    """A value with which the mechanism was off is no obstacle, any other one is."""
    server = module_loopback(replies=REPLIES)
    table = {"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}
    folder = run(tmp_path / "earlier", model=[table], budget={"iterations": 2})
    setting = "UPDATE run SET value = json_set(value, '$.{}', json('{}')) WHERE key = 'config'"
    change(folder, setting.format("search.directives", "false"))
    assert replay(folder, Trust(run=True))["differences"] == []
    change(folder, setting.format(key, json.dumps(value)))
    assert compose.read_summary(folder)["evaluations"] >= 0
    with pytest.raises(UserError, match="earlier: made by an earlier version of the search"):
        replay(folder, Trust(run=True))
    with pytest.raises(UserError, match="made by an earlier version of the search"):
        run(folder, model=[table], budget={"iterations": 4})


def test_the_verb_says_what_held(offline):
    """One line for people."""
    done = CliRunner().invoke(app, ["replay", str(offline)])
    assert done.exit_code == 0
    assert "the replay holds: 20 iterations" in done.stdout.splitlines()[0]


def export(folder, target):
    """Writes the cassette of a run."""
    words = ["export", str(folder), "--what", "cassette", "-o", str(target)]
    assert CliRunner().invoke(app, words).exit_code == 0
    return target


def archive(folder):
    """Every iteration with what came of it, every fitness, and the champion."""
    store = sqlite3.connect(folder / "archive.sqlite")
    queries = (
        "SELECT iteration, island, parents, inspirations, candidate, rejection, told, added FROM iterations",
        "SELECT program, split, status, fitness FROM evaluations ORDER BY program, split",
        "SELECT value FROM run WHERE key = 'champion'",
    )
    found = [store.execute(query).fetchall() for query in queries]
    store.close()
    return found


def operators(folder):
    """What every iteration was counted by."""
    with closing(Reader.open(folder)) as reader:
        return [row["operator"] for row in reader.rows("SELECT operator FROM iterations ORDER BY iteration")]


@pytest.mark.slow
def test_a_cassette_answers_another_campaign(tmp_path, module_loopback, monkeypatch):
    """Exported and run in an empty folder, without run, key or server, it gives the same archive."""
    key = "sk-this-is-a-secret"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    faults = ["ok", "pause", "ok", "ok", "filter", "ok", *["blank"] * 3, "ok"]
    server = module_loopback(replies=REPLIES, faults=faults)
    sections = {"budget": {"iterations": 14}, "campaign": {"in_flight": 3}}
    recorded = run(
        tmp_path / "one",
        model=[{"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}],
        **sections,
    )
    tape = export(recorded, tmp_path / "tape.jsonl")
    monkeypatch.delenv("OPENAI_API_KEY")
    shutil.move(recorded, tmp_path / "elsewhere")
    again = run(tmp_path / "two", model=[{"spec": f"replay/{tape}"}], **sections)
    assert archive(again) == archive(tmp_path / "elsewhere")
    assert replay(again)["differences"] == []
    assert (
        export(again, tmp_path / "second.jsonl").read_text().splitlines()[0]
        == tape.read_text().splitlines()[0]
    )
    text = tape.read_text("utf-8")
    for secret in (key, server.url, "uthorization", str(tmp_path)):
        assert secret not in text


@pytest.mark.slow
def test_a_cassette_of_several_models_answers(tmp_path, module_loopback):
    """What was asked for is the record's: weights, prices and names are not the other campaign's."""
    servers = [module_loopback(replies=REPLIES[number:]) for number in (4, 6, 5)]
    price = {"price_in_usd_per_million": "1", "price_out_usd_per_million": "1"}
    sections = {"budget": {"iterations": 14}, "campaign": {"in_flight": 2}}
    tables = [
        {"spec": f"openai/{name}", "base_url": server.url, **price}
        for name, server in zip("xyx", servers, strict=True)
    ]
    recorded = run(tmp_path / "one", model=tables, **sections)
    tape = export(recorded, tmp_path / "tape.jsonl")
    again = run(tmp_path / "two", model=[{"spec": f"replay/{tape}"}], **sections)
    assert archive(again) == archive(recorded)
    counted = [operators(folder) for folder in (recorded, again)]
    assert counted[0] == counted[1]
    assert any(name.endswith(" openai/x #2") for name in counted[0])


def test_an_offline_run_has_no_cassette(offline):
    """One line says why, and no file is left."""
    done = CliRunner().invoke(app, ["export", str(offline), "--what", "cassette", "-o", "tape.jsonl"])
    assert done.exit_code == 2
    assert "asked no model" in done.stderr
    assert not Path("tape.jsonl").exists()


@pytest.mark.slow
def test_a_late_verification_is_taken_from_the_record(tmp_path, monkeypatch):
    """An answer that `verify` did not judge in time is late in the replay too, where `verify` is fast."""
    problem = tmp_path / "patient.py"
    text = Path(PROBLEM).read_text().replace('version = "1"', 'version = "1"\n    verify_seconds = 0.3', 1)
    looks = "    def verify(self, instance, answer):\n"
    assert looks in text
    slow = '        different = os.environ.get("SLOW") and len(set(answer))\n'
    problem.write_text("import os\n" + text.replace(looks, looks + slow))
    late = "```python\ndef order(times, weights):\n    return [k * (2**61 - 1) for k in range(20_000)]\n```"
    replies = tmp_path / "replies.json"
    replies.write_text(json.dumps([late, RULE.format("times[j]")]))
    monkeypatch.setenv("SLOW", "yes")
    folder = run(
        tmp_path / "run",
        budget={"iterations": 2},
        model=[{"spec": f"scripted/{replies}"}],
        campaign={"problem": str(problem)},
    )
    monkeypatch.delenv("SLOW")
    assert replay(folder)["differences"] == []
    late = "message LIKE '%verification took more than 0.3%'"
    change(folder, f"UPDATE executions SET message = 'another' WHERE {late}")
    assert replay(folder)["differences"] != []
