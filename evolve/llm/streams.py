"""Replies that come as a stream of events, as one chat completion; apart, as only some servers stream."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_END = "[DONE]"
_LINE_END = re.compile(r"\r\n|\r|\n")
"""Of a stream of events; `str.splitlines` ends lines inside of a text too (U+2028, U+0085)."""
BROKEN = "incomplete"
"""Finish reason of a stream that ends before its last event."""


def is_stream(body: str) -> bool:
    """Whether a body is a stream of events, asked for or not."""
    head = body[:4096].lstrip("\ufeff \r\n\t")
    return head.startswith(("data:", "event:", ": ", ":\n", "id:"))


def joined(body: str) -> str:
    """A stream of chat chunks as the body of one chat completion (JSON text).

    A stream that ends without a finish reason and without its last event was broken off, and says so.
    """
    text: list[str] = []
    whole: dict[str, Any] = {}
    finish: str | None = None
    ended = False
    for event in _events(body):
        if event is None:
            ended = True
            continue
        whole |= {name: event[name] for name in ("model", "usage", "error") if event.get(name)}
        if "choices" not in event and isinstance(event.get("message"), str):
            whole["error"] = event
        choice = _first(event.get("choices"))
        message = choice.get("delta") or choice.get("message") or {}
        if isinstance(message, Mapping) and isinstance(message.get("content"), str):
            text.append(message["content"])
        finish = choice.get("finish_reason") or finish
    if "error" in whole and not text:
        return json.dumps({"error": whole["error"]})
    if "error" in whole or (finish is None and not ended):
        finish = "error" if "error" in whole else BROKEN
    whole.pop("error", None)
    message = {"role": "assistant", "content": "".join(text)}
    return json.dumps({**whole, "choices": [{"message": message, "finish_reason": finish or "stop"}]})


def _first(choices: object) -> Mapping[str, Any]:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _events(body: str) -> Iterator[Mapping[str, Any] | None]:
    """The documents of a stream's events; None for the one that ends it. What is no JSON is left out."""
    for line in _LINE_END.split(body):
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == _END:
            yield None
            continue
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            continue
        if isinstance(document, Mapping):
            yield document
