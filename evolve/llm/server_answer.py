"""What servers say when they give no reply: statuses, sentences, codes, and limits of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MOST = 65_536
"""Characters of a body that is looked through for an error."""
_TITLE = re.compile(r"<title[^<>]{0,300}>(?P<title>[^<]{1,300})", re.IGNORECASE)
_HEADING = re.compile(r"<h1[^<>]{0,300}>(?P<title>[^<]{1,300})", re.IGNORECASE)
_SENTENCES = (
    "message",
    "error_message",
    "error_msg",
    "msg",
    "detail",
    "error_description",
    "title",
    "reason",
)
_STATUSES = (
    (re.compile(r"rate.?limit|resource.?exhausted|too many requests|quota"), 429),
    (re.compile(r"overloaded|unavailable|timed? ?out"), 503),
    (re.compile(r"insufficient.?credit|payment"), 402),
    (re.compile(r"authentication|unauthori[sz]ed|invalid.?api.?key"), 401),
    (re.compile(r"permission"), 403),
    (re.compile(r"not.?found"), 404),
    (re.compile(r"invalid.?(?:request|argument|parameter)|bad.?request|validation|context|unsupported"), 400),
)
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(?P<seconds>\d+(?:\.\d+)?)s"')


@dataclass(frozen=True, slots=True)
class ServerFault:
    """An error as a server words it.

    Attributes:
        status: HTTP status (code) that belongs to it.
        sentence: the server's own words, never empty.
        words: type, code and parameter that it names, in lower case.
        wait: seconds that its body asks to wait, None when it does not say.
        inside: whether it came inside of an answer that calls itself good.
    """

    status: int
    sentence: str
    words: str = ""
    wait: float | None = None
    inside: bool = False


def fault_of(status: int, body: str) -> ServerFault | None:
    """The error in a body, None for a good answer.

    Args:
        status: of HTTP.
        body: as it came.
    """
    document = _document(body)
    error = _error(document)
    if status < 400 and (error is None or _has_reply(document)):
        return None
    words = " ".join(_words(error)).lower()
    said = _sentence(error) or _plain(body, document) or "no sentence"
    wait = _DELAY.search(body[:MOST].replace('\\"', '"'))
    seconds = None if wait is None else float(wait["seconds"])
    if status < 400:
        return ServerFault(_status(error, f"{words} {said.lower()}"), said, words, seconds, inside=True)
    return ServerFault(status, said, words, seconds)


def _document(text: str) -> Any:
    """A JSON document, the first one of a list or of a stream's events; None where there is none."""
    text = text[:MOST].strip()
    if text.startswith(("data:", "event:", ":")):
        lines = [line[5:].strip() for line in text.split("\n") if line.startswith("data:")]
        documents = (_document(line) for line in lines if line.startswith(("{", "[")))  # no event in an event
        return next((d for d in documents if _error(d) is not None), None)
    if not text.startswith(("{", "[")):
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    while isinstance(document, list) and document:
        document = document[0]
    return document


def _error(document: object) -> Mapping[str, Any] | None:
    """The part of a document that describes an error; None where nothing does."""
    if not isinstance(document, Mapping):
        return None
    for name in ("error", "errors", "detail", "error_msg", "error_message"):
        if document.get(name):
            part = document[name]
            return {**document, **part} if isinstance(part, Mapping) else {**document, "message": part}
    if document.get("object") == "error" or document.get("type") == "error":
        return document
    if document.get("choices") is None and isinstance(document.get("message"), str):
        return document
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    error = first.get("error") if isinstance(first, Mapping) else None
    return error if isinstance(error, Mapping) else None


def _has_reply(document: Any) -> bool:
    """Whether there is text beside the error, as of a reply that was broken off."""
    choices = document.get("choices") or document.get("output")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, Mapping):
        return False
    message = first.get("message")
    return bool(message.get("content")) if isinstance(message, Mapping) else bool(first.get("content"))


