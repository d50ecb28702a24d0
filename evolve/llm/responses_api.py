"""The Responses API of reasoning models that refuse chat completions; apart, as few models need it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...problems.base import Json

PATH = "/responses"


def question(model: str, messages: Sequence[Mapping[str, str]], sent: Mapping[str, Json]) -> dict[str, Json]:
    """The body of a request with chat messages and a chat's parameters."""
    asked: dict[str, Json] = {
        "model": model,
        "store": False,
        "input": [dict(message) for message in messages],
    }
    for name, value in sent.items():
        if name in ("max_tokens", "max_completion_tokens"):
            asked["max_output_tokens"] = value
        elif name == "reasoning_effort":
            asked["reasoning"] = {"effort": value}
        elif name not in ("stream", "stream_options"):
            asked[name] = value
    return asked


def as_chat(body: str) -> str:
    """A response's body as the body of a chat completion (JSON text); any other body as it is."""
    try:
        response = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(response, Mapping) or not isinstance(response.get("output"), list):
        return body
    parts = list(_parts(response["output"]))
    refusals = [part["refusal"] for part in parts if isinstance(part.get("refusal"), str)]
    message = {"content": "".join(part["text"] for part in parts if isinstance(part.get("text"), str))}
    if refusals:
        message["refusal"] = refusals[0]
    choice = {"message": message, "finish_reason": _finish(response)}
    chat = {"model": response.get("model"), "choices": [choice], "usage": _usage(response.get("usage"))}
    return json.dumps(chat)


def _parts(output: Sequence[object]) -> Iterator[Mapping[str, Any]]:
    """The parts of the messages among a response's items; reasoning is another kind of item."""
    for item in output:
        content = item.get("content") if isinstance(item, Mapping) and item.get("type") == "message" else None
        parts = content if isinstance(content, list) else ()
        yield from (part for part in parts if isinstance(part, Mapping))


def _finish(response: Mapping[str, Any]) -> str:
    status = response.get("status")
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, Mapping) else None
    return str(reason or status) if status not in (None, "completed") else "stop"


def _usage(usage: object) -> Mapping[str, Any] | None:
    if not isinstance(usage, Mapping):
        return None
    names = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
    details = {f"{name}_details": f"{chat}_details" for name, chat in names.items()}
    return {chat: usage[name] for name, chat in {**names, **details}.items() if name in usage}
