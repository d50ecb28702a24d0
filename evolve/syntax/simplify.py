"""Shorter programs that are as good, and clearer names; apart, as the search itself does neither.

A greedy form of delta debugging over syntax trees (Zeller and Hildebrandt 2002, doi:10.1109/32.988498; for
trees Misherghi and Su 2006, doi:10.1145/1134285.1134307). What "as good" means is the caller's: a callable.
"""

from __future__ import annotations

import ast
import copy
import operator
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import checks
from .analysis import analyse
from .scope import Spot
from .tree import Forms, walk
from .types import ARRAY, NESTED, NUMBER

_FOLDS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_LARGEST = 1e15
_WORK = 1_000_000
"""Nodes that the variants of one text may have together (count); of a long text not all are made."""
SECONDS = 300.0
"""CPU seconds that the search for variants of one program may take; evaluations do not count."""
_ENDS = (ast.Return, ast.Break, ast.Continue, ast.Raise)
_KEPT = (ast.Return, ast.Break, ast.Import, ast.ImportFrom, ast.Pass, ast.ClassDef)
Edit = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Simplification:
    """A reduced program, and how many edits were tried and kept.

    Attributes:
        text: the shortest accepted text.
        tried: variants that were put to the test (count).
        accepted: variants that were kept, one after another (count).
        complete: whether no variant of the text is left untried.
    """

    text: str
    tried: int
    accepted: int
    complete: bool


def simplify(
    text: str, entry: str, accept: Callable[[str], bool], limit: int, seconds: float = SECONDS
) -> Simplification:
    """Tries reduced variants one after another and goes on from each that is accepted.

    Args:
        text: source within the sandbox's caps, as its describe job reported.
        entry: name of the function or class that stays.
        accept: whether a variant is still good enough; the only judge, called at most `limit` times.
        limit: calls of `accept` (count, ≥ 0).
        seconds: CPU seconds of this thread for making variants, after which no more are made.
    """
    current = text
    tried = 0
    accepted = 0
    refused: set[str] = {text}
    while True:
        started = time.thread_time()
        shorter, all_of_them = _variants(current, entry, seconds)
        seconds -= time.thread_time() - started
        for variant in shorter:
            if variant in refused:
                continue
            if tried >= limit:
                return Simplification(current, tried, accepted, False)
            tried += 1
            if accept(variant):
                current = variant
                accepted = accepted + 1
                break
            refused.add(variant)
        else:
            return Simplification(current, tried, accepted, all_of_them)


def variants(text: str, entry: str) -> list[str]:
    """Distinct reduced variants of a text, the ones that take most away first.

    Each keeps the entry point's signature and the imports' subset, and reads no name that may be unbound.
    There are none of a text with an integer of more digits than Python prints. Of a text so long that all its
    variants together have more than `_WORK` nodes, there are as many as stay below.
    """
    return _variants(text, entry)[0]


