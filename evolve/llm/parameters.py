"""How a server is asked, as it refuses things, and other forms of replies; apart from the clients."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...problems.base import Json
from ..types import Prompt
from .base import Transcript
from .chat import clip
from .keys import NO_KEYS, SecretKeys
from .operations import tool_calls
from .server_answer import LEAST_ROOM, ServerFault, prompt_alone, stated_limits

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


OUTPUT_LIMITS = ("max_completion_tokens", "max_tokens")
_CHANGEABLE = frozenset({400, 404, 405, 413, 422, 429, 500, 501})
"""Statuses with which servers refuse what another question does without; 500 is a chat template's error."""
_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra|deprecated"
    r"|invalid|only|must|may not|can ?not|out of range|above maximum|below minimum|should be|strictly",
    re.IGNORECASE,
)
_RESPONSES = re.compile(r"v1/responses|responses (?:api|endpoint)|not a chat model", re.IGNORECASE)
_STREAM_ONLY = re.compile(
    r"stream(?:ing)? mode|non-stream|stream ?= ?`?false|stream`? must be (?:set to )?true"
    r"|only supports? stream|streaming is (?:required|strongly recommended)|set stream to true"
    r"|requires? stream|非流式",
    re.IGNORECASE,
)
_NO_STREAM = re.compile(
    r"to stream this model|stream(?:ing)?`?'? (?:is |mode is )?(?:not|un) ?(?:support|allow|available)",
    re.IGNORECASE,
)
_TOOLS = re.compile(r"\btools?\b|tool[_ ](?:choice|use|call)|function.?call", re.IGNORECASE)
_CACHE = re.compile(
    r"cache_control|content\W.{0,60}\b(?:must be|should be|valid|expected)\b.{0,20}\bstr(?:ing)?\b",
    re.IGNORECASE | re.DOTALL,
)
"""Servers that know no marks, or no content in parts."""
_NO_SYSTEM = re.compile(
    r"system role|role:? [`'\"]?system|[`'\"]system[`'\"](?: role)? (?:with|is|not)|developer instruction"
    r"|system (?:message|prompt|instruction)s? (?:is|are) not|does not support (?:system|[`'\"]system)"
    r"|roles must alternate|only user and assistant roles|system_instruction",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """One request to a server.

    Attributes:
        messages: the prompt as chat messages.
        sent: parameters by name.
        system_role: whether the system text is a message of its own.
        responses: whether the Responses API is asked.
        marked: whether messages are marked for the provider's cache.
    """

    messages: list[dict[str, Any]]
    sent: Mapping[str, Json]
    system_role: bool
    responses: bool
    marked: bool = False


class Parameters:
    """What is sent beside the prompt, and in which form. What the provider refuses is changed once.

    Args:
        wanted: parameters by name; one of `OUTPUT_LIMITS` among them, whose value is given per request.
        limit: the name of `OUTPUT_LIMITS` to begin with.
        keys: what is hidden in notes.
        stream: whether replies come as streams.
        system_role: whether the system text is a message of its own.
        responses: whether there is a Responses API to change to.
        cache: whether the beginning of a prompt is marked for the provider's cache.
    """

    def __init__(
        self,
        wanted: Mapping[str, Json],
        limit: str,
        keys: SecretKeys = NO_KEYS,
        *,
        stream: bool = False,
        system_role: bool = True,
        responses: bool = False,
        cache: bool = False,
    ) -> None:
        self._keys = keys
        self._lock = threading.Lock()
        self._kept = dict(wanted)
        self._limits = [limit, *(name for name in OUTPUT_LIMITS if name != limit)]
        self._most: int | None = None
        self._system_role = system_role
        self._has_responses = responses
        self._responses = False
        self._cache = cache
        self._stream_refused = False
        self._functions = True
        self.notes: list[str] = []
        if stream:
            self._stream(True)

    def for_request(self, max_output_tokens: int) -> dict[str, Json]:
        """Parameters of the next request, the limit on its reply among them (tokens)."""
        with self._lock:
            most = max_output_tokens if self._most is None else min(self._most, max_output_tokens)
            return {**self._kept, self._limits[0]: most}

    def question(
        self, prompt: Prompt, max_output_tokens: int, talk: Transcript | None = None
    ) -> ChatQuestion:
        """The next request of a prompt, or of its conversation, and a limit on its reply (tokens).

        Operations are sent as functions where the server takes them; streams and the Responses API get none.
        """
        asked = self._question(prompt, max_output_tokens, talk)
        marked = self._cache and not self._responses
        return replace(asked, messages=_marked(asked.messages), marked=True) if marked else asked

    def _question(self, prompt: Prompt, max_output_tokens: int, talk: Transcript | None) -> ChatQuestion:
        sent = self.for_request(max_output_tokens)
        if talk is not None:
            functions = self._functions and not self._responses and "stream" not in sent
            if functions:
                sent["tools"] = [dict(tool) for tool in talk.tools]
            messages = _messages(prompt.system, talk, system_role=self._system_role, functions=functions)
            return ChatQuestion(messages, sent, self._system_role, self._responses)
        if not self._system_role:
            one = [{"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"}]
            return ChatQuestion(one, sent, False, self._responses)
        two = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        return ChatQuestion(two, sent, True, self._responses)

    def change(self, fault: ServerFault, asked: ChatQuestion) -> bool:
        """Whether the fault refuses a part or the form of a question that can change, or has changed since.

        Then the next request is another one. The limit on the reply is never dropped, only renamed or
        lowered: without it no budget could hold.
        """
        if fault.status not in _CHANGEABLE:
            return False
        why = clip(self._keys.hide(fault.sentence), 160)
        said = clip(self._keys.hide(f"{fault.words} {fault.sentence}"), 2000)
        with self._lock:
            return (
                self._reform(said, asked, why)
                or self._lower(fault, said, asked.sent, why)
                or self._drop(fault, said, asked.sent, why)
            )

    def _reform(self, said: str, asked: ChatQuestion, why: str) -> bool:
        """Another form of the question: its interface, a stream or none, no system role."""
        if self._has_responses and not asked.responses and _RESPONSES.search(said):
            if not self._responses:
                self.notes.append(f"chat completions are refused; the Responses API is asked instead ({why})")
            self._responses = True
            return True
        if asked.marked and _CACHE.search(said):
            if self._cache:
                self.notes.append(f"marks for a cache are refused and no longer sent (cache = false): {why}")
            self._cache = False
            return True
        if "tools" in asked.sent and _TOOLS.search(said) and _REFUSED.search(said):
            if self._functions:
                self.notes.append(f"function calling is refused; operations are text blocks now ({why})")
            self._functions = False
            return True
        if asked.system_role and _NO_SYSTEM.search(said):
            if self._system_role:
                self.notes.append(f"the system text is sent with the user's (system_role = false): {why}")
            self._system_role = False
            return True
        return self._restream(said, "stream" in asked.sent, why)

    def _restream(self, said: str, streamed: bool, why: str) -> bool:
        """Replies as streams where nothing else is answered, once; or whole, where streams are refused."""
        now = "stream" in self._kept
        if not streamed and _STREAM_ONLY.search(said):
            if not now and not self._stream_refused:
                self._stream(True)
                self.notes.append(f"replies are streamed from now on (stream = true): {why}")
            return "stream" in self._kept
        if streamed and _NO_STREAM.search(said):
            if now:
                self._stream(False)
                self.notes.append(f"streaming is not supported and no longer asked for ({why})")
            self._stream_refused = True
            return True
        return False

    def _stream(self, on: bool) -> None:
        if on:
            self._kept |= {"stream": True, "stream_options": {"include_usage": True}}
        else:
            self._kept.pop("stream", None)
            self._kept.pop("stream_options", None)

    def _lower(self, fault: ServerFault, said: str, sent: Mapping[str, Json], why: str) -> bool:
        """A smaller limit on the reply, where the server says or means that this one is too large."""
        asked = next((sent[name] for name in OUTPUT_LIMITS if name in sent), None)
        if not isinstance(asked, int) or (fault.status == 429 and "request too large" not in said.lower()):
            return False
        if stated_limits(said) is not None and self._most is not None and self._most < asked:
            return True  # another question was refused meanwhile
        most = _smaller(said, asked)
        if most is None or most >= asked:
            return False
        self._most = most
        self.notes.append(f"the limit of a reply is lowered to {most:,} tokens, as the server wants ({why})")
        return True

    def _drop(self, fault: ServerFault, said: str, sent: Mapping[str, Json], why: str) -> bool:
        """Parameters that the fault names and that can go; the name of the limit changes."""
        if fault.status not in (400, 422):
            return False
        named = [name for name in sent if any(re.search(rf"\b{word}\b", said) for word in _spellings(name))]
        if not named or not _REFUSED.search(said):
            return False
        refused = [name for name in named if name in self._kept]
        for name in refused:
            del self._kept[name]
            self.notes.append(f"{name} is not supported and no longer sent ({why})")
        if not refused and self._limits[0] in named and len(self._limits) > 1:
            gone = self._limits.pop(0)
            self.notes.append(f"{gone} is not supported; {self._limits[0]} is sent instead ({why})")
            return True
        return bool(refused) or not any(name in self._kept or name in self._limits for name in named)


def _messages(system: str, talk: Transcript, *, system_role: bool, functions: bool) -> list[dict[str, Any]]:
    """A conversation as chat messages; with `functions`, calls that came so go back so.

    What was sent once stays as it is, so that a provider's cache holds all but the newest turn.
    """
    opening = talk.opening if system_role else f"{system}\n\n{talk.opening}"
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system_role else []
    messages.append({"role": "user", "content": opening})
    for number, turn in enumerate(talk.turns, 1):
        text, calls = tool_calls(turn.reply) if functions else (turn.reply, [])
        if not calls:
            messages.append({"role": "assistant", "content": turn.reply or "(no text)"})
            messages.append({"role": "user", "content": "\n\n".join(turn.answers)})
            continue
        ids = [f"call_{number}_{place}" for place in range(1, len(calls) + 1)]
        made = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for id, (name, arguments) in zip(ids, calls, strict=True)
        ]
        messages.append({"role": "assistant", "content": text or None, "tool_calls": made})
        told = ["\n\n".join(turn.answers), *["answered with the first call"] * (len(ids) - 1)]
        messages += [
            {"role": "tool", "tool_call_id": id, "content": one} for id, one in zip(ids, told, strict=True)
        ]
    return messages


