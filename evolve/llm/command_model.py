"""`command:PROGRAM`, `agent:PROGRAM`: a program as a model; apart, as only a chosen provider is loaded.

For subscriptions and servers that no provider speaks to. The presets `claude/NAME`, `codex/NAME` and
`gemini/NAME` know how these programs are called without their tools, and what they print.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from ..types import Completion
from .base import ErrorKind, ModelError, Request, plain_wait
from .chat import LABEL, MOST_BYTES, clip
from .command_output import (
    HINTS,
    Printed,
    Reading,
    fault_of,
    read_claude,
    read_codex,
    read_gemini,
    read_text,
    wait_of,
)
from .edits import fences
from .keys import SecretKeys
from .reply_text import ReplyEnding, ending
from .settings import AGENT, COMMAND, PROGRAMS, ModelSettings

# Runs a program once: text in, text out, with a limit on time and output, and nothing left running.

_CHUNK = 65_536
_TICK = 0.05
"""Wall seconds between looks at the clock and at `stop`."""
_LAST_WORDS = 1.0
"""Wall seconds that output may follow the end of a program: whatever it left running is ended then."""


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """How a program ended.

    Attributes:
        output: standard output (UTF-8, other bytes replaced), at most `most` bytes of it.
        errors: the last bytes of standard error, likewise.
        code: exit code, negative for a signal; None where the program was ended from here.
        late: whether its time ran out.
        flooded: whether it wrote more than `most` bytes.
        stopped: whether the caller gave it up.
        seconds: wall time.
    """

    output: str
    errors: str
    code: int | None
    late: bool
    flooded: bool
    stopped: bool
    seconds: float


def run_program(
    arguments: Sequence[str],
    text: str,
    environment: Mapping[str, str],
    folder: str,
    *,
    seconds: float,
    most: int,
    stop: Callable[[], bool],
    floods: bool = False,
) -> ProgramEnd:
    """Runs a program in a process group of its own, which is killed at the end.

    Args:
        arguments: the program's path and its arguments; no shell reads them.
        text: its standard input.
        environment: all variables that it gets.
        folder: in which it works.
        seconds: wall seconds until it is killed, > 0.
        most: bytes of standard output that it may write.
        stop: whether it is to be given up; asked every `_TICK`.
        floods: whether it may write more, of which the last bytes are kept.

    Raises:
        OSError: the program cannot be started.
    """
    started = time.monotonic()
    process = subprocess.Popen(
        list(arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=dict(environment),
        start_new_session=True,
    )
    try:
        pipes = _Pipes(process, text.encode(errors="replace"), most, floods)
        late, stopped = pipes.exchange(started + seconds, stop)
    finally:
        _end_group(process)
    gave_up = late or stopped or pipes.flooded
    return ProgramEnd(
        output=pipes.text("stdout"),
        errors=pipes.text("stderr"),
        code=None if gave_up else process.returncode,
        late=late,
        flooded=pipes.flooded,
        stopped=stopped,
        seconds=time.monotonic() - started,
    )


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the program and whatever it left running in its group, and closes the pipes."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    process.wait()


class _Pipes:
    """The three pipes of a program, served together so that none of them can block the others."""

    def __init__(self, process: subprocess.Popen[bytes], text: bytes, most: int, floods: bool) -> None:
        self._process = process
        self._text = memoryview(text)
        self._most = {"stdout": most, "stderr": _CHUNK}
        self._ends = {"stderr", "stdout"} if floods else {"stderr"}  # errors come last
        self._read = {"stdout": bytearray(), "stderr": bytearray()}
        self._selector = selectors.DefaultSelector()
        for name in ("stdin", "stdout", "stderr"):
            pipe: IO[bytes] = getattr(process, name)
            os.set_blocking(pipe.fileno(), False)
            event = selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ
            serve: Callable[[IO[bytes]], None] = self._write if name == "stdin" else self._reader(name)
            self._selector.register(pipe, event, serve)
        self.flooded = False

    def text(self, name: str) -> str:
        """What was read of a stream."""
        return self._read[name].decode(errors="replace")

    def exchange(self, deadline: float, stop: Callable[[], bool]) -> tuple[bool, bool]:
        """Serves the pipes until the program ends; whether its time ran out, and whether it was given up."""
        with self._selector:
            while not self.flooded:
                if stop():
                    return False, True
                if time.monotonic() >= deadline:
                    return True, False
                if self._process.poll() is not None:
                    deadline = min(deadline, time.monotonic() + _LAST_WORDS)
                    while self._open_outputs() and not self.flooded and time.monotonic() < deadline:
                        self._serve()
                    return False, False
                self._serve()
            return False, False

    def _open_outputs(self) -> bool:
        return any(key.events == selectors.EVENT_READ for key in self._selector.get_map().values())

    def _serve(self) -> None:
        if not self._selector.get_map():
            time.sleep(_TICK)
        for key, _ in self._selector.select(_TICK):
            key.data(key.fileobj)

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._text = self._text[os.write(pipe.fileno(), self._text[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # the program reads no further, which is its own business
            self._text = self._text[:0]
        if not self._text:
            self._close(pipe)

    def _reader(self, name: str) -> Callable[[IO[bytes]], None]:
        def read(pipe: IO[bytes]) -> None:
            with suppress(BlockingIOError):
                chunk = os.read(pipe.fileno(), _CHUNK)
                if not chunk:
                    self._close(pipe)
                self._keep(name, chunk)

        return read

    def _keep(self, name: str, chunk: bytes) -> None:
        kept = self._read[name]
        kept += chunk
        if name in self._ends:
            del kept[: max(0, len(kept) - self._most[name])]
        elif len(kept) > self._most[name]:
            self.flooded = True
            del kept[self._most[name] :]

    def _close(self, pipe: IO[bytes]) -> None:
        self._selector.unregister(pipe)
        pipe.close()


NAME = "{NAME}"
"""Stands for the model's name in a preset's arguments."""
_PASSED_ON = frozenset(
    (
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
    )
)
"""Variables that every program gets, beside those of the locale and of XDG."""
_PREFIXES_PASSED_ON = ("LC_", "XDG_")
_SHORT = 600
"""Characters up to which a reply without a code block may be a fault in words, printed with exit code 0."""
_SAID_WITH_CODE_0 = (ErrorKind.MONEY, ErrorKind.RATE_LIMIT, ErrorKind.KEY)
_OPEN_FENCE = "open fence"
"""Finish reason, which no list holds, of a reply with an open fence whose program tells no other."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How a known program is called.

    Attributes:
        arguments: with `{NAME}` in the place of the model's name; none of its tools is switched on.
        read: what it prints.
        variables: beginnings of the names of its own variables, which it gets too.
        agent: arguments with which it works with its tools and asks nobody.
    """

    arguments: tuple[str, ...]
    read: Reading
    variables: tuple[str, ...]
    agent: tuple[str, ...]


PRESETS: Mapping[str, Preset] = {
    "claude": Preset(
        ("claude", "-p", "--output-format", "json", "--model", NAME, "--tools", "", "--strict-mcp-config"),
        read_claude,
        ("CLAUDE_", "ANTHROPIC_"),
        (
            *("claude", "-p", "--output-format", "json", "--model", NAME, "--strict-mcp-config"),
            *("--allowedTools", "Bash,Read,Write,Edit,Glob,Grep"),
        ),
    ),
    "codex": Preset(
        ("codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "read-only", "--model", NAME, "-"),
        read_codex,
        ("CODEX_", "OPENAI_"),
        # The sandbox of codex would forbid the run's folder, and the sandbox of candidates.
        (
            *("codex", "exec", "--json", "--skip-git-repo-check", "--sandbox", "danger-full-access"),
            *("--model", NAME, "-"),
        ),
    ),
    "gemini": Preset(
        ("gemini", "--model", NAME, "--output-format", "json"),
        read_gemini,
        ("GEMINI_", "GOOGLE_"),
        ("gemini", "--model", NAME, "--output-format", "json", "--approval-mode", "yolo"),
    ),
}


@dataclass(frozen=True, slots=True)
class CommandProgram:
    """A program that is there, and how it is called.

    Attributes:
        spec: the specification.
        arguments: its path and its arguments.
        environment: all variables that it gets.
        read: what it prints.
        keys: what is hidden in the sentences of errors.
    """

    spec: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    read: Reading
    keys: SecretKeys

    def fault(self, end: ProgramEnd, printed: Printed) -> ModelError | None:
        """What the program reports, by its exit code, in its document, or in words alone; None if nothing."""
        short = len(printed.text) <= _SHORT and "```" not in printed.text
        good = end.code == 0 and printed.fault is None
        if good and not (short and fault_of(printed.text or end.errors) in _SAID_WITH_CODE_0):
            return None
        words = printed.fault or (printed.text if short else "") or ""
        words = "\n".join(part for part in (end.errors.strip()[-2000:], words.strip()) if part)
        ended = "" if end.code in (0, None) else f" (exit code {end.code})"
        kind = fault_of(words) or ErrorKind.SERVER
        hint = HINTS.get(kind, "")
        said = clip(self.keys.hide(words)) or "nothing"
        return self.error(
            kind,
            f"the program says{ended}: {said}" + (f"; {hint}" if hint else ""),
            unknown=kind is ErrorKind.SERVER,
            wait=wait_of(words, time.time()) if kind is ErrorKind.RATE_LIMIT else None,
        )

    def error(
        self, kind: ErrorKind, said: str, *, unknown: bool = False, wait: float | None = None
    ) -> ModelError:
        """An error whose sentence begins with the specification."""
        return ModelError(kind, f"{self.spec}: {said}", unknown_outcome=unknown, retry_after=plain_wait(wait))


class CommandModel:
    """A program that is started anew for each question."""

    def __init__(self, program: CommandProgram) -> None:
        self._program = program
        self._closing = threading.Event()

    @property
    def name(self) -> str:
        """The specification."""
        return self._program.spec

    def close(self) -> None:
        """Ends the programs that run; see `Closable`."""
        self._closing.set()

    def complete(self, request: Request) -> Completion:
        """The reply of one start of the program in an empty folder; see `Model`.

        A time limit, a flood of output, a fault in words and an exit code other than 0 are errors, whatever
        was printed before: half a reply is none.
        """
        program = self._program
        prompt = "\n\n".join(part for part in (request.prompt.system, request.prompt.user) if part)
        try:
            with tempfile.TemporaryDirectory(prefix="gapsmith-command-", ignore_cleanup_errors=True) as room:
                end = run_program(
                    program.arguments,
                    prompt,
                    program.environment,
                    room,
                    seconds=request.timeout_seconds,
                    most=MOST_BYTES,
                    stop=self._closing.is_set,
                )
        except OSError as error:
            raise program.error(ErrorKind.MISSING, f"cannot be started: {error.strerror or error}") from None
        self._check_time_and_size(end, request)
        printed = program.read(end.output)
        if (fault := program.fault(end, printed)) is not None:
            raise fault
        cut = ending(printed.finish) in (ReplyEnding.CUT, ReplyEnding.WITHHELD)
        if not printed.text.strip() and not cut:
            raise program.error(ErrorKind.EMPTY, "printed no reply", unknown=True)
        blocks = fences(printed.text)
        seems = _OPEN_FENCE if blocks and not blocks[-1].closed else "stop"
        return Completion(
            text=printed.text,
            model=clip(printed.model, LABEL) if printed.model else program.spec,
            tokens_in=printed.tokens_in,
            tokens_out=printed.tokens_out,
            cost_usd=printed.cost_usd,
            seconds=end.seconds,
            finish_reason=clip(printed.finish or seems, LABEL),
            tokens_cached=printed.tokens_cached,
        )

    def _check_time_and_size(self, end: ProgramEnd, request: Request) -> None:
        if end.stopped:
            raise self._program.error(ErrorKind.CLOSED, "was ended: the campaign is ending", unknown=True)
        if end.late:
            limit = f"{request.timeout_seconds:g} seconds"
            raise self._program.error(
                ErrorKind.TIMEOUT, f"no reply within {limit} (timeout_seconds)", unknown=True
            )
        if end.flooded:
            said = f"printed more than {MOST_BYTES:,} bytes, expected one reply"
            raise self._program.error(ErrorKind.GARBAGE, said, unknown=True)


def program_of(settings: ModelSettings, environment: Mapping[str, str]) -> CommandProgram:
    """The program of `command:PROGRAM ARGUMENTS`, `agent:PROGRAM ARGUMENTS`, or of a preset.

    Raises:
        ModelError: the program is not there, or the specification names none; says how to fix it.
    """
    spec = settings.spec
    prefix = next((prefix for prefix in PROGRAMS if spec.startswith(prefix)), "")
    kind, slash, name = spec.removeprefix(AGENT).partition("/")
    row = PRESETS.get(kind) if slash and name and prefix != COMMAND else None
    if row is None:
        row = Preset(_words(spec, prefix), read_text, (), _words(spec, prefix))
    named_words = row.agent if prefix == AGENT else row.arguments
    program, *rest = [name if word == NAME else word for word in named_words]
    # An empty or relative place would be the folder in which the command is given.
    places = [place for place in environment.get("PATH", os.defpath).split(":") if os.path.isabs(place)]
    path = shutil.which(program, path=":".join(places))
    if path is None:
        raise ModelError(
            ErrorKind.MISSING,
            f"{spec}: no program {program!r} in PATH; install it, or give its path: "
            f"{prefix or COMMAND}/PATH/TO/PROGRAM",
        )
    named = {settings.api_key_env} if settings.api_key_env else set()
    variables = {
        key: value
        for key, value in environment.items()
        if key.upper() in _PASSED_ON or key in named or key.startswith((*_PREFIXES_PASSED_ON, *row.variables))
    }
    # No colours, no full screen: what is printed is read by a program.
    variables |= {"TERM": "dumb", "NO_COLOR": "1", "PATH": ":".join(places)}
    return CommandProgram(
        spec, (os.path.abspath(path), *rest), variables, row.read, SecretKeys.of(environment)
    )


def _words(spec: str, prefix: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(spec.removeprefix(prefix)))
    except ValueError as error:
        raise ModelError(ErrorKind.REQUEST, f"{spec}: {error}; quote it as a shell would") from None
    if not words:
        raise ModelError(ErrorKind.REQUEST, f"{spec}: names no program, expected {prefix}PROGRAM ARGUMENTS")
    return words
