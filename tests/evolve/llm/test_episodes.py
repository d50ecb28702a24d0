"""Episodes: conversations with operations, on a real server, killed, resumed and replayed."""

# ruff: noqa: E501  (replies of models, as they are)

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse
from gapsmith.cli import app
from gapsmith.evolve.llm.edits import Deadline
from gapsmith.evolve.llm.operations import OPERATIONS, block_of, calls_of, schemas, tool_calls
from gapsmith.evolve.store.course import bench_notes, operations
from gapsmith.evolve.store.reader import Reader
from typer.testing import CliRunner

from .test_replay import PROBLEM

RULE = "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: {})\n"
PRINTING = "def order(times, weights):\n    print('seen', len(times))\n    return list(range(len(times)))\n"
SCRIPT = "import bench\n\ndef experiment():\n    print(len(bench.instances))\n    return [1, 2]\n"


def evaluate(rule, idea="It may help."):
    """A reply that evaluates a rule."""
    return f"Next.\n\n```evaluate\nidea: {idea}\n\n{RULE.format(rule)}```\n"


def called(name, **arguments):
    """A reply that calls an operation by function calling."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "x", "type": "function", "function": function}]}


DONE = "```done\nlearned: Smith's ratio is best, 0 % on all.\n```"
COURSE = [
    f"I look first.\n\n```probe\ninstances: train-0\n\n{PRINTING}```\n\n```inspect\ntrain-1\n```",
    f"```experiment\ncpu_seconds: 5\n\n{SCRIPT}```",
    evaluate("-weights[j]", "Heavier first."),
    "```compare\na: best\nb: start\n```\n```note\nratios pay\n```",
    evaluate("times[j] / weights[j]"),
    DONE,
]


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory):
    """A cache folder of the module's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GAPSMITH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def document(server, iterations, episode=None, **sections):
    """A configuration with one model and episodes."""
    table = {"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}
    return {
        "campaign": {"problem": PROBLEM, "in_flight": 1},
        "model": [table],
        "budget": {"iterations": iterations},
        "search": {"tune_share": 0.0},
        "prompts": {"notes": 0},
        "sandbox": {"cpu_seconds": 0.2},
        "episode": {"turns": 12, "evaluations": 3, **(episode or {})},
        **sections,
    }


def run(folder, configuration):
    """Runs a campaign in this process into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    compose.run(parse(configuration, "test"), folder)
    return folder


def rows(folder, query):
    """Rows of a run's store as tuples."""
    with closing(Reader.open(folder)) as read:
        return [tuple(row) for row in read.rows(query)]


def prompts(folder):
    """Iteration and round → the user's text of each question."""
    found = rows(
        folder,
        "SELECT c.iteration, c.round, p.user FROM calls c JOIN prompts p ON p.digest = c.prompt ORDER BY c.id",
    )
    return {(iteration, round): user for iteration, round, user in found}


def test_the_schema_comes_from_the_signatures():
    """Every operation is a tool; what has no default is required, and types are JSON's."""
    tools = {tool["function"]["name"]: tool["function"] for tool in schemas()}
    assert set(tools) == set(OPERATIONS)
    probe = tools["probe"]["parameters"]
    assert probe["required"] == ["program"]
    assert probe["properties"]["instances"] == {"type": "array", "items": {"type": "string"}}
    assert "what it printed" in tools["probe"]["description"]
    assert tools["experiment"]["parameters"]["properties"]["cpu_seconds"] == {"type": "number"}


@pytest.mark.parametrize(
    ("reply", "calls"),
    [
        ("prose", []),
        ("```evaluate\nidea: i\n\nx = 1\ny = 2\n```", [("evaluate", {"program": "x = 1\ny = 2\n", "idea": "i"}, "")]),
        ("```evaluate\n\n```python\nx = 1\ny = 2\n```\n", [("evaluate", {"program": "x = 1\ny = 2\n"}, "")]),
        ("```python\ndef order(t):\n    pass\n```", [("evaluate", {"program": "def order(t):\n    pass"}, "")]),
        ("```probe\ninstances: a, b\n\nx = 1\n```", [("probe", {"program": "x = 1", "instances": ["a", "b"]}, "")]),
        ("```done\n```", [("done", {}, "")]),
        ("<think>```done\n```</think>\n```inspect\nx\n```", [("inspect", {"instance": "x"}, "")]),
        (block_of("read", '{"candidate": "abc"}'), [("read", {"candidate": "abc"}, "")]),
        (block_of("rm", "{}"), [("rm", {}, "rm: no such operation; there are " + ", ".join(OPERATIONS))]),
        (block_of("probe", "[1]"), [("probe", {}, "probe: the arguments are no JSON object; send one object")]),
        (block_of("probe", "{"), [("probe", {}, "probe: the arguments are no JSON object; send one object")]),
        (block_of("probe", "{}"), [("probe", {}, "probe: program is missing; give it")]),
        (block_of("probe", '{"program": 3}'), [("probe", {}, "probe: program: got int, expected string")]),
        (block_of("read", '{"split": "test"}'), [("read", {}, "read: unknown parameter 'split'; it takes candidate")]),
        (block_of("experiment", '{"script": "s", "cpu_seconds": "nan"}'),
         [("experiment", {}, "experiment: cpu_seconds: got str, expected number")]),
        (block_of("note", '{"text": "a\\ud800"}'),
         [("note", {}, "note: text: not valid Unicode, it has a lone surrogate; send it without")]),
        (block_of("probe", '{"program": "p", "instances": ["a", "\\udfff"]}'),
         [("probe", {}, "probe: instances: not valid Unicode, it has a lone surrogate; send it without")]),
        (block_of("done", '{"learned": "\\ud83d\\ude00"}'), [("done", {"learned": "😀"}, "")]),
        (block_of(None, None), [("unnamed", {}, "unnamed: the arguments are no JSON object; send one object")]),
    ],
)  # fmt: skip
def test_calls_of_a_reply_are_read_or_have_a_fault_with_its_fix(reply, calls):
    """Text blocks and function calls, well formed and not."""
    assert [(call.name, dict(call.arguments), call.fault) for call in calls_of(reply, "order")] == calls


@pytest.mark.parametrize("line", ["\n", "idea: x\n", "```\n", "~~~\n"])
def test_a_reply_of_many_lines_is_read_before_it_would_be_given_up(line):
    """A million characters of empty lines, parameters or marks within a fence hold no campaign up."""
    deadline = Deadline()
    (call,) = calls_of("````evaluate\n" + line * (990_000 // len(line)) + "x = 1\n````", "order")
    deadline.check()
    assert call.arguments["program"] == "x = 1"


def test_a_function_call_is_a_fence_and_comes_back_as_it_was():
    """Arguments that hold fences and quotes, and one that is no JSON, which stays text."""
    given = json.dumps({"program": "x = '''\n```\n````\n'''", "idea": "```evaluate"})
    text = f"Look.\n\n{block_of('evaluate', given)}\n\n{block_of('note', '{broken')}"
    said, calls = tool_calls(text)
    assert calls == [("evaluate", given)]
    assert "{broken" in said
    assert "Look." in said
    assert len(calls_of("```done\n```\n" * 500, "order")) == 8


@pytest.fixture(scope="module")
def told(tmp_path_factory, own_cache, module_loopback):
    """A campaign with episodes on a server without function calling, and the server."""
    server = module_loopback(replies=COURSE, faults=["no-tools"], keeps_messages=True, by_turn=True)
    return run(tmp_path_factory.mktemp("told") / "runs" / "told", document(server, 3)), server


def test_an_episode_on_a_server_without_function_calling(told):
    """Every evaluation is an iteration; answers come with the next turn; what was learned is a note."""
    folder, server = told
    asked = prompts(folder)
    assert list(asked)[:6] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]
    texts = list(asked.values())[:6]
    assert all(later.startswith(text) for text, later in pairwise(texts))
    assert "seen 12" in asked[1, 2]
    assert '"page": 1' in asked[1, 2]
    assert '"value": [1, 2]' in asked[1, 3]
    assert '"mean_gap_percent"' in asked[2, 1]
    assert '"paired"' in asked[2, 1]
    assert "## compare" in asked[2, 2]
    assert "Left in this episode: 10 questions" in asked[1, 3]
    assert (
        "Validation and test instances do not exist here" in rows(folder, "SELECT system FROM prompts")[0][0]
    )
    ends = rows(folder, "SELECT candidate IS NOT NULL, rejection, excerpt, operator FROM iterations")
    assert ends[0][:3] == (1, None, "Heavier first.")
    assert ends[2][:3] == (0, "episode_over", "ratios pay; Smith's ratio is best, 0 % on all.")
    with closing(Reader.open(folder)) as read:
        assert bench_notes(read, all=True)[0][1].startswith("ratios pay")
        assert [one.kind for one in operations(read)][:4] == ["probe", "instance", "experiment", "compare"]
    notes = rows(folder, "SELECT data FROM events WHERE kind = 'note'")
    assert any("function calling is refused" in data for (data,) in notes)
    sent = server.seen()["requests"][-1]["messages"]
    assert [message["role"] for message in sent[:3]] == ["system", "user", "assistant"]
    assert all("tool_calls" not in message for message in sent)


def test_iterations_that_an_episode_leaves_are_given_back(told):
    """Two programs were evaluated of three iterations, so a second episode begins, and reads the first's note."""
    folder, _ = told
    asked = prompts(folder)
    assert "ratios pay" not in asked[1, 1]
    assert (5, 1) in asked
    assert "ratios pay" in asked[5, 1]
    assert rows(folder, "SELECT count(*) FROM iterations WHERE rejection = 'episode_over'")[0][0] >= 2


def test_hidden_instances_do_not_exist_in_an_episode(tmp_path, loopback):
    """No operation takes one, no prompt names one; each fault is one sentence with its fix."""
    ask = "```inspect\ntest-0\n```\n```probe\ninstances: valid-0\n\n" + PRINTING + "```\n```read\nnobody\n```"
    bad = "```evaluate\nimport os\ndef order(times, weights):\n    return os.listdir('/')\n```"
    server = loopback(
        replies=[ask, bad, "prose", "prose", "It all failed."], faults=["no-tools"], by_turn=True
    )
    folder = run(tmp_path / "run", document(server, 1))
    asked = prompts(folder)
    assert "no training instance" in asked[1, 2]
    assert asked[1, 2].count("`inspect` without an id lists the instances") == 2
    assert "`read` without an id lists them" in asked[1, 2]
    assert "refused, forbidden_import" in asked[1, 3]
    assert "Nothing was called" in asked[1, 4]
    assert "2 replies called nothing" in asked[1, 5]
    assert rows(folder, "SELECT excerpt FROM iterations WHERE iteration = 1") == [("It all failed.",)]
    hidden = [name for (name,) in rows(folder, "SELECT name FROM instances WHERE split <> 'train'")]
    assert len(hidden) == 4
    answers = {key: text.split("# Answers", 1)[-1] for key, text in asked.items() if "# Answers" in text}
    said = "".join(answers.values()).replace("instance 'test-0'", "").replace("instance 'valid-0'", "")
    said = said.replace("```inspect\ntest-0", "").replace("instances: valid-0", "")
    assert not [name for name in hidden if name in said]


def test_an_episode_by_function_calling(tmp_path, loopback):
    """Tools are sent, calls come back as they were with their answers, and prefixes never change."""
    replies = [
        called("probe", program=PRINTING, instances=["train-0"]),
        {
            "tool_calls": [
                *called("launch", x=1)["tool_calls"],
                *called("compare", a="start", b="nobody")["tool_calls"],
            ]
        },
        called("evaluate", program=RULE.format("times[j] / weights[j]"), idea="The ratio of both."),
        called("done", learned="Ratios."),
    ]
    server = loopback(replies=replies, keeps_messages=True, by_turn=True)
    folder = run(tmp_path / "run", document(server, 1))
    seen = server.seen()["requests"]
    assert [tool["function"]["name"] for tool in seen[0]["tools"]] == list(OPERATIONS)
    assert all(b["messages"][: len(a["messages"])] == a["messages"] for a, b in pairwise(seen[:3]))
    last = seen[2]["messages"]
    assert [message["role"] for message in last] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "tool",
    ]
    assert last[2]["tool_calls"][0]["function"] == replies[0]["tool_calls"][0]["function"]
    assert "seen 12" in last[3]["content"]
    assert "launch: no such operation; there are evaluate" in last[5]["content"]
    assert "nobody" in last[5]["content"]
    assert rows(folder, "SELECT excerpt FROM iterations WHERE iteration = 1") == [("The ratio of both.",)]


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": "no list"},
        {"tool_calls": [None, 3, {"function": 4}, {"function": {"name": None, "arguments": None}}]},
        {"tool_calls": [{"function": {"name": "evaluate", "arguments": "{" * 5000}}]},
        {"tool_calls": [{"function": {"name": "../x\n```", "arguments": {"a": 1}}}] * 100},
    ],
)
def test_hostile_function_calls_are_answered_or_no_reply(tmp_path, loopback, message):
    """What is no call is answered with its fault, or is an empty reply; the campaign goes on to its end."""
    server = loopback(replies=[message, DONE], by_turn=True)
    folder = run(
        tmp_path / "run", document(server, 1, {"turns": 3}, budget={"iterations": 1, "tokens": 60_000})
    )
    spent = rows(folder, "SELECT sum(tokens_in + tokens_out) FROM calls")[0][0]
    assert spent <= 60_000


