"""Token counts are a server's word: what cannot be a count is not known, and never money given back."""

import json
from decimal import Decimal

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Price
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.chat import parse_reply
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Completion, Prompt


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


@pytest.mark.parametrize(
    ("counts", "out"),
    [
        ((900, 80, 5980), 5080),
        ((900, 80, 980), 80),
        ((900, 80, 0), 80),
        ((900, 80, None), 80),
        ((900, 80, -1), 80),
        ((900, 80, 10**23), 80),
        ((900, 0, 980), 80),
    ],
)
def test_reasoning_that_only_the_total_counts_is_output(counts, out):
    """Some servers leave it out of the completion's tokens and bill it all the same."""
    usage = dict(zip(("prompt_tokens", "completion_tokens", "total_tokens"), counts, strict=True))
    assert parsed(usage) == (900, out, None, None)
    usage["completion_tokens_details"] = {"reasoning_tokens": 5000}
    assert parsed(usage)[3] == min(5000, out)


def test_a_server_that_counts_nothing_does_not_know():
    """No prompt and no text has no token: such a reply is not free, its usage is not known."""
    assert parsed({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})[:2] == (None, None)
    assert parsed({"prompt_tokens": 7, "completion_tokens": 0, "total_tokens": 7})[:2] == (7, None)
    blank = json.dumps(
        {
            "choices": [{"message": {"content": ""}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 0},
        }
    )
    assert parse_reply(blank, "openai/x", 0.0).tokens_out == 0


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


def asked(completion, log=None):
    """What a caller makes of a plug-in's completion, and its ledger."""
    table = ModelSettings(spec="told", price_in_usd_per_million=1, price_out_usd_per_million=1)
    ledger = Ledger(Decimal(1), 100_000)
    caller = Caller(Told(completion), table, ledger, log or Cassette(), 1, RetryPolicy(first_seconds=0.001))
    return caller.ask(Prompt("s", "u"), "improve", 1), ledger.spending


@pytest.mark.parametrize("count", [-500_000, 12.5, float("nan"), True, "12", 10**23])
def test_a_plug_in_s_counts_are_held_to_the_same_rules(count):
    """What cannot be a count is not known: a plug-in gives no money back and breaks no record."""
    found, spending = asked(Completion("Sorted.", "told", count, count))
    assert (found.tokens_in, found.tokens_out, found.cost_usd) == (None, None, None)
    assert (spending.kept_calls, spending.cost_usd) == (1, 0)
    found, _ = asked(Completion("Sorted.", "told", 5, 7, tokens_cached=count, tokens_reasoning=-1))
    assert (found.tokens_cached in (None, 0, 5), found.tokens_reasoning) == (True, 0)


@pytest.mark.parametrize("cost", [-3.0, float("nan"), float("inf"), "3"])
def test_a_plug_in_s_cost_and_seconds_are_finite_or_not_known(cost):
    """Also where the tokens are not known, so that no price says what it cost."""
    found, spending = asked(Completion("Sorted.", "told", cost_usd=cost, seconds=cost, finish_reason=7))
    assert (found.cost_usd, found.finish_reason, spending.cost_usd) == (None, None, 0)
    assert 0 <= found.seconds < 1


def test_a_plug_in_s_text_can_be_stored():
    """Half a character, which no file holds, becomes a question mark."""
    found, _ = asked(Completion("Sorted \ud800.", "told \ud800", 5, 5))
    assert (found.text, found.model) == ("Sorted ?.", "told ?")


@pytest.mark.parametrize("reply", ["Sorted.", None, Completion(None, "told"), Completion(b"x", "told")])
def test_a_plug_in_that_gives_no_text_is_named(reply):
    """The sentence says which model gave what, and its calls keep what was set aside."""
    with pytest.raises(ModelError, match=r"told: the provider.*expected") as caught:
        asked(reply, log := Cassette())
    assert (caught.value.kind, len(log.calls)) == (ErrorKind.GARBAGE, 3)


def test_a_plug_in_s_wait_is_a_number():
    """What no clock can wait for was not said."""
    from gapsmith.evolve.llm.base import plain_wait

    waits = [plain_wait(value) for value in (float("nan"), "soon", True, None, -5, 2, float("inf"))]
    assert waits == [None, None, None, None, 0.0, 2.0, 86_400.0]
