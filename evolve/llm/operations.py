"""Operations of an episode: signatures, their schemas for function calling, and the calls in a reply.

A reply calls an operation by a fence named after it. A call that came by function calling is kept as a fence
`call NAME` with the arguments as the server wrote them, so that every conversation is one text.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints

from ...problems.base import Json
from ...prompts.marks import restore
from .edits import defined, fences
from .reply_text import without_thoughts

MOST_CALLS = 8
"""Calls of one reply that are looked at (count)."""
CALL = "call"
"""First word of the fence of a call that came by function calling."""


class Operations(Protocol):
    """What a model may call within an episode; the first parameter is the body of a fence."""

    def evaluate(self, program: str, idea: str = "") -> None:
        """Runs a whole program on the training instances by race: means, paired differences, groups with
        their noise floor, time, the worst instances. It enters the archive. Ends the reply: what follows it
        is not looked at.
        """

    def probe(self, program: str, instances: list[str] = []) -> None:  # noqa: B006  (a signature)
        """Runs a program on up to 8 training instances (ids, by default one) and shows all that it did:
        answer, gap, time, what it printed, exception with its line. Print what you want to know.
        """

    def experiment(self, script: str, cpu_seconds: float = 30.0) -> None:
        """Runs a script of your own that defines `experiment()`, with the modules of programs and `bench`:
        `bench.instances` (up to 300, dictionaries with `id`, `group`, `public`, `hidden`, `scale` and
        `reference`, None beyond those in use), `bench.run(program, instance)` (the answer of a function or
        class), `bench.gap`, `bench.objective` and `bench.verify` of `(instance, answer)`,
        `bench.seconds()` (CPU time). Shows what it prints and the value that it returns: compare many ideas,
        learn tables, fit, simulate.
        """

    def inspect(self, instance: str = "", page: int = 1) -> None:
        """Shows a training instance whole, with its reference and the best found so far; without an id, the
        list of all.
        """

    def compare(self, a: str, b: str = "best") -> None:
        """Compares two programs (ids, `best`, `start`, a baseline) by instance and group, paired."""

    def read(self, candidate: str = "") -> None:
        """Shows a candidate's source, idea and scores; without an id, the list of all, losers too."""

    def note(self, text: str) -> None:
        """Writes a line that later episodes read."""

    def done(self, learned: str = "") -> None:
        """Ends the episode; `learned` is what a later one should know, at most 120 words."""


OPERATIONS: Mapping[str, Callable[..., None]] = {
    name: function for name, function in vars(Operations).items() if inspect.isfunction(function)
    and not name.startswith("_")
}  # fmt: skip
_KINDS: Mapping[Any, dict[str, Json]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    list[str]: {"type": "array", "items": {"type": "string"}},
}
"""Types of parameters as JSON schemas."""


def _parameters(name: str) -> dict[str, tuple[Any, bool]]:
    """Parameter → its type, and whether it must be given."""
    function = OPERATIONS[name]
    hints = get_type_hints(function)
    signature = inspect.signature(function).parameters.values()
    return {p.name: (hints[p.name], p.default is p.empty) for p in signature if p.name != "self"}


def _doc(name: str) -> str:
    return " ".join((OPERATIONS[name].__doc__ or "").split())


def schemas() -> tuple[dict[str, Json], ...]:
    """The operations as tools of a chat completion."""
    found: list[dict[str, Json]] = []
    for name in OPERATIONS:
        parameters = _parameters(name)
        properties: dict[str, Json] = {key: dict(_KINDS[kind]) for key, (kind, _) in parameters.items()}
        required: list[Json] = [key for key, (_, needed) in parameters.items() if needed]
        schema: dict[str, Json] = {"type": "object", "properties": properties, "required": required}
        found.append(
            {"type": "function", "function": {"name": name, "description": _doc(name), "parameters": schema}}
        )
    return tuple(found)


def usage() -> str:
    """The operations in words, for a prompt."""
    lines = []
    for name in OPERATIONS:
        signature = ", ".join(key if needed else f"[{key}]" for key, (_, needed) in _parameters(name).items())
        lines.append(f"- `{name}({signature})`: {_doc(name)}")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class OperationCall:
    """A call in a reply.

    Attributes:
        name: of the operation, as the reply has it.
        arguments: by parameter; empty with a fault.
        fault: what is wrong with the call and how to mend it, one sentence; empty if nothing is.
    """

    name: str
    arguments: Mapping[str, Any]
    fault: str = ""


_NAME = re.compile(r"[^A-Za-z0-9_.-]+")
_HEADER = re.compile(r"^[ \t]*(?P<key>[a-z_]{1,20})[ \t]*:[ \t]*(?P<value>.*)$")
_WRAPPED = re.compile(r"^[ \t]*(?:`{3,}|~{3,})\w*[ \t]*$")


def block_of(name: object, arguments: object) -> str:
    """The fence of a call that came by function calling, its arguments as they came."""
    word = _NAME.sub("", name)[:64] if isinstance(name, str) else ""
    body = arguments if isinstance(arguments, str) else json.dumps(arguments)
    longest = max((len(run) for run in re.findall(r"`{3,}", body)), default=2)
    marks = "`" * (longest + 1)
    return f"{marks}{CALL} {word or 'unnamed'}\n{body}\n{marks}"


