"""The mail server that compares tools: prompts and replies are files, tokens are counted alike."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "peers" / "mail_server.py"


def ask(port, *texts):
    """The body of a chat completion of the server."""
    messages = [{"role": "user", "content": text} for text in texts]
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/chat/completions",
        json.dumps({"model": "mail", "messages": messages}).encode(),
        {"content-type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as response:
        return json.load(response)


def test_replies_come_from_a_script_or_from_files_and_are_counted(tmp_path):
    """A prompt that begins as an earlier one is cached as far as that goes; files answer too."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps(["one", "two"]))
    mail = tmp_path / "mail"
    words = [sys.executable, str(SCRIPT), str(mail)]
    for more in (["--answers", str(script)], []):
        server = subprocess.Popen([*words, *more], stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline())
            if more:
                replies = [ask(port, "first " * 100), ask(port, "first " * 100, "second")]
                assert [r["choices"][0]["message"]["content"] for r in replies] == ["one", "two"]
            else:
                (mail / "0003.reply.md").write_text("by hand")
                assert ask(port, "third")["choices"][0]["message"]["content"] == "by hand"
        finally:
            server.kill()
            server.wait()
            server.stdout.close()
    rows = [json.loads(line) for line in (mail / "calls.jsonl").read_text().splitlines()]
    assert [row["call"] for row in rows] == [1, 2, 3]
    assert rows[0]["cached"] == 0
    assert rows[0]["in"] - 2 <= rows[1]["cached"] < rows[1]["in"]
    assert "first first" in (mail / "0001.prompt.md").read_text()