def _variants(text: str, entry: str, seconds: float = SECONDS) -> tuple[list[str], bool]:
    """The variants that can be made in a number of CPU seconds, and whether they are all."""
    ends = time.thread_time() + seconds
    tree = ast.parse(text)
    try:
        plain = ast.unparse(tree)
    except ValueError:
        return [], True
    interface = checks.interface(tree, entry)
    imports = checks.imports(tree)
    hazards = checks.hazards(analyse(tree, places=False))
    edits = len(_edits(tree, entry))
    most = max(1, _WORK // checks.size(tree)[0])
    sizes: dict[str, int] = {}
    for number in range(0, edits, -(-edits // most)):
        if time.thread_time() > ends:
            most = 0
            break
        fresh = ast.parse(text)
        _edits(fresh, entry)[number]()
        if checks.interface(fresh, entry) != interface or not set(checks.imports(fresh)) <= set(imports):
            continue
        if not checks.hazards(analyse(fresh, places=False)) <= hazards:
            continue
        reduced = ast.unparse(fresh)
        if reduced != plain:
            sizes.setdefault(reduced, checks.size(fresh)[0])
    return sorted(sizes, key=lambda one: (sizes[one], len(one), one)), edits <= most


def _edits(tree: ast.Module, entry: str) -> list[Edit]:
    """All single reductions of a tree, in a fixed order; each changes the tree in place."""
    analysis = analyse(tree)
    edits = [lambda: _fold(tree), lambda: _drop_unused(tree, entry), lambda: _drop_dead(tree)]
    for block in analysis.blocks:
        for index in range(len(block.body)):
            edits += _statement_edits(block.body, index)
    for spot in analysis.spots:
        edits += _expression_edits(spot)
    return edits


def _statement_edits(body: list[ast.stmt], index: int) -> list[Edit]:
    node = body[index]
    edits: list[Edit] = []

    def put(*new: ast.stmt) -> Edit:
        return lambda: body.__setitem__(slice(index, index + 1), list(new))

    if not isinstance(node, _KEPT) and not _early_exit(node):
        edits.append(put() if len(body) > 1 else put(ast.Pass()))
    if isinstance(node, ast.If):
        edits.append(put(*node.body))
        if node.orelse:
            edits += [put(*node.orelse), lambda: setattr(node, "orelse", [])]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        edits.append(lambda: _inline(body, index))
    return edits


def _early_exit(node: ast.stmt) -> bool:
    """Whether a statement only leaves a loop or function when there is no more to do.

    Such a statement stays: without it a program answers the same, later, which no loss shows.
    """
    if not isinstance(node, ast.If) or node.orelse or len(node.body) > 1:
        return False
    return isinstance(node.body[0], ast.Break | ast.Return)


def _inline(body: list[ast.stmt], index: int) -> None:
    """Puts a value in place of the name, when the next statement alone reads it, once."""
    assignment = body[index]
    assert isinstance(assignment, ast.Assign)
    assert isinstance(assignment.targets[0], ast.Name)
    name = assignment.targets[0].id
    later = [n for node in body[index + 1 :] for n in walk(node) if isinstance(n, ast.Name) and n.id == name]
    # Only straight into the next simple statement: nothing in between may change what the value reads.
    if len(later) != 1 or index + 1 == len(body) or isinstance(body[index + 1], ast.For | ast.While):
        return
    reader = body[index + 1]
    if any(isinstance(n, ast.Lambda | ast.comprehension | ast.FunctionDef) for n in walk(reader)):
        return
    replacer = _NameReplacer(name, assignment.value)
    body[index : index + 2] = [replacer.visit(reader)]


class _NameReplacer(ast.NodeTransformer):
    """Puts an expression in place of a name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self.name = name
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A copy of the expression where the name is read."""
        return copy.deepcopy(self.value) if node.id == self.name and isinstance(node.ctx, ast.Load) else node


def _expression_edits(spot: Spot) -> list[Edit]:
    """An expression by one of its own operands, and numbers by rounder ones."""
    node = spot.node
    if isinstance(node, ast.Constant) and type(node.value) is float:
        return [_put(spot, ast.Constant(value)) for value in _rounder(node.value)]
    if spot.structural or spot.kind not in (NUMBER, ARRAY, "boolean", "mask", "other"):
        return []
    return [_put(spot, part) for part in _operands(node)]


def _put(spot: Spot, node: ast.expr) -> Edit:
    return lambda: spot.put(node)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BinOp(
            left=left, op=ast.Sub(), right=ast.BinOp(left=again, op=ast.Sub(), right=rest) as right
        ):
            if ast.dump(left) == ast.dump(again):  # exact for integers; of floats the caller judges
                yield rest
            yield from (left, right)
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BoolOp(values=values):
            yield from values
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Tuple(elts=elements):
            yield from elements[:1]
        case ast.Call(func=ast.Name(id="min" | "max" | "abs"), args=arguments):
            yield from arguments
        case ast.Call(func=ast.Attribute(attr="minimum" | "maximum" | "abs"), args=arguments):
            yield from arguments
        case ast.Call(func=ast.Attribute(attr="where"), args=[_, first, second]):
            yield from (first, second)


def _rounder(value: float) -> Iterator[float]:
    """A float with fewer digits, fewest first."""
    if abs(value) < _LARGEST and value != 0:
        shorter = [round(value), float(f"{value:.1g}"), float(f"{value:.2g}")]
        yield from (short for short in shorter if repr(short) != repr(value) and short != 0)


def _fold(tree: ast.Module) -> None:
    """Computes what only constants decide, everywhere."""
    for spot in reversed(analyse(tree).spots):
        folded = _folded(spot.node)
        if folded is not None:
            spot.put(folded)


def _folded(node: ast.expr) -> ast.expr | None:
    match node:
        case ast.BinOp(left=ast.Constant(value=a), op=op, right=ast.Constant(value=b)):
            return _computed(a, type(op), b)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=ast.Constant(value=1)):
            return left
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=ast.Constant(value=0)):
            return left
        case ast.BinOp(left=ast.Constant(value=1), op=ast.Mult(), right=right):
            return right
        case ast.BinOp(left=ast.Constant(value=0), op=ast.Add(), right=right):
            return right
        case ast.UnaryOp(op=ast.USub(), operand=ast.UnaryOp(op=ast.USub(), operand=inner)):
            return inner
        case ast.UnaryOp(op=ast.Not(), operand=ast.UnaryOp(op=ast.Not(), operand=inner)):
            return inner
    return None


def _computed(a: object, op: type[ast.operator], b: object) -> ast.expr | None:
    if (
        type(a) not in (int, float)
        or type(b) not in (int, float)
        or op not in _FOLDS
        or (op is ast.Div and not b)
    ):
        return None
    try:
        value = _FOLDS[op](a, b)  # type: ignore[arg-type]
    except OverflowError:
        return None
    if not abs(value) < _LARGEST:  # not a number, infinite, or too long to be worth its digits
        return None
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _drop_dead(tree: ast.Module) -> None:
    """Removes statements that stand behind a `return`, `break`, `continue` or `raise`."""
    for node in walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            ends = [index for index, part in enumerate(body) if isinstance(part, _ENDS)]
            if ends:
                del body[ends[0] + 1 :]


def probes(text: str) -> Iterator[tuple[int, str, str]]:
    """For each `if` of a text: its line, its condition, and a text that fails where the condition holds.

    None of a text that catches exceptions, which would hide the failure.
    """
    count = sum(isinstance(node, ast.If) for node in walk(ast.parse(text)))
    for number in range(count):
        tree = ast.parse(text)
        if any(isinstance(node, ast.Try | ast.TryStar) for node in walk(tree)):
            return
        node = [part for part in walk(tree) if isinstance(part, ast.If)][number]
        line = node.lineno
        condition = ast.unparse(node.test)
        node.body = [ast.Raise(ast.Name("RuntimeError", ast.Load()))]
        yield line, condition, ast.unparse(tree)


def _drop_unused(tree: ast.Module, entry: str) -> None:
    """Removes helpers that nothing calls."""
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
    tree.body = [
        n for n in tree.body if not isinstance(n, ast.FunctionDef) or n.name == entry or n.name in read
    ]


# Field terms in place of anonymous names.
#
# An expression is taken out of a statement only where nothing that the statement does before could change it.

_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_LATE = (*_COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Dict)
"""Evaluated later, several times or perhaps not at all, or showing identity: no part of it is taken out."""
_PURE = (abs, bool, enumerate, float, int, len, list, max, min, range, round, sorted, sum, tuple, zip)
_PURE_NAMES = tuple(function.__name__ for function in _PURE)
_PURE_MODULES = ("math", "np")
_PURE_METHODS = ("argsort", "count", "cumsum", "index", "max", "mean", "min", "std", "sum")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)


