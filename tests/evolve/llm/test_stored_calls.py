"""Totals of a run's calls are kept while it runs and are those that its store adds up."""

import random

import pytest
from gapsmith.evolve.llm.base import Call, ErrorKind, ModelError, Request
from gapsmith.evolve.store.store import Store, StoredCalls
from gapsmith.evolve.types import Completion, Prompt


@pytest.mark.parametrize("unpriced", [0.0, 0.2, 1.0])
def test_totals_follow_every_call(tmp_path, unpriced):
    """After requests, replies, useless replies and failures alike, with and without a price."""
    rng = random.Random(5)
    store = Store(tmp_path)
    log = StoredCalls(store)
    expected = {"calls": 0, "tokens_in": 0, "tokens_out": 0}
    costs = []
    for iteration in range(60):
        number = log.requested(
            Call("m", "improve", Request(Prompt("s", str(iteration)), 10, 1.0, iteration), 1, 9, None)
        )
        expected["calls"] += 1
        cost = None if rng.random() < unpriced else 0.25
        reply = Completion("text", "m", 3, 2, cost)
        kind = rng.choice(["replied", "useless", "failed"])
        if kind == "replied":
            log.replied(number, reply)
        else:
            log.failed(
                number, ModelError(ErrorKind.EMPTY, "x", completion=reply if kind == "useless" else None)
            )
        if kind != "failed":
            costs.append(cost)
            expected["tokens_in"] += 3
            expected["tokens_out"] += 2
        found = store.model_usage()
        assert {name: getattr(found, name) for name in expected} == expected
        assert found.cost_usd == (None if None in costs or not costs else pytest.approx(sum(costs)))
    store.close()
    again = Store(tmp_path)
    assert again.model_usage() == found
    again.close()
