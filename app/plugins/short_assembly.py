"""Puts what an author has stated together to a whole problem, and says what is missing."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...problems.base import Primitive
from ..errors import ProblemError
from .short_dialogue import outcome
from .short_instances import divided, named_files
from .short_parts import Form, FormPart, InstanceSource, ProblemStatement
from .short_problem import ShortFormProblem
from .source_text import needs_of, written
from .sources import blame


def form_of(stated: ProblemStatement) -> Form:
    """All parts, complete.

    Raises:
        ProblemError: a part is missing, or has no text.
    """
    for what, there in (("instances", stated.source), ("heuristic", stated.heuristics)):
        if not there:
            raise ProblemError(f"{stated.where}: has no {what}", f"write a function under @problem.{what}")
    if "online" in stated.parts:
        stated.parts.setdefault("objective", outcome)
    if "objective" not in stated.parts:
        raise ProblemError(f"{stated.where}: has no objective", "write a function under @problem.objective")
    source = _source(stated)
    kind = stated.kind
    parts = {what: FormPart(what, function) for what, function in stated.parts.items()}
    online = parts.get("online")
    heuristics = {n: FormPart("heuristic", f, 0) for n, f in stated.heuristics.items()}
    facts = [stated.name, stated.sense, stated.unit, repr(kind), str(stated.scale)]
    facts += [repr(stated.tolerance), repr(stated.public)]
    return Form(
        name=stated.name,
        unit=stated.unit,
        sense=stated.sense,
        statement=statement_of(stated),
        tolerance=stated.tolerance,
        scale=stated.scale,
        kind=kind,
        entry=kind.entry if kind is not None else "decide" if online else "solve",
        source=source,
        heuristics=heuristics,
        objective=parts["objective"],
        online=None if online is None else FormPart("online", online.call, 0),
        public=stated.public,
        reference=FormPart("reference", stated.parts["reference"], 0)
        if "reference" in stated.parts
        else None,
        neighbours=_moves(stated),
        draw=parts.get("draw"),
        explain=parts.get("explain"),
        read=parts.get("read"),
        primitives=_primitives(stated),
        facts=tuple(facts),
        home=str(stated.home.get("__name__", "__main__")),
    )


def maker(class_: type[ShortFormProblem]) -> Callable[..., ShortFormProblem]:
    """A function with the parameters of the `[problem]` table."""

    def make(**given: Any) -> ShortFormProblem:
        return class_(given)

    draw = class_.form.source.draw
    parameters = [] if draw is None else list(inspect.signature(draw.call).parameters.values())[1:]
    strata = class_.form.source.strata.values()
    free = [p for p in parameters if not all(p.name in values for values in strata)]
    hints = {} if draw is None else typing.get_type_hints(draw.call, include_extras=True)
    types = {p.name: hints.get(p.name, type(p.default)) for p in free}
    keyword = inspect.Parameter.KEYWORD_ONLY
    listed = [inspect.Parameter(p.name, keyword, default=p.default, annotation=types[p.name]) for p in free]
    make.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    make.__annotations__ = types
    return make


def _source(stated: ProblemStatement) -> InstanceSource:
    known = stated.source
    if "draw" in known:
        draw = FormPart("instances", known["draw"])
        words = draw.words or draw.title
        return InstanceSource(known["counts"], known["strata"], draw, {}, words)
    if "given" in known:
        given = known["given"]
    else:
        file = stated.home.get("__file__")
        reader = FormPart("read", stated.parts["read"]) if "read" in stated.parts else None
        folder = Path(file).parent if file else Path()
        given = named_files(known["pattern"], folder, reader, stated.where)
    return divided(given, known["shares"], known["words"], stated.where)


def statement_of(stated: ProblemStatement) -> str:
    """The task in words: what was given, the docstring of the file, or those of its functions."""
    own = stated.statement or (stated.home.get("__doc__") if stated.home.get("__file__") else "") or ""
    paragraphs = [part for part in inspect.cleandoc(own).split("\n\n") if not _is_code(part)]
    text = "\n\n".join(" ".join(part.split()) for part in paragraphs)
    if not text:
        words = [FormPart("", stated.source[key]).words for key in ("draw",) if key in stated.source]
        words += [FormPart("", stated.parts["objective"]).words]
        text = " ".join(word for word in words if word)
    if not text:
        raise ProblemError(
            f"{stated.where}: has no statement, expected the task in words",
            "write it as the file's docstring, or as problem(…, statement=…)",
        )
    return text


def _moves(stated: ProblemStatement) -> str | None:
    if stated.moves is None:
        return None
    what = f"neighbours {stated.moves.__name__}"
    one = written(stated.moves, what)
    needs = needs_of([one], what, sealed=True)
    if needs.constants:
        name = next(iter(needs.constants))
        raise ProblemError(f"{what}: uses the constant {name}, expected constants inside the class")
    text = re.sub(rf"\bclass {one.name}\b", "class Neighbours", one.text, count=1)
    return "\n\n\n".join([part for part in (needs.text, text) if part])


def _primitives(stated: ProblemStatement) -> list[Primitive]:
    if "primitives" not in stated.parts:
        return []
    with blame(f"{stated.where}: primitives"):
        listed: Iterable[Any] = stated.parts["primitives"]()
        return [p if isinstance(p, Primitive) else _primitive(*p) for p in listed]


def _primitive(text: str, meaning: str, term: str = "", kind: str = "number") -> Primitive:
    return Primitive(text, kind, meaning, term)


def _is_code(paragraph: str) -> bool:
    """Whether a paragraph of a docstring is a block of commands."""
    return all(line.startswith("    ") for line in paragraph.splitlines())
