"""Functions as programs of a problem: their text with all that they use, under the entry point's name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ...problems.base import Problem
from ..errors import ProblemError
from .written import Written, needs_of, plain_text, with_header, written


def program_text(problem: Problem, program: Callable[..., Any], what: str) -> str:
    """The text of a function or class as a program.

    Args:
        problem: whose entry point the program is to be.
        program: a function with (some of) the entry point's parameters, or a class of the entry point's name.
        what: subject of messages.

    Raises:
        ProblemError: the text is not there or needs what no program has, or the parameters are others.
    """
    one = written(program, what)
    if isinstance(one.node, ast.ClassDef) or not problem.signature.lstrip().startswith("def "):
        if one.name != problem.entry_point:
            raise ProblemError(f"{what}: got {one.name}, expected {problem.entry_point}: {problem.signature}")
        return _joined(one, plain_text(one), what)
    stated = _parameters(problem.signature)
    own = [a.arg for a in (*one.node.args.posonlyargs, *one.node.args.args, *one.node.args.kwonlyargs)]
    if wrong := [name for name in own if name not in stated]:
        got = f"{one.name} has the parameter {wrong[0]}"
        raise ProblemError(f"{what}: {got}, expected {', '.join(stated)}: {problem.signature}")
    return _joined(one, with_header(one, problem.signature), what)


def _joined(one: Written, text: str, what: str) -> str:
    needs = needs_of([one], what, sealed=True)
    return "\n\n\n".join([part for part in (needs.text, text) if part]) + "\n"


def _parameters(signature: str) -> list[str]:
    node = ast.parse(f"{signature.rstrip().rstrip(':')}: ...").body[0]
    assert isinstance(node, ast.FunctionDef)
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
