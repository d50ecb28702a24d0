"""Servers that answer oddly, as public reports tell: each provider ends as the report says it should."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gapsmith.evolve.llm.base import ModelError
from gapsmith.evolve.llm.caller import Caller, RetryPolicy
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.edits import EditError, apply_reply
from gapsmith.evolve.llm.ledger import Ledger
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.reply_text import ReplyEnding, ending
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

SCRIPT = Path(__file__).parent / "server_behaviours.py"
SPEC = importlib.util.spec_from_file_location("server_behaviours", SCRIPT)
SERVERS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(SERVERS)
ASKS = SCRIPT.with_name("asks_server.py")
PROMPT = Prompt("You write heuristics.", "Improve this.")
QUICK = (
    "output-openai",
    "system-gemma",
    "stream-qwen",
    "responses-only",
    "inside-429",
    "money-zai",
    "think-unclosed",
)
NOT_LITELLM = {name for name in SERVERS.BEHAVIOURS if name.startswith("responses-")}
"""The package chooses its interface itself."""


@pytest.fixture(scope="module")
def address():
    """Address of the server, that answers each behaviour below its name."""
    process = subprocess.Popen([sys.executable, "-I", str(SCRIPT)], stdout=subprocess.PIPE, text=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            patch.delenv(name, raising=False)
            patch.delenv(name.upper(), raising=False)
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    process.kill()
    process.wait()
    process.stdout.close()


def provider_cases():
    """Every behaviour with every provider; a handful in the default suite."""
    for name in SERVERS.BEHAVIOURS:
        marks = [] if name in QUICK else [pytest.mark.slow]
        yield pytest.param("openai/served", name, id=f"openai-{name}", marks=marks)
        if name not in NOT_LITELLM:
            missing = importlib.util.find_spec("litellm") is None
            skip = pytest.mark.skipif(missing, reason="the extra gapsmith[litellm] is not installed")
            spec = "litellm/openai/served"
            yield pytest.param(spec, name, id=f"litellm-{name}", marks=[pytest.mark.slow, skip])
        if name not in SERVERS.NOT_PROGRAM:
            yield pytest.param("command:", name, id=f"command-{name}", marks=pytest.mark.slow)


def model_of(spec, name, url, settings, folder):
    """The table of a model at a behaviour's address, and the model."""
    if spec != "command:":
        table = ModelSettings(spec=spec, base_url=url, **settings)
        return table, build_model(table, Surroundings(environment={}))
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -I {ASKS} "$@"\n')
    program.chmod(0o755)
    table = ModelSettings(spec="claude/served" if name in SERVERS.FINISHES else f"command:{program} {url}")
    around = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "CLAUDE_ADDRESS": url}
    return table, build_model(table, Surroundings(environment=around))


@pytest.mark.parametrize(("spec", "name"), list(provider_cases()))
def test_a_provider_ends_as_the_report_says(address, tmp_path, spec, name):
    """The reply, what becomes of its program, or the kind of error, with the server's own words."""
    _, _, end, words, *more = SERVERS.BEHAVIOURS[name]
    if spec == "command:":
        end, words = SERVERS.program_end(name)
    url = f"{address}/{name}/{spec.strip(':').split('/')[0]}/v1"
    table, model = model_of(spec, name, url, {"temperature": 0.7, **(more[0] if more else {})}, tmp_path)
    log, ledger = Cassette(), Ledger(tokens=10**6)
    policy = RetryPolicy(first_seconds=0.01, longest_seconds=0.02, contact_seconds=5.0)
    caller = Caller(model, table, ledger, log, 1, policy)
    try:
        reply = caller.ask(PROMPT, "improve", 1)
    except ModelError as error:
        reply = error
    finally:
        caller.close()
    if isinstance(reply, ModelError):
        assert reply.kind == end, reply.sentence
        assert words in reply.sentence
        assert "Traceback" not in reply.sentence
        assert ledger.spending.kept_calls == 0 or reply.kind == "server"
        return
    told = [*log.notes, *(f"{error.kind}: {error.sentence}" for error in log.errors)]
    if ": " in words:
        kind, said = words.split(": ", 1)
        assert any(one.startswith(f"{kind}: ") and said in one for one in told), told
    else:
        assert any(words in one for one in told) or not words, told
    assert len(log.notes) <= 2, log.notes
    assert end == judged(reply), reply


def judged(reply):
    """What becomes of a reply, in the words of the behaviours."""
    if ending(reply.finish_reason) is ReplyEnding.WITHHELD:
        return "withheld"
    try:
        program = apply_reply(reply.text, "", "schedule", ending(reply.finish_reason))
    except EditError:
        return "cut"
    assert program == SERVERS.PROGRAM
    return "reply" if reply.text == SERVERS.GOOD else "program"


def test_the_reports_are_public_and_many():
    """Each behaviour names where it was reported or documented."""
    assert len(SERVERS.BEHAVIOURS) >= 60
    assert all(entry[0].startswith("https://") for entry in SERVERS.BEHAVIOURS.values())


def campaign(folder, address, name):
    """A short campaign at a server: exit code and what was printed."""
    table = ["--set", f"model.base_url={address}/{name}/campaign/v1"]
    words = ["run", "smtt-rule", "--model", "openai/served", *table, "--iterations", "2", "--runs", "runs"]
    done = subprocess.run(
        [sys.executable, "-m", "gapsmith.cli", *words],
        cwd=folder,
        env={**os.environ, "GAPSMITH_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_prompts_are_shortened_to_what_a_server_takes(address, tmp_path):
    """The campaign goes on with shorter prompts, says so once, and its server sees them."""
    code, printed = campaign(tmp_path, address, "context-small")
    assert code in (0, 6), printed
    assert "prompts are shortened to about" in printed
    assert "the model takes no more" in printed


@pytest.mark.slow
def test_a_context_that_nothing_fits_stops_with_the_key_that_helps(address, tmp_path):
    """Exit code 8, the server's sentence, and what to change."""
    code, printed = campaign(tmp_path, address, "context-tiny")
    printed = " ".join(printed.split())
    assert code == 8, printed
    assert "exceeds the available context size" in printed
    assert "larger context" in printed
    assert "max_output_tokens" in printed


@pytest.mark.slow
def test_a_campaign_without_any_candidate_says_so_and_fails(address, tmp_path):
    """Every reply is cut: exit code 6, a count and the reasons."""
    code, printed = campaign(tmp_path, address, "finish-length")
    printed = " ".join(printed.split())
    assert code == 6, printed
    assert "no reply became a candidate: 4 calls, rejected: no_code 2" in printed
