"""What servers say when they give no reply: statuses, sentences, codes, in the shapes that servers use."""

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
