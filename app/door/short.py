"""The short form of a problem: `gapsmith.problem` and its decorators, which make what the loader knows."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ...evaluators.base import Plugin
from ...problems.answers import AnswerKind, FormError
from ...problems.answers.expression import checked
from ...problems.base import Primitive, Sense, canonical_json
from ...problems.plain import brief
from ..errors import ProblemError
from .fixed import divided, named_data, named_files
from .form import Form, Part, Source
from .made import Made, made_class
from .made_references import MadeReferences
from .matters import digest_of
from .sources import blame
from .written import Declares, needs_of, written

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_COUNTS = {"train": 12, "valid": 12, "test": 20}


def problem(
    name: str,
    *,
    minimise: str = "",
    maximise: str = "",
    answer: AnswerKind | None = None,
    statement: str = "",
    scale: float | str = 1,
    tolerance: float = 0.0,
) -> ShortProblem:
    """A problem in the short form, which decorators fill.

    Args:
        name: lower case with hyphens (`watch-posts`).
        minimise, maximise: unit of the objective, plural (`posts`); one of the two.
        answer: kind of an answer, or of one decision of an online problem; None where the objective checks
            everything itself.
        statement: the task in words; the module's docstring by default.
        scale: positive number in the unit, or an expression over an instance: the least denominator that a
            gap has in the fitness.
        tolerance: relative, of an objective in floats (ratio).

    Raises:
        ProblemError: an argument is not usable; says what is expected.
    """
    home = sys._getframe(1).f_globals
    return ShortProblem(name, minimise, maximise, answer, statement, scale, tolerance, home)


class ShortProblem(Declares):
    """A problem whose parts are functions: each decorator takes one and returns it unchanged."""

    def __init__(
        self,
        name: str,
        minimise: str,
        maximise: str,
        answer: AnswerKind | None,
        statement: str,
        scale: float | str,
        tolerance: float,
        home: Mapping[str, Any],
    ) -> None:
        self.where = f"problem {name}" if isinstance(name, str) else "problem"
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ProblemError(
                f"problem: got the name {brief(name)}, expected lower case with hyphens: my-task"
            )
        units = [unit for unit in (minimise, maximise) if unit]
        if len(units) != 1 or not isinstance(units[0], str):
            raise ProblemError(
                f"{self.where}: got {len(units)} units, expected one",
                f'write problem("{name}", minimise="minutes", …) or maximise="…": the unit of the objective',
            )
        if inspect.isclass(answer) or (answer is not None and not hasattr(answer, "fault")):
            raise ProblemError(
                f"{self.where}: answer: got {brief(answer)}, expected a kind of answer or None",
                'write answer=gapsmith.Permutation("jobs"), Subset, Assignment, Partition, …',
            )
        with _stated(self.where):
            checked(scale, "scale")
        self.name, self.unit = name, units[0]
        self.sense = Sense.MINIMISE if minimise else Sense.MAXIMISE
        self.kind, self.scale, self.tolerance = answer, scale, tolerance
        self.given_statement = statement
        self.home = home
        self.heuristics: dict[str, Callable[..., Any]] = {}
        self.parts: dict[str, Callable[..., Any]] = {}
        self.class_of_moves: type | None = None
        self.source: dict[str, Any] = {}

    def instances(
        self,
        function: Function | None = None,
        *,
        train: int = _COUNTS["train"],
        valid: int = _COUNTS["valid"],
        test: int = _COUNTS["test"],
        strata: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Any:
        """Takes a function that draws one instance: `town(rng, *, roads: int = 80)` → a dictionary.

        Args:
            function: gets a `random.Random` first; its keyword arguments, each with a default, are the
                `[problem]` table. Returns the parts of an instance by name.
            train, valid, test: instances of each set (counts).
            strata: name of each stratum → the keyword arguments that differ there; instances take turns.
        """
        counts = {"train": train, "valid": valid, "test": test}
        for set, count in counts.items():
            if type(count) is not int or count < 1:
                raise ProblemError(
                    f"{self.where}: instances {set}: got {brief(count)}, expected a number ≥ 1"
                )
        values = {"": {}} if not strata else {str(key): dict(value) for key, value in strata.items()}

        def take(one: Function) -> Function:
            self._check_drawing(one, values)
            self.source = {"draw": one, "counts": counts, "strata": values}
            return one

        return take if function is None else take(function)

    def data(
        self,
        instances: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Mapping[str, Any]]],
        **counts: int,
    ) -> None:
        """Takes fixed instances: a list, or one for each stratum.

        The sets are drawn from them once and for all, disjoint and each stratum alike.

        Args:
            instances: dictionaries of name → value; equal ones count once.
            counts: `train`, `valid` and `test`; by default three, three and four tenths.
        """
        self.source = {"given": named_data(instances), "shares": counts, "words": f"data of {self.name}"}

    def files(self, pattern: str, **counts: int) -> None:
        """Takes instances from files, each a JSON object or what the function under `read` makes of it.

        Args:
            pattern: of the paths, relative to the problem's own file (`data/*.json`); folders are strata.
            counts: as for `data`.
        """
        self.source = {"pattern": pattern, "shares": counts, "words": f"files {pattern}"}

    def heuristic(self, function: Function) -> Function:
        """Takes a program: the first one is the start program, and all are baselines."""
        written(function, f"heuristic {getattr(function, '__name__', '')}")
        self.heuristics[function.__name__.strip("_").replace("_", "-").lower()] = function
        return function

    def objective(self, function: Function) -> Function:
        """Takes the function that judges: `posts(answer, crossings, roads)` → a number.

        It is pure, sees an answer whose form was checked already, and states constraints by `require`.
        """
        return self._take("objective", function)

    def online(self, function: Function) -> Function:
        """Takes a generator that is the whole dialogue: it yields what each decision is asked with."""
        if not inspect.isgeneratorfunction(function):
            raise ProblemError(
                f"{self.where}: online: got a function without yield, expected a generator",
                "write `decision = yield what, is, known` for each decision, and return what is judged",
            )
        return self._take("online", function)

    def reference(self, function: Function) -> Function:
        """Takes a function that returns a PuLP or CP-SAT model, `optimum(value)` or `bound(value)`.

        It may ask for `seconds`, and may return a model with a function that reads an answer from the
        solution, which is then judged as well.
        """
        return self._take("reference", function)

    def draw(self, function: Function) -> Function:
        """Takes a function that draws an answer: `picture(answer, …)` → `Drawing`."""
        return self._take("draw", function)

    def explain(self, function: Function) -> Function:
        """Takes a function that says in words where the cost of an answer arises."""
        return self._take("explain", function)

    def read(self, function: Function) -> Function:
        """Takes a function that reads a file: path → an instance or a list of instances."""
        return self._take("read", function)

    def primitives(self, function: Function) -> Function:
        """Takes a function without arguments that returns expressions: (text, meaning) or `Primitive`."""
        return self._take("primitives", function)

    def neighbours(self, class_: Class) -> Class:
        """Takes a class of moves with increments, as `Moves` describes it: `Near(answer, …)`."""
        if not inspect.isclass(class_):
            raise ProblemError(f"{self.where}: neighbours: got {brief(class_)}, expected a class")
        written(class_, f"neighbours {class_.__name__}")
        self.class_of_moves = class_
        return class_

    def plugin(self) -> Plugin:
        """What the loader knows.

        Raises:
            ProblemError: a part is missing, or asks for what an instance does not have.
        """
        form = self.form()
        class_ = made_class(form)
        reference = form.reference
        return Plugin(self._maker(class_), None if reference is None else MadeReferences(form, reference))

    def form(self) -> Form:
        """All parts, complete and checked."""
        for what, there in (("instances", self.source), ("heuristic", self.heuristics)):
            if not there:
                raise ProblemError(f"{self.where}: has no {what}", f"write a function under @problem.{what}")
        if "objective" not in self.parts:
            raise ProblemError(f"{self.where}: has no objective", "write a function under @problem.objective")
        source, kind = self._source(), self.kind
        parts = {what: Part(what, function) for what, function in self.parts.items()}
        online = parts.get("online")
        programs = {n: written(f, f"heuristic {f.__name__}") for n, f in self.heuristics.items()}
        calls = {n: Part("heuristic", f, 0) for n, f in self.heuristics.items()}
        judged = [self.parts[what] for what in ("objective", "online") if what in self.parts]
        made = [source.draw.call] if source.draw is not None else []
        facts = [self.name, self.sense, self.unit, repr(kind), str(self.scale), repr(self.tolerance)]
        facts += [canonical_json({k: [[n, d] for n, d in v] for k, v in source.given.items()})]
        facts += [repr(dict(source.counts)), repr(dict(source.strata))] if made else []
        solved = [*judged, self.parts["reference"]] if "reference" in self.parts else judged
        return Form(
            name=self.name,
            unit=self.unit,
            sense=self.sense,
            statement=self._statement(),
            tolerance=self.tolerance,
            scale=self.scale,
            kind=kind,
            entry=kind.entry if kind is not None else "decide" if online else "solve",
            source=source,
            heuristics=programs,
            calls=calls,
            objective=parts["objective"],
            online=None if online is None else Part("online", online.call, 0),
            reference=Part("reference", self.parts["reference"], 0) if "reference" in self.parts else None,
            neighbours=self._moves(),
            draw=parts.get("draw"),
            explain=parts.get("explain"),
            read=parts.get("read"),
            primitives=self._primitives(),
            version=digest_of([*judged, *made], facts),
            reference_version=digest_of(solved, facts[:6]),
            home=str(self.home.get("__name__", "__main__")),
        )

    def _take(self, what: str, function: Function) -> Function:
        written(function, f"{what} {getattr(function, '__name__', '')}")
        self.parts[what] = function
        return function

    def _check_drawing(self, function: Callable[..., Any], strata: Mapping[str, Mapping[str, Any]]) -> None:
        """Refuses a function that cannot be called with random numbers and named values alone."""
        one = written(function, f"instances {getattr(function, '__name__', '')}")
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters:
            raise ProblemError(f"instances {one.name}: has no parameter, expected rng first: a random.Random")
        named = [p.name for p in parameters[1:]]
        if without := [p.name for p in parameters[1:] if p.default is p.empty]:
            raise ProblemError(
                f"instances {one.name}: {without[0]} has no default, expected one for each parameter but rng",
                f"write {without[0]}: int = 10",
            )
        for stratum, values in strata.items():
            if wrong := [key for key in values if key not in named]:
                expected = f"expected one of {', '.join(named)}"
                raise ProblemError(f"instances {one.name}: stratum {stratum} sets {wrong[0]}, {expected}")

    def _maker(self, class_: type[Made]) -> Callable[..., Made]:
        """A function with the parameters of the `[problem]` table."""

        def make(**given: Any) -> Made:
            return class_(given)

        draw = class_.form.source.draw
        parameters = [] if draw is None else list(inspect.signature(draw.call).parameters.values())[1:]
        strata = class_.form.source.strata.values()
        free = [p for p in parameters if not all(p.name in values for values in strata)]
        hints = {} if draw is None else typing.get_type_hints(draw.call, include_extras=True)
        types = {p.name: hints.get(p.name, type(p.default)) for p in free}
        keyword = inspect.Parameter.KEYWORD_ONLY
        listed = [
            inspect.Parameter(p.name, keyword, default=p.default, annotation=types[p.name]) for p in free
        ]
        make.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
        make.__annotations__ = types
        return make

    def _source(self) -> Source:
        known = self.source
        if "draw" in known:
            draw = Part("instances", known["draw"])
            words = draw.words or draw.title
            return Source(known["counts"], known["strata"], draw, {}, words)
        if "given" in known:
            given = known["given"]
        else:
            file = self.home.get("__file__")
            reader = Part("read", self.parts["read"]) if "read" in self.parts else None
            folder = Path(file).parent if file else Path()
            given = named_files(known["pattern"], folder, reader, self.where)
        return divided(given, known["shares"], known["words"], self.where)

    def _statement(self) -> str:
        own = self.given_statement or (self.home.get("__doc__") if self.home.get("__file__") else "") or ""
        paragraphs = [part for part in inspect.cleandoc(own).split("\n\n") if not _is_code(part)]
        text = "\n\n".join(" ".join(part.split()) for part in paragraphs)
        if not text:
            words = [Part("", self.source[key]).words for key in ("draw",) if key in self.source]
            words += [Part("", self.parts["objective"]).words]
            text = " ".join(word for word in words if word)
        if not text:
            raise ProblemError(
                f"{self.where}: has no statement, expected the task in words",
                "write it as the file's docstring, or as problem(…, statement=…)",
            )
        return text

    def _moves(self) -> str | None:
        if self.class_of_moves is None:
            return None
        what = f"neighbours {self.class_of_moves.__name__}"
        one = written(self.class_of_moves, what)
        needs = needs_of([one], what, sealed=True)
        if needs.constants:
            name = next(iter(needs.constants))
            raise ProblemError(f"{what}: uses the constant {name}, expected constants inside the class")
        text = re.sub(rf"\bclass {one.name}\b", "class Neighbours", one.text, count=1)
        return "\n\n\n".join([part for part in (needs.text, text) if part])

    def _primitives(self) -> list[Primitive]:
        if "primitives" not in self.parts:
            return []
        with blame(f"{self.where}: primitives"):
            listed: Iterable[Any] = self.parts["primitives"]()
            return [p if isinstance(p, Primitive) else _primitive(*p) for p in listed]


@contextmanager
def _stated(where: str) -> Iterator[None]:
    """Turns a wrong expression into an error of the problem."""
    try:
        yield
    except FormError as error:
        raise ProblemError(f"{where}: {error}") from None


def _primitive(text: str, meaning: str, term: str = "", kind: str = "number") -> Primitive:
    return Primitive(text, kind, meaning, term)


def _is_code(paragraph: str) -> bool:
    """Whether a paragraph of a docstring is a block of commands."""
    return all(line.startswith("    ") for line in paragraph.splitlines())


def short_plugin(value: Any, where: str) -> Plugin | None:
    """The plug-in of a problem in the short form, or of the only one in a module; None if there is none.

    Raises:
        ProblemError: a module holds several, or a part of the problem is missing or wrong.
    """
    found = [(where, value)] if isinstance(value, ShortProblem) else []
    if inspect.ismodule(value) and "plugin" not in vars(value):
        own = {id(v): (n, v) for n, v in vars(value).items() if isinstance(v, ShortProblem)}
        found = list(own.values())
    if len(found) > 1:
        listed = ", ".join(f"{name} ({one.name})" for name, one in found)
        hint = "name the one that is meant: plugin = problem.plugin()"
        raise ProblemError(f"{where}: holds {len(found)} problems, {listed}; expected one", hint)
    if not found:
        return None
    with blame(where):
        return found[0][1].plugin()
