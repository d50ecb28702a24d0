"""What the tests of several folders share: a program's source, and the command, run in this process."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any

import pytest
from gapsmith.app.check import CheckReport
from gapsmith.cli import main
from gapsmith.problems.base import Instance, Problem
from gapsmith.sandbox.policy import Policy
from gapsmith.sandbox.slot import Slot, open_sandbox
from hypothesis import HealthCheck, settings
from typer.testing import CliRunner

Done = subprocess.CompletedProcess[str]

# What is compiled is kept for the processes that tests start, whatever the environment says of bytecode.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow what the marker `quick` of a parametrized test does not name."""
    for item in items:
        quick = item.get_closest_marker("quick")
        if isinstance(item, pytest.Function) and quick and item.callspec.id not in quick.args:
            item.add_marker(pytest.mark.slow)


settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")  # how fast a machine draws inputs is no property of the code


class LentSlot:
    """A sandbox slot that goes back to the tests' store of slots when it is closed."""

    def __init__(self, slot: Slot, store: list[Slot]) -> None:
        self._slot, self._store, self._closed = slot, store, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._slot, name)

    def __enter__(self) -> LentSlot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the slot back, once."""
        if not self._closed:
            self._closed = True
            self._store.append(self._slot)


@pytest.fixture(scope="session")
def slots() -> Iterator[Callable[[Policy | None], LentSlot]]:
    """Opens sandbox slots and takes them back: a short campaign spends most of its time on starting them."""
    stores: dict[str, list[Slot]] = {}
    lock = Lock()

    def lend(policy: Policy | None = None) -> LentSlot:
        wanted = policy or Policy()
        with lock:
            store = stores.setdefault(wanted.digest, [])
            slot = store.pop() if store else None
        return LentSlot(slot or open_sandbox(wanted), store)

    yield lend
    for store in stores.values():
        for slot in store:
            slot.close()


@pytest.fixture(autouse=True)
def _no_quick_checks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`run FILE` makes no quick check, which takes seconds, except where a module sets `QUICK_CHECKS`."""
    if not getattr(request.module, "QUICK_CHECKS", False):
        passed = lambda spec, *_, **__: CheckReport(spec)  # noqa: E731
        monkeypatch.setattr("gapsmith.app.check.check_record.check_problem", passed)


@pytest.fixture
def answer_of() -> Callable[[Problem, str, Instance], Any]:
    """Runs a program's source on a copy of an instance's public part, in this process; its answer as JSON."""

    def run(problem: Problem, source: str, instance: Instance) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        answer = scope[problem.entry_point](**copy.deepcopy(dict(instance.public)))
        return json.loads(json.dumps(answer))

    return run


@pytest.fixture
def gapsmith(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs the command in this process: `gapsmith("show", "latest", COLUMNS="80")`, None removes a variable.

    Exit code and output are those of a process of its own; only the start of the process is saved.
    """

    def run(*words: str, **environment: str | None) -> Done:
        with monkeypatch.context() as patch, CliRunner().isolation(env=environment) as (out, errors, *_):
            patch.setattr(sys, "argv", ["gapsmith", *words])
            code: Any = 0
            try:
                main()
            except SystemExit as ended:
                code = ended.code or 0
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            texts = [stream.getvalue().decode().replace("\r\n", "\n") for stream in (out, errors)]
        return subprocess.CompletedProcess(words, code, *texts)

    return run
