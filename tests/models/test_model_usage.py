"""Token counts are a server's word: what cannot be a count is not known, and never money given back."""

import json
from decimal import Decimal

import pytest
from gapsmith.evolve.base import Completion, Prompt
from gapsmith.evolve.ledger import Ledger
from gapsmith.evolve.models.base import Price
from gapsmith.evolve.models.caller import Caller
from gapsmith.evolve.models.cassette import Cassette
from gapsmith.evolve.models.chat import parse_reply
from gapsmith.evolve.models.settings import ModelSettings


def reply(usage):
    """A good reply with this usage, as JSON text."""
    return json.dumps({"choices": [{"message": {"content": "Sorted."}}], "usage": usage})


def parsed(usage):
    """(in, out, cached, reasoning) of a good reply with this usage."""
    found = parse_reply(reply(usage), "openai/x", 0.0)
    assert found.text == "Sorted."
    return found.tokens_in, found.tokens_out, found.tokens_cached, found.tokens_reasoning


@pytest.mark.parametrize("count", [-1, -500_000, 12.5, 12.0, 10**23, 2**53 + 1, True, "12", [12], None, {}])
def test_what_cannot_be_a_count_is_not_known(count):
    """The reply is kept, its usage is unknown, and the other count stands."""
    assert parsed({"prompt_tokens": count, "completion_tokens": 5}) == (None, 5, None, None)
    assert parsed({"prompt_tokens": 5, "completion_tokens": count}) == (5, None, None, None)


@pytest.mark.parametrize("usage", [None, 3, "many", [], [1], {"prompt_tokens_details": 7}])
def test_a_usage_of_any_form_leaves_a_good_reply(usage):
    """Nothing a server says of the size makes its reply useless."""
    assert parsed(usage) == (None, None, None, None)


@pytest.mark.parametrize(("said", "kept"), [(-3, 0), (0, 0), (60, 60), (10**9, 100), (1.5, None)])
def test_a_part_is_never_larger_than_the_whole(said, kept):
    """Cached and reasoning tokens are cut to what they are part of."""
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": said},
        "completion_tokens_details": {"reasoning_tokens": said},
    }
    assert parsed(usage) == (100, 100, kept, kept)
    usage["prompt_tokens"] = -100
    assert parsed(usage) == (None, 100, None, kept)


def test_a_cost_is_never_negative():
    """Also where a provider of one's own says that more was cached than sent."""
    assert Price(Decimal(1), Decimal(1), Decimal("0.1")).cost(100, 0, 10**9) == Decimal(100) / 10_000_000


class Told:
    """A model that gives this completion."""

    name = "told"

    def __init__(self, completion):
        self.completion = completion

    def complete(self, request):
        """The completion, whatever is asked."""
        return self.completion


@pytest.mark.parametrize("counts", [(-500_000, -500_000), (10**23, 5), (12.5, 5)])
def test_a_reply_of_unknown_usage_keeps_what_was_set_aside(counts):
    """Nothing is given back, and nothing is spent that was not set aside."""
    usage = dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True))
    table = ModelSettings(spec="told", price_in_usd_per_million=1, price_out_usd_per_million=1)
    ledger = Ledger(Decimal(1), None)
    model = Told(parse_reply(reply(usage), "told", 0.0))
    assert isinstance(model.completion, Completion)
    Caller(model, table, ledger, Cassette(), 1).ask(Prompt("s", "u"), "improve", 1)
    spending = ledger.spending
    assert (spending.tokens_in, spending.tokens_out, spending.kept_calls) == (0, 0, 1)
    assert spending.kept_usd > 0
    assert not spending.cost_usd
