"""Chat completions as outside data: replies are parsed, and faults sorted.

Shared by the providers that speak this protocol. Nothing here imports their packages: errors are read by
their attributes (`status_code`, `body`, `response.headers`), which the openai and litellm packages have in
common.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from ...sandbox.unseen import unseen
from ..types import Completion
from .base import ErrorKind, ModelError, count, part, plain_wait
from .keys import NO_KEYS, SecretKeys
from .operations import MOST_CALLS, block_of
from .reply_text import ReplyEnding, ending
from .server_answer import ServerFault, fault_of, stated_limits

SENTENCE = 500
"""Characters of a provider's text that are kept in a sentence."""
GARBAGE = 2000
"""Characters of a body without a completion that are stored."""
MOST_BYTES = 4 * 1024 * 1024
"""Of a response's body; no reply within a sensible limit of tokens comes near."""
LABEL = 200
"""Characters of a model's name or a finish reason that are kept."""

INSIDE = "gapsmith_inside"
"""Extension of a response whose error came with the status of a good answer."""
OUTCOME_UNKNOWN = frozenset({408, 502, 504, 520, 521, 522, 523, 524})
"""Statuses of gateways that gave up waiting: the model behind may have finished, and billed."""


class _Part(BaseModel):
    text: str | None = None


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: Any = None
    """Read by `_called`: whatever else a server puts there is no call."""


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
    if not completion.text.strip() and ending(finish) not in (ReplyEnding.CUT, ReplyEnding.WITHHELD):
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
        said = "".join(part.text or "" for part in message.content)
    else:
        said = message.content or message.refusal or ""
    return "\n\n".join(filter(None, [said, *_called(message.tool_calls)]))


def _called(calls: object) -> Iterator[str]:
    """Calls by function calling as the fences that stand for them in a text; at most `MOST_CALLS`."""
    for call in calls[:MOST_CALLS] if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            yield block_of(function.get("name"), function.get("arguments"))


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
    tokens_in = count(usage.get("prompt_tokens")) or None
    tokens_out = count(usage.get("completion_tokens"))
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
    fault = server_fault(error)
    if fault is None and (isinstance(error, TimeoutError) or "Timeout" in type(error).__name__):
        return ModelError(ErrorKind.TIMEOUT, f"{name}: no reply in time", unknown_outcome=not _unsent(error))
    if fault is None:
        cause = clip(keys.hide(str(error.__cause__ or error))) or type(error).__name__
        return ModelError(
            ErrorKind.CONNECTION, f"{name}: connection failed: {cause}", unknown_outcome=not _unsent(error)
        )
    kind, hint = kind_of(fault)
    sentence = f"{name}: the provider says ({fault.status}): {clip(keys.hide(fault.sentence))}"
    asked = _retry_after(error)
    return ModelError(
        kind,
        sentence + (f"; {hint}" if hint else ""),
        retry_after=_body_wait(fault) if asked is None else asked,
        unknown_outcome=fault.status in OUTCOME_UNKNOWN and not fault.inside,
    )


def server_fault(error: Exception) -> ServerFault | None:
    """What a server said, of a package's exception; None where no server said anything.

    Packages put errors around errors and shorten what they hold: the response itself says the most.
    """
    for one in _chain(error):
        response = getattr(one, "response", None)
        body = _text_of(response)
        status = getattr(response, "status_code", None)
        if isinstance(status, int) and isinstance(body, str) and body.strip():
            fault = fault_of(status, body)
            if fault is not None:
                inside = getattr(response, "extensions", {}).get(INSIDE, False)
                return replace(fault, inside=bool(inside))
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or type(error).__name__ == "APIConnectionError":
        return None
    words = " ".join(str(getattr(error, name, "") or "") for name in ("code", "param")).lower()
    return ServerFault(status, _package_sentence(error), words)


