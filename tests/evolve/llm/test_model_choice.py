"""Specifications, prices, and which model is asked for what."""

import random
from decimal import Decimal

import pytest
from gapsmith.evolve.llm import prices
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Price
from gapsmith.evolve.llm.ensemble import Member, arms, choose
from gapsmith.evolve.llm.keys import is_local
from gapsmith.evolve.llm.prices import DATE, PRICES, cost_range, price_source, require_price, with_price
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

CHEAP, DEAR = Price(Decimal(1), Decimal(1)), Price(Decimal(100), Decimal(100))


def build(spec, environment=(), **settings):
    """A model of a specification."""
    return build_model(ModelSettings(spec=spec, **settings), Surroundings(environment=dict(environment)))


@pytest.mark.parametrize("spec", ["opnai/x", "gpt-5", "openai", "openai/", "manual/x", ""])
def test_an_unknown_specification_names_what_there_is(spec):
    """The sentence lists the forms and, where one is near, guesses."""
    if not spec:
        with pytest.raises(ValueError, match="at least 1 character"):
            ModelSettings(spec=spec)
        return
    with pytest.raises(ModelError, match="openai/NAME") as caught:
        build(spec)
    assert ("did you mean openai/NAME" in str(caught.value)) == spec.startswith(("op", "openai"))


def test_a_missing_key_is_found_before_anything_is_sent():
    """The sentence names the variable to set, whichever it is."""
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        build("openai/x")
    assert caught.value.kind is ErrorKind.KEY
    with pytest.raises(ModelError, match="MY_KEY"):
        build("openai/x", api_key_env="MY_KEY", base_url="http://127.0.0.1:1/v1")
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        build("openai/x", base_url="https://models.example.com/v1")


def test_keys_and_addresses_come_from_the_environment(loopback):
    """The SDK's own variables are honoured, and the key is sent as it is."""
    server = loopback(key="sk-right")
    environment = {"OPENAI_API_KEY": "sk-right", "OPENAI_BASE_URL": server.url}
    model = build("openai/x", environment)
    from gapsmith.evolve.llm.base import Request

    request = Request(Prompt("s", "u"), 10, 5.0, 1)
    assert model.complete(request).text
    model.close()
    wrong = build("openai/x", {**environment, "OPENAI_API_KEY": "sk-wrong"})
    with pytest.raises(ModelError, match="Incorrect API key"):
        wrong.complete(request)
    wrong.close()
    sent = [request["authorization"] for request in server.seen()["requests"]]
    assert sent == ["Bearer sk-right", "Bearer sk-wrong"]


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://192.168.1.7:11434/v1", True),
        ("http://ollama:11434/v1", True),
        ("https://api.example.com/v1", False),
        ("https://8.8.8.8/v1", False),
    ],
)
def test_local_servers_are_known_by_their_address(url, local):
    """Only servers on this machine or network need no key."""
    assert is_local(url) is local


def test_a_scripted_file_answers_by_iteration(tmp_path):
    """The same iteration gets the same text, whoever asks first."""
    from gapsmith.evolve.llm.base import Request

    (tmp_path / "texts.json").write_text('["one", "two"]')
    model = build(f"scripted/{tmp_path / 'texts.json'}")
    texts = [model.complete(Request(Prompt("s", "u"), 10, 5.0, i)).text for i in (2, 1, 3)]
    assert texts == ["two", "one", "one"]


