"""Describes a text without running any of it; deep or huge texts may crash the parser, so it is done sealed.

The identity of a candidate is a digest of its tokens without comments, blank lines, docstrings and layout;
docstrings count where the program can read them.
Tokens and not `ast.dump`, which differs between Python versions; an f-string counts as the one token that it
was before Python 3.12, so that the digest is the same on 3.11, 3.12 and 3.13.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Any

from .shape import shape_digest

MAX_NODES = 20_000
MAX_DEPTH = 100
MAX_DIGITS = (
    300  # of an integer: larger ones fit no float, and those who change constants compute with floats
)

_LEADS_TO_DOCSTRINGS = ("__doc__", "co_consts", "getdoc")
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_INTERNAL = re.compile(
    r"\b(?:__(?:globals|builtins|closure|code|subclasses|loader|spec|import|reduce_ex)__"
    r"|f_(?:back|globals|locals|builtins|code)|(?:tb|gi|cr|ag)_(?:frame|code)|co_consts|_getframe|_current_frames)\b"
)
_SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}
_OPENERS = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")} - {-1}
_CLOSERS = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")} - {-1}
_LAYOUT = {tokenize.NEWLINE: "\n", tokenize.INDENT: "\x01", tokenize.DEDENT: "\x02"}
Place = tuple[int, int]  # 1-based row, column in characters

_KINDS: dict[str, tuple[type[ast.AST], ...]] = {
    "loops": (ast.For, ast.AsyncFor, ast.While),
    "branches": (ast.If, ast.IfExp, ast.Match),
    "calls": (ast.Call,),
    "functions": (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda),
    "comprehensions": (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    "operators": (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare),
}


def describe(text: str, entry_point: str) -> dict[str, Any]:
    """Fields of a `Description` as plain data; a text that does not parse gets `error` and little else."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for line in text.split("\n")[:2]:
        cookie = _COOKIE.match(line)
        if cookie and cookie[1].lower().replace("_", "-") not in ("utf-8", "utf8"):
            return _failed(f"the text declares the encoding {cookie[1]!r}, expected utf-8 or none", 1)
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        return _failed(f"SyntaxError: {error.msg}", error.lineno)
    except (RecursionError, MemoryError):
        return _failed("the text nests too deeply to be parsed", None, too_large=True)
    except ValueError as error:  # a NUL character, before Python 3.12
        return _failed(f"ValueError: {error}", None)
    nodes, depth = _measure(tree)
    if nodes > MAX_NODES or depth > MAX_DEPTH:
        reason = f"the syntax tree has {nodes} nodes in {depth} levels, at most {MAX_NODES} in {MAX_DEPTH}"
        return _failed(reason, None, too_large=True) | {"nodes": nodes, "depth": depth}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value >= 10**MAX_DIGITS:
            reason = f"an integer of more than {MAX_DIGITS} digits; write it as a power or a product"
            return _failed(reason, node.lineno)
    try:
        plain = token_digest(text, tree)
        digest = token_digest(text, tree, docstrings=True) if reads_docstrings(tree) else plain
    except (tokenize.TokenError, SyntaxError) as error:
        return _failed(f"the text cannot be split into tokens: {error}", None)
    statements, constants = _places(tree, text)
    return {
        "error": None,
        "error_line": None,
        "too_large": False,
        "entry_point": _defines(tree, entry_point),
        "token_digest": digest,
        "plain_digest": plain,
        "shape_digest": shape_digest(tree, docstrings=digest != plain),
        "imports": _imports(tree),
        "nodes": nodes,
        "depth": depth,
        "descriptors": _descriptors(tree),
        "constants": constants,
        "statements": statements,
        "internals": _internals(tree),
    }


def _failed(error: str, line: int | None, too_large: bool = False) -> dict[str, Any]:
    return {"error": error, "error_line": line, "too_large": too_large}


def _measure(tree: ast.AST) -> tuple[int, int]:
    """Number of nodes and of levels, counted level by level: recursion would end where it is needed most."""
    nodes, depth, level = 0, 0, [tree]
    while level:
        nodes, depth = nodes + len(level), depth + 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return nodes, depth


