"""An OpenAI-compatible server whose prompts and replies are files, so that anybody can be every tool's model.

    python benchmarks/peers/mail_server.py FOLDER [--port N] [--answers REPLIES.json]

Each request becomes `FOLDER/NNNN.prompt.md`; the server waits for `NNNN.reply.md`, or with `--answers` takes
the next text of a JSON list, over and over. `FOLDER/calls.jsonl` gets a line a call: tokens in, of them
cached, and out, by one tokenizer for all tools (tiktoken's o200k_base where it is installed, else a fourth of
the characters). Cached is what an earlier prompt of the folder begins with alike. The first line on stdout is
the port.
"""

from __future__ import annotations

import argparse
import itertools
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def tokenizer() -> tuple[str, Callable[[str], int]]:
    """The name of what counts tokens, and the count of a text."""
    try:
        import tiktoken  # type: ignore[import-not-found]

        encoding = tiktoken.get_encoding("o200k_base")
        return "o200k_base", lambda text: len(encoding.encode(text, disallowed_special=()))
    except Exception:  # not installed, or its vocabulary cannot be downloaded
        return "characters/4", lambda text: -(-len(text) // 4)


def _shared(text: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    pairs = enumerate(zip(text, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(text), len(other)))


class Mail:
    """The folder: prompts, replies, and what was counted. Thread-safe."""

    def __init__(self, folder: Path, answers: list[str] | None) -> None:
        """Takes the folder, and the replies of a script or None for replies from files."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._answers = None if answers is None else itertools.cycle(answers)
        self._lock = threading.Lock()
        self._number = len(list(folder.glob("*.prompt.md")))
        self._prompts = [path.read_text("utf-8") for path in sorted(folder.glob("*.prompt.md"))]
        self.tokenizer, self._count = tokenizer()

    def answer(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """The body of a chat completion for these messages; waits for the reply."""
        text = "".join(f"<!-- {one['role']} -->\n{one.get('content') or ''}\n\n" for one in messages)
        with self._lock:
            self._number += 1
            number = self._number
            shared = max((_shared(text, other) for other in self._prompts), default=0)
            self._prompts.append(text)
            reply = None if self._answers is None else next(self._answers)
        (self.folder / f"{number:04d}.prompt.md").write_text(text, "utf-8")
        place = self.folder / f"{number:04d}.reply.md"
        if reply is not None:
            place.write_text(reply, "utf-8")
        while not place.exists():
            time.sleep(0.2)
        reply = place.read_text("utf-8")
        used = {"in": self._count(text), "cached": self._count(text[:shared]), "out": self._count(reply)}
        with self._lock, (self.folder / "calls.jsonl").open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"call": number, "tokenizer": self.tokenizer, **used}) + "\n")
        return {
            "id": f"mail-{number}",
            "object": "chat.completion",
            "created": 0,
            "model": "mail",
            "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
            ],
            "usage": {
                "prompt_tokens": used["in"],
                "completion_tokens": used["out"],
                "total_tokens": used["in"] + used["out"],
                "prompt_tokens_details": {"cached_tokens": used["cached"]},
            },
        }


def serve(mail: Mail, port: int) -> ThreadingHTTPServer:
    """A server on the loopback address that answers chat completions by mail."""

    class Handler(BaseHTTPRequestHandler):
        """One connection."""

        def do_POST(self) -> None:
            """A chat completion."""
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            data = json.dumps(mail.answer(asked["messages"])).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """Serves until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--answers", type=Path, help="JSON list of replies")
    options = parser.parse_args()
    answers = None if options.answers is None else json.loads(options.answers.read_text("utf-8"))
    server = serve(Mail(options.folder, answers), options.port)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
