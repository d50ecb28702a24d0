"""Makes what the loader knows, a problem and references, from a short form; apart from what authors see."""

from __future__ import annotations

import ast
import hashlib
import inspect
import io
import json
import random
import tokenize
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from ...evaluators.base import Reference
from ...evaluators.toolbox.solved import Solved
from ...evaluators.toolbox.stated import is_model, solve
from ...problems.answers import AnswerKind, FormError
from ...problems.answers.expression import number
from ...problems.base import Drawing, Instance, Json, Moves, Primitive, Sense, Verdict, canonical_json
from ...problems.plain import brief
from ...problems.required import Infeasible
from ..errors import ProblemError
from .short_dialogue import GeneratorDialogue, GeneratorTalk, NotADecision, Steps, outcome
from .short_offline import objective_text, primitives_of
from .short_parts import SPLITS, Form, FormPart, read_file, type_text
from .source_text import Needs, needs_of, plain_text, program_text, written

# The digest of what a problem's results depend on: functions with all that they use, not their words.


def version_of(form: Form) -> str:
    """Hex digest of what instances and judgements depend on."""
    source = form.source
    given = {stratum: [list(one) for one in every] for stratum, every in source.given.items()}
    facts = [*form.facts, canonical_json(given)]
    if source.draw is None:
        return _digest(_judging(form), facts)
    return _digest(
        [*_judging(form), source.draw], [*facts, repr(dict(source.counts)), repr(dict(source.strata))]
    )


def reference_version_of(form: Form) -> str:
    """Hex digest of what references depend on, the instances aside."""
    return _digest([*_judging(form), *([form.reference] if form.reference is not None else [])], form.facts)


def _judging(form: Form) -> list[FormPart]:
    return [form.objective, *([form.online] if form.online is not None else [])]


def _digest(parts: Sequence[FormPart], facts: Sequence[str]) -> str:
    """Hex digest of functions with all that they use, comments and docstrings aside, and of further facts."""
    needs = Needs()
    texts = [written(part.call, part.title) for part in parts]
    for part, one in zip(parts, texts, strict=True):
        needs.add(needs_of([one], part.title, sealed=False))
    lines = [*needs.imports.values(), *(f"{k} = {v}" for k, v in sorted(needs.constants.items()))]
    lines += [_bare(plain_text(one)) for one in (*needs.definitions.values(), *texts)]
    return hashlib.sha256("\n".join([*facts, *lines]).encode()).hexdigest()[:12]


