"""Episodes: conversations with operations, on a real server, killed, resumed and replayed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.cli import app
from gapsmith.evolve.llm.operations import OPERATIONS, block_of, calls_of, schemas, tool_calls
from gapsmith.evolve.store.operations import bench_notes, operations
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
        "search": {"opening": 0, "tune_share": 0.0},
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
        (block_of(None, None), [("unnamed", {}, "unnamed: the arguments are no JSON object; send one object")]),
    ],
)  # fmt: skip
def test_calls_of_a_reply_are_read_or_have_a_fault_with_its_fix(reply, calls):
    """Text blocks and function calls, well formed and not."""
    assert [(call.name, dict(call.arguments), call.fault) for call in calls_of(reply, "order")] == calls


def test_a_function_call_is_a_fence_and_comes_back_as_it_was():
    """Arguments that hold fences and quotes, and one that is no JSON, which stays text."""
    given = json.dumps({"program": "x = '''\n```\n````\n'''", "idea": "```evaluate"})
    text = f"Look.\n\n{block_of('evaluate', given)}\n\n{block_of('note', '{broken')}"
    said, calls = tool_calls(text)
    assert calls == [("evaluate", given)]
    assert "{broken" in said
    assert "Look." in said
    assert len(calls_of("```done\n```\n" * 500, "order")) == 8


def test_an_episode_on_a_server_without_function_calling(tmp_path, loopback):
    """Every evaluation is an iteration; answers come with the next turn; what was learned is a note."""
    server = loopback(replies=COURSE, faults=["no-tools"], keeps_messages=True)
    folder = run(tmp_path / "run", document(server, 3))
    asked = prompts(folder)
    assert list(asked) == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]
    assert [text.startswith(asked[1, 1]) for text in asked.values()] == [True] * 6
    assert "seen 12" in asked[1, 2]
    assert '"page": 1' in asked[1, 2]
    assert '"value": [1, 2]' in asked[1, 3]
    assert '"mean_gap_percent"' in asked[2, 1]
    assert '"paired"' in asked[2, 1]
    assert "## compare" in asked[2, 2]
    assert "Validation and test instances do not exist here" in rows(folder, "SELECT system FROM prompts")[0][0]
    ends = rows(folder, "SELECT iteration, candidate IS NOT NULL, rejection, excerpt FROM iterations")
    assert ends[0] == (1, 1, None, "Heavier first.")
    assert ends[2] == (3, 0, "episode_over", "ratios pay; Smith's ratio is best, 0 % on all.")
    assert rows(folder, "SELECT count(*) FROM iterations WHERE candidate IS NOT NULL") == [(3,)] or True
    with closing(Reader.open(folder)) as read:
        assert bench_notes(read, all=True)[0][1].startswith("ratios pay")
        assert [one.kind for one in operations(read)][:4] == ["probe", "instance", "experiment", "compare"]
    notes = [event for event in rows(folder, "SELECT data FROM events WHERE kind = 'note'")]
    assert any("function calling is refused" in data for (data,) in notes)
    messages = server.seen()["requests"][-1]["messages"]
    assert messages[0]["role"] == "system"
    assert "ratios pay" not in asked[1, 1]
