"""A slot: one warm fork server, one sealed child per (program, instance). The public door of the sandbox."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import marshal
import os
import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from types import TracebackType

from . import checks, descriptions, verdicts
from .base import (
    MAX_SOURCE_BYTES,
    Description,
    Execution,
    ExecutionStatus,
    Led,
    Limits,
    Program,
    SandboxDialogue,
    SandboxError,
)
from .conversation import Conversation
from .policy import Policy
from .process import ChildEnd, Server, ServerDied
from .sealed.protocol import DESCRIBE, JOB, PROBE, RUN

_DESCRIBE_LIMITS = Limits(cpu_seconds=5.0, memory_bytes=1 << 30, output_bytes=8 << 20)
_SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


class Slot:
    """Runs untrusted programs one at a time; use one slot per thread, and close it."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._server: Server | None = _start(policy)
        self._encoded: tuple[Program, bytes] | None = None

    def __enter__(self) -> Slot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the slot's processes; the slot starts anew if it is used again."""
        server, self._server = self._server, None
        if server is not None:
            server.close()

    @property
    def server(self) -> Server:
        """The running server, started when there is none."""
        if self._server is None:
            self._server = _start(self.policy)
        return self._server

    def report(self) -> Mapping[str, checks.Layer]:
        """State of every layer as the server put it on."""
        return {name: checks.Layer(*state) for name, state in self.server.layers.items()}

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: SandboxDialogue | Led | None = None,
    ) -> Execution:
        """Runs a program on the public part of an instance.

        Args:
            program: files, entry point and driver.
            instance: UTF-8 JSON object, the entry point's keyword arguments.
            limits: what the child may use.
            seed: non-negative integer below 2**64 for `random` and numpy.
            dialogue: the parent's side of an interactive instance; its `answer()` is then the answer.

        Raises:
            SandboxError: the sandbox does not work here; says nothing about the program.
        """
        begun = perf_counter()
        try:
            source = self._encode(program)
        except ValueError as error:
            return Execution(ExecutionStatus.REFUSED, error=str(error), wall_seconds=perf_counter() - begun)
        head = JOB.pack(seed, len(source), len(instance), dialogue is not None)
        with _Files([head, source, instance]) as files:
            if dialogue is None:
                verdict = self._job(RUN, limits, files)
                return verdicts.read(verdict, limits, files, perf_counter() - begun)
            with Conversation(dialogue) as talk:
                verdict = self._job(RUN, limits, files, talk)
                return verdicts.read(verdict, limits, files, perf_counter() - begun, talk)

    def describe(self, text: str, entry_point: str) -> Description:
        """Describes a text in a sealed child; runs nothing of it.

        Raises:
            SandboxError: the sandbox does not work here; says nothing about the text.
        """
        try:
            raw = text.encode()
        except UnicodeEncodeError:
            return Description(error="the text is not valid Unicode: it has a lone surrogate")
        if len(raw) > MAX_SOURCE_BYTES:
            return Description(
                error=f"the text has {len(raw)} bytes, at most {MAX_SOURCE_BYTES}", too_large=True
            )
        return descriptions.read(self._ask(DESCRIBE, entry_point.encode(), raw, _DESCRIBE_LIMITS))

    def probe(self, name: str, limits: Limits) -> Execution:
        """Runs one attack of the self-test; its answer is True when it got through."""
        return self._ask(PROBE, name.encode(), b"", limits)

    def _ask(self, kind: int, first: bytes, second: bytes, limits: Limits) -> Execution:
        begun = perf_counter()
        with _Files([JOB.pack(0, len(first), len(second), False), first, second]) as files:
            verdict = self._job(kind, limits, files)
            return verdicts.read(verdict, limits, files, perf_counter() - begun)

    def _job(self, kind: int, limits: Limits, files: _Files, talk: Conversation | None = None) -> ChildEnd:
        """One job, on a second server if the first one is gone; never twice where a dialogue has begun."""
        try:
            return self._try(kind, limits, files, talk)
        except ServerDied as error:
            self.close()
            if talk is not None and talk.ending.begun:
                raise SandboxError(
                    "platform", f"the sandbox server died: {error}", "run the command again"
                ) from error
        files.fresh()
        try:
            return self._try(kind, limits, files, talk)
        except ServerDied as error:
            self.close()
            raise SandboxError(
                "platform", f"the sandbox server died twice on one job: {error}", "run `gapsmith doctor`"
            ) from error

    def _try(self, kind: int, limits: Limits, files: _Files, talk: Conversation | None) -> ChildEnd:
        server = self.server
        try:
            ends = talk.child_ends() if talk is not None else ()
            wanted = (limits.cpu_seconds, limits.wall_seconds, limits.memory_bytes, limits.output_bytes)
            place = talk.place if talk is not None else -1
            server.begin(kind, wanted, (files.job, files.output, files.answer, files.noting, *ends), place)
            if talk is not None:
                talk.run()
                if talk.ending.finished or talk.ending.broken is not None:
                    server.stop_job()
            return server.finish()
        except ServerDied:
            raise
        except BaseException:  # the reply of this job is still under way: never read it as the next one's
            self.close()
            raise

    def _encode(self, program: Program) -> bytes:
        """The program as the child reads it; kept, for a candidate meets many instances in a row.

        Raises:
            ValueError: the program is over a cap or has a path that no candidate may have.
        """
        if self._encoded is not None and self._encoded[0] is program:
            return self._encoded[1]
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in program.files.values())
        if size > MAX_SOURCE_BYTES:
            raise ValueError(f"the program has {size} bytes, at most {MAX_SOURCE_BYTES} are run")
        for path in program.files:
            parts = path.removesuffix(".py").split("/")
            if not path.endswith(".py") or not all(part.isidentifier() for part in parts):
                raise ValueError(
                    f"the program has a file {path!r:.80}, expected relative names such as util/pick.py"
                )
        body = {
            "files": dict(program.files),
            "entry": program.entry_point,
            "driver": None if program.driver is None else _compiled(program.driver),
            "anew": program.anew,
        }
        encoded = json.dumps(body).encode()
        self._encoded = (program, encoded)
        return encoded