@pytest.mark.slow
def test_half_a_character_in_a_call_ends_no_campaign(tmp_path, loopback):
    """A lone surrogate in a note, an id or what was learned is a fault of the call, which the model is told."""
    half = "x\ud800"
    calls = [called("note", text=half), called("inspect", instance=half), called("evaluate", program=half)]
    first = {"tool_calls": [call["tool_calls"][0] for call in calls]}
    server = loopback(replies=[first, called("done", learned=half), called("done")], by_turn=True)
    folder = run(tmp_path / "run", document(server, 1))
    asked = prompts(folder)
    assert asked[1, 2].count("it has a lone surrogate; send it without") == 3
    assert "done: learned: not valid Unicode" in asked[1, 3]
    assert rows(folder, "SELECT rejection FROM iterations WHERE iteration = 1") == [("episode_over",)]


def test_three_evaluations_without_gain_end_an_episode(tmp_path, loopback):
    """The fourth question is the closing one, and its text is what was learned, cut to its limit."""
    replies = [evaluate(f"times[j] % {n}") for n in (3, 4, 5)] + ["word " * 300]
    server = loopback(replies=replies, faults=["no-tools"], by_turn=True)
    folder = run(tmp_path / "run", document(server, 4, {"evaluations": 10}))
    asked = prompts(folder)
    assert "3 evaluations in succession gained nothing beyond noise" in asked[4, 1]
    text = rows(folder, "SELECT excerpt FROM iterations WHERE iteration = 4")[0][0]
    assert text.split() == ["word"] * 120


