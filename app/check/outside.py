"""What a problem says of itself against what it does: its signature, its seed, and its references again."""

from __future__ import annotations

import ast

from ...problems.base import SPLITS, Driven, Interactive
from .bench import SEED, Bench, attempt
from .fresh import words
from .programs import REFERENCE_SECONDS
from .reading import draws

Parameters = tuple[list[str], bool]
"""Names of the parameters of a function, and whether it takes any other name as well."""


def check_signature(bench: Bench) -> None:
    """`signature`, the problem's programs and the keys of `public` name the same parameters."""
    problem = bench.problem
    stated = _parameters(_whole(problem.signature), problem.entry_point)
    if stated is None:
        bench.report.add(
            "signature",
            sent="signature",
            got=repr(problem.signature),
            why="a language model is told this line word for word, and writes a program to it",
            fix=f"write it as in a program: def {problem.entry_point}(…) -> …:",
        )
        return
    programs = {**problem.baselines(), **problem.start_programs()}
    for name, text in programs.items():
        parameters = _parameters(text, problem.entry_point)
        if parameters is not None and not parameters[1] and not stated[1] and parameters[0] != stated[0]:
            _differs(bench, f"the program {name}", f"has the parameters {', '.join(parameters[0])}", stated)
    if isinstance(problem, Driven | Interactive):
        return  # the driver decides what the entry point is called with
    for case in bench.cases[:1]:
        keys = list(case.instance.public)
        if not stated[1] and set(keys) != set(stated[0]):
            _differs(bench, f"{case.instance.id}.public", f"has the keys {', '.join(keys)}", stated)


def _differs(bench: Bench, whose: str, got: str, stated: Parameters) -> None:
    bench.report.add(
        "signature",
        sent=f"signature and {whose}",
        got=f"signature has the parameters {', '.join(stated[0])}; {whose} {got}",
        why="models write programs to the signature; the keys of public are passed by name",
        fix="use the same names in the signature, in every program and in public",
    )


def _whole(signature: str) -> str:
    """A signature that Python can read: a `def` line without a body gets one."""
    text = signature.strip()
    return f"{text} ..." if text.endswith(":") else text


def _parameters(text: str, entry: str) -> Parameters | None:
    """Parameters of a function, or of the methods of a class one after the other; None if there is none."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            return _of(node.args)
        if isinstance(node, ast.ClassDef) and node.name == entry:
            return [], True
    return None


def _of(arguments: ast.arguments) -> Parameters:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in named], arguments.kwarg is not None


def check_seed(bench: Bench) -> None:
    """Another seed draws other instances, where they are drawn at random at all."""
    for split in SPLITS:
        other, error = attempt(lambda s=split: bench.loaded.instances(s, SEED + 1))  # type: ignore[misc]
        if error is not None or [i.digest for i in other] != [i.digest for i in bench.splits[split]]:
            return
    if not draws(bench.problem):
        bench.report.unseen.append(
            "the instances are the same for every seed: a program that knows them by heart is not found out "
            "by `verify --fresh`"
        )
        return
    bench.report.add(
        "seed-ignored",
        sent=f"instances(split, {SEED}) and instances(split, {SEED + 1}) for all splits",
        got="the same instances",
        why="fresh instances could not be drawn: `verify --fresh` would test on what the search has seen",
        fix="make the seed part of what seeds every stream: random.Random(f'{set} {seed}')",
    )


def check_references_again(bench: Bench) -> None:
    """A reference is the same after all these answers, and in a process that has verified nothing."""
    case = bench.quick_reference()
    if case is None or bench.reference_elsewhere is None:
        return
    again, error = attempt(lambda: bench.loaded.reference(case.instance, REFERENCE_SECONDS))
    here = words(again) if error is None else f"{type(error).__name__}: {error}"
    if here != bench.reference_elsewhere:
        bench.report.add(
            "references",
            sent=f"reference({case.instance.id}) after answers were verified, and in a fresh process",
            got=f"{here}, and {bench.reference_elsewhere}",
            why="a reference that depends on earlier calls follows the candidates, and hides what they gain",
            fix="compute it from the instance alone; keep nothing in self, the class or the module",
        )
