"""Programs as models: what real ones print, and how they fail, on stand-ins that are real processes."""

import json
import os
import stat
import sys
import threading
import time
from contextlib import suppress

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Recourse, Request
from gapsmith.evolve.llm.command_output import without_codes
from gapsmith.evolve.llm.contract import check_model
from gapsmith.evolve.llm.edits import EditError, apply_reply
from gapsmith.evolve.llm.registry import Surroundings, build_model
from gapsmith.evolve.llm.reply_text import ReplyEnding, ending
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

REPLY = "Here it is.\n```python\ndef rule(x):\n    return x\n```\n"


@pytest.fixture
def stand_in(tmp_path):
    """Makes a model of a Python program's text, under a name in a folder of programs."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def make(text, name="stand-in", spec=None, environment=None):
        path = folder / name
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        settings = ModelSettings(spec=spec or f"command:{path}")
        around = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **(environment or {})}
        return build_model(settings, Surroundings(environment=around))

    return make


def ask(model, seconds=20.0):
    """The completion of one question."""
    return model.complete(Request(Prompt("You write code.", "Write a rule. ünïcode"), 1000, seconds, 1))


def fault(model, seconds=20.0):
    """The error of one question."""
    with pytest.raises(ModelError) as caught:
        ask(model, seconds)
    return caught.value


def test_the_prompt_goes_in_and_the_reply_comes_out(stand_in):
    """Both texts of a prompt are standard input in UTF-8; standard output is the reply as it stands."""
    model = stand_in("sys.stdout.write('got ' + sys.stdin.read())")
    reply = ask(model)
    assert reply.text == "got You write code.\n\nWrite a rule. ünïcode"
    assert reply.tokens_out is None
    assert reply.cost_usd is None
    assert check_model(model) == []


def test_arguments_are_words_and_no_shell_reads_them(stand_in, tmp_path):
    """Quotes are read as a shell reads them; a semicolon is a character."""
    path = tmp_path / "bin" / "echo-arguments"
    model = stand_in("print(sys.argv[1:])", "echo-arguments", f"command:{path} --a=1 'two words' ; rm")
    assert ask(model).text.strip() == "['--a=1', 'two words', ';', 'rm']"


def test_a_program_gets_a_small_environment_and_an_empty_folder(stand_in):
    """Keys of other providers, and variables that load code, stay behind; the folder is gone afterwards."""
    given = {"OPENAI_API_KEY": "sk-123456789", "PYTHONPATH": "/x", "LD_PRELOAD": "/x.so", "LC_ALL": "C.UTF-8"}
    text = "print(sorted(os.environ), os.listdir('.'), os.getcwd())\nopen('left', 'w').write('x')"
    reply = ask(stand_in(text, environment=given)).text
    assert "OPENAI" not in reply
    assert "PYTHONPATH" not in reply
    assert "LD_PRELOAD" not in reply
    assert "LC_ALL" in reply
    assert " [] " in reply
    assert not os.path.exists(reply.split()[-1])


def test_banners_and_colours_do_not_reach_the_reply():
    """Control sequences, window titles and overwritten progress lines go; text stays."""
    shown = "\x1b]0;title\x07\x1b[1;32mWelcome\x1b[0m\r\nthinking 1\rthinking 2\rdone\n" + REPLY
    assert without_codes(shown) == "Welcome\ndone\n" + REPLY


@pytest.mark.parametrize("hostile", ["\x1b[1", "\x1b]0;", "\x1b", "\r", "{", "\n{", "[" * 40])
def test_what_a_program_prints_is_read_in_linear_time(hostile, stand_in):
    """A megabyte of unfinished sequences or documents is read within seconds."""
    for preset in ("claude", "codex", "gemini"):
        model = stand_in(f"sys.stdout.write({hostile!r} * (2**20 // {len(hostile)}))", preset, f"{preset}/m")
        started = time.process_time()
        with suppress(ModelError):
            ask(model, 60)
        assert time.process_time() - started < 20


CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": REPLY,
    "total_cost_usd": 0.0123,
    "usage": {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 42,
    },
    "modelUsage": {"model-of-the-day": {}},
}
CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    {"type": "error", "message": "stream disconnected, trying again"},
    {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": REPLY}},
    {
        "type": "turn.completed",
        "usage": {"input_tokens": 3210, "cached_input_tokens": 3000, "output_tokens": 42},
    },
]
GEMINI = {
    "response": REPLY,
    "stats": {
        "models": {
            "model-of-the-day": {"tokens": {"prompt": 3210, "candidates": 40, "thoughts": 2, "cached": 3000}}
        }
    },
}
DOCUMENTS = {
    "claude": json.dumps(CLAUDE),
    "codex": "\n".join(json.dumps(event) for event in CODEX),
    "gemini": json.dumps(GEMINI, indent=2),
}


@pytest.mark.parametrize("preset", DOCUMENTS)
def test_presets_read_reply_and_usage(preset, stand_in):
    """Text, tokens, cached tokens and, where it is printed, cost; a banner before changes nothing."""
    text = f"print('\\x1b[33mA new version is available!\\x1b[0m')\nprint({DOCUMENTS[preset]!r})"
    reply = ask(stand_in(text, preset, f"{preset}/some-model"))
    assert reply.text == REPLY
    assert (reply.tokens_in, reply.tokens_cached, reply.tokens_out) == (3210, 3000, 42)
    assert reply.cost_usd == (0.0123 if preset == "claude" else None)


def test_presets_name_the_model_and_pass_their_own_variables(stand_in):
    """The model's name is an argument; a program gets its own keys and not those of others."""
    model = stand_in(
        "print(sys.argv, sorted(os.environ))",
        "codex",
        "codex/model-x",
        {"CODEX_HOME": "/home/x", "ANTHROPIC_API_KEY": "secret-secret"},
    )
    reply = ask(model).text
    assert "'--model', 'model-x'" in reply
    assert "CODEX_HOME" in reply
    assert "ANTHROPIC" not in reply