@pytest.mark.parametrize(
    ("episode", "reason"),
    [
        ({"turns": 3}, "all 3 questions are used"),
        ({"tokens": 500}, "its 500 tokens are used"),
        ({"evaluations": 1}, "all 1 evaluations are used"),
    ],
)
def test_a_budget_of_an_episode_ends_it(tmp_path, loopback, episode, reason):
    """Questions, tokens and evaluations."""
    replies = ["```inspect\n```", evaluate("times[j]"), "```inspect\n```", "Learned.", "Learned."]
    server = loopback(replies=replies, faults=["no-tools"], by_turn=True)
    folder = run(tmp_path / "run", document(server, 2, episode))
    first = [text for (number, _), text in prompts(folder).items() if number <= 2]
    assert any(f"The episode ends here: {reason}" in text for text in first)


def test_what_was_sent_before_counts_a_tenth(tmp_path, loopback):
    """The second question of an episode costs its new part and a tenth of the first, not all of it again."""
    server = loopback(
        replies=["```inspect\n```"] * 4, faults=["no-tools"], tokens=(10_000, 100), by_turn=True
    )
    asked = prompts(run(tmp_path / "run", document(server, 1, {"turns": 4, "tokens": 100_000})))
    left = [int(re.findall(r"about ([0-9,]+) tokens", asked[1, n])[-1].replace(",", "")) for n in (2, 3)]
    assert left[0] == 100_000 - 10_100
    assert 0 < left[0] - left[1] < 10_100 / 2


