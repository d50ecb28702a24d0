"""What the offline proposer gets of a short form: objective as text, expressions; apart, as few ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from ...problems.base import Primitive, Sense
from ...problems.required import require
from ..errors import ProblemError
from .source_text import OWN, Written, needs_of, plain_text, with_header

_STATED = "require"
_RAISED = "Broken"
_DEFINED = f'''class {_RAISED}(Exception):
    """A constraint is broken."""


def {_STATED}(condition, sentence=""):
    if not condition:
        raise {_RAISED}
'''


def objective_text(judge: Written, sense: Sense, arguments: Sequence[str]) -> str:
    """Functions of which `objective(answer, …)` returns what the judge's function does.

    Where that function refuses an answer, the text returns infinity with the sign of what is worse. Constants
    of the module stand in the functions that use them: local search takes over functions and classes only.

    Args:
        judge: the function that judges; its first parameter is the answer.
        sense: of the problem.
        arguments: names of the entry point's arguments.
    """
    what = f"objective {judge.name}"
    skip = {name: value for name, value in judge.home.items() if _is_require(value) or _is_own(value)}
    needs = needs_of([judge], what, sealed=True, skip=skip)
    infinity = "float('-inf')" if sense is Sense.MAXIMISE else "float('inf')"
    answer = _parameters(judge.node)[0]
    own = ast.parse(with_header(judge, f"def objective({', '.join([answer, *arguments])}):")).body[0]
    assert isinstance(own, ast.FunctionDef)
    main = _Stated(judge.home, infinity)
    own.body = [part for statement in own.body for part in _as_list(main.visit(statement))]
    others = [ast.parse(plain_text(one)).body[0] for one in needs.definitions.values()]
    helper = _Stated(judge.home, None)
    others = [helper.visit(_without_cache(node, what)) for node in others]
    raises = main.raises or helper.raises
    for node in [own, *others]:
        _with_constants(node, needs.constants)
    if raises:
        _guard(own, infinity)
    texts = [*needs.imports.values(), *([_DEFINED] if raises else [])]
    texts += [ast.unparse(ast.fix_missing_locations(node)) for node in (*others, own)]
    return "\n\n".join(texts) + "\n"


def _without_cache(node: ast.stmt, what: str) -> ast.stmt:
    """A helper without a cache around it, which changes nothing but time."""
    for decorator in getattr(node, "decorator_list", ()):
        inner = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = ast.unparse(inner).rpartition(".")[2]
        if name not in ("cache", "lru_cache"):
            raise ProblemError(
                f"{what}: its helper {getattr(node, 'name', '')} stands under @{ast.unparse(decorator)}, "
                "which local search cannot take along",
                "write the helper without a decorator",
            )
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
    return node


def _parameters(node: ast.AST) -> list[str]:
    assert isinstance(node, ast.FunctionDef)
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _is_require(value: object) -> bool:
    return value is require


def _is_own(value: object) -> bool:
    return getattr(value, "__name__", None) == OWN and hasattr(value, "__path__")


def _as_list(node: Any) -> list[ast.stmt]:
    return node if isinstance(node, list) else [node]


class _Stated(ast.NodeTransformer):
    """Turns `require` into what works without Gapsmith.

    A statement of the objective itself becomes a return of infinity, which costs nothing where the constraint
    holds; anywhere else an exception is raised.
    """

    def __init__(self, home: Mapping[str, Any], infinity: str | None) -> None:
        self.home = home
        self.infinity = infinity
        self.raises = False

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if not (isinstance(call, ast.Call) and self._requires(call.func) and call.args):
            self.generic_visit(node)
            return node
        condition = self.visit(call.args[0])
        end: ast.stmt
        if self.infinity is None:
            self.raises = True
            end = ast.Raise(ast.Name(_RAISED, ast.Load()), None)
        else:
            end = ast.Return(ast.parse(self.infinity, mode="eval").body)
        return ast.copy_location(ast.If(ast.UnaryOp(ast.Not(), condition), [end], []), node)

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if self._requires(node.func):
            self.raises = True
            node.func = ast.Name(_STATED, ast.Load())
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._inside(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self._inside(node)
        return node

    def _inside(self, node: ast.AST) -> None:
        """Does the same inside another function, whose return would not be the objective's."""
        infinity = self.infinity
        self.infinity = None
        self.generic_visit(node)
        self.infinity = infinity

    def _requires(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Name):
            return _is_require(self.home.get(function.id))
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            return function.attr == _STATED and _is_own(self.home.get(function.value.id))
        return False


