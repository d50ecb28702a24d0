"""A loopback model server as a process, and models and callers that talk to it."""

import json
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.settings import ModelSettings

SCRIPT = Path(__file__).parent / "loopback.py"


@pytest.fixture(scope="module", autouse=True)
def lent_slots(slots):
    """Campaigns of this folder take sandbox slots that are open already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gapsmith.sandbox.slot.open_sandbox", slots)
        yield


class Loopback:
    """A running server: its address, and what it has seen."""

    def __init__(self, script):
        command = [sys.executable, "-I", str(SCRIPT), json.dumps(script)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}/v1"

    def seen(self):
        """Requests in order of arrival, replies given, most calls in flight."""
        address = self.url.removesuffix("/v1") + "/seen"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(address, timeout=10) as response:
            return json.load(response)

    def close(self):
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def servers():
    """Starts servers: `start(faults=[…], latency=…)`; all are ended afterwards."""
    running = []

    def start(**script):
        running.append(Loopback(script))
        return running[-1]

    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        try:
            yield start
        finally:
            for server in running:
                server.close()


@pytest.fixture
def loopback():
    """Starts servers: `loopback(faults=[…], latency=…)`; all are ended with the test."""
    with servers() as start:
        yield start


@pytest.fixture(scope="module")
def module_loopback():
    """The same for a whole module."""
    with servers() as start:
        yield start


@pytest.fixture
def caller(loopback):
    """Callers of a server: `caller(server, usd=…, …)` with quick retries; closed with the test."""
    opened = []

    def make(server, *, usd=None, tokens=None, in_flight=8, log=None, policy=None, **settings):
        table = ModelSettings(spec="openai/loopback", base_url=server.url, **settings)
        made = Caller(
            openai_model(table, {}),
            table,
            Ledger(None if usd is None else Decimal(str(usd)), tokens),
            Cassette() if log is None else log,
            in_flight,
            policy or RetryPolicy(first_seconds=0.02, longest_seconds=0.1, contact_seconds=2.0),
        )
        opened.append(made)
        return made

    yield make
    for made in opened:
        made.close()
