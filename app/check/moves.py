"""Moves that a problem hands over: their objective agrees with verification, their kind is a known one."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from ...evolve.offline.imports import IMPORTS
from ...evolve.offline.neighbours import Ground
from ...problems.base import KINDS, HasMoves, Moves
from .bench import Bench, attempt
from .origins import CPU_SECONDS, Origin, origins

_DRAWS = 300
"""Random moves from each answer (count)."""
_CLOSE = 1e-6
"""Relative difference by which a text that counts in floats may miss an exact objective (ratio)."""


def check_moves(bench: Bench, problem: HasMoves) -> None:
    """Compares `objective` with verification on the answers of the problem's own programs."""
    moves, error = attempt(problem.moves)
    if error is None and moves is None:
        return
    fault = f"{type(error).__name__}: {error}" if error is not None or moves is None else _fault(bench, moves)
    if fault is not None:
        bench.report.add(
            "moves",
            sent="moves()",
            got=fault,
            why="local search on another objective than the problem's leads away from good answers",
            fix="define objective(answer, …) with the entry point's arguments, returning what verify judges; "
            "constants and helpers stand inside functions, for nothing else of the text is taken over",
        )


def _fault(bench: Bench, moves: Moves) -> str | None:
    """One sentence on what is wrong with a text, or None."""
    if not moves.by_increment and moves.kind not in KINDS:
        return f"kind {moves.kind!r}, expected one of {', '.join(KINDS)}, or a class Neighbours"
    if not moves.by_increment and "self.values" in moves.neighbourhood.change and not moves.values:
        return f"kind {moves.kind} without values"
    ground, error = attempt(lambda: Ground.of(bench.problem))
    if error is not None or ground is None:
        return f"{type(error).__name__}: {error}"
    # As candidates have it: functions and classes alone, with the modules that a program imports when needed.
    text = "\n".join([*IMPORTS.values(), ground.text])
    names: dict[str, object] = {}
    _, error = attempt(lambda: exec(compile(text, "moves", "exec"), names))
    objective = names.get("objective")
    if error is not None or not callable(objective):
        return f"{type(error).__name__}: {error}" if error is not None else "no function objective"
    arguments = re.findall(r"\b(\w++):", bench.problem.signature.split("->")[0])
    for origin in origins(bench):
        values = [origin.case.instance.public[name] for name in arguments]
        value, error = attempt(lambda a=origin.answer, g=values: objective(a, *g))  # type: ignore[misc]
        if error is not None:
            return f"{type(error).__name__}: {error} for the {origin.words}"
        exact = float(origin.objective)
        if abs(float(value) - exact) > _CLOSE * max(1.0, abs(exact)):
            return f"{value} for the {origin.words}, where verify says {exact}"
        fault = None if moves.by_increment else _changed(bench, origin, names, values)
        if fault is not None:
            return fault
    return None


def _changed(bench: Bench, origin: Origin, names: Mapping[str, Any], values: Sequence[object]) -> str | None:
    """One sentence on an answer one random move away that objective and verification judge unlike."""
    draw, instance = random.Random(1).random, origin.case.instance
    found, error = attempt(lambda: names["Neighbours"](origin.answer, *values))
    until = time.process_time() + CPU_SECONDS
    for _ in range(_DRAWS if error is None else 0):
        if time.process_time() > until:
            break
        drawn, error = attempt(lambda: found.draw(draw))
        if error is not None or drawn[1] is None:
            continue
        _, answer = drawn[1]
        value, error = attempt(lambda a=answer: float(names["objective"](a, *values)))  # type: ignore[misc]
        verdict, failed = attempt(lambda a=answer: bench.problem.verify(instance, a))  # type: ignore[misc]
        if error is not None or failed is not None:
            continue
        exact = None if verdict.objective is None else float(verdict.objective)
        words = f"after a random move from the {origin.words}"
        if exact is None and isfinite(value):
            return f"{value} {words}, which verify refuses: {verdict.violations[0]}"
        if exact is not None and not isfinite(value):
            return f"{value} {words}, which verify accepts with {exact}"
        if exact is not None and abs(value - exact) > _CLOSE * max(1.0, abs(exact)):
            return f"{value} {words}, where verify says {exact}"
    return None