def _sentence(error: object, depth: int = 0) -> str:
    """The sentence of an error, what an upstream server said included."""
    if isinstance(error, str):
        inner = _error(_document(error)) if depth < 3 else None
        return (_sentence(inner, depth + 1) if inner is not None else "") or error.strip()
    if isinstance(error, list):
        return (
            "; ".join(filter(None, (_sentence(part, depth + 1) for part in error[:5]))) if depth < 3 else ""
        )
    if not isinstance(error, Mapping) or depth > 3:
        return ""
    said = next((text for name in _SENTENCES if (text := _sentence(error.get(name), depth + 1))), "")
    place = error.get("loc")
    if said and isinstance(place, list):
        said = f"{'.'.join(str(part) for part in place[:10] if isinstance(part, str | int))}: {said}"
    if said and isinstance(error.get("n_ctx"), int):
        said += f" (n_prompt_tokens={error.get('n_prompt_tokens')}, n_ctx={error['n_ctx']})"
    metadata = error.get("metadata")
    raw = _sentence(metadata.get("raw"), depth + 1) if isinstance(metadata, Mapping) else ""
    return f"{said}: {raw}" if said and raw and raw not in said else said or raw


def _plain(body: str, document: object) -> str:
    """A body that is no JSON error: the title of a page, or its text."""
    page = body[:MOST]
    if (found := _TITLE.search(page) or _HEADING.search(page)) is not None:
        return found["title"].strip()
    return page.strip()


def _words(error: object) -> Iterator[str]:
    if isinstance(error, Mapping):
        for name in ("type", "error_type", "code", "error_code", "status", "param"):
            if isinstance(error.get(name), str | int):
                yield str(error[name])


def _status(error: object, words: str) -> int:
    """The status that an error inside of a good answer belongs to."""
    codes = (
        [error.get(name) for name in ("code", "status", "status_code")] if isinstance(error, Mapping) else []
    )
    for code in codes:
        if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)):
            return int(code)
    return next((status for pattern, status in _STATUSES if pattern.search(words)), 500)


