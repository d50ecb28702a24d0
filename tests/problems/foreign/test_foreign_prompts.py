"""What a model reads of a foreign task: its statement, its scores and what its evaluator reported."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Make = Callable[..., Path]
EVALUATOR = """
def evaluate(path):
    size = load(path).radius()
    log = "ends at \\x1b[31m" + str(size) + "\\u202e" + "x" * 50000
    return {"combined_score": -abs(size - 1.0), "ok": True, "artifacts": {"log": log}}
"""


@pytest.mark.slow
def test_prompt_holds_feedback_and_contacts_nobody(task: Make, tmp_path: Path) -> None:
    """Statement, score and cleaned, capped artifacts are shown; no address of the task is contacted."""
    pytest.importorskip("yaml")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        config = f"llm:\n  api_base: {address}\n  models:\n    - name: x\n      api_base: {address}\n"
        config += "prompt:\n  system_message: Grow the circle.\n"
        folder = task(EVALUATOR, config)
        words = ["run", f"openevolve:{folder}", "--model", "manual", "--iterations", "1"]
        process = subprocess.Popen(
            [sys.executable, "-m", "gapsmith.cli", *words, "--runs", str(tmp_path / "runs")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline, prompts = time.monotonic() + 120, list[Path]()
        while not prompts and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.2)
            prompts = list(tmp_path.glob("runs/*/mailbox/0001.md"))
        text = prompts[0].read_text()
        reply = prompts[0].with_name("0001.reply.md")
        reply.with_suffix(".part").write_text("skip")
        os.replace(reply.with_suffix(".part"), reply)
        process.wait(120)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "Grow the circle." in text
    assert "reported score -0.67" in text
    assert "> log:" in text
    assert "ends at" in text
    assert not {"\x1b", "\u202e"} & set(text)
    assert len(text) < 16_000
    assert " gap " not in text
    assert address not in text
    assert "evaluate(path)" not in text