def test_a_server_that_tells_too_few_tokens_fills_no_store(tmp_path, loopback):
    """Every question repeats the replies before it, so their size counts whatever the server says of it."""
    long = "```note\n" + "word " * 3_000 + "\n```"
    server = loopback(replies=[long] * 6, faults=["no-tools"], tokens=(1, 1), by_turn=True)
    folder = run(tmp_path / "run", document(server, 1, {"tokens": 2_000}))
    asked = prompts(folder).values()
    assert any("The episode ends here: its 2,000 tokens are used" in text for text in asked)
    assert max(map(len, asked)) < 60_000


def test_probes_and_experiments_have_an_end(tmp_path, loopback):
    """Beyond an episode's executions and CPU seconds a call is answered with what is left."""
    endless = "def experiment():\n    while True:\n        pass\n"
    replies = [
        f"```probe\ninstances: train-0, train-1\n\n{PRINTING}```\n```experiment\ncpu_seconds: 9\n\n{endless}```",
        f"```probe\n\n{PRINTING}```\n```experiment\n\n{SCRIPT}```",
        DONE,
    ]
    server = loopback(replies=replies, faults=["no-tools"], by_turn=True)
    folder = run(tmp_path / "run", document(server, 1, {"probes": 2, "cpu_seconds": 3.0}))
    asked = prompts(folder)
    assert '"cpu_limit_seconds": 3.0' in asked[1, 2]
    assert "probe: 1 executions asked for, 0 left in this episode" in asked[1, 3]
    assert "experiment: no CPU seconds are left" in asked[1, 3]


