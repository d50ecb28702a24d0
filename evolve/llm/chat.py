"""Chat completions as outside data: replies are parsed, faults sorted, refused parameters dropped.

Shared by the providers that speak this protocol. Nothing here imports their packages: errors are read by
their attributes (`status_code`, `body`, `response.headers`), which the openai and litellm packages have in
common.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from ...problems.base import Json
from ...sandbox.unseen import unseen
from ..types import Completion
from .base import ErrorKind, ModelError, count, part, plain_wait
from .endings import Ending, ending
from .keys import NO_KEYS, SecretKeys

SENTENCE = 500
"""Characters of a provider's text that are kept in a sentence."""
GARBAGE = 2000
"""Characters of a body without a completion that are stored."""
MOST_BYTES = 4 * 1024 * 1024
"""Of a response's body; no reply within a sensible limit of tokens comes near."""
LABEL = 200
"""Characters of a model's name or a finish reason that are kept."""

OUTPUT_LIMITS = ("max_completion_tokens", "max_tokens")
OUTCOME_UNKNOWN = frozenset({408, 502, 504, 520, 521, 522, 523, 524})
"""Statuses of gateways that gave up waiting: the model behind may have finished, and billed."""


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    finish_reason: str | None = None


class _Reply(BaseModel):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: Any = None
    """Read by `count` and `_part`: a reply is worth keeping whatever the server says of its size."""


def parse_reply(body: str, name: str, seconds: float, keys: SecretKeys = NO_KEYS) -> Completion:
    """The completion of a response's body (JSON text).

    Args:
        body: as it came.
        name: the model's specification.
        seconds: wall time of the attempt.
        keys: what is hidden, in the text of a good reply too: replies are stored, published and shown.

    Raises:
        ModelError: `GARBAGE` when the body is no chat completion or larger than `MOST_BYTES`, `EMPTY` when it
            holds no text.
    """
    size = len(body.encode(errors="replace"))
    if size > MOST_BYTES:
        sentence = (
            f"{name}: the server's answer has {size:,} bytes or more, expected at most {MOST_BYTES:,}; does "
            "the server honour max_output_tokens of the [[model]] table?"
        )
        raise _garbage(sentence, body, name, seconds, keys)
    try:
        reply = _Reply.model_validate_json(_without_halves(body))
    except ValidationError:
        reply = _Reply()
    if reply.choices is None:
        said = clip(keys.hide(body))
        sentence = f"{name}: the server's answer is no chat completion: {said!r}; is base_url right?"
        raise _garbage(sentence, body, name, seconds, keys)
    choice = reply.choices[0] if reply.choices else _Choice()
    message = choice.message or _Message()
    finish = "refusal" if message.refusal else _label(choice.finish_reason, keys)
    completion = _completion(
        keys.hide(_text(message)), finish, reply, _label(reply.model, keys) or name, seconds
    )
    if not completion.text.strip() and ending(finish) not in (Ending.CUT, Ending.WITHHELD):
        raise ModelError(
            ErrorKind.EMPTY,
            f"{name}: the reply holds no text (finish reason {finish!r})",
            unknown_outcome=completion.tokens_out is None,
            completion=completion,
        )
    return completion


_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _without_halves(body: str) -> str:
    """JSON text in which halves of a character, which a server leaves that cuts at its limit, are `?`."""
    return _ESCAPE.sub(lambda found: "?" if found["half"] else found[0], body)


def _garbage(sentence: str, body: str, name: str, seconds: float, keys: SecretKeys) -> ModelError:
    """An answer that is none, with the beginning of its body to look at; it may have been billed."""
    completion = Completion(clip(keys.hide(body), GARBAGE), name, seconds=seconds, finish_reason="garbage")
    return ModelError(ErrorKind.GARBAGE, sentence, unknown_outcome=True, completion=completion)


def _text(message: _Message) -> str:
    if isinstance(message.content, list):
        return "".join(part.text or "" for part in message.content)
    return message.content or message.refusal or ""


def _label(word: str | None, keys: SecretKeys) -> str | None:
    """A word of the server's own (answering model, finish reason), fit to be shown."""
    return None if word is None else clip(keys.hide(word), LABEL)


def _completion(text: str, finish: str | None, reply: _Reply, model: str, seconds: float) -> Completion:
    usage = reply.usage if isinstance(reply.usage, Mapping) else {}
    tokens_in, tokens_out = _tokens(usage, text)
    return Completion(
        text=text,
        model=model,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=seconds,
        finish_reason=finish,
        tokens_cached=_part(usage.get("prompt_tokens_details"), "cached_tokens", tokens_in),
        tokens_reasoning=_part(usage.get("completion_tokens_details"), "reasoning_tokens", tokens_out),
    )


def _tokens(usage: Mapping[Any, Any], text: str) -> tuple[int | None, int | None]:
    """Tokens in and out; None where the server does not say, or says what cannot be.

    Some servers leave the reasoning, which they bill, out of `completion_tokens` and count it in
    `total_tokens` alone: the larger of the two says what the reply has used. No prompt has no token, nor has
    a text: such a zero is a server that does not count.
    """
    tokens_in, tokens_out = count(usage.get("prompt_tokens")) or None, count(usage.get("completion_tokens"))
    total = count(usage.get("total_tokens"))
    if tokens_in is not None and tokens_out is not None and total is not None:
        tokens_out = max(tokens_out, total - tokens_in)
    return tokens_in, None if tokens_out == 0 and text.strip() else tokens_out


def _part(details: object, name: str, whole: int | None) -> int | None:
    """A count in `details` as a part of the `whole`; None where either is not known."""
    return part(details.get(name), whole) if isinstance(details, Mapping) else None


