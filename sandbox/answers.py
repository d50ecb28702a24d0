"""Reads the bytes that a child wrote: accepts one document within the caps, refuses everything else."""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from . import unseen
from .base import Json

MAX_DEPTH = 100
MAX_DIGITS = 300  # so that every number fits a float: 64-bit floats end at 308
MAX_TEXT_BYTES = 2048

_LONG_NUMBER = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")  # looks at each digit once
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class InvalidAnswer(Exception):
    """The bytes are no acceptable document; the message says why in one sentence."""


def _no_constant(name: str) -> NoReturn:
    raise InvalidAnswer(f"the answer contains {name}, expected finite numbers")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise InvalidAnswer(f"the answer contains {digits[:20]}, which is out of the range of a float")
    return value


_decode = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite).decode


def parse(raw: bytes, cap: int) -> Json:
    """One strict UTF-8 JSON document of at most `cap` bytes, `MAX_DEPTH` levels, finite numbers.

    Raises:
        InvalidAnswer: for everything else.
    """
    if len(raw) > cap:
        raise InvalidAnswer(f"the answer has {len(raw)} bytes, at most {cap} are read")
    try:
        text = raw.decode("utf-8")
        if _LONG_NUMBER.search(text):
            raise InvalidAnswer(f"the answer contains a number of more than {MAX_DIGITS} digits")
        answer: Json = _decode(text)
        if text.count("[") + text.count("{") > MAX_DEPTH:
            _check_depth(answer)
        if _SURROGATE.search(text):
            json.dumps(answer, ensure_ascii=False).encode("utf-8")
    except UnicodeError:
        raise InvalidAnswer("the answer is not valid UTF-8 text") from None
    except RecursionError:
        raise InvalidAnswer(f"the answer nests deeper than {MAX_DEPTH} levels") from None
    except ValueError as error:
        raise InvalidAnswer(f"the answer is not one JSON document: {clean(str(error), 200)}") from None
    return answer


def _check_depth(answer: Json) -> None:
    level: list[Json] = [answer]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            for item in (
                value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            )
            if isinstance(item, list | dict)
        ]
        if not level:
            return
    raise InvalidAnswer(f"the answer nests deeper than {MAX_DEPTH} levels")


def clean(text: str, cap: int = MAX_TEXT_BYTES) -> str:
    """Text fit for a prompt and a terminal: no control, bidirectional or invisible characters but line ends.

    Args:
        text: anything.
        cap: largest size of the result, UTF-8 bytes.
    """
    text = unseen.clean(text)
    if len(text) * 4 > cap:
        text = text.encode("utf-8", "replace")[:cap].decode("utf-8", "ignore")
    return text.strip()