def test_an_experiment_costs_what_it_used(tmp_path, loopback):
    """What a script was granted and did not use, or was refused with, is left for the next one."""
    replies = [
        f"```experiment\ncpu_seconds: 9\n\n{SCRIPT}```\n```experiment\ncpu_seconds: 9\n\nimport os\n{SCRIPT}```",
        f"```experiment\ncpu_seconds: 9\n\n{SCRIPT}```",
        DONE,
    ]
    server = loopback(replies=replies, faults=["no-tools"], by_turn=True)
    asked = prompts(run(tmp_path / "run", document(server, 1, {"cpu_seconds": 20.0})))
    left = [float(re.findall(r"([0-9.]+) CPU seconds of experiments\.", asked[1, n])[-1]) for n in (2, 3)]
    assert 15 < left[1] <= left[0] <= 20


def test_caps_hold_at_every_turn(tmp_path, loopback):
    """A cap of tokens ends the campaign within an episode, before it is exceeded; raised, it goes on there."""
    server = loopback(
        replies=["```inspect\n```"] * 30, faults=["no-tools"], tokens=(2_000, 400), by_turn=True
    )
    wanted = document(server, 4, {"turns": 30}, budget={"iterations": 4, "tokens": 40_000})
    folder = run(tmp_path / "run", wanted)
    spent = rows(folder, "SELECT sum(tokens_in + tokens_out), count(*) FROM calls")[0]
    assert 2 * 2_400 <= spent[0] <= 40_000
    with closing(Reader.open(folder)) as read:
        assert read.record("stop_reason") == "tokens"
    run(folder, {**wanted, "budget": {"iterations": 4, "tokens": 60_000}})
    again = rows(folder, "SELECT iteration, round, count(*) FROM calls WHERE state = 'replied' GROUP BY 1, 2")
    assert len(again) > spent[1] - 1
    assert {count for _, _, count in again} == {1}
    assert {number for number, _, _ in again} == {1}


