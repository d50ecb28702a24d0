"""What a model's server may do to a connection: codings, redirections, keys told back; real processes."""

import base64
import gzip
import json
import subprocess
import sys
import textwrap
import time
import zlib
from pathlib import Path

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.keys import SecretKeys
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.server_answer import fault_of
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

PROMPT = Prompt("You write heuristics.", "Improve this.")
GOOD = json.dumps({"choices": [{"message": {"content": "def schedule(): pass"}}]}).encode()


def raw(status, lines, body=b""):
    """A fault of the loopback server: a response word for word."""
    return "raw:" + json.dumps([status, lines, gzip.compress(body, mtime=0).hex()])


def ask(caller, server):
    """One question, whose useless reply is not asked for again."""
    return caller(server, policy=RetryPolicy(useless_attempts=1)).ask(PROMPT, "improve", 1)


def test_no_compression_is_asked_for(loopback, caller):
    """Each request asks for identity."""
    server = loopback()
    ask(caller, server)
    assert [request["accepts"] for request in server.seen()["requests"]] == ["identity"]


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("identity", GOOD),
        ("gzip", gzip.compress(GOOD, mtime=0)),
        ("deflate", zlib.compress(GOOD)),
        ("GZip", gzip.compress(GOOD, mtime=0)),
    ],
)
def test_one_coding_is_undone(loopback, caller, coding, body):
    """Some gateways compress although nobody asked."""
    assert ask(caller, loopback(faults=[raw(200, [f"content-encoding: {coding}"], body)])).text.startswith(
        "def"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ["content-encoding: gzip, gzip"],
        ["content-encoding: gzip", "content-encoding: gzip"],
        ["content-encoding: gzip,identity,deflate"],
        ["content-encoding: br"],
        ["content-encoding: zstd"],
        ["content-encoding: x" + "y" * 5000],
    ],
)
@pytest.mark.parametrize("status", [200, 500])
def test_another_coding_is_refused(loopback, caller, lines, status):
    """Stacked ones above all, of good replies and of errors."""
    body = gzip.compress(gzip.compress(GOOD, mtime=0), mtime=0)
    with pytest.raises(ModelError, match="Content-Encoding") as caught:
        ask(caller, loopback(faults=[raw(status, lines, body)]))
    assert caught.value.kind is ErrorKind.GARBAGE
    assert len(str(caught.value)) < 400


def test_no_gzip_is_garbage(loopback, caller):
    """A body that is not what its header says."""
    with pytest.raises(ModelError, match="is no gzip") as caught:
        ask(caller, loopback(faults=[raw(200, ["content-encoding: gzip"], GOOD)]))
    assert caught.value.kind is ErrorKind.GARBAGE


@pytest.mark.quick("gzip")
@pytest.mark.parametrize("coding", ["gzip", "gzip, gzip", "deflate"])
def test_a_small_body_does_not_become_a_large_one(loopback, coding):
    """A process reads a bomb of half a gigabyte and stays small, and names what it met."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS + (16 if "gzip" in coding else 0))
    bomb = b"".join(packer.compress(bytes(2**24)) for _ in range(32)) + packer.flush()
    body = gzip.compress(bomb, mtime=0) if "," in coding else bomb
    server = loopback(faults=[raw(200, [f"content-encoding: {coding}"], body)])
    code = textwrap.dedent(
        f"""
        from gapsmith.evolve.types import Prompt
        from gapsmith.evolve.llm.base import ModelError, Request
        from gapsmith.evolve.llm.clients import openai_model
        from gapsmith.evolve.llm.settings import ModelSettings
        model = openai_model(ModelSettings(spec="openai/x", base_url={server.url!r}), {{}})
        try:
            model.complete(Request(Prompt("s", "u"), 100, 100.0, 1))
        except ModelError as error:
            print(error.kind.value)
        status = open("/proc/self/status").read()  # ru_maxrss would hold the parent's peak too
        print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
        model.close()
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    kind, megabytes = done.stdout.split()
    assert (kind, int(megabytes) < 400) == ("garbage", True), done


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_a_redirection_is_not_followed(loopback, caller, status):
    """Neither is the other place read, nor do prompts or keys go there; the sentence says what to set."""
    other = loopback()
    with pytest.raises(ModelError, match="redirections are not followed; set base_url") as caught:
        ask(caller, loopback(faults=[raw(status, [f"location: {other.url}/chat/completions"])]))
    assert caught.value.kind is ErrorKind.REQUEST
    assert other.seen()["requests"] == []


