"""A reference that never returns is named, and holds up nobody who gives up waiting for it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gapsmith.app.errors import INTERRUPTED
from gapsmith.app.plugins import sources as plugin_sources
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup import references
from gapsmith.problems.base import Instance

Planted = Callable[..., Path]
LINE = 'durations = sorted(instance.public["durations"], reverse=True)'


def test_the_instance_that_is_being_solved_is_named(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After the seconds that were asked for and some patience a line names it; in good time nothing does."""
    slow = load_problem(str(planted((LINE, f"__import__('time').sleep(0.3)\n        {LINE}"))))
    instance = slow.instances("train", 1)[0]
    with caplog.at_level(logging.WARNING):
        slow.reference(instance, 0.05)
        assert not caplog.messages
        monkeypatch.setattr(plugin_sources, "PATIENCE_SECONDS", 0.05)
        slow.reference(instance, 0.05)
    assert f"reference of {instance.id}: not done after 0 s, expected within about 0.05 s" in caplog.text


def test_nobody_waits_for_what_never_returns() -> None:
    """Results come as they are there; whoever stops asking goes on at once, and nothing more is begun."""
    forever, begun = threading.Event(), []

    def one(instance: Instance) -> str:
        begun.append(instance.id)
        if instance.id == "1":
            forever.wait()
        return instance.id

    instances = [Instance(str(n), "train", "s", {}, 1, "test") for n in range(3)]
    results = references.parallel(one, instances, 2)
    assert sorted(next(results)[1] for _ in range(2)) == ["0", "2"]
    results.close()  # type: ignore[attr-defined]
    single = references.parallel(one, instances[1:], 1)
    threading.Timer(0.05, forever.set).start()
    assert [result for _, result in single] == ["1", "2"]


def test_what_a_reference_raises_reaches_the_caller() -> None:
    """An error in a thread is the caller's error."""

    def one(instance: Instance) -> str:
        raise ValueError(f"no reference of {instance.id}")

    with pytest.raises(ValueError, match="no reference of 0"):
        list(references.parallel(one, [Instance("0", "train", "s", {}, 1, "test")], 4))


@pytest.mark.slow
@pytest.mark.parametrize("words", [("run", "--evaluations", "3"), ("problems", "check")])
def test_an_interruption_ends_it(planted: Planted, words: tuple[str, ...]) -> None:
    """Ctrl-C while a reference is awaited ends the command with its own exit code, and at once."""
    waiting = "open('begun', 'w').close()\n        while True: __import__('time').sleep(0.01)"
    path = planted((LINE, f"{waiting}\n        {LINE}"))
    command = [sys.executable, "-m", "gapsmith.cli", *words, str(path)]
    process = subprocess.Popen(
        command,
        cwd=path.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        # A shell that runs the tests in its background has them ignore Ctrl-C, and what they start too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        ends = time.monotonic() + 60
        while not (path.parent / "begun").exists() and time.monotonic() < ends:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == INTERRUPTED
    assert b"interrupted" in said