def test_settings_reject_unknown_keys_and_values():
    """Every mistake in a [[model]] table is an error."""
    weights = {"weigth": 1}, {"weight": 0}, {"weight": 1e308}
    for wrong in (*weights, {"temperature": 3}, {"max_output_tokens": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ModelSettings(spec="openai/x", **wrong)


def test_a_cap_needs_a_price():
    """Without one the model is refused, and the keys to set are named."""
    with pytest.raises(ModelError, match="price_in_usd_per_million"):
        require_price(ModelSettings(spec="openai/x"), Decimal(1))
    require_price(ModelSettings(spec="openai/x"), None)
    with pytest.raises(ModelError, match=r"--set model\.1\.price_out_usd_per_million=…"):
        require_price(ModelSettings(spec="openai/x"), Decimal(2), "model.1")
    free = ModelSettings(spec="openai/x", price_in_usd_per_million=0, price_out_usd_per_million=0)
    require_price(free, Decimal(1))
    require_price(with_price(ModelSettings(spec="manual")), Decimal(1))


def test_prices_come_from_the_installed_map_unless_given(monkeypatch):
    """The configuration wins; a server of one's own is never priced like the provider's model."""
    row = {
        "input_cost_per_token": 2.5e-06,
        "output_cost_per_token": 1e-05,
        "cache_read_input_token_cost": 1e-07,
    }
    monkeypatch.setattr(prices, "_cost_map", lambda: {"gpt-x": row, "groq/llama": row})
    assert with_price(ModelSettings(spec="openai/gpt-x")).price == Price(
        Decimal("2.5"), Decimal(10), Decimal("0.1")
    )
    assert with_price(ModelSettings(spec="litellm/groq/llama")).price is not None
    assert with_price(ModelSettings(spec="openai/gpt-y")).price is None
    assert with_price(ModelSettings(spec="openai/gpt-x", base_url="http://localhost/v1")).price is None
    given = ModelSettings(spec="openai/gpt-x", price_in_usd_per_million=1, price_out_usd_per_million=1)
    assert with_price(given).price == Price(Decimal(1), Decimal(1))


def test_the_cost_range_holds_the_truth():
    """The low end is below, the high end above what typical calls cost; unknown without a price."""
    prompt = Prompt("s" * 400, "u" * 3600)
    table = ModelSettings(spec="openai/x", price_in_usd_per_million=1, price_out_usd_per_million=4)
    found = cost_range(table, prompt, 100)
    assert found.prompt_tokens == 1000
    assert found.low_usd < 100 * CHEAP.cost(1000, 1000) * 4 < found.high_usd
    assert cost_range(ModelSettings(spec="openai/x"), prompt, 100).low_usd is None


def test_weights_are_shares():
    """Two models of weights 3 and 1 are asked about three to one."""
    both = arms([Member("a", 3, None), Member("b", 1, None)])
    picks = [choose(both, random.Random(i)).model for i in range(2000)]
    assert 0.70 < picks.count(0) / len(picks) < 0.80


def test_models_of_one_specification_are_counted_apart():
    """One model at two servers, or with two temperatures: what one gains says nothing of the other."""
    found = arms([Member("a", 1, None), Member("b", 1, None), Member("a", 1, None), Member("a", 1, None)])
    names = [arm.name for arm in found if arm.operator == "improve"]
    assert names == ["improve a", "improve b", "improve a #2", "improve a #3"]


def test_common_models_have_a_dated_price(monkeypatch):
    """Without litellm the table that comes along is used, and says its day; a configured price wins."""
    monkeypatch.setattr(prices, "_cost_map", dict)
    settings = ModelSettings(spec="openai/gpt-5")
    price = with_price(settings).price
    assert price == Price(*PRICES["openai/gpt-5"])
    assert DATE in price_source(settings)
    given = settings.model_copy(
        update={"price_in_usd_per_million": Decimal(1), "price_out_usd_per_million": Decimal(1)}
    )
    assert with_price(given).price == Price(Decimal(1), Decimal(1))
    assert price_source(given) is None
    assert price_source(ModelSettings(spec="openai/no-such-model")) is None
    assert price_source(ModelSettings(spec="manual")) is None
    assert with_price(ModelSettings(spec="openai/gpt-5", base_url="http://localhost/v1")).price is None


def test_prices_of_the_table_are_plausible():
    """Output costs no less than input, cached input no more, and a row is a number of dollars."""
    assert len(PRICES) > 50
    for spec, (inward, outward, cached) in PRICES.items():
        assert 0 < inward <= outward < 1000, spec
        assert cached is None or 0 < cached <= inward, spec