def tool_calls(reply: str) -> tuple[str, list[tuple[str, str]]]:
    """The text of a reply without its calls by function calling, and each one's name and arguments (JSON).

    One whose arguments are no JSON object stays in the text: no server takes it back.
    """
    kept: list[str] = []
    found: list[tuple[str, str]] = []
    lines = reply.split("\n")
    at = 0
    for info, body, begin, end in _blocks(reply):
        words = info.split()
        if len(words) != 2 or words[0] != CALL or not isinstance(_json(body), dict):
            continue
        kept += lines[at:begin]
        at = end
        found.append((words[1], body))
    return "\n".join([*kept, *lines[at:]]).strip(), found


def calls_of(reply: str, entry_point: str) -> list[OperationCall]:
    """The calls of a reply in their order; a program in a plain fence, where no operation is named, is
    evaluated.
    """
    text = without_thoughts(reply.replace("\r\n", "\n"))
    calls: list[OperationCall] = []
    for info, body, _, _ in _blocks(text):
        words = info.split()
        if len(calls) == MOST_CALLS:
            break
        if len(words) == 2 and words[0] == CALL:
            calls.append(_of_json(words[1], body))
        elif len(words) == 1 and words[0].lower() in OPERATIONS:
            calls.append(_of_text(words[0].lower(), body))
    if calls:
        return calls
    programs = [f.text for f in fences(text) if f.python and defined(entry_point).search(f.text)]
    return [_checked("evaluate", {"program": programs[-1]})] if programs else []


def _blocks(text: str) -> list[tuple[str, str, int, int]]:
    """Fences of a text: what stands after the marks, the body, the first line and the line after (from 0).

    One that is not closed ends with the text.
    """
    found: list[tuple[str, str, int, int]] = []
    lines = text.split("\n")
    marks = info = ""
    begin = 0
    for number, line in enumerate(lines):
        bare = line.strip()
        run = len(bare) - len(bare.lstrip("`"))
        if not marks and run >= 3 and "`" not in bare[run:]:
            marks = bare[:run]
            info = bare[run:].strip()
            begin = number
        elif marks and run >= len(marks) and not bare[run:]:
            found.append((info, "\n".join(lines[begin + 1 : number]), begin, number + 1))
            marks = ""
    if marks and begin + 1 < len(lines):
        found.append((info, "\n".join(lines[begin + 1 :]), begin, len(lines)))
    return found


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_json(name: str, body: str) -> OperationCall:
    given = _json(body or "{}")
    if not isinstance(given, dict):
        return OperationCall(name, {}, f"{name}: the arguments are no JSON object; send one object")
    return _checked(name, given)


def _of_text(name: str, body: str) -> OperationCall:
    """Lines `parameter: value`, then the body; a fence within, as models write it, is taken off."""
    parameters = _parameters(name)
    lines = body.split("\n")
    given: dict[str, Any] = {}
    at = 0  # counted, not taken off: a reply may hold a million lines
    while at < len(lines) and (match := _HEADER.match(lines[at])) and match["key"] in parameters:
        given[match["key"]] = match["value"].strip()
        at += 1
    while at < len(lines) and (not lines[at].strip() or _WRAPPED.match(lines[at])):
        at += 1
    rest = "\n".join(lines[at:]).rstrip()
    first = next(iter(parameters))
    if rest and first not in given:
        given[first] = rest + "\n" if "\n" in rest else rest
    return _checked(name, given)


def _checked(name: str, given: Mapping[str, Any]) -> OperationCall:
    """The call with values of the right types, or its fault."""
    if name not in OPERATIONS:
        return OperationCall(name, {}, f"{name}: no such operation; there are {', '.join(OPERATIONS)}")
    parameters = _parameters(name)
    unknown = [key for key in given if key not in parameters]
    if unknown:
        takes = ", ".join(parameters)
        return OperationCall(name, {}, f"{name}: unknown parameter {unknown[0][:40]!r}; it takes {takes}")
    found: dict[str, Any] = {}
    for key, (kind, needed) in parameters.items():
        if key not in given:
            if needed:
                return OperationCall(name, {}, f"{name}: {key} is missing; give it")
            continue
        value = _value(given[key], kind)
        if value is None:
            got = type(given[key]).__name__
            return OperationCall(name, {}, f"{name}: {key}: got {got}, expected {_KINDS[kind]['type']}")
        if not _is_unicode(value):  # an escape in JSON can stand for half a character; no store takes it
            fault = f"{name}: {key}: not valid Unicode, it has a lone surrogate; send it without"
            return OperationCall(name, {}, fault)
        found[key] = value
    return OperationCall(name, found)


def _is_unicode(value: object) -> bool:
    """Whether a value, or each of a list, is a text that UTF-8 can hold, or no text."""
    texts = value if isinstance(value, list) else [value]
    return not any(isinstance(text, str) and re.search("[\ud800-\udfff]", text) for text in texts)


def _value(given: object, kind: Any) -> Any:
    """A value of the parameter's type; None where it cannot be one."""
    if kind is str:
        return restore(given) if isinstance(given, str) else None
    if kind is int or kind is float:
        try:
            number = kind(given) if isinstance(given, str | int | float) and given is not True else None
        except (ValueError, OverflowError):
            return None
        return number if number is None or abs(number) < 1e9 else None
    if isinstance(given, str):
        return [word for word in re.split(r"[\s,]+", given) if word]
    return given if isinstance(given, Sequence) and all(isinstance(one, str) for one in given) else None
