"""Field terms in place of anonymous names and expressions; what a program computes stays the same.

An expression is taken out of a statement only where nothing that the statement does before could change it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from .offline.kinds import walk

_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
_LATE = (*_COMPREHENSIONS, ast.Lambda, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Dict)
"""What is evaluated later, several times or perhaps not at all, or shows identity: nothing is taken out."""
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
    known = {ast.dump(ast.parse(expression, mode="eval").body): term for expression, term in terms.items()}
    changed = False
    for function in [node for node in walk(tree) if isinstance(node, ast.FunctionDef)]:
        # A term that means something else anywhere in the text would mislead, or hide a name.
        free = {digest: term for digest, term in known.items() if term not in _identifiers(tree)}
        changed |= _rename_locals(function, free)
        free = {digest: term for digest, term in known.items() if term not in _identifiers(tree)}
        changed |= _name_expressions(function.body, free)
    return ast.unparse(ast.fix_missing_locations(tree)) if changed else text


def _identifiers(tree: ast.AST) -> set[str]:
    """Everything in a tree that a new name could clash with."""
    return _bound_otherwise(tree) | {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def _bound_otherwise(tree: ast.AST) -> set[str]:
    """Names that a tree binds or mentions by anything but a plain name: arguments, definitions, imports, …"""
    found: set[str] = set()
    for node in walk(tree):
        values = [getattr(node, field, None) for field in ("arg", "name", "asname", "attr", "rest")]
        found |= {value for value in values if isinstance(value, str)}
        if isinstance(node, ast.Global | ast.Nonlocal):
            found |= set(node.names)
    return found


def _rename_locals(function: ast.FunctionDef, known: Mapping[str, str]) -> bool:
    """Renames each local that is bound once, to a known expression."""
    bound = [n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    other = _bound_otherwise(function)
    taken: dict[str, str] = {}
    for statement in [statement for block in _blocks(function.body) for statement in block]:
        match statement:
            case ast.Assign(targets=[ast.Name(id=old)], value=value):
                term = known.get(ast.dump(value))
                if term and term not in taken.values() and bound.count(old) == 1 and old not in other:
                    taken[old] = term
    for node in walk(function):
        if isinstance(node, ast.Name):
            node.id = taken.get(node.id, node.id)
    return bool(taken)


def _name_expressions(body: list[ast.stmt], known: Mapping[str, str]) -> bool:
    """Binds each known expression of a statement to its term right before it, each term once."""
    used: set[str] = set()
    for block in _blocks(body):
        for statement in list(block):
            if isinstance(statement, ast.Assign) and ast.dump(statement.value) in known:
                continue
            replacer = _Replacer({digest: term for digest, term in known.items() if term not in used})
            if isinstance(statement, _SIMPLE):
                replacer.replace(statement)
            elif isinstance(statement, ast.If):
                test = ast.Expr(statement.test)
                replacer.replace(test)
                statement.test = test.value
            place = block.index(statement)
            block[place:place] = [
                ast.Assign([ast.Name(term, ast.Store())], value) for term, value in replacer.found.items()
            ]
            used |= set(replacer.found)
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


class _Replacer(ast.NodeTransformer):
    """Puts terms in place of the largest known expressions that are certainly evaluated, once."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
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
        term = self._known.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        if term is None or (self._once and term in self.found):
            return self.generic_visit(node)
        assert isinstance(node, ast.expr)
        self.found[term] = node
        return ast.Name(term, ast.Load())


def _late(node: ast.AST) -> bool:
    return isinstance(node, _LATE) or (isinstance(node, ast.Compare) and len(node.ops) > 1)


def _certain(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what lies below it, as far as it is certainly evaluated once."""
    yield node
    if not _late(node):
        for part in ast.iter_child_nodes(node):
            yield from _certain(part)