def clip(text: str, limit: int = SENTENCE) -> str:
    """Text on one line, control characters removed, cut to `limit` characters."""
    head = text[: 8 * limit]  # enough, also with runs of spaces, and quick where a body has megabytes
    line = " ".join("".join(" " if unseen(c) else c for c in head).split())
    whole = len(line) <= limit and len(head) == len(text)
    return line if whole else line[: limit - 1] + "…"


def sort_error(error: Exception, name: str, keys: SecretKeys = NO_KEYS) -> ModelError:
    """A package's exception as a `ModelError`, with the provider's own sentence, in which keys are hidden."""
    status = getattr(error, "status_code", None)
    if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
        return ModelError(ErrorKind.TIMEOUT, f"{name}: no reply in time", unknown_outcome=not _unsent(error))
    if not isinstance(status, int) or type(error).__name__ == "APIConnectionError":
        cause = clip(keys.hide(str(error.__cause__ or error))) or type(error).__name__
        return ModelError(
            ErrorKind.CONNECTION, f"{name}: connection failed: {cause}", unknown_outcome=not _unsent(error)
        )
    said = _provider_sentence(error, keys)
    sentence = f"{name}: the provider says ({status}): {said}"
    kind, hint = _kind(status, f"{getattr(error, 'code', '')} {said}".lower())
    return ModelError(
        kind,
        sentence + (f"; {hint}" if hint else ""),
        retry_after=_retry_after(error),
        unknown_outcome=status in OUTCOME_UNKNOWN,
    )


def _unsent(error: Exception) -> bool:
    """Whether the connection was never made, so that nothing can have been billed."""
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__name__ in ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _provider_sentence(error: Exception, keys: SecretKeys) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        return clip(keys.hide(body["message"]))
    return clip(keys.hide(str(getattr(error, "message", error)))) or "no sentence"


def _kind(status: int, text: str) -> tuple[ErrorKind, str]:
    """Kind and hint of an HTTP status (code) and the provider's text in lower case."""
    if status == 402 or "insufficient_quota" in text or "credit balance" in text:
        return ErrorKind.MONEY, "add credit at the provider, then resume"
    if status == 429:
        return ErrorKind.RATE_LIMIT, ""
    if status in (408, 409, 425) or status >= 500:
        return ErrorKind.SERVER, ""
    if status in (401, 403):
        return ErrorKind.KEY, "check the key in the environment, then resume"
    if status == 404:
        return ErrorKind.UNKNOWN_MODEL, "check the model's name and base_url, then resume"
    if status == 413 or "context_length" in text or "context length" in text or "too long" in text:
        return ErrorKind.TOO_LONG, "lower [prompts] tokens"
    if "content_filter" in text or "content management policy" in text or "content policy" in text:
        return ErrorKind.FILTERED, ""
    return ErrorKind.REQUEST, "change the [[model]] table, then resume"


def _retry_after(error: Exception) -> float | None:
    """Seconds that the response asks to wait; None when it does not say."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = _asked_seconds(headers)
    except (ValueError, TypeError, OverflowError):
        return None
    return plain_wait(asked)


def _asked_seconds(headers: Any) -> float | None:
    """What `retry-after-ms`, or `retry-after` as seconds or HTTP date, say (seconds)."""
    if headers.get("retry-after-ms"):
        return float(headers["retry-after-ms"]) / 1000
    text = headers.get("retry-after")
    if not text:
        return None
    if re.fullmatch(r"\s*\d+(\.\d+)?\s*", text):
        return float(text)
    return parsedate_to_datetime(text).timestamp() - time.time()


_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|extra|deprecated"
    r"|only the default",
    re.IGNORECASE,
)


class Parameters:
    """What is sent beside the prompt. A parameter that the provider refuses is dropped once and remembered.

    Args:
        wanted: parameters by name; one of `OUTPUT_LIMITS` among them, whose value is given per request.
        limit: the name of `OUTPUT_LIMITS` to begin with.
        keys: what is hidden in notes.
    """

    def __init__(self, wanted: Mapping[str, Json], limit: str, keys: SecretKeys = NO_KEYS) -> None:
        self._keys = keys
        self._lock = threading.Lock()
        self._kept = dict(wanted)
        self._limits = [limit, *(name for name in OUTPUT_LIMITS if name != limit)]
        self.notes: list[str] = []

    def for_request(self, max_output_tokens: int) -> dict[str, Json]:
        """Parameters of the next request, the limit on its reply among them (tokens)."""
        with self._lock:
            return {**self._kept, self._limits[0]: max_output_tokens}

    def drop(self, error: Exception, sent: Mapping[str, Json]) -> bool:
        """Whether the error refuses a parameter of `sent` that can go; then the next request goes without.

        The limit on the reply is never dropped, only renamed: without it no budget could hold.
        """
        if getattr(error, "status_code", None) not in (400, 422):
            return False
        param, whole = (clip(self._keys.hide(str(part))) for part in (getattr(error, "param", ""), error))
        text = f"{param} {_provider_sentence(error, self._keys)} {whole}"
        named = [name for name in sent if re.search(rf"\b{name}\b", text)]
        if not named or not _REFUSED.search(text):
            return False
        with self._lock:
            return self._forget(named, clip(text, 160))

    def _forget(self, named: list[str], why: str) -> bool:
        refused = [name for name in named if name in self._kept]
        for name in refused:
            del self._kept[name]
            self.notes.append(f"{name} is not supported and no longer sent ({why})")
        if not refused and self._limits[0] in named and len(self._limits) > 1:
            gone = self._limits.pop(0)
            self.notes.append(f"{gone} is not supported; {self._limits[0]} is sent instead ({why})")
            return True
        return bool(refused) or not any(name in self._kept or name in self._limits for name in named)