FAULTS = {
    "limit in words, exit code 0": (
        "print('Usage limit reached. Try again in 5 minutes.')",
        ErrorKind.RATE_LIMIT,
    ),
    "limit on standard error": (
        "sys.stderr.write('Error: 429 Too Many Requests\\n'); sys.exit(1)",
        ErrorKind.RATE_LIMIT,
    ),
    "login expired": ("print('Session expired. Please run /login'); sys.exit(1)", ErrorKind.KEY),
    "not logged in, exit code 0": ("print('You are not logged in.')", ErrorKind.KEY),
    "no credit": ("print('Credit balance is too low')", ErrorKind.MONEY),
    "unknown model": ("sys.stderr.write('model foo does not exist'); sys.exit(1)", ErrorKind.UNKNOWN_MODEL),
    "limit of a session": (
        "print('You\\'ve hit your session limit · resets 3pm'); sys.exit(1)",
        ErrorKind.RATE_LIMIT,
    ),
    "took too long": ("print('The request took too long'); sys.exit(1)", ErrorKind.SERVER),
    "refused option": (
        "sys.exit('Error: Error code: 400 - Unsupported parameter: temperature')",
        ErrorKind.REQUEST,
    ),
    "too long": ("sys.stderr.write('Prompt is too long'); sys.exit(1)", ErrorKind.TOO_LONG),
    "half a reply, then an error": (f"sys.stdout.write({REPLY!r}); sys.exit(3)", ErrorKind.SERVER),
    "half a reply, then a signal": (
        f"sys.stdout.write({REPLY!r}); sys.stdout.flush(); os.kill(os.getpid(), 9)",
        ErrorKind.SERVER,
    ),
    "nothing": ("pass", ErrorKind.EMPTY),
    "blank": ("print('   ')", ErrorKind.EMPTY),
    "reads nothing and fails": ("os.close(0); sys.exit(7)", ErrorKind.SERVER),
    "50 MB": ("[sys.stdout.write('x' * 1024) for _ in range(50 * 1024)]", ErrorKind.GARBAGE),
}


@pytest.mark.parametrize("habit", FAULTS)
def test_habits_that_are_no_reply_become_errors_of_their_kind(habit, stand_in):
    """Limits, logins, deaths and floods are sorted as other providers' errors are; none gives a candidate."""
    text, kind = FAULTS[habit]
    assert fault(stand_in(text)).kind is kind


@pytest.mark.parametrize(
    ("reply", "ended"), [(REPLY, ReplyEnding.WHOLE), (REPLY.removesuffix("```\n"), ReplyEnding.UNKNOWN)]
)
def test_half_a_program_with_exit_code_0_is_no_candidate(reply, ended, stand_in):
    """A program's text has no finish reason: an open fence shows that the reply was cut."""
    found = ask(stand_in(f"sys.stdout.write({reply!r})"))
    assert ending(found.finish_reason) is ended
    if ended is ReplyEnding.UNKNOWN:
        with pytest.raises(EditError, match="in the middle of the program"):
            apply_reply(found.text, "", "rule", ending(found.finish_reason))


def test_a_finish_reason_in_a_document_is_that_of_the_reply(stand_in):
    """Cut at its limit, or withheld, with or without text; what was never whole is no empty reply."""
    for text in (REPLY, ""):
        printed = json.dumps({**CLAUDE, "result": text, "stop_reason": "max_tokens"})
        reply = ask(stand_in(f"print({printed!r})", "claude", "claude/m"))
        assert (reply.text, ending(reply.finish_reason)) == (text, ReplyEnding.CUT)


def test_a_reply_that_speaks_of_limits_is_a_reply(stand_in):
    """Words of faults inside a program's text, with exit code 0, change nothing."""
    text = "def rule(x):\n    # rate limit, 429, not logged in\n    return x\n"
    reply = ask(stand_in(f"print({'```python' + chr(10) + text + '```'!r})"))
    assert "rate limit" in reply.text


