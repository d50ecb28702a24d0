"""Field terms in place of anonymous names; apart from `simplify`, which makes programs shorter.

An expression is taken out of a statement only where nothing that the statement does before could change it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from .tree import Forms, walk
from .types import NESTED

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
