"""Every regular expression of the product takes time in proportion to the text, however hostile the text.

A script finds the patterns: each call of `re` in each module. What a pattern is asked for (`match`, `search`,
`sub`, …) is found too, and done with texts that are made from the pattern's own letters.
"""

from __future__ import annotations

import ast
import importlib
import re
import re._constants as constants  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import gapsmith
import pytest

ROOT = Path(gapsmith.__file__).parent
FUNCTIONS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
SMALL, LARGE = 8_000, 24_000
SUSPECT = 0.02
"""CPU seconds for a small text beyond which a large one is tried; a linear look takes a hundredth."""
MOST = 0.12
"""CPU seconds for a large text that no linear look takes."""
RATIO = 5
"""A large text takes three times as long as a small one if a look is linear, and nine times if quadratic."""


@cache
def modules() -> list[str]:
    """Names of all modules of the product."""
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    names = []
    for package in packages:
        folder = ROOT.joinpath(*package.split(".")[1:])
        names += [f"{package}.{path.stem}" for path in sorted(folder.glob("*.py"))]
    return names


def path_of(module: str) -> Path:
    """The file of a module."""
    return ROOT.joinpath(*module.split(".")[1:-1], module.split(".")[-1] + ".py")


def calls(module: str) -> Iterator[tuple[ast.Call, str]]:
    """Calls of `re` in a module that name a pattern, and the function's name."""
    for node in ast.walk(ast.parse(path_of(module).read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in FUNCTIONS:
                yield node, node.func.attr


def test_every_use_of_re_is_seen() -> None:
    """No module imports names from `re`, renames it, or imports another package of patterns."""
    for module in modules():
        for node in ast.walk(ast.parse(path_of(module).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in ("re", "regex", "re2"), module
            elif isinstance(node, ast.Import):
                assert all(n.asname is None for n in node.names if n.name == "re"), module
                assert not {n.name for n in node.names} & {"regex", "re2"}, module


def flags_of(call: ast.Call) -> int:
    """The flags of a call; those of a name are looked for in the module by the caller."""
    words = {n.attr for n in ast.walk(call) if isinstance(n, ast.Attribute) and n.attr.isupper()}
    return sum({int(getattr(re, word)) for word in words if hasattr(re, word)})


def pattern_of(call: ast.Call, scope: dict[str, Any]) -> str:
    """The text of a call's pattern; parts that are computed when it is called are a word."""
    first = call.args[0]
    if isinstance(first, ast.JoinedStr):
        parts = []
        for part in first.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            else:
                assert isinstance(part, ast.FormattedValue)
                try:
                    parts.append(str(eval(ast.unparse(part.value), scope)))
                except NameError:
                    parts.append("word")
        return "".join(parts)
    try:
        return str(eval(ast.unparse(first), scope))
    except NameError:
        return "word"


def found() -> list[tuple[str, re.Pattern[str], tuple[str, ...]]]:
    """Where each pattern stands, the pattern, and what it is asked for."""
    everything = []
    for module in modules():
        if not list(calls(module)):
            continue
        text = path_of(module).read_text("utf-8")
        if path_of(module).stem == "__main__" or "/sealed/" in str(path_of(module)):
            scope: dict[str, Any] = {"re": re}
        else:
            scope = vars(importlib.import_module(module))
        for call, function in calls(module):
            pattern = re.compile(pattern_of(call, scope), flags_of(call))
            methods = (function,)
            if function == "compile":
                name = target(call, module)
                pattern = scope[name] if isinstance(scope.get(name), re.Pattern) else pattern
                used = re.findall(rf"\b{name}\.(\w+)", text) if name else []
                methods = tuple(dict.fromkeys(m for m in used if m in FUNCTIONS)) or (
                    "match",
                    "search",
                    "sub",
                )
            everything.append((f"{module}:{call.lineno}", pattern, methods))
    return everything


def target(call: ast.Call, module: str) -> str:
    """The name that a compiled pattern gets; empty without one."""
    for node in ast.walk(ast.parse(path_of(module).read_text("utf-8"))):
        if isinstance(node, ast.Assign) and ast.dump(node.value, include_attributes=True) == ast.dump(
            call, include_attributes=True
        ):
            return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""
    return ""


def alphabet(pattern: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """Characters that a pattern looks for, and its words (runs of letters)."""
    letters: dict[str, None] = dict.fromkeys(" \n0a")
    words: dict[str, None] = {}
    classes = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " \t\n", "CATEGORY_WORD": "a0_"}

    def walk(part: Any) -> None:
        run = ""
        for operation, argument in part:
            if operation is constants.LITERAL:
                run += chr(argument)
                letters[chr(argument)] = None
                continue
            if run:
                words[run] = None
            run = ""
            if operation is constants.IN:
                for kind, value in argument:
                    if kind is constants.LITERAL:
                        letters[chr(value)] = None
                    elif kind is constants.RANGE:
                        letters[chr(value[0])] = None
                    elif kind is constants.CATEGORY:
                        letters.update(dict.fromkeys(classes.get(str(value), "")))
            elif isinstance(argument, tuple | list):
                for piece in argument:
                    if isinstance(piece, parser.SubPattern):
                        walk(piece)
                    elif isinstance(piece, list):
                        for one in piece:
                            walk(one)
            elif isinstance(argument, parser.SubPattern):
                walk(argument)
        if run:
            words[run] = None

    walk(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
    return list(letters)[:16], [word for word in words if len(word) > 1][:6]


def hostile(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Texts of any size from what a pattern looks for: one unit again and again, then what does not fit."""
    letters, words = alphabet(pattern)
    units = [*letters, *words, *(a + b for a in words for b in letters[:8])]
    units += [a + b for a in letters[:5] for b in letters[:5] if a != b]
    heads = ["", *words, *[one for one in letters if not one.isalnum() and not one.isspace()][:4]]
    for unit in dict.fromkeys(units):
        for head in heads if unit in letters[:10] else [""]:
            yield lambda n, unit=unit, head=head: head + (unit * (n // len(unit))) + "\x01"  # type: ignore[misc]


def seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    """CPU seconds of this thread to use a pattern once."""
    begun = time.thread_time()
    if method in ("sub", "subn"):
        getattr(pattern, method)("x", text)
    elif method == "finditer":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)
    return time.thread_time() - begun


def slow_text(pattern: re.Pattern[str], methods: tuple[str, ...]) -> str:
    """What a pattern takes too long for; empty if nothing was found."""
    for make in hostile(pattern):
        for method in methods:
            small = seconds(pattern, method, make(SMALL))
            if small < SUSPECT:
                continue
            large = seconds(pattern, method, make(LARGE))
            if large > MOST and large > RATIO * min(small, seconds(pattern, method, make(SMALL))):
                return f"{method} of {make(30)!r} takes {large:.2f} s at {LARGE} characters"
    return ""


FOUND = found()


def test_the_script_finds_the_patterns() -> None:
    """As many as a search of the text finds, in all of the packages."""
    plain = sum(
        len(re.findall(rf"\bre\.(?:{'|'.join(FUNCTIONS)})\(", path_of(module).read_text("utf-8")))
        for module in modules()
    )
    assert len(FOUND) == plain
    assert {where.split(".")[1] for where, _, _ in FOUND} >= {
        "app",
        "evolve",
        "prompts",
        "sandbox",
        "problems",
    }


@pytest.mark.parametrize(("pattern", "methods"), [f[1:] for f in FOUND], ids=[f[0] for f in FOUND])
def test_a_pattern_takes_linear_time(pattern: re.Pattern[str], methods: tuple[str, ...]) -> None:
    """No text of its own letters takes it much longer than its length says."""
    assert slow_text(pattern, methods) == ""


@pytest.mark.quick("(a+)b")
@pytest.mark.parametrize("text", [r"#[ \t]*:?[ \t]*$", r"(a+)b", r"\s+x", r"<!--.*?-->"])
def test_the_script_knows_a_slow_pattern(text: str) -> None:
    """Patterns that are quadratic are named."""
    assert "takes" in slow_text(re.compile(text, re.DOTALL), ("search",))