def test_faults_in_documents_are_errors(stand_in):
    """Each preset's own way to report a fault, though the exit code may be 0."""
    error = {**CLAUDE, "is_error": True, "result": f"Claude AI usage limit reached|{int(time.time()) + 900}"}
    limit = fault(stand_in(f"print({json.dumps(error)!r})", "claude", "claude/m"))
    assert limit.kind is ErrorKind.RATE_LIMIT
    assert 800 < limit.retry_after <= 900
    turns = {
        "type": "result",
        "subtype": "error_max_turns",
        "errors": ["Reached maximum number of turns (1)"],
    }
    ended = fault(stand_in(f"print({json.dumps(turns)!r})", "claude", "claude/m"))
    assert "Reached maximum number of turns" in ended.sentence
    failed = {"type": "turn.failed", "error": {"message": "You've hit your usage limit."}}
    assert fault(stand_in(f"print({json.dumps(failed)!r})", "codex", "codex/m")).kind is ErrorKind.RATE_LIMIT
    denied = {"error": {"type": "ApiError", "message": "Please log in again", "code": 401}}
    assert fault(stand_in(f"print({json.dumps(denied)!r})", "gemini", "gemini/m")).kind is ErrorKind.KEY


def test_a_wait_in_words_is_kept(stand_in):
    """`in 5 minutes` becomes seconds, and the caller waits that long."""
    assert fault(stand_in("print('rate limit, try again in 5 minutes')")).retry_after == 300


def test_a_slow_program_is_ended_with_its_children(stand_in, tmp_path):
    """After the time limit neither the program nor what it forked is alive, pipes held open or not."""
    marks = tmp_path / "pids"
    text = (
        "if os.fork() == 0:\n"
        f"    open({str(marks)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    time.sleep(600)\n"
        f"open({str(marks)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "time.sleep(600)"
    )
    error = fault(stand_in(text), seconds=2)
    assert error.kind is ErrorKind.TIMEOUT
    assert error.unknown_outcome
    assert "timeout_seconds" in str(error)
    _assert_gone(marks, 2)


def test_a_program_that_leaves_a_child_behind_does_not_hold_the_reply(stand_in, tmp_path):
    """The reply is there when the program has ended, though a child keeps its output open; the child ends."""
    marks = tmp_path / "pids"
    text = (
        f"sys.stdout.write({REPLY!r})\nsys.stdout.flush()\n"
        "if os.fork() == 0:\n"
        f"    open({str(marks)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    time.sleep(600)\n"
        f"while not os.path.exists({str(marks)!r}):\n    time.sleep(0.01)\n"
        "os._exit(0)"
    )
    assert ask(stand_in(text)).text == REPLY
    _assert_gone(marks, 1)


def _assert_gone(marks, count):
    """That all processes noted in a file have ended."""
    pids = [int(line) for line in marks.read_text().split()]
    assert len(pids) == count
    deadline = time.monotonic() + 10
    while any(_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_closing_a_model_ends_its_programs(stand_in):
    """A campaign that ends does not wait for a program that thinks."""
    model = stand_in("time.sleep(600)")
    threading.Timer(0.5, model.close).start()
    started = time.monotonic()
    error = fault(model, seconds=500)
    assert error.kind is ErrorKind.CLOSED
    assert time.monotonic() - started < 60


def test_a_prompt_larger_than_a_pipe_meets_an_equally_large_reply(stand_in):
    """A program that writes before it has read all does not stand still."""
    model = stand_in("for line in sys.stdin:\n    sys.stdout.write(line.upper())")
    prompt = Prompt("", "word\n" * 300_000)
    reply = model.complete(Request(prompt, 1000, 60.0, 1))
    assert reply.text == prompt.user.upper()


def test_keys_in_a_program_s_complaint_are_hidden(stand_in):
    """A program that prints the key it got does not put the key into the record."""
    given = {"CLAUDE_CODE_OAUTH_TOKEN": "tok-123456789abc"}
    text = "sys.stderr.write('bad token ' + os.environ['CLAUDE_CODE_OAUTH_TOKEN']); sys.exit(1)"
    error = fault(stand_in(text, "claude", "claude/m", given))
    assert "tok-123456789abc" not in str(error)
    assert "***" in str(error)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("command:", "names no program"),
        ("command:no-such-program-here x", "no program 'no-such-program-here' in PATH"),
        ("command:'unclosed", "quote it as a shell would"),
        ("claude/some-model", "no program 'claude' in PATH"),
    ],
)
def test_a_program_that_is_not_there_is_said_before_anything_is_asked(spec, words, tmp_path):
    """What was given, what is missing, and what to do."""
    with pytest.raises(ModelError, match=words) as caught:
        build_model(ModelSettings(spec=spec), Surroundings(environment={"PATH": str(tmp_path)}))
    assert caught.value.recourse is Recourse.PERSON