def named(text: str, terms: Mapping[str, str]) -> str:
    """A text in which locals that hold a known expression, and known expressions, bear the field's name.

    Args:
        text: source within the sandbox's caps.
        terms: expression → its field term, an identifier.

    Returns:
        The text itself when there is nothing to name.
    """
    tree = ast.parse(text)
    expressions = [(ast.parse(expression, mode="eval").body, term) for expression, term in terms.items()]
    identifiers = _identifiers(tree)
    changed = False
    for function in _functions(tree):
        for step in (_rename_locals, _name_expressions):
            # A term that means something else anywhere in the text would mislead, or hide a name.
            free = [(node, term) for node, term in expressions if not identifiers[term]]
            changed |= bool(free) and step(function, free, identifiers)
    return ast.unparse(ast.fix_missing_locations(tree)) if changed else text


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Functions nested at most `NESTED` deep, outer ones first: deeper ones are left as they are."""
    functions: list[ast.FunctionDef] = []
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
            depth += 1
        if depth < NESTED:
            stack += [(part, depth) for part in reversed(list(ast.iter_child_nodes(node)))]
    return functions


def _identifiers(tree: ast.AST) -> Counter[str]:
    """Everything in a tree that a new name could clash with, each with its count."""
    names = _bound_otherwise(tree)
    names.update(node.id for node in walk(tree) if isinstance(node, ast.Name))
    return names


def _bound_otherwise(tree: ast.AST) -> Counter[str]:
    """Names that a tree binds or mentions by anything but a plain name: arguments, definitions, imports, …"""
    names: Counter[str] = Counter()
    for node in walk(tree):
        values = [getattr(node, field, None) for field in ("arg", "name", "asname", "attr", "rest")]
        names.update(value for value in values if isinstance(value, str))
        if isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
    return names


def _known(
    function: ast.FunctionDef, terms: Sequence[tuple[ast.expr, str]]
) -> tuple[Forms, Mapping[int, str]]:
    """Form numbers of a function's nodes, and form number → term of the known expressions."""
    forms = Forms()
    forms.add(function)
    return forms, {forms.add(node): term for node, term in terms}


