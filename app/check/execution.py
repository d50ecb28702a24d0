"""Whether text of an answer is run in Gapsmith's own process: by reading `verify`, and by texts that show it.

The texts do nothing: an audit hook sees that one of them is about to be run, notes it and stops it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType
from typing import Any

from ...problems.base import Json
from .answers import at as at_place
from .answers import leaves, objects, put
from .bench import Bench, attempt
from .origins import origins
from .reading import Place, runs_text

MARK = "gapsmith_probe_4d1f"
_TEXT = f'__import__("{MARK}")'
_BRACES = f"{MARK}{{{{}}}}"
_NAMED = f"{{{MARK}}}"
_watching: list[str] | None = None
_hooked = False
_WHY = "a candidate's text would run, or read attributes, outside of the sandbox: with your files and keys"
_FIX = (
    "parse the text yourself into numbers and operators that you allow, or ask for JSON instead; "
    "put text into messages with an f-string or repr()"
)


class Stopped(Exception):
    """A probe was about to be run."""


def check_execution(bench: Bench) -> None:
    """No text of an answer is run, imported, opened or used as a format."""
    for place in runs_text(bench.problem)[:3]:
        _read(bench, place)
    for origin in origins(bench)[:2]:
        for words, answer in _probes(origin.answer):
            with watched() as events:
                verdict, error = attempt(partial(bench.problem.verify, origin.case.instance, answer))
            message = f"{error} {' '.join(getattr(verdict, 'violations', ()))}"
            got = f"Python was about to do: {events[0]}" if events else _formatted(words, message, error)
            if got:
                bench.report.add(
                    "runs-answers", sent=f"{origin.words} with {words}", got=got, why=_WHY, fix=_FIX
                )


def _read(bench: Bench, place: Place) -> None:
    bench.report.add(
        "runs-answers",
        sent="the source of verify and of what it calls was read",
        got=f"{place.file}:{place.line}: {place.text}",
        why=_WHY,
        fix=_FIX,
    )


def _probes(answer: Json) -> Iterator[tuple[str, Json]]:
    """Answers that hold a probe: whole, at each of the first values, and as keys."""
    places: list[tuple[int | str, ...]] = [()]
    places += [path for path, value in leaves(answer) if isinstance(value, str)][:4]
    places += [path for path, value in leaves(answer) if path][:4]
    for path in dict.fromkeys(places):
        where = f"at {'.'.join(map(str, path))}" if path else "as the whole"
        for text in (_TEXT, _BRACES, _NAMED):
            yield f"{text} {where}", put(answer, path, text)
    for path in objects(answer)[:2]:
        whole = at_place(answer, path)
        for text in (_TEXT, _NAMED):
            yield f"{text} as a key", put(answer, path, {**whole, text: next(iter(whole.values()))})


def _formatted(words: str, message: str, error: BaseException | None) -> str:
    """What shows that a text was used as a format; empty if nothing does."""
    if isinstance(error, KeyError) and MARK in str(error) and words.startswith(_NAMED):
        return f"the text was used as a format: KeyError: {error}"
    if words.startswith(_BRACES) and f"{MARK}{{}}" in message:
        return "the text was used as a format: its double braces came back as single ones"
    return ""


@contextmanager
def watched() -> Iterator[list[str]]:
    """Notes what Python is about to do with a probe, and stops it."""
    global _watching, _hooked
    if not _hooked:
        sys.addaudithook(_hook)
        _hooked = True
    _watching = []
    try:
        yield _watching
    finally:
        _watching = None


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _watching is None or event == "compile":  # to compile is not to run: ast.literal_eval does it too
        return
    if any(_holds(value) for value in args):
        what = "run a text of the answer as code" if event == "exec" else f"{event} with a text of the answer"
        _watching.append(what)
        raise Stopped(f"{event} with a text of an answer")


def _holds(value: Any) -> bool:
    if isinstance(value, CodeType):
        return any(_holds(part) for part in (*value.co_consts, *value.co_names))
    if isinstance(value, str):
        return MARK in value
    if isinstance(value, bytes):
        return MARK.encode() in value
    return isinstance(value, list | tuple) and any(_holds(part) for part in value)
