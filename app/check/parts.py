"""The optional parts of a problem: driver, primitives, drawing, users' files, moves."""

from __future__ import annotations

import ast
import random
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from keyword import iskeyword
from math import isfinite
from pathlib import Path
from typing import Any

from ...problems.base import (
    KINDS,
    SPLITS,
    Drawable,
    Drawing,
    Driven,
    HasMoves,
    HasPhases,
    HasPrimitives,
    InstanceFileError,
    Interactive,
    Keyed,
    Moves,
    Problem,
    ReadsInstances,
    canonical_json,
)
from ...sandbox.base import Sandbox
from .bench import CPU_SECONDS, SEED, Bench, HonestAnswer, attempt, origins

# Moves that a problem hands over: their objective agrees with verification, their kind is a known one.

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
    from ...evolve.offline.neighbours import IMPORTS, Ground

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


def _changed(
    bench: Bench, origin: HonestAnswer, names: Mapping[str, Any], values: Sequence[object]
) -> str | None:
    """One sentence on an answer one random move away that objective and verification judge unlike."""
    draw = random.Random(1).random
    instance = origin.case.instance
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


PARTS = {
    "driver": Driven,
    "interactive": Interactive,
    "keyed": Keyed,
    "primitives": HasPrimitives,
    "phases": HasPhases,
    "moves": HasMoves,
    "drawing": Drawable,
    "reads-instances": ReadsInstances,
}

_FILES = {
    "an empty file": b"",
    "bytes that are no text": b"\xff\xfe\x00\x01",
    "a table of other columns": b"colour,shape\nred,round\n",
    "JSON lines of another kind": b'{"colour": "red"}\n',
    "an empty JSON object": b"{}\n",
    "half a JSON line": b'{"colour": \n',
}


def parts_of(problem: Problem) -> dict[str, bool]:
    """Name of each optional part → whether a problem has it; a form may hand over no moves (None)."""
    parts = {name: isinstance(problem, protocol) for name, protocol in PARTS.items()}
    if isinstance(problem, HasMoves):
        moves, error = attempt(problem.moves)
        parts["moves"] = error is not None or moves is not None
    return parts


def check_parts(bench: Bench, sandbox: Sandbox) -> None:
    """Whatever optional part is there does what its Protocol says."""
    problem = bench.problem
    if isinstance(problem, Driven):
        _driver(bench, problem.driver, sandbox)
    if isinstance(problem, Keyed):
        _keyed(bench, problem)
    elif isinstance(problem, Interactive):
        _unkeyed(bench)
    if isinstance(problem, HasPrimitives):
        _primitives(bench, problem)
    if isinstance(problem, HasMoves):
        check_moves(bench, problem)
    if isinstance(problem, Drawable):
        _drawing(bench, problem)
    if isinstance(problem, ReadsInstances):
        _files(bench, problem)


def _driver(bench: Bench, text: str, sandbox: Sandbox) -> None:
    description = sandbox.describe(text, "drive")
    if description.error is not None or not description.entry_point:
        bench.report.add(
            "driver",
            sent="describe(driver)",
            got=description.error or "no function `drive` at its top level",
            why="the sandbox calls drive(entry, instance), interactive ones with receive and send",
            fix="define def drive(entry, instance): … in the driver's text",
        )


def _keyed(bench: Bench, problem: Keyed) -> None:
    """Another secret gives other hidden parts, the same one the same."""

    def drawn(secret: str) -> list[str]:
        return [i.digest for s in SPLITS for i in problem.keyed(secret).instances(s, SEED) if i.hidden]

    one, error = attempt(lambda: drawn("1" * 64))
    again, two = (attempt(lambda s=s: drawn(s * 64))[0] for s in "12")  # type: ignore[misc]
    if error is not None or one != again or (one and one == two):
        bench.report.add(
            "keyed",
            sent="keyed(secret).instances(set, seed) for two secrets",
            got=f"{type(error).__name__}: {error}" if error else "hidden parts that do not follow the secret",
            why="a candidate can draw hidden parts again unless a secret decides them",
            fix="make the secret part of what seeds every stream of a hidden part",
        )


def _unkeyed(bench: Bench) -> None:
    """Reports revealed values that are drawn from a seed alone: a candidate could draw them too."""

    def hidden(seed: int) -> list[str]:
        drawn = [i for split in SPLITS for i in bench.loaded.instances(split, seed)]
        return [canonical_json(dict(i.hidden)) for i in drawn if i.hidden]

    if hidden(SEED) != hidden(SEED + 1):  # what no seed decides has no generator: published sequences
        bench.report.add(
            "keyed",
            sent=f"instances(split, {SEED}) and instances(split, {SEED + 1})",
            got="hidden parts that the seed alone decides, and no method keyed",
            why="a candidate can draw hidden parts again unless a secret decides them",
            fix="add keyed(secret), which gives the same problem with the secret in what seeds every stream",
        )


def _primitives(bench: Bench, problem: HasPrimitives) -> None:
    primitives, error = attempt(lambda: list(problem.primitives()))
    terms: set[str] = set()
    for primitive in primitives or ():
        try:
            ast.parse(primitive.text, mode="eval")
            if primitive.term and (not primitive.term.isidentifier() or iskeyword(primitive.term)):
                raise ValueError(f"term {primitive.term!r} of {primitive.text!r}, expected an identifier")
            if primitive.term in terms:
                raise ValueError(f"term {primitive.term!r} twice, expected one expression each")
            terms |= {primitive.term} - {""}
        except (SyntaxError, AttributeError, TypeError, ValueError) as wrong:
            error = wrong
    if error is not None:
        bench.report.add(
            "primitives",
            sent="primitives()",
            got=f"{type(error).__name__}: {error}",
            why="the offline proposer writes these expressions into programs",
            fix="return Primitive(text, kind, meaning, term): text one expression, term one name or empty",
        )


def _drawing(bench: Bench, problem: Drawable) -> None:
    for origin in origins(bench)[:1]:
        instance = origin.case.instance
        answer = origin.answer
        drawing, error = attempt(lambda i=instance, a=answer: problem.draw(i, a))  # type: ignore[misc]
        kinds = {"rectangle", "line", "label"}
        proper = isinstance(drawing, Drawing) and all(shape.kind in kinds for shape in drawing.shapes)
        if error is not None or not proper or not drawing.shapes:
            bench.report.add(
                "drawing",
                sent=f"draw({instance.id}, answer of {origin.program})",
                got=f"{type(error).__name__}: {error}" if error else repr(drawing),
                why="`show --instance` draws these shapes",
                fix="return a Drawing with at least one rectangle, line or label",
            )


def _files(bench: Bench, problem: ReadsInstances) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for words, content in _FILES.items():
            for ending in ("csv", "jsonl"):
                path = Path(folder) / f"instances.{ending}"
                path.write_bytes(content)
                instances, error = attempt(lambda p=path: problem.read_instances(p))  # type: ignore[misc]
                if isinstance(error, InstanceFileError):
                    continue
                bench.report.add(
                    "reads-instances",
                    sent=f"{words}, as .{ending}",
                    got=f"{type(error).__name__}: {error}" if error else f"{len(instances)} instances",
                    why="a wrong file must be named with its row, not end in a traceback",
                    fix="raise InstanceFileError with file, row, what was got and what was expected",
                )
