"""Field terms in place of anonymous names and expressions; what a program computes stays the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from .offline.kinds import walk

_LATE = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.IfExp, ast.BoolOp)
"""What is evaluated later, several times or perhaps not at all: nothing is taken out of it."""
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
    for node in walk(function):
        match node:
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
            free = {digest: term for digest, term in known.items() if term not in used}
            replacer = _Replacer(free)
            if isinstance(statement, ast.Assign) and ast.dump(statement.value) in known:
                continue
            if isinstance(statement, _SIMPLE):
                replacer.visit(statement)
            elif isinstance(statement, ast.If):
                test = replacer.visit(statement.test)
                assert isinstance(test, ast.expr)
                statement.test = test
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


class _Replacer(ast.NodeTransformer):
    """Puts terms in place of the largest known expressions that are certainly evaluated, once."""

    def __init__(self, known: Mapping[str, str]) -> None:
        self._known = known
        self.found: dict[str, ast.expr] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or the name that stands for it."""
        if isinstance(node, _LATE) or (isinstance(node, ast.Compare) and len(node.ops) > 1):
            return node
        term = self._known.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        if term is None:
            return self.generic_visit(node)
        assert isinstance(node, ast.expr)
        self.found[term] = node
        return ast.Name(term, ast.Load())