def _marked(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with marks after the system text, the opening and the newest message of the user."""
    users = [place for place, message in enumerate(messages) if message["role"] == "user"]
    chosen = {*users[:1], *users[-1:]} | {
        p for p, message in enumerate(messages) if message["role"] == "system"
    }
    part = {"type": "text", "cache_control": {"type": "ephemeral"}}
    return [
        {**message, "content": [{**part, "text": message["content"]}]} if place in chosen else message
        for place, message in enumerate(messages)
    ]


def _spellings(name: str) -> tuple[str, ...]:
    """How servers spell a parameter in their refusals."""
    more = {"reasoning_effort": (r"reasoning\.effort", "reasoningEffort", "reasoning")}
    return (name, *more.get(name, ()))


def _smaller(sentence: str, asked: int) -> int | None:
    """The limit of a reply that a refusal leaves (tokens); None where it refuses something else."""
    limits = stated_limits(sentence)
    if limits is None or prompt_alone(sentence):
        return None
    if limits.reply is not None:
        return limits.reply if limits.reply >= 1 else None
    if (room := limits.room(asked)) is not None:
        return room - _MARGIN if room >= LEAST_ROOM else None
    half = (limits.context or asked) // 2
    return half if half >= LEAST_ROOM else None


_MARGIN = 32
"""Tokens of the chat format that servers count once more when the limit is another one."""
