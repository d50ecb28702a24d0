"""What command-line programs print, as replies or faults; apart, as programs change their words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from .base import ErrorKind, amount, count
from .chat import kind_of
from .server_answer import ServerFault

_CODES = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\^_=>78])|[\x00-\x08\x0e-\x1a\x7f]"
)
"""ECMA-48 control sequences, titles of windows, and single control characters."""
_MOST_DOCUMENTS = 50
"""Places at which the beginning of a JSON document is tried, after banners."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What a program said.

    Attributes:
        text: the reply.
        model: the model that answered, None where the program does not say.
        tokens_in, tokens_out, tokens_cached: counts of tokens, None where the program does not say.
        cost_usd: US dollars, likewise.
        fault: the program's own words where it reports a fault in place of a reply.
        finish: finish reason of the reply, None where the program does not say.
    """

    text: str = ""
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float | None = None
    fault: str | None = None
    finish: str | None = None


Reading: TypeAlias = Callable[[str], Printed]
"""Standard output (text) → what it says."""


def without_codes(text: str) -> str:
    """The text as a terminal would show it: no colours, and of an overwritten line its last state."""
    lines = _CODES.sub("", text).replace("\r\n", "\n").split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def read_text(output: str) -> Printed:
    """Everything that a program prints is its reply."""
    return Printed(without_codes(output))


def read_claude(output: str) -> Printed:
    """`--output-format json`: one document with `result`, `is_error`, `usage` and `total_cost_usd`."""
    for document in _documents(output):
        if document.get("type") == "result":
            return _claude_result(document)
    return read_text(output)


def _claude_result(document: Mapping[str, Any]) -> Printed:
    usage = _table(document, "usage")
    cached = count(usage.get("cache_read_input_tokens")) or 0
    fresh = count(usage.get("input_tokens"))
    written = count(usage.get("cache_creation_input_tokens")) or 0
    result = document.get("result")
    text = result if isinstance(result, str) else ""
    finish = document.get("stop_reason")
    subtype = str(document.get("subtype"))
    failed = bool(document.get("is_error")) or subtype.startswith("error")
    return Printed(
        text=text,
        model=next(iter(_table(document, "modelUsage")), None),
        tokens_in=None if fresh is None else fresh + cached + written,
        tokens_out=count(usage.get("output_tokens")),
        tokens_cached=None if fresh is None else cached,
        cost_usd=amount(document.get("total_cost_usd")),
        fault=(text or _joined(document.get("errors")) or subtype) if failed else None,
        finish=finish if isinstance(finish, str) else None,
    )


def _joined(words: object) -> str:
    return "; ".join(filter(None, map(str, words))) if isinstance(words, list) else ""


def read_codex(output: str) -> Printed:
    """`exec --json`: a line an event; the last `agent_message` is the reply, `turn.completed` has usage."""
    text = ""
    fault = None
    usage: Mapping[str, Any] = {}
    seen = False
    for event in _documents(output):
        item = _table(event, "item")
        kind = event.get("type")
        seen = seen or isinstance(kind, str)
        if kind == "item.completed" and item.get("type") == "agent_message":
            text = str(item.get("text") or "")
        elif kind == "turn.completed":
            usage = _table(event, "usage")
            fault = None  # what was reported on the way was overcome
        elif kind == "turn.failed":
            fault = str(_table(event, "error").get("message"))
        elif kind == "error":
            fault = str(event.get("message"))
    if not seen:
        return read_text(output)
    return Printed(
        text=text,
        tokens_in=count(usage.get("input_tokens")),
        tokens_out=count(usage.get("output_tokens")),
        tokens_cached=count(usage.get("cached_input_tokens")),
        fault=fault,
        finish="stop",
    )


def read_gemini(output: str) -> Printed:
    """`--output-format json`: one document with `response`, `stats`, or `error`."""
    for document in _documents(output):
        error = _table(document, "error")
        if error:
            return Printed(fault=f"{error.get('message')} ({error.get('code')})")
        if isinstance(document.get("response"), str):
            models = _table(_table(document, "stats"), "models")
            tokens = [_table(_table(models, name), "tokens") for name in models]
            return Printed(
                text=document["response"],
                model=next(iter(models), None),
                tokens_in=_total(tokens, "prompt"),
                tokens_out=_total(tokens, "candidates", "thoughts"),
                tokens_cached=_total(tokens, "cached"),
                finish="stop",
            )
    return read_text(output)


def _total(tables: list[Mapping[str, Any]], *names: str) -> int | None:
    counts = [count(table[name]) for table in tables for name in names if name in table]
    known = [number for number in counts if number is not None]
    return sum(known) if known else None


def _table(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _documents(output: str) -> Iterator[Mapping[str, Any]]:
    """JSON objects that begin on a line of their own, banners between them passed over."""
    text = without_codes(output)
    decoder = json.JSONDecoder()
    place = 0
    tries = 0
    while tries < _MOST_DOCUMENTS and (place := _next_object(text, place)) >= 0:
        try:
            document, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            tries += 1
            place += 1
            continue
        if isinstance(document, dict):
            yield document


def _next_object(text: str, place: int) -> int:
    """Where the next line begins, from `place` on, whose first character is an opening brace; else -1."""
    if text.startswith("{", place) and (place == 0 or text[place - 1] in "\n[, "):
        return place
    found = text.find("\n{", place)
    return found + 1 if found >= 0 else -1


_STATUS = re.compile(
    r"\b(?:error(?: code)?|status(?: code)?|http(?:/\d(?:\.\d)?)?(?: error)?)\W{0,3}([45]\d\d)\b"
)
"""A server's answer, as programs quote it."""
_FAULTS: tuple[tuple[ErrorKind, re.Pattern[str]], ...] = (
    (ErrorKind.MONEY, re.compile(r"billing")),
    (
        ErrorKind.RATE_LIMIT,
        re.compile(
            r"rate.?limit|too many requests|\b429\b|overloaded|usage limit|quota exceeded|exceeded your"
            r"|resource.?exhausted|limit reached|hit your (?:[\w-]{1,20} )?limit"
        ),
    ),
    (
        ErrorKind.KEY,
        re.compile(
            r"not logged in|log ?in again|please log ?in|please run|/login|login expired|session expired"
            r"|token expired|expired token|token has expired|unauthori[sz]ed|authenticat|invalid api key"
            r"|\b401\b"
        ),
    ),
    (
        ErrorKind.UNKNOWN_MODEL,
        re.compile(
            r"invalid model|model not found|no such model"
            r"|model[^\n]{0,80}(?:not found|not supported|does not exist|not available)"
        ),
    ),
)
"""Kind of fault, and words of programs in lower case, in the order of trying; after those of servers."""
HINTS: Mapping[ErrorKind, str] = {
    ErrorKind.MONEY: "add credit at the provider, then resume",
    ErrorKind.KEY: "log in to the program once by hand, then resume",
    ErrorKind.TOO_LONG: "lower [prompts] tokens",
    ErrorKind.UNKNOWN_MODEL: "check the model's name, then resume",
    ErrorKind.REQUEST: "change the program's options, then resume",
}
_WAIT = re.compile(r"\b(?:in|after)\s{1,3}(\d{1,6})\s{0,3}(s|sec|m|min|h|hour)", re.IGNORECASE)
_UNTIL = re.compile(r"\|(\d{10})\b")
_UNIT_SECONDS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "hour": 3600.0}


def fault_of(words: str) -> ErrorKind | None:
    """Kind of a fault that a program reports in a server's words or its own; None for none that is listed."""
    text = words[:20_000].lower()
    status = _STATUS.search(text)
    kind, _ = kind_of(ServerFault(int(status[1]) if status else 400, text))
    if kind not in (ErrorKind.REQUEST, ErrorKind.SERVER):
        return kind
    own = next((kind for kind, pattern in _FAULTS if pattern.search(text)), None)
    return own or (kind if status else None)


def wait_of(words: str, now: float) -> float | None:
    """Seconds that a program asks to wait (`in 5 minutes`, or a Unix time after a bar); None without such.

    Args:
        words: what it prints.
        now: Unix time (seconds).
    """
    head = words[:20_000]
    if until := _UNTIL.search(head):
        return max(0.0, int(until[1]) - now)
    if wait := _WAIT.search(head):
        return int(wait[1]) * _UNIT_SECONDS[wait[2].lower()]
    return None
