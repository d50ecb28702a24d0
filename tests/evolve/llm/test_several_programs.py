"""Several programs a reply: one question, a proposal for each program, a repair for each that needs one."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.replay import replay
from gapsmith.app.config import parse
from gapsmith.cli import app
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.edits import programs_of
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.proposer import PromptedProposer
from gapsmith.evolve.llm.replies import idea_of
from gapsmith.evolve.llm.settings import ModelSettings, PromptSettings
from gapsmith.evolve.store.course import SharedReply
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.types import Completion, Examination, Origin, Proposal, Rejection, RejectionReason
from gapsmith.prompts.builder import Builder
from gapsmith.sandbox.base import Description
from typer.testing import CliRunner

from .test_prompted import Told, context, elite
from .test_replay import PROBLEM

PROGRAM = "{idea}\n\n```python\ndef solve(items):\n    return {body}\n```\n"
THREE = [
    PROGRAM.format(idea="**Program 1**\n\nSorted by size.", body="sorted(items)"),
    PROGRAM.format(idea="Reversed, which is another way.", body="items[::-1]"),
    PROGRAM.format(idea="A helper:\n```python\nx = 1\n```\nCopied as they are.", body="list(items)"),
]
BROKEN = PROGRAM.format(idea="It breaks.", body="broken")


def examine(files):
    """Rejects the programs that hold the word broken."""
    text = files["heuristic.py"]
    return (RejectionReason.SYNTAX, "line 2: oops") if "broken" in text else Examination(text, Description())


def proposer(model, **options):
    """A proposer with one model."""
    caller = Caller(model, ModelSettings(spec="told"), Ledger(), Cassette(), 4, RetryPolicy(0.001, 0.001))
    return PromptedProposer([caller], Builder(), PromptSettings(), examine, **options)


def proposals(model, iterations=(1, 2, 3), **options):
    """What each of the iterations that share a reply gets, asked side by side."""
    asked = proposer(model, **options)

    def propose(number):
        shares = replace(context(number), programs=3, program=number)
        try:
            return asked.propose([elite()], shares, random.Random(1))
        except ModelError as error:
            return error

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(propose, iterations))


def test_a_reply_is_cut_into_its_programs():
    """Each part has its own words and helpers; drafts before the last programs do not count."""
    parts = programs_of("\n".join(THREE), "solve", 3)
    assert [part.split("return ")[1].split("\n")[0] for part in parts] == [
        "sorted(items)", "items[::-1]", "list(items)",
    ]  # fmt: skip
    assert [idea_of(part) for part in parts] == [
        "Sorted by size.",
        "Reversed, which is another way.",
        "A helper:",
    ]
    assert programs_of("\n".join([BROKEN, *THREE]), "solve", 3)[0].count("broken") == 0
    assert programs_of("\n".join(THREE), "solve", 1) == ["\n".join(THREE)]
    assert len(programs_of("\n".join(THREE[:2]), "solve", 3)) == 2
    assert programs_of("prose", "solve", 3) == ["prose"]


def test_one_question_and_a_proposal_for_each_program():
    """The model is asked once, for three; prompt, completion and operator are the same, the texts are not."""
    model = Told("\n".join(THREE))
    made = proposals(model)
    assert len(model.requests) == 1
    assert "Give 3 programs in place of one" in model.requests[0].prompt.user
    assert [next(iter(one.files.values())).split("return ")[1] for one in made] == [
        "sorted(items)\n", "items[::-1]\n", "list(items)\n",
    ]  # fmt: skip
    assert len({(one.operator, one.prompt.digest, one.completion.text) for one in made}) == 1
    assert made[1].idea == "Reversed, which is another way."


def test_programs_that_are_missing_are_rejected_without_another_call():
    """A reply with two of three: the third is no code, and nobody is asked to repair it."""
    model = Told("\n".join(THREE[:2]))
    made = proposals(model)
    assert isinstance(made[1], Proposal)
    assert made[2].reason is RejectionReason.NO_CODE
    assert "fewer than 3 programs" in made[2].excerpt
    assert len(model.requests) == 1


def test_each_program_is_repaired_once_for_its_own_iteration():
    """The repair shows that program's part alone, asks for one program, and belongs to its iteration."""
    model = Told(
        "\n".join([THREE[0], BROKEN, THREE[2]]), "Mended.\n```python\ndef solve(items):\n    pass\n```"
    )
    made = proposals(model)
    assert [one.origin is Origin.REPAIR for one in made] == [False, True, False]
    repair = model.requests[1]
    assert (repair.iteration, repair.round) == (2, 2)
    assert "It breaks." in repair.prompt.user
    assert "sorted" not in repair.prompt.user
    assert "programs in place of one" not in repair.prompt.user