KEY = "sk-test-0123456789abcdef"


@pytest.mark.parametrize(
    "message",
    [
        {"content": f"Your key is {KEY}."},
        {"content": f"```python\nkey = '{KEY}'\n```"},
        {"content": [{"text": KEY[:9]}, {"text": KEY[9:]}]},
        {"content": None, "refusal": f"I will not use {KEY}"},
        {"content": "".join(f"\\u{ord(c):04x}" if c == "-" else c for c in KEY)},
    ],
)
def test_a_key_that_a_reply_repeats_is_hidden(loopback, tmp_path, message):
    """It stands in neither the reply nor the cassette."""
    text = json.dumps({"choices": [{"message": message}]}).replace("\\\\u", "\\u").encode()
    server, cassette = loopback(faults=[raw(200, [], text)], key=KEY), Cassette()
    table = ModelSettings(spec="openai/x", base_url=server.url, api_key_env="MY_KEY")
    caller = Caller(openai_model(table, {"MY_KEY": KEY}), table, Ledger(), cassette, 1, RetryPolicy())
    reply = caller.ask(PROMPT, "improve", 1)
    caller.close()
    cassette.save(Path(tmp_path) / "calls.jsonl")
    assert "***" in reply.text
    assert KEY not in reply.text + (Path(tmp_path) / "calls.jsonl").read_text()


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("charset", ["punycode", "idna", "zlib_codec", "rot13", "undefined", "utf-7"])
def test_a_server_chooses_no_codec(loopback, caller, charset, status):
    """JSON is UTF-8; punycode takes hours for megabytes on the thread that all calls share."""
    body = GOOD if status == 200 else b"a-" + b"9" * 2_000_000
    fault = raw(status, [f"content-type: application/json; charset={charset}"], body)
    begun = time.monotonic()
    if status == 200:
        assert ask(caller, loopback(faults=[fault])).text == "def schedule(): pass"
    else:
        with pytest.raises(ModelError, match="the provider says"):
            ask(caller, loopback(faults=[fault]))
    assert time.monotonic() - begun < 60


DISGUISES = {
    "upper case": KEY.upper(),
    "wrapped": f"{KEY[:10]}\n  {KEY[10:]}",
    "invisible": "\u200b".join(KEY),
    "backwards": KEY[::-1],
    "hexadecimal": KEY.encode().hex().upper(),
    "address": "".join(f"%{ord(c):02x}" for c in KEY),
    "escapes": "".join(f"\\u{ord(c):04X}" for c in KEY),
    "HTML": "".join(f"&#{ord(c)};" for c in KEY),
    "HTML in hexadecimal": "".join(f"&#x{ord(c):x};" for c in KEY),
    "Base64": base64.b64encode(KEY.encode()).decode(),
    "Basic": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "Basic, shifted": base64.b64encode(f"me:{KEY}@x".encode()).decode(),
    "Base64 of two": base64.b64encode(f"b:{KEY} ".encode()).decode(),
}


@pytest.mark.parametrize("name", DISGUISES)
def test_a_key_in_disguise_is_hidden(name):
    """However a server, a gateway or a model writes it, the middle of the key is gone."""
    text = f"before {DISGUISES[name]} after"
    shown = SecretKeys([KEY]).hide(text)
    assert DISGUISES[name][12:-6] not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")
    assert "***" in shown


def test_hiding_takes_time_in_proportion():
    """Texts of beginnings of a key are looked through once."""
    begun = time.thread_time()
    for piece in (KEY[:-1], "s", KEY[0] + " " * 5, "\\" * 5, "%73", "&#0"):
        SecretKeys([KEY]).hide(piece * (1_000_000 // len(piece)))
    assert time.thread_time() - begun < 60


@pytest.mark.parametrize("status", [200, 429, 500])
def test_events_in_events_are_no_error(status):
    """A body that begins each event inside of another one is plain text, however deep."""
    body = "data:" * 5_000
    fault = fault_of(status, body)
    assert fault is None if status == 200 else fault is not None and fault.sentence == body