def _text_of(response: object) -> str | None:
    """A response's body; None where the package has not read it."""
    with suppress(Exception):
        text: object = getattr(response, "text", None)
        return text if isinstance(text, str) else None
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, and those that it came of."""
    cause: BaseException | None = error
    for _ in range(20):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def _unsent(error: Exception) -> bool:
    """Whether the connection was never made, so that nothing can have been billed."""
    names = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "ProxyError")
    return any(type(cause).__name__ in names for cause in _chain(error))


def _package_sentence(error: Exception) -> str:
    body = getattr(error, "body", None)
    if isinstance(body, Mapping) and isinstance(body.get("message"), str):
        return str(body["message"])
    return str(getattr(error, "message", error)) or "no sentence"


_MONEY = re.compile(
    r"insufficient.?(?:quota|balance|credits?|funds)|credit.?balance|recharge|billing_(?:hard_limit|not_active)"
    r"|(?:out of|no|more|available|add) credits|spending limit|payment required|in arrears"
    r"|exceeded_current_quota|exceeded your current quota"
)
_FILTERED = re.compile(
    r"content.?filter|content management policy|content.policy|data_?inspection_?failed|inappropriate content"
    r"|violates usage guidelines|was flagged|requires moderation|content exists risk"
)
_LONG = re.compile(r"(?<!took )(?<!taking )too long")
_UNKNOWN_MODEL = re.compile(
    r"model_not_found|not a valid model|unknown model|model .{0,80}(?:not exist|not found)"
)


def kind_of(fault: ServerFault) -> tuple[ErrorKind, str]:
    """Kind and hint of what a server said."""
    status = fault.status
    text = f"{fault.words} {fault.sentence}".lower()
    if status == 402 or (_MONEY.search(text) and fault.wait is None):
        return ErrorKind.MONEY, "there is no credit left: add credit at the provider, then resume"
    if _FILTERED.search(text) and status < 500 and status != 429:
        return ErrorKind.FILTERED, ""
    if _too_long(status, text):
        return ErrorKind.TOO_LONG, "lower [prompts] tokens, or max_output_tokens of the [[model]] table"
    if status == 429:
        return ErrorKind.RATE_LIMIT, ""
    if status in (408, 409, 425) or status >= 500:
        return ErrorKind.SERVER, ""
    if status in (401, 403) or "api key not valid" in text or "invalid_api_key" in text:
        return ErrorKind.KEY, "check the key in the environment, then resume"
    if status == 404 or _UNKNOWN_MODEL.search(text):
        return ErrorKind.UNKNOWN_MODEL, "check the model's name and base_url, then resume"
    return ErrorKind.REQUEST, "change the [[model]] table, then resume"


def _too_long(status: int, text: str) -> bool:
    """Whether a refusal speaks of too many tokens; a limit of their rate is another thing."""
    if status == 413 or "request too large" in text:
        return True  # also where the limit is one of a minute's tokens: no waiting helps
    if status == 429 or status in OUTCOME_UNKNOWN:
        return False
    limits = stated_limits(text)
    spoken = limits is not None and limits.reply is None
    return spoken or "context_length" in text or "exceed_context" in text or bool(_LONG.search(text))


_TRY_AGAIN = re.compile(
    r"try again in (?:(?P<minutes>\d{1,4})m)?(?P<seconds>\d{1,6}(?:\.\d+)?)(?P<unit>m?s)\b", re.I
)


def _body_wait(fault: ServerFault) -> float | None:
    """Seconds that the server's own words ask to wait."""
    if fault.wait is not None:
        return plain_wait(fault.wait)
    found = _TRY_AGAIN.search(fault.sentence) if fault.status == 429 else None
    if found is None:
        return None
    seconds = float(found["seconds"]) / (1000 if found["unit"] == "ms" else 1)
    return plain_wait(60 * float(found["minutes"] or 0) + seconds)


def _retry_after(error: Exception) -> float | None:
    """Seconds that the response asks to wait; None when it does not say."""
    for one in _chain(error):
        headers: Any = getattr(getattr(one, "response", None), "headers", None) or {}
        try:
            asked = _asked_seconds(headers)
        except (ValueError, TypeError, OverflowError):
            return None
        if asked is not None:
            return plain_wait(asked)
    return None


_SECONDS = re.compile(r"\s*+[0-9]++(\.[0-9]++)?\s*+")


def _asked_seconds(headers: Any) -> float | None:
    """What `retry-after-ms`, or `retry-after` as seconds or HTTP date, say (seconds)."""
    if _SECONDS.fullmatch(text := headers.get("retry-after-ms") or ""):
        return float(text) / 1000
    text = headers.get("retry-after")
    if not text:
        return None
    if _SECONDS.fullmatch(text):
        return float(text)
    return parsedate_to_datetime(text).timestamp() - time.time()
