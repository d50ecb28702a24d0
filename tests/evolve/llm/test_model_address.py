"""Addresses of servers: what is none, or would publish a secret with the run, is refused by name."""

import pytest
from gapsmith.app.config import parse
from gapsmith.app.errors import UserError
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.settings import ModelSettings

SECRET = [
    "http://user:PW@host/v1",
    "http://PW@host/v1",
    "https://host/v1?key=PW",
    "https://host/v1#PW",
    "http://user:PW@host/v1?key=PW",
]
NO_ADDRESS = [
    "http://[::1",
    "localhost:18105/v1",
    "ftp://host/v1",
    "//host/v1",
    "http:///v1",
    "http://host:99999/v1",
    "http://host:0/v1",
    "http://host:port/v1",
    "http://host/v1\n",
    "http://my host/v1",
    "host",
    "",
]


def said(url):
    """What a configuration with this address is told."""
    with pytest.raises(UserError, match="base_url") as caught:
        parse({"model": [{"spec": "openai/x", "base_url": url}]}, "gapsmith.toml")
    return str(caught.value)


@pytest.mark.parametrize("url", SECRET)
def test_an_address_with_a_secret_is_refused_and_not_repeated(url):
    """The sentence says where the key belongs."""
    sentence = said(url)
    assert "PW" not in sentence
    assert "put the key into an environment variable and name it in api_key_env" in sentence


@pytest.mark.parametrize("url", NO_ADDRESS)
def test_what_is_no_address_is_a_configuration_error(url):
    """It is named with an example of what is expected."""
    sentence = said(url)
    assert "gapsmith.toml [model] 0.base_url" in sentence
    assert "http://localhost:8000/v1" in sentence


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000/v1", "https://models.example.com", "http://[::1]:11434/v1/", "HTTP://h:65535"],
)
def test_an_address_stays_as_it_is_written(url):
    """What is right is not changed."""
    assert ModelSettings(spec="openai/x", base_url=url).base_url == url


@pytest.mark.parametrize("url", ["http://[::1", "http://user:PW@localhost/v1", "localhost:8000"])
def test_an_address_in_the_environment_is_held_to_the_same(url):
    """The variable is named, before anything is sent."""
    with pytest.raises(ModelError, match="OPENAI_BASE_URL") as caught:
        openai_model(ModelSettings(spec="openai/x"), {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-x"})
    assert caught.value.kind is ErrorKind.REQUEST
    assert "PW" not in str(caught.value)


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
@pytest.mark.parametrize("name", ["weight", "temperature", "timeout_seconds", "outage_seconds"])
def test_numbers_are_finite(name, value):
    """A share of infinity is no share, and a stored configuration could not be read again."""
    with pytest.raises(UserError, match=rf"{name}: got (inf|nan), .*finite"):
        parse({"model": [{"spec": "openai/x", name: value}]}, "gapsmith.toml")


@pytest.mark.parametrize("key", ["sk-proj-PW123", "PW 123", "$PW", "PW=1"])
def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(key):
    """Whoever reads the sentence, or the log that it lands in, does not read the key."""
    with pytest.raises(UserError, match="the name of an environment variable") as caught:
        parse({"model": [{"spec": "openai/x", "api_key_env": key}]}, "gapsmith.toml")
    assert "PW" not in str(caught.value)
    assert ModelSettings(spec="openai/x", api_key_env="MY_KEY_2").api_key_env == "MY_KEY_2"
