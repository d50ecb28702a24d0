"""Source texts of moves for the kinds of answers: a random neighbour, rated by the problem's whole objective.

The texts stand in programs as they are. A problem that can rate a move by its increment hands over a class of
its own.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...problems.base import HasMoves, Moves, Problem, Sense
from ..syntax import checks
from ..syntax.analysis import analyse

# The imports that a program may get when an operator writes what needs them.

NUMPY = "import numpy as np"
IMPORTS = {"np": NUMPY, "random": "import random", "math": "import math"}
"""Name → the import that a text gets when it comes to need it."""


_CLASS = '''
class Neighbours:
    """{meaning}"""
    def __init__(self, answer, *arguments):
        self.current = {items}
        self.arguments = arguments
        self.size = {size}
        self.values = {values}
        self.value = {sign}objective(self.current, *arguments)
    def draw(self, random):
        current = self.current[:]
        if not self.change(current, random):
            return (0, None)
        value = {sign}objective(current, *self.arguments)
        return (value - self.value, (value, current))
    def make(self, move):
        self.value, self.current = move
    def answer(self):
        return self.current
    def change(self, current, random):
        form = random()
{change}
        return True
'''


def source(moves: Moves, sense: Sense, arguments: tuple[str, ...]) -> str:
    """The problem's objective and the class of moves, as one text."""
    if moves.by_increment:
        return moves.source
    neighbourhood = moves.neighbourhood
    values = f"list({moves.values})" if moves.values else "()"
    text = _CLASS.format(
        meaning=neighbourhood.meaning,
        items=neighbourhood.items,
        size=neighbourhood.size,
        values=f"(lambda {', '.join(arguments)}: {values})(*arguments)" if moves.values else values,
        sign="-" if sense is Sense.MAXIMISE else "",
        change=neighbourhood.change.strip("\n"),
    )
    return f"{moves.source}\n{text}"


_IMPORT = ast.Import | ast.ImportFrom
_BETTER = '''
def better(answers, {arguments}):
    """The answer with the best objective, the first of equal ones."""
    return {best}(answers, key=lambda answer: objective(answer, {arguments}))
'''


@dataclass(frozen=True, slots=True)
class Ground:
    """The text that phases of local search need in a program of one problem: objective and moves.

    Attributes:
        moves: as the problem hands them over.
        arguments: names of the entry point's arguments.
        text: source of `objective`, `Neighbours` and `better`; in a program it stands last, and no operator
            changes it.
    """

    moves: Moves
    arguments: tuple[str, ...]
    text: str

    @classmethod
    def of(cls, problem: Problem) -> Ground | None:
        """The ground of a problem; None if it hands over no moves."""
        moves = problem.moves() if isinstance(problem, HasMoves) else None
        if moves is None:
            return None
        head = ast.parse(f"{problem.signature.rstrip().rstrip(':')}: ...").body[0]
        if not isinstance(head, ast.FunctionDef):
            return None
        arguments = tuple(a.arg for a in head.args.args)
        best = "max" if problem.sense is Sense.MAXIMISE else "min"
        better = _BETTER.format(best=best, arguments=", ".join(arguments))
        return cls(moves, arguments, _definitions_alone(source(moves, problem.sense, arguments) + better))


@lru_cache(maxsize=16)
def _definitions_alone(text: str) -> str:
    """The functions and classes of a text, as Python prints them; each function has the imports it needs.

    In a program the text stands behind functions with imports of their own, so it brings none for the module.
    Those that every program may have, such as `import math`, are written where a program needs them.
    """
    body = ast.parse(text).body
    imports = [n for n in body if isinstance(n, _IMPORT) and ast.unparse(n) not in IMPORTS.values()]
    definitions = [n for n in body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    for definition in definitions if imports else ():
        parts = definition.body if isinstance(definition, ast.ClassDef) else [definition]
        for function in parts:
            if isinstance(function, ast.FunctionDef):
                _import_inside(function, imports)
    return "\n\n".join(map(ast.unparse, definitions))


def _import_inside(function: ast.FunctionDef, imports: Sequence[ast.Import | ast.ImportFrom]) -> None:
    """Writes the imports whose names a function uses at its beginning, behind its docstring."""
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    needed = [
        node for node in imports if used & {alias.asname or alias.name.split(".")[0] for alias in node.names}
    ]
    place = int(ast.get_docstring(function) is not None)
    function.body[place:place] = needed


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of a ground's text, so that its tree is not walked again for each program.

    Attributes:
        names: of its functions and classes.
        imports: as the guard finds them.
        size: nodes below the module (count) and levels (count).
    """

    names: frozenset[str]
    imports: tuple[str, ...]
    size: tuple[int, int]


@lru_cache(maxsize=16)
def facts_of(text: str) -> Facts:
    """The facts of a ground's text."""
    tree = ast.parse(text)
    nodes, depth = checks.size(tree)
    names = frozenset(name for name, _ in definitions(text))
    return Facts(names, checks.imports(tree), (nodes - 1, depth))


@lru_cache(maxsize=64)
def hazards_of(text: str, bound: frozenset[str] = frozenset()) -> Counter[tuple[str, str]]:
    """The guard's findings in a ground's text behind a program that binds some names; read only."""
    needed = bound and bound & {name for _, name in hazards_of(text)}
    if needed != bound:
        return hazards_of(text, needed)
    return checks.hazards(analyse(ast.parse(text), bound, places=False))


@lru_cache(maxsize=64)
def without(text: str, ground: str) -> str:
    """A program without the definitions of a ground."""
    tree = ast.parse(text)
    set_aside(tree, ground)
    return ast.unparse(tree)


@lru_cache(maxsize=16)
def definitions(text: str) -> tuple[tuple[str, str], ...]:
    """Names and dumps of the functions and classes of a text."""
    return tuple(
        (node.name, ast.dump(node))
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def set_aside(tree: ast.Module, text: str) -> None:
    """Takes the definitions of a text out of a tree that holds them word for word."""
    ours = dict(definitions(text))
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.FunctionDef | ast.ClassDef) and ours.get(node.name) == ast.dump(node))
    ]


def joined(program: str, text: str) -> str:
    """A program with a ground's text behind it, as Python prints the two."""
    return f"{program}\n\n{text}"
