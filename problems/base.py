"""Data types and protocols of a problem: instances, verdicts, and what a problem must and may offer."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from .offers import KINDS as KINDS
from .offers import AmountKind as AmountKind
from .offers import CostShape as CostShape
from .offers import HasAnswerKind as HasAnswerKind
from .offers import HasMoves as HasMoves
from .offers import HasPhases as HasPhases
from .offers import HasPrimitives as HasPrimitives
from .offers import Moves as Moves
from .offers import Phase as Phase
from .offers import Primitive as Primitive
from .plain import NAME, brief, is_name, plain_fault

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Number: TypeAlias = int | Fraction | float
"""An objective or a reference; compared exactly if `int` or `Fraction`, within a tolerance if `float`."""

SPLITS = ("train", "valid", "test")


class Sense(StrEnum):
    """Whether a smaller or a larger objective is better."""

    MINIMISE = "minimise"
    MAXIMISE = "maximise"


def encode_number(number: Number) -> str:
    """Text of a number, which keeps its type: `12` (int), `7/3` (Fraction), `0.5` or `1e-09` (float)."""
    if isinstance(number, bool):
        raise TypeError(f"number: got {number!r}, expected int, Fraction or float")
    if isinstance(number, int):
        return str(number)
    if isinstance(number, Fraction):
        return f"{number.numerator}/{number.denominator}"
    return repr(float(number))


def decode_number(text: str) -> Number:
    """The number that `encode_number` wrote.

    Raises:
        ValueError: the text has none of the three forms, or the number is not finite.
    """
    if "/" in text:
        numerator, denominator = map(int, text.split("/"))
        if not denominator:
            raise ValueError(f"{text[:60]}: the denominator is 0")
        return Fraction(numerator, denominator)
    try:
        return int(text)
    except ValueError:
        if not math.isfinite(number := float(text)):
            raise ValueError(f"{text[:60]} is not finite") from None
        return number


def canonical_json(value: Any) -> str:
    """Text of a JSON value with sorted keys and no spaces; equal values have equal texts.

    Raises:
        ValueError: the value holds NaN or infinity.
        TypeError: the value is not JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a problem.

    Attributes:
        id: unique within the problem; contains set and number (`train-003`, `wt40-17`).
        split: the set that the instance belongs to: `train`, `valid`, `test`, or the name of a named set.
        stratum: group for tables and stratified order (`rdd=0.2 tf=0.6`).
        public: keyword arguments of a candidate's entry point (JSON mapping; integers stay integers).
        scale: positive number in the objective's unit, the least denominator of a loss
            (SMTT: mean processing time; bins: 1; costs: the cheapest unit).
        source: citation, or generator and seed.
        hidden: data that no candidate sees (JSON mapping: the sequence of an online problem, labels).
        digest: hex SHA-256 of the canonical public and hidden parts (derived).
        encoded: canonical JSON of the public part, UTF-8 (derived); to write a large one anew takes seconds.
    """

    id: str
    split: str
    stratum: str
    public: Mapping[str, Any]
    scale: int | Fraction
    source: str
    hidden: Mapping[str, Any] | None = None
    digest: str = field(init=False)
    encoded: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for part, name in (("id", self.id), ("split", self.split), ("stratum", self.stratum)):
            if not is_name(name):
                whose = "" if part == "id" else f" {self.id}"
                raise ValueError(f"instance{whose} {part}: got {brief(name)}, expected {NAME}")
        if isinstance(self.scale, bool) or not isinstance(self.scale, int | Fraction) or self.scale <= 0:
            raise ValueError(f"instance {self.id} scale: got {self.scale!r}, expected an int or Fraction > 0")
        try:
            encoded = canonical_json(dict(self.public)).encode()
            hidden = canonical_json(None if self.hidden is None else dict(self.hidden)).encode()
            digest = hashlib.sha256(b"[%b,%b]" % (encoded, hidden)).hexdigest()
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"instance {self.id} {self._plain_fault() or error}") from error
        object.__setattr__(self, "digest", digest)
        object.__setattr__(self, "encoded", encoded)

    def _plain_fault(self) -> str | None:
        """Names the part and the key whose value is not plain JSON, with the fault; None without a fault."""
        if fault := plain_fault(self.public):
            return f"public{fault}"
        fault = None if self.hidden is None else plain_fault(self.hidden)
        return fault and f"hidden{fault}"


class VerdictStatus(StrEnum):
    """A problem's classification of an answer."""

    VALID = "valid"
    INFEASIBLE = "infeasible"
    INVALID_ANSWER = "invalid_answer"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A problem's judgement of an answer; `objective` is set iff the status is `VALID`.

    Attributes:
        objective: in the problem's unit.
        violations: sentences that name the faults of the answer, empty iff valid.
    """

    status: VerdictStatus
    objective: Number | None = None
    violations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Without this check, a wrong type would fail only later, in the computation of a score.
        if not isinstance(self.status, VerdictStatus):
            raise ValueError(f"Verdict status: got {brief(self.status)}, expected a VerdictStatus")
        if not isinstance(self.violations, tuple) or not all(isinstance(v, str) for v in self.violations):
            raise ValueError(f"Verdict violations: got {brief(self.violations)}, expected sentences (str)")
        if (self.status is VerdictStatus.VALID) != (self.objective is not None):
            raise ValueError(f"Verdict: objective is set iff valid, got {self.status} {self.objective!r}")
        if (self.status is VerdictStatus.VALID) == bool(self.violations):
            raise ValueError("Verdict: violations must be given iff the answer is not valid")

    @classmethod
    def valid(cls, objective: Number) -> Verdict:
        """A feasible answer with its objective (problem's unit)."""
        return cls(VerdictStatus.VALID, objective)

    @classmethod
    def infeasible(cls, *violations: str) -> Verdict:
        """An answer of the right form that breaks a constraint."""
        return cls(VerdictStatus.INFEASIBLE, None, violations)

    @classmethod
    def invalid(cls, *violations: str) -> Verdict:
        """An answer of the wrong form (type, length, range)."""
        return cls(VerdictStatus.INVALID_ANSWER, None, violations)


class Problem(Protocol):
    """The interface of every problem; all methods are pure and deterministic.

    Attributes:
        name: lower case with hyphens.
        version: a text that changes whenever instances, verification or objective change; part of every cache
            key.
        sense: minimise or maximise.
        unit: unit of the objective, plural (`bins`, `tardiness`).
        entry_point: name of the function or class that a candidate defines.
        signature: the entry point's signature as a candidate writes it, with types.
        statement: the task (input, answer, objective) in the field's words, for people and language models.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def sense(self) -> Sense: ...
    @property
    def unit(self) -> str: ...
    @property
    def entry_point(self) -> str: ...
    @property
    def signature(self) -> str: ...
    @property
    def statement(self) -> str: ...

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence about it; `train`, `valid` and `test` are among them."""

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The instances of a set, equal for equal seeds; a set with fixed data ignores the seed.

        Raises:
            KeyError: the problem has no set of this name.
        """

    def start_programs(self) -> Mapping[str, str]:
        """Id → source text of the programs from which a campaign may start; the first is the default."""

    def baselines(self) -> Mapping[str, str]:
        """Id (lower case, hyphens) → source text of heuristics to compare with, run like any candidate."""

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Judges an answer in exact arithmetic, from nothing but the instance and the answer."""


@runtime_checkable
class Driven(Protocol):
    """A problem with fixed source (`drive(entry, instance)`) that calls its candidates in the sandbox."""

    @property
    def driver(self) -> str: ...


@runtime_checkable
class DescribesStrata(Protocol):
    """A problem that says what the names of its strata mean."""

    @property
    def strata(self) -> str:
        """One or two sentences on what the instances of a stratum share, for the readers of tables."""


@runtime_checkable
class DescribesCalls(Protocol):
    """A driven problem that says how its driver calls a candidate."""

    @property
    def calls(self) -> str:
        """How often a candidate is called within one execution, and what it may keep between the calls.

        Sentences about `a program` for whoever writes one; the limits of an execution are said elsewhere.
        """


@runtime_checkable
class Stateless(Driven, Protocol):
    """A driven problem whose candidates must be functions of their arguments.

    Attributes:
        anew: calls after which a candidate's text is executed anew (count); 0 where, as at an earlier
            version, candidates may keep what they like.
        recorder: source that stands after the driver's: `record(entry, instance)`, `follow(cases)` and
            `decide(entry, instance)` as in `recording.py`.
    """

    @property
    def anew(self) -> int: ...
    @property
    def recorder(self) -> str: ...


@runtime_checkable
class Versioned(Protocol):
    """A problem that can still be what it was at earlier versions, for the runs that were recorded then."""

    def at(self, version: str) -> Problem:
        """The problem at a version.

        Raises:
            KeyError: there is no such version.
        """


class Dialogue(Protocol):
    """Parent side of one interactive execution; the same interface as the sandbox's `Dialogue`.

    Neither folder may import the other, so both define the protocol.
    """

    def next(self, line: bytes) -> bytes | None: ...
    def answer(self) -> Json: ...


@runtime_checkable
class Interactive(Protocol):
    """A problem whose instances are revealed step by step; each decision is final."""

    def dialogue(self, instance: Instance) -> Dialogue:
        """A new dialogue over the instance's hidden sequence, independent of all other dialogues."""


@runtime_checkable
class Keyed(Protocol):
    """A problem whose hidden parts depend on a secret, so that no candidate can draw them again."""

    def keyed(self, secret: str) -> Problem:
        """The same problem with hidden parts drawn from this secret (hex text; empty for the public draw)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One plain shape of a drawing.

    Attributes:
        kind: `rectangle` (x, y, width, height), `line` (x, y to x + width, y + height) or `label` (its
            lower left corner is x, y).
        x, y, width, height: in the drawing's units.
        text: text of a label, or name of a rectangle (shown inside if there is room).
        group: shapes of one group share a colour (`late`, `job`, `gpu`).
    """

    kind: str
    x: float
    y: float
    width: float = 0.0
    height: float = 0.0
    text: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """An answer as plain shapes, for Gapsmith to draw; each axis title contains its unit."""

    title: str
    x_title: str
    y_title: str
    shapes: tuple[Shape, ...]


@runtime_checkable
class Explains(Protocol):
    """A problem that says in words what an answer does with an instance, where its cost arises."""

    def explain(self, instance: Instance, answer: Json) -> str:
        """A few lines on a valid answer: sorted, summarised, with units.

        The lines are shown to whoever writes the next candidate. Of the hidden part of an instance they may
        tell what the answer has already met, and only summarised.
        """


@runtime_checkable
class Drawable(Protocol):
    """A problem whose answers can be drawn."""

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """The drawing of a valid answer."""


class InstanceFileError(ValueError):
    """A user's file cannot be read; the message names file, row or line, column, found and expected value."""


@runtime_checkable
class ReadsInstances(Protocol):
    """A problem that reads a user's own instances."""

    @property
    def instance_format(self) -> str:
        """One paragraph on the readable files and the meaning of each column or key, with units."""

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Reads the instances of a file; their `split` is the file's name.

        Raises:
            InstanceFileError: the file has a fault; the message names the row, the found and the expected
                value.
        """


@runtime_checkable
class WritesAnswers(Protocol):
    """A problem that writes an answer in a file format of the field."""

    def answer_file(self, instance: Instance, answer: Json) -> str:
        """Text of a CSV file with a valid answer to one instance."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Annotation of a problem parameter (`Annotated[int, Parameter("jobs per instance", "jobs", 2, 500)]`).

    Attributes:
        meaning: one sentence.
        unit: plural, or empty for a pure number.
        minimum, maximum: inclusive range; None for no limit.
    """

    meaning: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
