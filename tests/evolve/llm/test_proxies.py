"""SOCKS proxies of the environment: used where the extra is installed, else said before anything is asked."""

import importlib.util
import socket
import threading

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Request
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

INSTALLED = importlib.util.find_spec("socksio") is not None
TABLE = ModelSettings(spec="openai/x", base_url="http://models.internal/v1")


@pytest.fixture
def environment(monkeypatch):
    """Sets proxies in place of all that the environment names."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return monkeypatch.setenv


def test_without_the_extra_one_sentence_says_what_to_install(environment, monkeypatch):
    """Before anything is asked, and never as a bug of ours."""
    environment("ALL_PROXY", "socks://127.0.0.1:7897/")
    monkeypatch.setattr("gapsmith.evolve.llm.keys.importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"SOCKS proxy.*pip install 'gapsmith\[socks\]'.*NO_PROXY") as caught:
        openai_model(TABLE, {})
    assert caught.value.kind is ErrorKind.MISSING


def test_a_server_that_needs_no_proxy_needs_no_extra(environment, loopback, caller, monkeypatch):
    """An address in NO_PROXY is asked directly, whatever the proxy."""
    server = loopback()
    monkeypatch.setattr("gapsmith.evolve.llm.keys.importlib.util.find_spec", lambda name: None)
    environment("ALL_PROXY", "socks://127.0.0.1:1/")
    environment("NO_PROXY", "127.0.0.1")
    assert caller(server).ask(Prompt("a", "b"), "improve", 1).text


def test_a_proxy_of_another_kind_is_named(environment):
    """A sentence with the kinds that are known."""
    environment("HTTP_PROXY", "socks4://127.0.0.1:1/")
    with pytest.raises(ModelError, match=r"'socks4', expected one of http, https, socks5, socks5h"):
        openai_model(TABLE, {})


@pytest.mark.skipif(not INSTALLED, reason="the extra gapsmith[socks] is not installed")
def test_a_desktop_s_proxy_is_asked_for_the_server_by_name(environment):
    """A real listener hears the greeting of SOCKS 5 and the server's name."""
    heard = []

    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            heard.append(connection.recv(100))
            connection.sendall(b"\x05\x00")
            heard.append(connection.recv(300))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        environment("ALL_PROXY", f"socks://127.0.0.1:{listener.getsockname()[1]}/")
        model = openai_model(TABLE, {})
        with pytest.raises(ModelError) as caught:
            model.complete(Request(Prompt("a", "b"), 100, 10.0, 1))
        model.close()
        thread.join()
    assert caught.value.kind is ErrorKind.CONNECTION
    assert heard[0][0] == 5
    assert b"models.internal" in heard[1]
