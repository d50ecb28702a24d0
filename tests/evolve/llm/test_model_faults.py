"""One policy for every fault that a provider can show, over real HTTP."""

import socket
from contextlib import ExitStack

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Recourse
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.ledger import BudgetSpent
from gapsmith.evolve.types import Prompt

PROMPT = Prompt("You write heuristics.", "Improve this.")
PRICES = {"price_in_usd_per_million": "1", "price_out_usd_per_million": "1"}


def test_a_good_reply_comes_with_its_counts(loopback, caller):
    """Text, answering model, tokens, cached and reasoning parts, finish reason and cost arrive as sent."""
    server = loopback()
    made = caller(server, price_in_usd_per_million="2", price_out_usd_per_million="10")
    reply = made.ask(PROMPT, "improve", 1)
    assert "def schedule" in reply.text
    assert (reply.model, reply.tokens_in, reply.tokens_out) == ("loopback-1", 200, 100)
    assert (reply.tokens_cached, reply.tokens_reasoning) == (100, 25)
    assert reply.finish_reason == "stop"
    assert reply.cost_usd == pytest.approx(200 * 2e-6 + 100 * 10e-6)
    sent = server.seen()["requests"][0]
    assert sent["max_tokens"] == 16_384
    assert "temperature" not in sent


@pytest.mark.parametrize(
    "fault", ["429", "429-after", "500", "503", "504", "cut", "reset", "garbage", "array", "empty", "blank"]
)
def test_a_passing_fault_is_asked_again(loopback, caller, fault):
    """Each fault that passes costs one more attempt and nothing else."""
    server = loopback(faults=[fault, "ok"])
    made = caller(server)
    assert "def schedule" in made.ask(PROMPT, "improve", 1).text
    assert [request["fault"] for request in server.seen()["requests"]] == [fault, "ok"]


def test_a_server_that_says_nothing_is_asked_again(loopback, caller):
    """A request without any answer ends at the time-out and is made again."""
    server = loopback(faults=["none", "ok"])
    assert caller(server, timeout_seconds=0.5).ask(PROMPT, "improve", 1).text


@pytest.mark.parametrize(
    ("fault", "kind", "sentence"),
    [
        ("key", ErrorKind.KEY, "Incorrect API key provided"),
        ("unknown", ErrorKind.UNKNOWN_MODEL, "does not exist"),
        ("quota", ErrorKind.MONEY, "exceeded your current quota"),
        ("bad", ErrorKind.REQUEST, "Invalid value for 'messages'"),
    ],
)
def test_a_permanent_fault_stops_at_once_with_the_provider_s_sentence(
    loopback, caller, fault, kind, sentence
):
    """No second attempt, and the sentence that a person reads is the provider's."""
    server = loopback(faults=[fault])
    with pytest.raises(ModelError, match=sentence) as caught:
        caller(server).ask(PROMPT, "improve", 1)
    assert caught.value.kind is kind
    assert caught.value.recourse is Recourse.PERSON
    assert len(server.seen()["requests"]) == 1


@pytest.mark.parametrize("fault", ["429", "500", "none", "reset"])
def test_a_fault_that_stays_needs_a_person(loopback, caller, fault):
    """After outage_seconds without a reply the error is final and says so."""
    server = loopback(faults=[fault])
    with pytest.raises(ModelError, match="outage_seconds") as caught:
        caller(server, timeout_seconds=0.3, outage_seconds=0.4).ask(PROMPT, "improve", 1)
    assert caught.value.recourse is Recourse.PERSON
    assert len(server.seen()["requests"]) > 1


def test_a_wait_beyond_all_patience_is_refused_at_once(loopback, caller):
    """A provider that asks to wait for a day is not waited for."""
    server = loopback(faults=["429-long"])
    with pytest.raises(ModelError, match="Daily limit reached"):
        caller(server).ask(PROMPT, "improve", 1)
    assert len(server.seen()["requests"]) == 1