def test_an_episode_is_replayed_and_answered_from_a_cassette(told, tmp_path):
    """A replay runs no operation again and finds every outcome; so does a campaign that a cassette answers."""
    folder, server = told
    before = server.seen()["given"]
    assert replay(folder)["differences"] == []
    tape = tmp_path / "tape.jsonl"
    words = ["export", str(folder), "--what", "cassette", "-o", str(tape)]
    assert CliRunner().invoke(app, words).exit_code == 0
    configuration = document(server, 3, model=[{"spec": f"replay/{tape}", "unusable_replies": 0}])
    again = run(tmp_path / "runs" / "again", configuration)
    query = (
        "SELECT iteration, candidate, rejection, excerpt FROM iterations WHERE told IS NOT NULL ORDER BY told"
    )
    assert rows(again, query) == rows(folder, query)
    assert server.seen()["given"] == before


def test_scripted_replies(tmp_path, loopback):
    """A script answers an episode from text blocks."""
    path = tmp_path / "replies.json"
    path.write_text(json.dumps([evaluate("times[j] % 7"), evaluate("-weights[j] % 5"), DONE, DONE]))
    server = loopback()
    folder = run(
        tmp_path / "run", document(server, 2, {"evaluations": 3}, model=[{"spec": f"scripted/{path}"}])
    )
    assert rows(folder, "SELECT count(*) FROM iterations WHERE candidate IS NOT NULL")[0][0] >= 2
    assert replay(folder)["differences"] == []


def test_episodes_that_bring_nothing_end_a_campaign(tmp_path, loopback):
    """A model that is done at once uses up the iterations, one for each episode."""
    server = loopback(replies=[DONE], faults=["no-tools"])
    folder = run(tmp_path / "run", document(server, 3))
    counted = rows(folder, "SELECT count(DISTINCT iteration) FROM calls WHERE state = 'replied'")[0][0]
    assert counted == 3


@pytest.mark.slow
def test_a_killed_episode_goes_on_where_it_was(tmp_path, loopback, told):
    """Killed within its second and its fifth turn: no reply is paid for twice, and all comes out the same."""
    server = loopback(replies=COURSE, faults=["no-tools"], latency=0.3, by_turn=True)
    folder = tmp_path / "runs" / "20260101-000000-flow-time-aaaa"
    script = (
        "import faulthandler, json, sys\nfaulthandler.dump_traceback_later(100, exit=True)\n"
        "from pathlib import Path\nfrom gapsmith.app import compose\n"
        "from gapsmith.app.config import parse\n"
        "folder = Path(sys.argv[1])\nfolder.mkdir(parents=True, exist_ok=True)\n"
        "compose.run(parse(json.loads(sys.argv[2]), 'test'), folder)\n"
    )
    words = [sys.executable, "-c", script, str(folder), json.dumps(document(server, 3))]
    for most in (2, 5):
        process = subprocess.Popen(words, start_new_session=True, env={**os.environ})
        until = time.monotonic() + 120
        while len(server.seen()["requests"]) < most and time.monotonic() < until:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    killed = len(server.seen()["requests"])
    assert subprocess.run(words, env={**os.environ}, check=False).returncode == 0
    query = "SELECT iteration, candidate, rejection, excerpt FROM iterations ORDER BY iteration LIMIT 4"
    assert rows(folder, query) == rows(told[0], query)
    twice = rows(folder, "SELECT iteration, round, count(*) FROM calls WHERE state = 'replied' GROUP BY 1, 2")
    assert {count for _, _, count in twice} == {1}
    assert killed >= 5
    assert replay(folder)["differences"] == []