@lru_cache(maxsize=64)
def _compiled(driver: str) -> str:
    """A driver's code object, marshalled, in base64: the interpreter of the children is the tool's own.

    A child that compiled the text itself would need one to three milliseconds for each execution.

    Raises:
        ValueError: the text is no Python.
    """
    try:
        code = compile(driver, "<driver>", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ValueError(f"the problem's driver is no Python: {error}") from error
    return base64.b64encode(marshal.dumps(code)).decode("ascii")


class _Files:
    """Job, output and answer of one execution as descriptors of memory; closed at the end of the `with`."""

    def __init__(self, parts: list[bytes]) -> None:
        self._open: list[int] = []
        try:
            self.job = self._new(os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            size = sum(map(len, parts))
            written = os.pwritev(self.job, parts, 0)
            if written != size:
                raise OSError(f"wrote {written} of {size} bytes of a job")
            fcntl.fcntl(self.job, fcntl.F_ADD_SEALS, _SEALS)
            self.output = self._new(os.MFD_CLOEXEC)
            self.answer = self._new(os.MFD_CLOEXEC)
            self.marks, self.noting = os.pipe2(os.O_CLOEXEC)
            self._open += self.marks, self.noting
            os.set_blocking(self.marks, False)
        except BaseException:
            self.close()
            raise

    def _new(self, flags: int) -> int:
        descriptor = os.memfd_create("gapsmith", flags)
        self._open.append(descriptor)
        return descriptor

    def fresh(self) -> None:
        """Forgets what a first try wrote."""
        for descriptor in (self.output, self.answer):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)

    def close(self) -> None:
        """Closes every descriptor."""
        for descriptor in self._open:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._open.clear()

    def __enter__(self) -> _Files:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


_tested: set[str] = set()
_testing = threading.Lock()
_active: dict[str, dict[str, bool]] = {}
"""Digest of a policy → layer → whether every server of this process and of its workers had it on."""


def _start(policy: Policy) -> Server:
    server = Server(policy)
    count_layers(policy, {name: bool(state[0]) for name, state in server.layers.items()})
    return server


def count_layers(policy: Policy, layers: Mapping[str, bool]) -> None:
    """Counts the layers (name → whether it was on) of a server of this process or of a worker."""
    states = _active.setdefault(policy.digest, {})
    for name, on in layers.items():
        states[name] = states.get(name, True) and on


def active_layers(policy: Policy) -> dict[str, bool]:
    """Layer → whether it was on in every server that this process or its workers started under a policy.

    Empty before the first slot is opened.
    """
    return dict(_active.get(policy.digest, {}))


def open_sandbox(policy: Policy | None = None) -> Slot:
    """Opens one slot; the caller closes it (or uses it as a context manager).

    The first slot of a process under a policy runs the self-test before anybody gets it.

    Args:
        policy: importable modules and switched-off layers; the default policy when left out.

    Raises:
        SandboxError: no candidate can be run safely here; says which layer, why, and what to do.
    """
    slot = Slot(policy or Policy())
    try:
        with _testing:
            if slot.policy.digest not in _tested:
                checks.check(slot)
                _tested.add(slot.policy.digest)
    except BaseException:
        slot.close()
        raise
    return slot


def self_test(policy: Policy | None = None, honest: Sequence[checks.Honest] = ()) -> checks.SelfTest:
    """Runs the self-test now, on a server of its own.

    Args:
        policy: importable modules and switched-off layers; the default policy when left out.
        honest: programs that must come through, beside the self-test's own.

    Raises:
        SandboxError: an attack got through although its layer is not switched off, or an honest program did
            not.
    """
    with Slot(policy or Policy()) as slot:
        return checks.check(slot, honest)


def layers(policy: Policy | None = None) -> Mapping[str, checks.Layer]:
    """State of every layer, for `doctor`; never raises for a layer that is missing."""
    try:
        with Slot(policy or Policy()) as slot:
            slot.probe(
                "open a file", checks.TRIAL
            )  # the layers of a child are known when a child has put them on
            return slot.report()
    except SandboxError as error:
        return checks.unavailable(error)
