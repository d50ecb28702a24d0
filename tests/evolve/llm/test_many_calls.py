"""Hundreds of calls with faults of all kinds: nothing is lost, nothing is used twice, no cap is broken."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.llm.base import ModelError
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.ledger import BudgetSpent
from gapsmith.evolve.types import Prompt

FAULTS = [
    "429",
    "429-after",
    "500",
    "503",
    "504",
    "cut",
    "reset",
    "none",
    "garbage",
    "array",
    "empty",
    "blank",
]
FAULTS += ["filter", "refusal", "length", "no-usage"]
SILENT_SECONDS = 20.0
"""The time-out where some requests get no answer: so long that a busy machine answers all others in time."""
REPLY = "Number @N@.\n```python\ndef solve(n):\n    return @N@\n```"


def plan(calls, share, seed, faults=FAULTS):
    """Faults of all kinds in a share of the calls, mixed; the same for the same seed."""
    rng = random.Random(seed)
    return [rng.choice(faults) if rng.random() < share else "ok" for _ in range(calls)]


SYSTEM = "You improve a heuristic. " * 10
"""Longer than the 200 tokens that the server bills: a text has at most as many tokens as bytes."""


def ask_all(caller, iterations):
    """Asks for all iterations from 32 threads; returns replies by iteration and why others have none."""
    replies, reasons, lock = {}, {}, threading.Lock()

    def work(iteration):
        try:
            prompt = Prompt(SYSTEM, f"question {iteration}")
            outcome, target = caller.ask(prompt, "improve", iteration), replies
        except (ModelError, BudgetSpent) as error:
            outcome, target = error, reasons
        with lock:
            target[iteration] = outcome

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(work, iterations))
    return replies, reasons


@pytest.mark.parametrize("calls", [150, pytest.param(500, marks=pytest.mark.slow)])
def test_many_calls_with_faults_lose_nothing(loopback, caller, calls):
    """With a fifth of the calls disturbed, each reply that arrived is recorded and used once.

    The few calls leave out silence, which takes a whole time-out.
    """
    faults = FAULTS if calls > 150 else [fault for fault in FAULTS if fault != "none"]
    server = loopback(faults=plan(700, 0.2, 1, faults), replies=[REPLY], latency=0.01)
    log = Cassette()
    made = caller(server, in_flight=32, log=log, timeout_seconds=SILENT_SECONDS)
    replies, reasons = ask_all(made, range(1, calls + 1))
    seen = server.seen()
    assert len(seen["requests"]) >= calls
    assert all(error.recourse.value in ("reject", "again") for error in reasons.values())
    assert len(replies) + len(reasons) == calls
    numbered = [c.text for c in replies.values() if c.text.startswith("Number")]
    assert len(set(numbered)) == len(numbered) == seen["given"]
    recorded = [exchange.completion.text for exchange in log.exchanges]
    assert sorted(recorded) == sorted(c.text for c in replies.values())
    assert len(log.calls) == len(seen["requests"])


@pytest.mark.parametrize("cap", ["usd", "tokens"])
@pytest.mark.slow
def test_a_cap_holds_through_faults_and_ends_by_itself(loopback, caller, cap):
    """What is booked, and what may have been billed, stays under the cap; the rest is refused."""
    server = loopback(faults=plan(700, 0.2, 2), replies=[REPLY], latency=0.005)
    limits = {"usd": Decimal("0.05")} if cap == "usd" else {"tokens": 60_000}
    made = caller(
        server,
        in_flight=32,
        timeout_seconds=2.0,
        max_output_tokens=300,
        price_in_usd_per_million="1",
        price_out_usd_per_million="5",
        **limits,
    )
    _, reasons = ask_all(made, range(1, 501))
    ledger = made._ledger
    now = ledger.spending
    if cap == "usd":
        used, limit = now.cost_usd + now.kept_usd, ledger.usd
    else:
        used, limit = now.tokens_in + now.tokens_out + now.kept_tokens, ledger.tokens
    assert limit * 9 / 10 < used <= limit
    wanted = StopReason.COST if cap == "usd" else StopReason.TOKENS
    assert wanted in {getattr(error, "reason", None) for error in reasons.values()}


def test_a_reply_above_its_limit_stops_a_capped_run(loopback, caller):
    """The reply itself is kept; the next call is refused with the reason."""
    server = loopback(faults=["greedy"])
    made = caller(server, tokens=10_000_000, max_output_tokens=300)
    assert made.ask(Prompt("s", "u"), "improve", 1).tokens_out == 1_000_000
    with pytest.raises(ModelError, match="does not honour the limit"):
        made.ask(Prompt("s", "u"), "improve", 2)
    assert len(server.seen()["requests"]) == 1


@pytest.mark.slow
def test_fewer_calls_fly_while_the_rate_is_limited(loopback, caller):
    """After a round of refusals the number in flight falls, and grows again with replies."""
    server = loopback(faults=["429"] * 16 + ["ok"] * 200, latency=0.02)
    made = caller(server, in_flight=16)
    replies, reasons = ask_all(made, range(1, 17))
    assert len(replies) == 16
    assert not reasons
    narrowed = made._gate.limit
    assert narrowed < 16
    ask_all(made, range(17, 150))
    assert made._gate.limit > narrowed


def test_closing_ends_waiting_calls(loopback, caller):
    """Calls that wait for a reply end at once when the campaign ends."""
    server = loopback(faults=["none"])
    made = caller(server)
    outcome = []

    def work():
        try:
            made.ask(Prompt("s", "u"), "improve", 1)
        except ModelError as error:
            outcome.append(error.kind.value)

    thread = threading.Thread(target=work)
    thread.start()
    while not server.seen()["requests"]:
        pass
    made.close()
    thread.join(5)
    assert outcome == ["closed"]