def _rename_locals(
    function: ast.FunctionDef, terms: Sequence[tuple[ast.expr, str]], identifiers: Counter[str]
) -> bool:
    """Renames each local that is bound once, to a known expression."""
    forms, term_of = _known(function, terms)
    bound = Counter(n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    other = _bound_otherwise(function)
    names: dict[str, str] = {}  # term → the local that takes it
    for statement in [statement for block in _blocks(function.body) for statement in block]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=old)], value=value):
                term = term_of.get(forms[value])
                if term and term not in names and bound[old] == 1 and not other[old]:
                    names[term] = old
    new = {old: term for term, old in names.items()}
    for node in walk(function):
        if isinstance(node, ast.Name) and node.id in new:
            identifiers[node.id] -= 1
            node.id = new[node.id]
            identifiers[node.id] += 1
    return bool(names)


def _name_expressions(
    function: ast.FunctionDef, terms: Sequence[tuple[ast.expr, str]], identifiers: Counter[str]
) -> bool:
    """Binds each known expression of a statement to its term right before it, each term once."""
    forms, term_of = _known(function, terms)
    used: set[str] = set()
    for block in _blocks(function.body):
        statements: list[ast.stmt] = []
        for statement in block:
            if isinstance(statement, ast.Assign) and forms[statement.value] in term_of:
                statements.append(statement)
                continue
            replacer = _TermReplacer(
                forms, {form: term for form, term in term_of.items() if term not in used}
            )
            if isinstance(statement, _SIMPLE):
                replacer.replace(statement)
            elif isinstance(statement, ast.If):
                test = ast.Expr(statement.test)
                replacer.replace(test)
                statement.test = test.value
            statements += [
                ast.Assign([ast.Name(term, ast.Store())], value) for term, value in replacer.found.items()
            ]
            statements.append(statement)
            used |= set(replacer.found)
            identifiers.update(list(replacer.found))
        block[:] = statements
    return bool(used)


def _blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A list of statements and those inside, definitions aside; inner ones first."""
    for statement in body:
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for field in ("body", "orelse", "finalbody"):
                yield from _blocks(getattr(statement, field, []))
    yield body


def _pure(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name):
            return name in _PURE_NAMES
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return module in _PURE_MODULES or name in _PURE_METHODS
    return False


class _TermReplacer(ast.NodeTransformer):
    """Puts terms in place of the largest known expressions that are certainly evaluated, once."""

    def __init__(self, forms: Forms, term_of: Mapping[int, str]) -> None:
        self._forms = forms
        self._known = term_of
        self._once = False
        self.found: dict[str, ast.expr] = {}

    def replace(self, statement: ast.stmt) -> None:
        """Changes a statement where nothing that it does comes before its known expressions."""
        nodes = walk(statement)
        if any(isinstance(node, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom) for node in nodes):
            return
        calls = [node for node in nodes if isinstance(node, ast.Call) and not _pure(node)]
        if not calls:
            self.generic_visit(statement)
        elif len(calls) == 1 and any(node is calls[0] for node in _certain(statement)):
            # Before the call there are its arguments alone. It may keep or change them: no two become one.
            self._once = True
            self.generic_visit(calls[0])

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or the name that stands for it."""
        if _late(node):
            return node
        term = self._known.get(self._forms[node]) if isinstance(node, ast.expr) else None
        if term is None or (self._once and term in self.found):
            return self.generic_visit(node)
        assert isinstance(node, ast.expr)
        self.found[term] = node
        return ast.Name(term, ast.Load())


def _late(node: ast.AST) -> bool:
    return isinstance(node, _LATE) or (isinstance(node, ast.Compare) and len(node.ops) > 1)


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node, itself included, that are certainly evaluated once."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if not _late(part):
            stack += ast.iter_child_nodes(part)