def test_no_server_at_all_needs_a_person(loopback, caller):
    """A refused connection is retried for a short while only when the server was never reached."""
    server = loopback()
    server.close()
    with pytest.raises(ModelError, match="connection failed") as caught:
        caller(server, outage_seconds=0.5).ask(PROMPT, "improve", 1)
    assert caught.value.kind is ErrorKind.CONNECTION
    assert not caught.value.unknown_outcome


def test_a_connection_that_is_never_made_costs_nothing(loopback, caller):
    """A server that accepts nobody has billed nothing: the whole cap is left for the next server."""
    server = loopback()
    with ExitStack() as stack:
        full = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):  # of which one finds room, and nobody takes it up
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        server.url = f"http://127.0.0.1:{full.getsockname()[1]}/v1"
        made = caller(server, timeout_seconds=1.0, outage_seconds=0.4, usd="0.05", **PRICES)
        with pytest.raises(ModelError, match="no reply in time") as caught:
            made.ask(PROMPT, "improve", 1)
    assert not caught.value.unknown_outcome
    assert made._ledger.spending.kept_calls == 0


def test_useless_replies_reject_a_proposal_and_then_call_a_person(loopback, caller):
    """Three useless attempts give a call up; the third such call in succession is final."""
    server = loopback(faults=["garbage"])
    made = caller(server)
    recourses = []
    for iteration in (1, 2, 3):
        with pytest.raises(ModelError) as caught:
            made.ask(PROMPT, "improve", iteration)
        recourses.append(caught.value.recourse)
    assert recourses == [Recourse.AGAIN, Recourse.AGAIN, Recourse.PERSON]
    assert len(server.seen()["requests"]) == 9


def test_a_cap_that_useless_replies_use_up_says_so(loopback, caller):
    """The budget ends before a person is called: how many there were, and the last one's error, are noted."""
    log = Cassette()
    made = caller(loopback(faults=["garbage"]), tokens=18_000, log=log)
    for iteration in (1, 2):  # whoever asks after the end says nothing twice
        with pytest.raises(BudgetSpent):
            made.ask(PROMPT, "improve", iteration)
    (note,) = log.notes
    assert "of no use, and may have been billed: 2; the last: " in note
    assert "no chat completion" in note


@pytest.mark.parametrize(("fault", "kind"), [("filter", ErrorKind.FILTERED), ("long", ErrorKind.TOO_LONG)])
def test_a_refused_prompt_is_not_asked_again(loopback, caller, fault, kind):
    """Content filters and too long prompts reject the proposal, once."""
    server = loopback(faults=[fault])
    with pytest.raises(ModelError) as caught:
        caller(server).ask(PROMPT, "improve", 1)
    assert (caught.value.kind, caught.value.recourse) == (kind, Recourse.REJECT)
    assert len(server.seen()["requests"]) == 1


def test_refused_parameters_are_dropped_once_and_remembered(loopback, caller):
    """Unsupported parameters go, the limit on the reply is renamed, and later calls do not try again."""
    server = loopback(faults=["picky"])
    log = Cassette()
    made = caller(server, log=log, temperature=0.7, reasoning_effort="low")
    made.ask(PROMPT, "improve", 1)
    made.ask(PROMPT, "improve", 2)
    sent = server.seen()["requests"]
    assert len(sent) == 5
    assert {"temperature", "reasoning_effort", "max_tokens"} <= sent[0].keys()
    for request in sent[-2:]:
        assert request["max_completion_tokens"] == 16_384
        assert not {"temperature", "reasoning_effort", "max_tokens"} & request.keys()
    assert [note.split()[1] for note in log.notes] == ["temperature", "reasoning_effort", "max_tokens"]


def test_the_sdk_does_not_retry_by_itself(loopback, caller):
    """One attempt of ours is one request, also for faults that the SDK would retry."""
    server = loopback(faults=["500"])
    made = caller(server, outage_seconds=0)
    with pytest.raises(ModelError):
        made.ask(PROMPT, "improve", 1)
    assert len(server.seen()["requests"]) == 1