def _with_constants(node: ast.stmt, constants: Mapping[str, str]) -> None:
    """Writes the constants that a function, or the methods of a class, use at their beginning."""
    parts = node.body if isinstance(node, ast.ClassDef) else [node]
    for function in parts:
        if isinstance(function, ast.FunctionDef):
            used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}
            place = int(ast.get_docstring(function) is not None)
            function.body[place:place] = [
                ast.parse(f"{name} = {text}").body[0] for name, text in constants.items() if name in used
            ]


def _guard(function: ast.FunctionDef, infinity: str) -> None:
    """Returns infinity where a helper says that a constraint is broken."""
    place = int(ast.get_docstring(function) is not None)
    handler = ast.ExceptHandler(ast.Name(_RAISED, ast.Load()), None, ast.parse(f"return {infinity}").body)
    function.body[place:] = [ast.Try(function.body[place:], [handler], [], [])]


_WIDEST = 8
"""Numbers of an item that are combined (count)."""
_SAMPLE = 40
"""Questions that are looked at (count)."""
Questions = Sequence[Mapping[str, Any]]


def primitives_of(questions: Questions) -> list[Primitive]:
    """Numbers of item i, their quotients, and what lists say of now and of the time until then.

    Items are the rows of a list of equally long lists of numbers. A number is taken as a place in another
    list, or as the length of a part of it, where that holds in all questions.

    Args:
        questions: arguments of the entry point by name.
    """
    questions = questions[:: max(1, len(questions) // _SAMPLE)]
    found: list[Primitive] = []
    for name in questions[0]:
        if width := _width([question[name] for question in questions]):
            found += _of_items(name, width, questions)
    return found + [one for one, _, _ in _now(questions)]


def _of_items(name: str, width: int, questions: Questions) -> Iterator[Primitive]:
    """Expressions over one list of items."""
    columns = [f"{name}[i][{k}]" for k in range(width)]
    rows = [row for question in questions for row in question[name]]
    for k, text in enumerate(columns):
        yield Primitive(text, "number", f"number {k} of item i of {name}")
    for k, other in permutations(range(width), 2):
        if all(row[other] > 0 for row in rows):
            text = f"{columns[k]} / {columns[other]}"
            yield Primitive(text, "number", f"number {k} of item i of {name} by its number {other}")
    over_time = {series for _, series, _ in _now(questions)}
    for series in [one for one in _series(questions) if one not in over_time]:
        for k, text in enumerate(columns):
            if _places(rows, k) and all(row[k] < len(q[series]) for q in questions for row in q[name]):
                yield Primitive(f"{series}[{text}]", "number", f"what {series} has at number {k} of item i")
    for _, series, now in _now(questions):
        for k, text in enumerate(columns):
            part = f"{series}[{now}:{now} + {text}]"
            inside = all(q[now] + row[k] <= len(q[series]) for q in questions for row in q[name])
            if inside and _places(rows, k) and min(row[k] for row in rows) > 0:
                words = f"{series} from {now} on, number {k} of item i of {name} long"
                yield Primitive(f"min({part})", "number", f"the least of {words}")
                yield Primitive(f"sum({part}) / {text}", "number", f"the mean of {words}")
                below = f"sum(x < {series}[{now}] for x in {part})"
                yield Primitive(below, "number", f"how many are below now of {words}")


def _now(questions: Questions) -> Iterator[tuple[Primitive, str, str]]:
    """What a list has at the place that a whole number of the question names."""
    for now in questions[0]:
        values = {question[now] for question in questions if type(question[now]) is int}
        for series in _series(questions) if len(values) > 1 else ():
            text = f"{series}[{now}]"
            if all(type(q[now]) is int and 0 <= q[now] < len(q[series]) for q in questions):
                yield Primitive(text, "number", f"what {series} has at {now}"), series, now


def _series(questions: Questions) -> list[str]:
    """Names of lists of numbers."""
    return [
        name
        for name in questions[0]
        if all(
            type(q[name]) is list and q[name] and set(map(type, q[name])) <= {int, float} for q in questions
        )
    ]


def _width(values: Sequence[Any]) -> int:
    """How many numbers each row has where all rows have equally many, 2 to 8; else 0."""
    rows = [row for value in values if type(value) is list for row in value]
    widths = {len(row) if type(row) is list else 0 for row in rows}
    lists = all(type(value) is list for value in values) and len(widths) == 1
    width = widths.pop() if lists else 0
    numbers = all(type(number) in (int, float) for row in rows for number in row) if width else False
    return width if numbers and 2 <= width <= _WIDEST else 0


def _places(rows: Sequence[Sequence[Any]], k: int) -> bool:
    """Whether a number of the items is a whole number ≥ 0 that differs among them."""
    return all(type(row[k]) is int and row[k] >= 0 for row in rows) and len({row[k] for row in rows}) > 1