def reads_docstrings(tree: ast.AST) -> bool:
    """Whether a program may read its docstrings: it names what leads to them, also in a string."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, str) and any(name in value for name in _LEADS_TO_DOCSTRINGS):
                return True
    return False


def token_digest(text: str, tree: ast.Module, docstrings: bool = False) -> str:
    """Hex SHA-256 of the normalised tokens of a text that parses as `tree` and whose lines end in `\\n`."""
    lines = text.split("\n")
    left_out = [] if docstrings else _docstrings(tree, lines)
    words = [word for place, word in _tokens(text, lines) if not _inside(place, word, left_out)]
    # A docstring leaves its line end behind, and an empty line is nothing.
    starts = ("\n", "\x01", "\x02")
    kept = [
        word
        for before, word in zip(["\n", *words], words, strict=False)
        if word != "\n" or before not in starts
    ]
    return hashlib.sha256("\0".join(kept).encode()).hexdigest()


def _inside(place: Place, word: str, spans: list[tuple[Place, Place]]) -> bool:
    return word not in ("\n", "\x01", "\x02") and any(start <= place < end for start, end in spans)


def _tokens(text: str, lines: list[str]) -> Iterator[tuple[Place, str]]:
    """Place and canonical text of each token that counts."""
    nested, start = 0, (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _OPENERS:
            start = token.start if nested == 0 else start
            nested += 1
        elif token.type in _CLOSERS:
            nested -= 1
            if nested == 0:
                yield start, _between(lines, start, token.end)
        elif nested == 0 and token.type not in _SKIPPED:
            yield token.start, _LAYOUT.get(token.type, token.string)


def _between(lines: list[str], start: Place, end: Place) -> str:
    if start[0] == end[0]:
        return lines[start[0] - 1][start[1] : end[1]]
    middle = lines[start[0] : end[0] - 1]
    return "\n".join([lines[start[0] - 1][start[1] :], *middle, lines[end[0] - 1][: end[1]]])


def _docstrings(tree: ast.Module, lines: list[str]) -> list[tuple[Place, Place]]:
    """First and last row and character column of every docstring."""

    def place(row: int, octets: int) -> Place:
        return row, len(lines[row - 1].encode()[:octets].decode())

    spans = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
            end = (first.end_lineno or first.lineno, first.end_col_offset or 0)
            spans.append((place(first.lineno, first.col_offset), place(*end)))
    return spans


def _defines(tree: ast.Module, name: str) -> bool:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            return True
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
    return False


def _imports(tree: ast.Module) -> list[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return sorted(names)


def _internals(tree: ast.AST) -> list[str]:
    """Names of interpreter internals among attributes, names and texts (`getattr(f, "__globals__")`)."""
    words = (
        getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute | ast.Name | ast.Constant)
    )
    return sorted({name for word in words if isinstance(word, str) for name in _INTERNAL.findall(word)})


def _descriptors(tree: ast.Module) -> dict[str, int]:
    nodes = list(ast.walk(tree))
    counts = {name: sum(isinstance(node, kinds) for node in nodes) for name, kinds in _KINDS.items()}
    counts["constants"] = sum(isinstance(node, ast.Constant) and _is_number(node.value) for node in nodes)
    counts["names"] = len({node.id for node in nodes if isinstance(node, ast.Name)})
    return counts


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _places(tree: ast.Module, text: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Statements as [line, last line, kind, depth] and numbers as [line, column, end column, text]."""
    lines = [line.encode() for line in text.split("\n")]
    statements: list[list[Any]] = []
    constants: list[list[Any]] = []

    def visit(node: ast.AST, depth: int) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                statements.append([child.lineno, child.end_lineno, type(child).__name__, depth])
                visit(child, depth + 1)
            elif isinstance(child, ast.Constant) and _is_number(child.value):
                start, end = child.col_offset, child.end_col_offset
                constants.append([child.lineno, start, end, lines[child.lineno - 1][start:end].decode()])
            elif not isinstance(child, ast.JoinedStr):  # places inside f-strings are wrong before Python 3.12
                visit(child, depth)

    visit(tree, 0)
    return statements, constants
