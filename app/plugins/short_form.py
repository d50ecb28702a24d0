"""The short form of a problem: `gapsmith.problem`, its decorators, and the problem that they make."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...evaluators.base import Plugin
from ...problems.answers import AnswerKind, FormError
from ...problems.answers.expression import checked
from ...problems.base import Primitive, Sense
from ...problems.plain import brief
from ..errors import USAGE, ProblemError, UserError
from .short_dialogue import outcome
from .short_parts import Form, FormPart, InstanceSource, ProblemStatement, divided, named_data, named_files
from .short_problem import MadeReferences, ShortFormProblem, made_class
from .source_text import Declares, needs_of, written
from .sources import blame

if TYPE_CHECKING:
    from ... import RunResult


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


Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_UNITS = {"": 1, "s": 1, "min": 60, "h": 3600}
"""Unit of time → seconds."""
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
        scale: positive number in the unit, or an expression over an instance: the least denominator
            of a loss.
        tolerance: relative, of an objective in floats (ratio).

    Raises:
        ProblemError: an argument is not usable; says what is expected.
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ProblemError(f"problem: got the name {brief(name)}, expected lower case with hyphens: my-task")
    units = [unit for unit in (minimise, maximise) if unit]
    if len(units) != 1 or not isinstance(units[0], str):
        raise ProblemError(
            f"problem {name}: got {len(units)} units, expected one",
            f'write problem("{name}", minimise="minutes", …) or maximise="…": the unit of the objective',
        )
    if inspect.isclass(answer) or (answer is not None and not hasattr(answer, "fault")):
        raise ProblemError(
            f"problem {name}: answer: got {brief(answer)}, expected a kind of answer or None",
            'write answer=gapsmith.Permutation("jobs"), Subset, Assignment, Partition, …',
        )
    with _expressions(name):
        checked(scale, "scale")
    sense = Sense.MINIMISE if minimise else Sense.MAXIMISE
    home = sys._getframe(1).f_globals
    return ShortProblem(ProblemStatement(name, units[0], sense, answer, statement, scale, tolerance, home))


class ShortProblem(Declares):
    """A problem whose parts are functions: each decorator takes one and returns it unchanged."""

    def __init__(self, stated: ProblemStatement) -> None:
        self.stated = stated

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
                    f"{self.stated.where}: instances {set}: got {brief(count)}, expected a number ≥ 1"
                )
        values = {"": {}} if not strata else {str(key): dict(value) for key, value in strata.items()}

        def take(one: Function) -> Function:
            self._check_drawing(one, values)
            self.stated.source = {"draw": one, "counts": counts, "strata": values}
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
        self.stated.source = {
            "given": named_data(instances),
            "shares": counts,
            "words": f"data of {self.stated.name}",
        }

    def files(self, pattern: str, **counts: int) -> None:
        """Takes instances from files, each a JSON object or what the function under `read` makes of it.

        Args:
            pattern: of the paths, relative to the problem's own file (`data/*.json`); folders are strata.
            counts: as for `data`.
        """
        self.stated.source = {"pattern": pattern, "shares": counts, "words": f"files {pattern}"}

    def heuristic(self, function: Function) -> Function:
        """Takes a program: the first one is the start program, and all are baselines."""
        written(function, f"heuristic {getattr(function, '__name__', '')}")
        self.stated.heuristics[function.__name__.strip("_").replace("_", "-").lower()] = function
        return function

    def objective(self, function: Function) -> Function:
        """Takes the function that judges: `posts(answer, crossings, roads)` → a number.

        It is pure, sees an answer whose form was checked already, and states constraints by `require`.
        """
        return self._take("objective", function)

    def online(self, function: Function | None = None, *, public: Sequence[str] = ()) -> Any:
        """Takes a generator that is the whole dialogue: it yields what each decision is asked with.

        Args:
            function: gets parts of the instance by name; what it returns is what the objective sees.
            public: parts of the instance that a candidate knows from the start. A heuristic's parameter of
                such a name gets the part; the generator yields the others, in their order.
        """
        if function is None:
            return partial(self.online, public=public)
        if isinstance(public, str) or not all(isinstance(name, str) for name in public):
            raise ProblemError(
                f"{self.stated.where}: online public: got {brief(public)}, expected a list of names"
            )
        if not inspect.isgeneratorfunction(function):
            raise ProblemError(
                f"{self.stated.where}: online: got a function without yield, expected a generator",
                "write `decision = yield what, is, known` for each decision, and return what is judged",
            )
        self.stated.public = tuple(public)
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
            raise ProblemError(f"{self.stated.where}: neighbours: got {brief(class_)}, expected a class")
        written(class_, f"neighbours {class_.__name__}")
        self.stated.moves = class_
        return class_

    def check(self, **options: Any) -> Any:
        """Report of the checks of `gapsmith problems check`; options are those of `check_problem`."""
        from ... import check_problem

        return check_problem(self, **options)

    def run(self, budget: str = "", **options: Any) -> RunResult:
        """Searches for a better heuristic, as `gapsmith run` does.

        Args:
            budget: wall time (`60s`, `5min`, `1h`); empty for none beside those of the options.
            options: as for `run_campaign` (`model=…`, `iterations=…`, `settings={…}`).
        """
        from ... import run_campaign

        if budget:
            options["seconds"] = _seconds(budget)
        return run_campaign(self, **options)

    def evaluate(self, program: Callable[..., Any] | str, **options: Any) -> dict[str, Any]:
        """Scores a function or a source text; options are those of `gapsmith.evaluate`."""
        from ... import evaluate

        return evaluate(self, program, **options)

    def baselines(self, **options: Any) -> dict[str, Any]:
        """Scores all heuristics; options are those of `gapsmith.baselines`."""
        from ... import baselines

        return baselines(self, **options)

    def plugin(self) -> Plugin:
        """What the loader knows.

        Raises:
            ProblemError: a part is missing, or asks for what an instance does not have.
        """
        form = form_of(self.stated)
        class_ = made_class(form)
        reference = form.reference
        return Plugin(maker(class_), None if reference is None else MadeReferences(form, reference))

    def _take(self, what: str, function: Function) -> Function:
        written(function, f"{what} {getattr(function, '__name__', '')}")
        self.stated.parts[what] = function
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


@contextmanager
def _expressions(name: str) -> Iterator[None]:
    """Turns a wrong expression into an error of the problem."""
    try:
        yield
    except FormError as error:
        raise ProblemError(f"problem {name}: {error}") from None


def _seconds(budget: str) -> float:
    """Seconds of a text such as `60s`, `5min` or `1.5 h`."""
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|min|h|)\s*", str(budget))
    if found is None or not float(found[1]):
        raise UserError(USAGE, f"budget: got {str(budget)[:60]!r}, expected a time like 60s, 5min or 1h")
    return float(found[1]) * _UNITS[found[2]]


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
        listed = ", ".join(f"{name} ({one.stated.name})" for name, one in found)
        hint = "name the one that is meant: plugin = problem.plugin()"
        raise ProblemError(f"{where}: holds {len(found)} problems, {listed}; expected one", hint)
    if not found:
        return None
    with blame(where):
        return found[0][1].plugin()