def test_a_useless_reply_is_repaired_once_and_counts_once():
    """Prose is repaired for the first iteration alone; the others are rejected."""
    model = Told("I would sort.", THREE[0])
    made = proposals(model)
    assert isinstance(made[0], Proposal)
    assert [one.reason for one in made[1:]] == [RejectionReason.NO_CODE] * 2
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ModelError(ErrorKind.FILTERED, "filtered"), Rejection),
        (Completion("No.", "told", finish_reason="refusal"), Rejection),
        (ModelError(ErrorKind.KEY, "no key"), ModelError),
    ],
)
def test_a_reply_that_does_not_come_ends_all_that_share_it(reply, kind):
    """A refusal rejects all of them; what a person must mend is told for each."""
    model = Told(reply)
    assert [type(one) for one in proposals(model)] == [kind] * 3
    assert len(model.requests) == 1


def test_a_later_session_takes_the_rest_of_a_recorded_reply():
    """Programs two and three come from the record; a first one that was rejected rejects them."""
    model = Told("nothing of use")
    prompt, text = first_prompt(), "\n".join(THREE)
    kept = SharedReply("explore", "told", prompt, Completion(text, "told", 10, 10))
    made = proposals(model, (2, 3), shared={1: kept})
    assert [one.operator for one in made] == ["explore"] * 2
    assert [one.idea for one in made] == ["Reversed, which is another way.", "A helper:"]
    gone = Rejection(RejectionReason.REFUSED_BY_MODEL, "no", Origin.IMPROVE, "improve")
    assert proposals(model, (2, 3), shared={1: gone}) == [gone, gone]
    assert not model.requests


def first_prompt():
    """The prompt of a first question."""
    model = Told(THREE[0])
    return proposer(model).propose([elite()], context(), random.Random(1)).prompt


def test_a_person_is_told_of_a_program_that_is_broken_not_of_one_that_is_missing():
    """The check of a reply reads all of its programs."""
    model = Told("\n".join(THREE))
    proposals(model)
    check = model.requests[0].check
    assert check("\n".join(THREE)) is None
    assert check(THREE[0]) is None
    assert check("\n".join([THREE[0], BROKEN])) == "program 2: syntax: line 2: oops"
    assert check("prose").startswith("program 1: no_code")


RULE = (
    "Idea {0}.\n\n```python\ndef order(times, weights):\n"
    "    return sorted(range(len(times)), key=lambda j: {1})\n```\n"
)
REPLIES = [
    "".join(RULE.format(n, rule) for n, rule in enumerate(rules))
    for rules in (
        ("times[j] / weights[j] + @N@", "times[j] % @N@", "-weights[j] + @N@ * times[j]"),
        ("times[j] - @N@ * weights[j]", "nowhere[j] + @N@"),
        ("times[j] ** 2 / weights[j] + @N@", "(times[j] + @N@) / weights[j]", "times[j] + @N@ ("),
    )
]


def run(folder, **sections):
    """Runs a campaign in this process into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    sections["campaign"] = {"problem": PROBLEM, "in_flight": 2}
    sections |= {"sandbox": {"cpu_seconds": 0.2}, "prompts": {"programs": 3, "notes": 5}}
    compose.run(parse(sections, "test"), folder)
    return folder


@pytest.mark.slow
def test_a_campaign_of_shared_replies_is_stopped_resumed_replayed_and_exported(
    tmp_path, loopback, monkeypatch
):
    """Stopped within a reply: its rest is taken from the record, no program is paid for twice."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path / "cache"))
    server = loopback(replies=REPLIES, faults=["ok", "pause", "ok"])
    table = {"spec": "openai/x", "base_url": server.url, "unusable_replies": 0}
    folder = tmp_path / "runs" / "asked"
    for iterations in (4, 5, 16):
        run(folder, model=[table], budget={"iterations": iterations})
    with closing(Reader.open(folder)) as read:
        told = read.value("SELECT count(*) FROM iterations WHERE told IS NOT NULL AND operator <> 'named'")
        asked = read.rows("SELECT iteration FROM calls WHERE round = 1 ORDER BY id")
        shares = {e.iteration: e.data["first"] for e in read.events("shares")}
        costs = [row["iteration"] for row in asked]
    assert told >= 16
    assert len(costs) == len(set(costs)) <= 9
    assert not set(costs) & set(shares)
    assert replay(folder)["differences"] == []
    shown = CliRunner().invoke(app, ["show", str(folder), "--json"])
    assert shown.exit_code == 0
    tape = tmp_path / "tape.jsonl"
    assert (
        CliRunner().invoke(app, ["export", str(folder), "--what", "cassette", "-o", str(tape)]).exit_code == 0
    )
    again = run(
        tmp_path / "runs" / "again",
        model=[{"spec": f"replay/{tape}", "unusable_replies": 0}],
        budget={"iterations": 16},
    )
    with closing(Reader.open(again)) as read, closing(Reader.open(folder)) as first:
        columns = "iteration, candidate, rejection, operator"
        query = f"SELECT {columns} FROM iterations WHERE told IS NOT NULL ORDER BY told"
        assert [tuple(row) for row in read.rows(query)] == [tuple(row) for row in first.rows(query)]
