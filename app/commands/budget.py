"""`--budget 90s`: what a campaign may use, in one option; the options that it replaced are still read."""

from __future__ import annotations

import re
from math import inf
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .help_page import Verb

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 10**9
"""Largest count of a budget; a larger one is a typing error."""
LEAST_SECONDS = 0.001
"""Smallest budget of seconds."""
EXPECTED = "90s, 5m, 2h, 400it, 2usd, 1Mtok or 600cpu"
_PART = re.compile(r"\s*+(?:\$\s*+)?([0-9][0-9_,]*+(?:\.[0-9]++)?|\.[0-9]++)\s*+([kMG]?)\s*+([a-zµ]*+)\s*+")
_SCALES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
_TIMES = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "ms": 0.001}
_OLD = {
    "--seconds": "seconds",
    "--iterations": "iterations",
    "--evaluations": "evaluations",
    "--executions": "executions",
    "--cpu-seconds": "cpu_seconds",
    "--usd": "usd",
    "--tokens": "tokens",
    "--patience": "patience",
}
"""Option that `--budget` replaced → key of `[budget]`."""


def duration_in_seconds(text: str) -> float:
    """Seconds of an option's value: a number, or a duration such as `5m`."""
    from ...evolve.timing import seconds_of

    try:
        value = float(text)
    except ValueError:
        try:
            value = seconds_of(text)
        except ValueError:
            expected = "seconds as a number, or with a unit: 90s, 5m, 2h"
            raise typer.BadParameter(f"got {text!r}, expected {expected}") from None
    if not LEAST_SECONDS <= value < inf:
        raise typer.BadParameter(f"got {text!r}, expected a finite number of seconds >= {LEAST_SECONDS}")
    return value


def duration_or_none(text: str) -> float:
    """Seconds of an option's value, as `duration_in_seconds`; 0 for no time at all."""
    return 0.0 if str(text).strip() == "0" else duration_in_seconds(text)


def budget_part(text: str) -> tuple[str, float]:
    """The key of `[budget]` and the limit that a value of `--budget` names.

    Raises:
        typer.BadParameter: it is no limit.
    """
    from ..formatting import AMOUNTS

    key, equals, value = text.partition("=")
    if equals and key in _OLD.values():
        return key, _limit(key, value, f"{value!r} {key.replace('_', ' ')}")
    match = _PART.fullmatch(text)
    unit = match[3] if match else ""
    dollars = "$" in text
    if match is None or (dollars and unit not in ("", "usd")) or (not dollars and not unit):
        raise typer.BadParameter(f"got {text!r}, expected a number with its unit: {EXPECTED}")
    number = float(re.sub("[_,]", "", match[1])) * _SCALES[match[2]]
    if unit in _TIMES:
        return "seconds", _limit("seconds", str(number * _TIMES[unit]), repr(text))
    keys = {name: key for key, name in AMOUNTS.items()}
    if (unit or "usd") not in keys:
        raise typer.BadParameter(f"got {text!r}, expected a unit that is known: {EXPECTED}")
    key = keys[unit or "usd"]
    return key, _limit(key, str(number), repr(text))


def _limit(key: str, value: str, given: str) -> float:
    """A limit as a number: a count, seconds or dollars."""
    if key in ("seconds", "cpu_seconds"):
        return duration_in_seconds(value)
    try:
        number = float(value)
    except ValueError:
        number = inf
    if key == "usd":
        if not 0.000001 <= number < inf:
            raise typer.BadParameter(f"got {given}, expected US dollars >= 0.000001")
        return number
    most = MOST * 1000 if key == "tokens" else MOST
    if not 1 <= number <= most or number != int(number):
        raise typer.BadParameter(f"got {given}, expected a whole number from 1 to {most}")
    return int(number)


Limits = Annotated[
    list[Any] | None,
    typer.Option(
        "--budget",
        parser=budget_part,
        metavar="AMOUNT",
        help=f"What it may use in all: {EXPECTED} (repeatable).",
        show_default=False,
    ),
]


def budget_of(limits: Sequence[tuple[str, float]] | None) -> dict[str, Any]:
    """Key of `[budget]` → limit.

    Raises:
        UserError: one of them is named twice.
    """
    from ..errors import USAGE, UserError

    budget = dict[str, Any]()
    for key, value in limits or ():
        if key in budget:
            words = f"--budget: got two limits of {key.replace('_', ' ')}, {budget[key]:g} and {value:g}"
            raise UserError(USAGE, words, "name one of them")
        budget[key] = value
    return budget


def modern(args: Sequence[str]) -> list[str]:
    """Arguments in which the options that `--budget` replaced are values of `--budget`."""
    found = list[str]()
    rest = iter(args)
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--":
            return [*found, word, *rest]
        if name not in _OLD:
            found.append(word)
        elif equals or (value := next(rest, "")):
            found += ["--budget", f"{_OLD[name]}={value}"]
        else:
            found.append("--budget")  # without a value: the parser says so
    return found


class Budgeted(Verb):
    """A command with `--budget` that still reads the options which it replaced."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """See click."""
        return super().parse_args(ctx, modern(args))
