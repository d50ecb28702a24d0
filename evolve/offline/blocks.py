"""Splices a changed text into the EVOLVE-BLOCKs of its parent: nothing outside them changes.

Operators print a whole text from its tree: marks, comments, docstrings and unused statements are lost.
Therefore this module compares statements one by one, and takes from the new text only those that differ.
"""

from __future__ import annotations

import ast
import copy

from ..edits import EditError, open_lines


def spliced(parent: str, text: str) -> str | None:
    """The parent with the changed and the new statements of a text inside its blocks.

    Args:
        parent: text with EVOLVE-BLOCK marks around whole statements of its top level.
        text: a changed text, which need not have marks.

    Returns:
        None where a statement outside the blocks was changed, nothing inside was, or a mark cuts a statement.
    """
    try:
        spans = open_lines(parent)
    except EditError:
        return None
    inside: dict[str, tuple[int, int]] = {}
    outside, known = set[str](), set[str]()
    for node in ast.parse(parent).body:
        lines = _lines(node)
        open_ = [begin <= lines[0] and lines[1] <= end for begin, end in spans]
        if not any(open_) and any(lines[0] < end and begin < lines[1] for begin, end in spans):
            return None
        known.add(_form(node))
        if any(open_):
            inside |= dict.fromkeys(_names(node), lines)
        else:
            outside |= _names(node)
    edits: dict[tuple[int, int], list[str]] = {}
    for node in ast.parse(text).body:
        names = _names(node)
        if _form(node) in known or not names:
            continue
        if names & outside:
            return None
        place = next((inside[name] for name in sorted(names) if name in inside), (spans[0][0], spans[0][0]))
        edits.setdefault(place, []).append(ast.unparse(node))
    lines_ = parent.split("\n")
    for (first, last), texts in sorted(edits.items(), reverse=True):
        lines_[first:last] = "\n".join(texts).split("\n")
    return "\n".join(lines_) if edits else None


def _lines(node: ast.stmt) -> tuple[int, int]:
    """First line and end of a statement with its decorators, counted from 0."""
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return first - 1, node.end_lineno or node.lineno


def _names(node: ast.stmt) -> set[str]:
    """Names that a statement binds at the top level."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {(one.asname or one.name).partition(".")[0] for one in node.names}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _form(node: ast.stmt) -> str:
    """A statement without its docstrings."""
    bare = copy.deepcopy(node)
    for one in ast.walk(bare):
        body = getattr(one, "body", None)
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and isinstance(body, list):
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and len(body) > 1:
                del body[0]
    return ast.dump(bare)
