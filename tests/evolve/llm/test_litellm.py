"""The litellm provider against the loopback server; skipped where the extra is not installed."""

import importlib.util
import subprocess
import sys

import pytest
from gapsmith.evolve.llm.base import ErrorKind, MissingExtra, ModelError
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

INSTALLED = importlib.util.find_spec("litellm") is not None
needs_litellm = pytest.mark.skipif(not INSTALLED, reason="the extra gapsmith[litellm] is not installed")
PROMPT = Prompt("You write heuristics.", "Improve this.")


@pytest.fixture
def ask(loopback):
    """Asks litellm's openai provider at a loopback server."""
    opened = []

    def make(server, **settings):
        table = ModelSettings(spec="litellm/openai/loopback", base_url=server.url, **settings)
        policy = RetryPolicy(first_seconds=0.02, longest_seconds=0.1, contact_seconds=2.0)
        model = build_model(table, Surroundings(environment={}))
        opened.append(Caller(model, table, Ledger(), Cassette(), 4, policy))
        return lambda: opened[-1].ask(PROMPT, "improve", 1)

    yield make
    for caller in opened:
        caller.close()


@pytest.mark.skipif(INSTALLED, reason="the extra gapsmith[litellm] is installed")
def test_a_missing_extra_names_the_install_command():
    """One line, with the command to paste."""
    with pytest.raises(MissingExtra, match=r"pip install 'gapsmith\[litellm\]'"):
        build_model(ModelSettings(spec="litellm/openai/x"), Surroundings(environment={}))


@needs_litellm
def test_a_reply_through_litellm(loopback, ask):
    """Text and counts are those of the same server asked directly."""
    reply = ask(loopback())()
    assert "def schedule" in reply.text
    assert (reply.tokens_in, reply.tokens_out, reply.finish_reason) == (200, 100, "stop")


@needs_litellm
def test_half_a_character_through_litellm_costs_no_reply(loopback, ask):
    """It becomes a question mark, as in a reply without litellm."""
    server = loopback(replies=["Sorted \ud83d"])
    assert ask(server)().text == "Sorted ?"
    assert len(server.seen()["requests"]) == 1


@needs_litellm
@pytest.mark.parametrize("fault", ["429", "500", "cut", "empty", "blank"])
def test_faults_through_litellm_are_asked_again_once(loopback, ask, fault):
    """Litellm's own retries are off, and its exceptions are sorted like the SDK's."""
    server = loopback(faults=[fault, "ok"])
    assert ask(server)().text
    assert len(server.seen()["requests"]) == 2


@needs_litellm
@pytest.mark.parametrize(("fault", "kind"), [("key", ErrorKind.KEY), ("unknown", ErrorKind.UNKNOWN_MODEL)])
def test_permanent_faults_through_litellm_stop_at_once(loopback, ask, fault, kind):
    """A wrong key or model needs a person."""
    server = loopback(faults=[fault])
    with pytest.raises(ModelError) as caught:
        ask(server)()
    assert caught.value.kind is kind
    assert len(server.seen()["requests"]) == 1


@needs_litellm
def test_importing_litellm_sends_nothing():
    """With the local price map the import works where every connection is refused."""
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise SystemExit('connected')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from gapsmith.evolve.llm.clients import _import\n"
        "_import('litellm/openai/x')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr[-300:]) == (0, done.stderr[-300:])