_NUMBER = r"(?P<{}>\d[\d,_]{{0,12}})"


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern in which `{reply}`, `{below}`, `{context}`, `{prompt}`, `{total}` are counts of tokens."""
    for name in ("reply", "below", "context", "prompt", "total"):
        text = text.replace(f"{{{name}}}", _NUMBER.format(name))
    return re.compile(text, re.IGNORECASE)


_LIMIT_NAME = r"(?:max_(?:completion_|output_|new_)?tokens|maxOutputTokens|integer above maximum value)"
_REPLY = tuple(
    map(
        _pattern,
        (
            r"supports at most {reply} (?:completion|output) tokens",
            r"max_(?:output_)?tokens: \d+ > {reply}, which is the maximum",
            r"range of `?max_(?:completion_)?tokens`? (?:is|should be) \[\d+, ?{reply}\]",
            r"supported range is from \d+ \(inclusive\) to {below} \(exclusive\)",
            rf"{_LIMIT_NAME}[^.]{{0,120}}?(?:less than or equal to|<=|at most|no more than|cannot exceed|"
            r"maximum of|must not exceed)\s*`?{reply}",
        ),
    )
)
_CONTEXT = tuple(
    map(
        _pattern,
        (
            r"context (?:length|window|size|limit)\)? (?:is|of)(?: only)? {context}",
            r"available context size \({context} tokens",
            r"\"?n_ctx\"?[=: ]+{context}",
            r"exceed(?:s)? (?:the )?context (?:limit|window)(?:: \d+ \+ \d+ >| of)? {context}",
            r"too large for model with {context} maximum context",
            r"maximum number of (?:input )?tokens allowed \({context}\)",
            r"prompt is too long: \d+ tokens > {context}",
            r"`?max_new_tokens`? must be <= {context}",
            r"exceed context window of {context}",
            r"`?inputs`? must have less than {context} tokens",
            r"tokens per min[^:]{0,60}: limit {context}",
            r"maximum (?:allowed )?(?:input|prompt|sequence|context) length(?: is| of)? {context}",
        ),
    )
)
_PROMPT = tuple(
    map(
        _pattern,
        (
            r"\({prompt} (?:in the messages|of text input|in your prompt)",
            r"your (?:request|prompt) (?:has|contains) (?:at least )?{prompt} (?:input )?tokens",
            r"request \({prompt} tokens\)",
            r"\"?n_prompt_tokens\"?[=: ]+{prompt}",
            r"input token count \({prompt}\)",
            r"prompt is too long: {prompt} tokens",
            r"prompt contains {prompt} tokens",
            r"given: {prompt} `?inputs`?",
            r"context limit: {prompt} \+",
            r"messages resulted in {prompt} tokens",
            r"`?inputs`? must have less than \d+ tokens\. Given: {prompt}",
            r"keep the first {prompt} tokens",
        ),
    )
)
_TOTAL = tuple(map(_pattern, (r"requested (?:about )?{total}", r"requested tokens \({total}\)")))
_NO_ROOM = re.compile(r"max_tokens must be at least 1, got -\d+", re.IGNORECASE)
_ANY = re.compile(
    r"context[ _](?:length|window|size|limit)|maximum context|exceed_context|prompt is too long|"
    r"too many tokens|input token count|maximum number of (?:input )?tokens|input is too long|"
    r"request too large|requested tokens \(|`?inputs`? tokens \+|context the overflows|too large for model|"
    r"string too long|(?:prompt|input) (?:is )?too long",
    re.IGNORECASE,
)
_REPLY_NAMED = re.compile(
    rf"{_LIMIT_NAME}[^.]{{0,80}}?(?:too large|too high|exceeds|above|maximum)", re.IGNORECASE
)


_ALONE = re.compile(
    r"available context size|prompt is too long|input token count|keep the first|prompt contains|"
    r"must have less",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class StatedLimits:
    """What a refusal says of tokens (counts); None for what it does not say.

    Attributes:
        reply: the largest limit of a reply that the server takes.
        context: prompt and reply together.
        prompt: what the server counted of the prompt.
        total: what it counted of the prompt, and the limit of its reply.
    """

    reply: int | None
    context: int | None
    prompt: int | None
    total: int | None = None

    def room(self, asked: int) -> int | None:
        """Tokens that the context leaves for a reply; negative where the prompt alone is too long.

        Args:
            asked: the limit of the reply that was asked for (tokens).
        """
        if self.context is None:
            return None
        if self.prompt is not None:
            return self.context - self.prompt
        return None if self.total is None or self.total < asked else self.context - (self.total - asked)


def stated_limits(sentence: str) -> StatedLimits | None:
    """The limits in a server's sentence; None where it speaks of something else."""
    reply = _first(_REPLY, sentence)
    context = _first(_CONTEXT, sentence)
    prompt = _first(_PROMPT, sentence)
    total = _first(_TOTAL, sentence)
    if reply is not None and context is None:
        return StatedLimits(reply, None, None)
    if context is not None or _ANY.search(sentence) or _NO_ROOM.search(sentence):
        return StatedLimits(None, context, prompt, total)
    return StatedLimits(None, None, None) if _REPLY_NAMED.search(sentence) else None


def prompt_alone(sentence: str) -> bool:
    """Whether a refusal says that the prompt alone is too long, so that no smaller reply helps."""
    return _NO_ROOM.search(sentence) is not None or _ALONE.search(sentence) is not None


LEAST_ROOM = 1024
"""Tokens of a reply that are worth a prompt."""
_SHARE = 0.7
"""Of a prompt that is kept where the server does not say how much fits."""


def fitting_tokens(sentence: str, estimated: int) -> int:
    """Estimated tokens that the next prompt may have, fewer than the last one had.

    Args:
        sentence: the server's refusal.
        estimated: tokens of the refused prompt, as we estimate them (≥ 1).
    """
    limits = stated_limits(sentence)
    most = int(estimated * _SHARE)
    if limits is None or limits.context is None:
        return most
    reply = min(max(LEAST_ROOM, limits.context // 4), limits.context // 2)
    counted = estimated if limits.prompt is None else limits.prompt
    return max(1, min(int(estimated * 0.95), int(estimated * (limits.context - reply) / max(counted, 1))))


def _first(patterns: tuple[re.Pattern[str], ...], sentence: str) -> int | None:
    for pattern in patterns:
        if (found := pattern.search(sentence)) is not None:
            ((name, digits),) = found.groupdict().items()
            number = int(digits.replace(",", "").replace("_", ""))
            return number - 1 if name == "below" else number
    return None