def _bare(text: str) -> str:
    """A text without comments, docstrings and blank lines: what a change of words leaves as it is."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            words = node.body[0]
            for number in range(words.lineno, (words.end_lineno or words.lineno) + 1):
                lines[number - 1] = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())


_SAMPLE = 6
"""Training instances whose data says what the types are (count)."""
_SAMPLE_SEED = 1


class ShortFormProblem:
    """A problem made from the short form; see `Problem` for its members."""

    form: Form

    def __init__(self, parameters: Mapping[str, Any], secret: str = "") -> None:
        self._parameters = parameters
        self._secret = secret
        form = self.form
        self.name = form.name
        self.sense = form.sense
        self.unit = form.unit
        self.entry_point = form.entry
        self.tolerance = form.tolerance
        self._check()
        self.version = version_of(form)

    @property
    def answer_kind(self) -> AnswerKind | None:
        """Kind of answers, or of decisions; None where the objective checks everything."""
        return self.form.kind

    @property
    def authored(self) -> Mapping[str, tuple[str, ...]]:
        """Method → names of the author's functions that do its work."""
        form = self.form
        draw = () if form.source.draw is None else (form.source.draw.call.__name__,)
        online = () if form.online is None else (form.online.call.__name__,)
        judge = () if form.objective.call is outcome else (form.objective.call.__name__,)
        return {"verify": (*judge, *online), "instances": draw}

    @cached_property
    def signature(self) -> str:
        """The entry point with types that follow from the instances' data."""
        form = self.form
        questions = self._questions
        arguments = ", ".join(f"{n}: {type_text([q[n] for q in questions])}" for n in self.arguments)
        return f"def {form.entry}({arguments}) -> {self._returns}:"

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Names of the entry point's arguments."""
        if self.form.online is None:
            return tuple(self._sample[0].public)
        first = next(iter(self.form.heuristics.values()))
        return tuple(inspect.signature(first.call).parameters)

    @cached_property
    def statement(self) -> str:
        """The author's words, the form of an answer, and what is wanted."""
        form = self.form
        wanted = "Minimise" if form.sense is Sense.MINIMISE else "Maximise"
        words = "" if form.objective.call is outcome else form.objective.words
        goal = f"{wanted} the {form.unit}" + (f": {words[0].lower()}{words[1:]}" if words else ".")
        parts = [form.statement]
        if form.kind is not None:
            parts.append(form.kind.sentence(self._questions[0]))
        if form.online is not None:
            call = f"{form.entry}({', '.join(self.arguments)})"
            parts.append(f"{call} is called for each decision, before what comes later is known.")
        return "\n\n".join([form.statement, " ".join([*parts[1:], goal])]).strip()

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        strata = [name for name in self.form.source.strata if name]
        among = f" ({', '.join(strata)} in turn)" if len(strata) > 1 else ""
        return {
            name: f"{self.form.source.counts[name]} instances{among} that {role}"
            for name, role in SPLITS.items()
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set; fixed data ignores the seed."""
        count = self.form.source.counts[set]
        if self.form.source.draw is None:
            return self._given(set)
        return [self._drawn(set, seed, number) for number in range(count)]

    @property
    def sizes(self) -> Mapping[str, int]:
        """Whole numbers of the function under `instances`, with their defaults; none for fixed data."""
        draw = self.form.source.draw
        named = [] if draw is None else list(inspect.signature(draw.call).parameters.values())[1:]
        return {p.name: p.default for p in named if type(p.default) is int}

    def small(self, seed: int, sizes: Mapping[str, int]) -> Instance:
        """An instance outside of all sets, drawn with some whole numbers in place of their defaults."""
        draw = self.form.source.draw
        assert draw is not None
        drawn = draw.call(random.Random(f"small {seed}"), **sizes)
        words = " ".join(f"{name} {size}" for name, size in sizes.items())
        return self._instance(f"small-{seed}", "train", "", drawn, f"{draw.title}, {words}")

    def start_programs(self) -> dict[str, str]:
        """The first heuristic."""
        name = next(iter(self.form.heuristics))
        return {name: self._program(name)}

    def baselines(self) -> dict[str, str]:
        """All heuristics."""
        return {name: self._program(name) for name in self.form.heuristics}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The form, the constraints and the objective of an answer, or of all decisions of a dialogue."""
        form = self.form
        names = self._names(instance)
        try:
            if form.online is not None:
                answer = self._talk.replayed(names, answer)
            elif form.kind is not None and (fault := form.kind.fault(answer, names)):
                return Verdict.invalid(fault)
            value = form.objective.on(names, answer)
        except NotADecision as fault:
            return Verdict.invalid(str(fault))
        except Infeasible as broken:
            return Verdict.infeasible(str(broken))
        if value is None or isinstance(value, bool):
            raise TypeError(f"{form.objective.title} returned {value}, expected a number")
        return Verdict.valid(value)

    def _check(self) -> None:
        """Refuses functions that ask for what no instance has."""
        form = self.form
        first = self._sample[0]
        names = self._names(first)
        for instance in self._sample:
            other = self._names(instance)
            if set(other) != set(names) or not all(name.isidentifier() for name in other):
                got = ", ".join(map(repr, other))
                expected = ", ".join(names)
                raise ProblemError(
                    f"{form.name}: instance {instance.id} has {got}, expected names {expected}"
                )
        parts = [form.objective, *([form.online] if form.online else form.heuristics.values())]
        for part in parts:
            part.check(names)
        for told in (form.draw, form.explain):
            if told is not None:
                told.check(names, ("decisions",) if form.online else ())
        if form.reference is not None:
            form.reference.check(names, ("seconds",))
        if missing := [name for name in form.public if name not in names]:
            raise ProblemError(f"{form.name}: online: public names {missing[0]}, expected {', '.join(names)}")
        if form.online is not None:
            for part in form.heuristics.values():
                own = tuple(inspect.signature(part.call).parameters)
                if own != self.arguments:
                    raise ProblemError(
                        f"{part.title}: has the parameters {', '.join(own)}, expected those of the first "
                        f"heuristic, {', '.join(self.arguments)}"
                    )
        try:
            _ = self.statement, form.kind and form.kind.values(self._questions[0])
        except FormError as error:
            raise ProblemError(f"problem {form.name}: answer: {error}") from None

    @cached_property
    def _sample(self) -> list[Instance]:
        """The first training instances, at a fixed seed."""
        if self.form.source.draw is None:
            return self._given("train")[:_SAMPLE]
        count = min(self.form.source.counts["train"], max(_SAMPLE, len(self.form.source.strata)))
        return [self._drawn("train", _SAMPLE_SEED, number) for number in range(count)]

    @cached_property
    def _talk(self) -> GeneratorTalk:
        """How the dialogues of an online problem go."""
        assert self.form.online is not None
        return GeneratorTalk(self.form.online, self.form.kind, self.arguments, self.form.public)

    @cached_property
    def _questions(self) -> list[dict[str, Any]]:
        """Arguments with which the entry point is called on the sample."""
        form = self.form
        if form.online is None:
            return [dict(instance.public) for instance in self._sample]
        first = next(iter(form.heuristics.values()))
        found = [
            question
            for instance in self._sample
            for question in self._talk.first_questions(self._names(instance), first.call)
        ]
        if not found:
            raise ProblemError(f"{form.online.title}: yields nothing, expected a question for each decision")
        return found

    @cached_property
    def _returns(self) -> str:
        """Type of an answer, or of a decision."""
        if self.form.kind is not None:
            return self.form.kind.type
        first = next(iter(self.form.heuristics.values()))
        stated = inspect.signature(first.call).return_annotation
        if stated is not inspect.Signature.empty:
            return stated if isinstance(stated, str) else inspect.formatannotation(stated)
        question = json.loads(json.dumps(self._questions[0]))
        if self.form.online is not None:
            return type_text([first.call(*question.values())])
        return type_text([first.on(question)])

    def _program(self, name: str) -> str:
        """Text of a heuristic as a candidate's program."""
        call = self.form.heuristics[name].call
        return program_text(self, call, f"heuristic {call.__name__}")

    def _drawn(self, set: str, seed: int, number: int) -> Instance:
        source = self.form.source
        assert source.draw is not None
        strata = list(source.strata)
        stratum = strata[number % len(strata)]
        rng = random.Random(f"{self.name} {set} {seed} {number}{self._secret}")
        drawn = source.draw.call(rng, **{**self._parameters, **source.strata[stratum]})
        where = f"{source.draw.title}, seed {seed}"
        return self._instance(f"{set}-{number:03}", set, stratum, drawn, where)

    def _given(self, set: str) -> list[Instance]:
        """The fixed instances of a set: each stratum is divided alike."""
        source = self.form.source
        counts = source.counts
        order = [
            (stratum, name, data)
            for place in range(max(map(len, source.given.values())))
            for stratum, every in source.given.items()
            for name, data in every[place : place + 1]
        ]
        before = {"train": 0, "valid": counts["train"], "test": counts["train"] + counts["valid"]}[set]
        return [
            self._instance(f"{set}-{name}", set, stratum, data, source.words)
            for stratum, name, data in order[before : before + counts[set]]
        ]

    def _instance(self, id: str, set: str, stratum: str, data: Any, source: str) -> Instance:
        """An instance of what the author gives; where it is online, what is not public is hidden."""
        if not isinstance(data, dict):
            raise TypeError(f"instance {id}: got {brief(data)}, expected a dictionary of name → value")
        named = {key: _plain(value) for key, value in data.items()}
        scale = number(self.form.scale, named)
        exact = Fraction(scale) if isinstance(scale, float) else scale
        public: dict[str, Any] = named
        hidden: dict[str, Any] | None = None
        if self.form.online is not None:
            public = {key: named[key] for key in self.form.public if key in named}
            hidden = {key: value for key, value in named.items() if key not in public}
        return Instance(id, set, stratum or "all", public, exact, source, hidden=hidden)

    def _names(self, instance: Instance) -> dict[str, Any]:
        """All parts of an instance by name."""
        return {**instance.public, **(instance.hidden or {})}

    def _told(self, part: FormPart, instance: Instance, answer: Json) -> Any:
        """What a function makes of what the objective sees, and of the `decisions` of an online problem."""
        names = self._names(instance)
        if self.form.online is None:
            return part.on(names, answer)
        return part.on(names, self._talk.replayed(names, answer), decisions=answer)


class Online(ShortFormProblem):
    """An online problem: the generator in the parent is the whole dialogue."""

    calls = "The driver calls a program once for each decision; it may keep what it has seen."

    @property
    def driver(self) -> str:
        """Source of what calls a candidate in its process."""
        return self._talk.driver

    def dialogue(self, instance: Instance) -> GeneratorDialogue:
        """A new dialogue over the instance's hidden part."""
        return GeneratorDialogue(self._talk, self._names(instance))

    def steps(self, instance: Instance) -> Steps:
        """A dialogue in the parent's own process, for its author's heuristics and for checks."""
        return Steps(self._talk, self._names(instance))

    def decide(self, question: Mapping[str, Any]) -> Any:
        """The decision of the first heuristic."""
        first = next(iter(self.form.heuristics.values()))
        return first.call(*json.loads(json.dumps([question[name] for name in self.arguments])))

    def keyed(self, secret: str) -> Online:
        """The same problem with instances that are drawn with a secret."""
        return type(self)(self._parameters, secret)


class Moved(ShortFormProblem):
    """Local search on the objective itself."""

    def moves(self) -> Moves | None:
        """The objective as text, with the moves of the kind of answer or the author's own."""
        form = self.form
        judge = written(form.objective.call, form.objective.title)
        text = objective_text(judge, form.sense, self.arguments)
        if form.neighbours is not None:
            return Moves(f"{text}\n\n{form.neighbours}")
        assert form.kind is not None
        assert form.kind.moves is not None
        return Moves(text, form.kind.moves, form.kind.values(self._questions[0]))


class Drawn(ShortFormProblem):
    """Answers can be drawn."""

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The author's drawing."""
        assert self.form.draw is not None
        return self._told(self.form.draw, instance, answer)  # type: ignore[no-any-return]


class Explained(ShortFormProblem):
    """Answers can be explained."""

    def explain(self, instance: Instance, answer: Json) -> str:
        """The author's explanation."""
        assert self.form.explain is not None
        return self._told(self.form.explain, instance, answer)  # type: ignore[no-any-return]


class Primitives(ShortFormProblem):
    """The offline proposer is given expressions."""

    @cached_property
    def _given_primitives(self) -> Sequence[Primitive]:
        return self.form.primitives or primitives_of(self._questions)

    def primitives(self) -> Sequence[Primitive]:
        """The author's expressions, or those that follow from the data."""
        return self._given_primitives


class Read(ShortFormProblem):
    """A user's own files can be read."""

    @property
    def instance_format(self) -> str:
        """The docstring of the author's function."""
        assert self.form.read is not None
        return inspect.getdoc(self.form.read.call) or self.form.read.title

    def read_instances(self, path: Path) -> list[Instance]:
        """The instances of a file; their split is the file's name."""
        assert self.form.read is not None
        found = read_file(self.form.read, path)
        return [self._instance(name, path.name, "file", data, str(path)) for name, data in found]


def made_class(form: Form) -> type[ShortFormProblem]:
    """The class of a problem: it has the methods of the parts that the form has, and no others."""
    bases: list[type[ShortFormProblem]] = []
    if form.online is not None:
        bases.append(Online)
    elif form.neighbours is not None or (form.kind is not None and form.kind.moves is not None):
        bases.append(Moved)
    for base, part in ((Drawn, form.draw), (Explained, form.explain), (Read, form.read)):
        bases += [base] if part is not None else []
    bases.append(Primitives)
    doc = form.statement.partition("\n\n")[0]
    name = "".join(word.capitalize() for word in form.name.split("-"))
    return type(
        name, tuple(bases) or (ShortFormProblem,), {"form": form, "__module__": form.home, "__doc__": doc}
    )


def _plain(value: Any) -> Any:
    """A value with lists in place of tuples."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        if wrong := [key for key in value if not isinstance(key, str)]:
            raise ValueError(f"key {brief(wrong[0])} of a dictionary, expected texts as keys")
        return {key: _plain(item) for key, item in value.items()}
    return value


# References of a problem in the short form: the author's models solved, or optima and bounds as they are.


class MadeReferences:
    """References from the author's models, optima and bounds."""

    def __init__(self, form: Form, part: FormPart) -> None:
        self._form = form
        self._part = part

    @cached_property
    def version(self) -> str:
        """Digest of what the references depend on."""
        return reference_version_of(self._form)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """See `References`."""
        names = {**instance.public, **(instance.hidden or {})}
        own = json.loads(json.dumps(names))  # the function may change what it is given
        found = self._part.on(own, seconds=seconds)
        read = None
        if isinstance(found, tuple) and len(found) == 2 and callable(found[1]):
            found, read = found
        if is_model(found):
            found = solve(found, seconds)
        if isinstance(found, Solved):
            checked = None
            if read is not None and found.solution is not None:
                checked = self._checked(instance, read(found))
            return found.as_reference(verified=checked)
        if isinstance(found, Reference):
            return found
        raise TypeError(
            f"{self._part.title} returned {brief(found)}, expected a model of PuLP or CP-SAT, "
            "gapsmith.optimum(value) or gapsmith.bound(value)"
        )

    def _checked(self, instance: Instance, answer: Json) -> Any:
        """The objective of a model's solution, as the author's function reads it."""
        form = self._form
        whole = form.kind is not None and form.online is None
        fault = form.kind.fault(answer, instance.public) if whole and form.kind is not None else None
        if fault is not None:
            raise ValueError(f"{self._part.title}: the answer of the model's solution: {fault}")
        return form.objective.on({**instance.public, **(instance.hidden or {})}, answer)
