"""Moves that a problem hands over: their objective agrees with verification, their kind is a known one."""

from __future__ import annotations

import re

from ...evolve.offline.imports import IMPORTS
from ...evolve.offline.neighbours import Ground
from ...problems.base import KINDS, HasMoves, Moves
from .bench import Bench, attempt
from .origins import origins

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
    if moves.kind in ("assignment", "subset") and not moves.values:
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
    arguments = re.findall(r"(\w+):", bench.problem.signature.split("->")[0])
    for origin in origins(bench):
        values = [origin.case.instance.public[name] for name in arguments]
        value, error = attempt(lambda a=origin.answer, g=values: objective(a, *g))  # type: ignore[misc]
        if error is not None:
            return f"{type(error).__name__}: {error} for the {origin.words}"
        exact = float(origin.objective)
        if abs(float(value) - exact) > _CLOSE * max(1.0, abs(exact)):
            return f"{value} for the {origin.words}, where verify says {exact}"
    return None
