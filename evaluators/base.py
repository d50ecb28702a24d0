"""Data types of the evaluator: references with their proof, scores, evaluations, and plug-ins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from statistics import NormalDist, stdev
from typing import Any, Protocol, runtime_checkable

from ..problems.base import Instance, Json, Number, Problem, Verdict, decode_number, encode_number
from ..problems.plain import brief
from ..sandbox.base import Program, Sandbox
from .numbers import SCORABLE, scorable, written

FEWEST = 5
"""Values from which the interval of a mean is given (count)."""


class ReferenceKind(StrEnum):
    """Kind of a reference value; only an optimum or a bound gives an *optimality* gap, `REPORTED` none."""

    OPTIMUM = "optimum"
    BOUND = "bound"
    BEST_KNOWN = "best_known"
    BASELINE = "baseline"
    REPORTED = "reported"

    @property
    def proven(self) -> bool:
        """Whether a value of this kind is a proven bound, which no valid answer can beat."""
        return self in (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)


class ProofKind(StrEnum):
    """Why the bound of a reference holds."""

    ARITHMETIC = "arithmetic"
    DUAL = "dual"
    CONSTRUCTION = "construction"
    SOLVER = "solver"
    LITERATURE = "literature"


OWN_METHOD = "the problem's own"
"""Name of the method behind a reference whose problem names none."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that answers are compared with, and its proof.

    Attributes:
        value: optimum, proven bound, best known value or best baseline's value, in the problem's unit.
        kind: `OPTIMUM` only if value equals bound exactly.
        bound: proven bound in the problem's unit (lower for minimise, upper for maximise); None without one.
        proof: why the bound holds; None iff there is no bound.
        solver: name of the method that computed the reference.
        version: version of that method.
        seconds: wall seconds of the computation; None if unknown.
        source: citation or command.
    """

    value: Number
    kind: ReferenceKind
    bound: Number | None
    proof: ProofKind | None
    solver: str
    version: str
    seconds: float | None
    source: str

    def __post_init__(self) -> None:
        for part, number in (("value", self.value), ("bound", self.bound)):
            if not scorable(number) and (part == "value" or number is not None):
                raise ValueError(f"Reference {part}: got {written(number)}, expected {SCORABLE}")
        if not isinstance(self.kind, ReferenceKind):
            raise ValueError(f"Reference kind: got {brief(self.kind)}, expected {_members(ReferenceKind)}")
        if self.proof is not None and not isinstance(self.proof, ProofKind):
            raise ValueError(
                f"Reference proof: got {brief(self.proof)}, expected None, {_members(ProofKind)}"
            )
        if (self.bound is None) != (self.proof is None):
            raise ValueError("Reference: proof must be given iff there is a bound")
        if self.kind.proven and self.value != self.bound:
            raise ValueError(f"Reference: {self.kind} needs value = bound, got {self.value} and {self.bound}")

    @classmethod
    def optimum(
        cls,
        value: Number,
        proof: ProofKind = ProofKind.CONSTRUCTION,
        solver: str = OWN_METHOD,
        version: str = "1",
        seconds: float | None = None,
        source: str = "computed",
    ) -> Reference:
        """A proven optimum (problem's unit); `Reference.optimum(12, source="Belady 1966")` is enough."""
        return cls(value, ReferenceKind.OPTIMUM, value, proof, solver, version, seconds, source)

    @classmethod
    def proven_bound(
        cls,
        value: Number,
        proof: ProofKind = ProofKind.ARITHMETIC,
        solver: str = OWN_METHOD,
        version: str = "1",
        seconds: float | None = None,
        source: str = "computed",
    ) -> Reference:
        """A proven bound (problem's unit) that no known answer attains; value and source are enough."""
        return cls(value, ReferenceKind.BOUND, value, proof, solver, version, seconds, source)


optimum = Reference.optimum
bound = Reference.proven_bound
"""The same by short names: `gapsmith.optimum(12)` and `gapsmith.bound(11)` (problem's unit)."""


def _members(kinds: type[StrEnum]) -> str:
    """`ProofKind.ARITHMETIC, ProofKind.DUAL or …`, as a plug-in writes them."""
    *some, last = [f"{kinds.__name__}.{member.name}" for member in kinds]
    return f"{', '.join(some)} or {last}"


class References(Protocol):
    """Source of a problem's references.

    Attributes:
        version: a text that changes whenever a reference could change; part of the cache key.
    """

    @property
    def version(self) -> str: ...

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The reference of an instance within about `seconds` of wall time; a time limit gives a bound."""


@runtime_checkable
class Attaining(References, Protocol):
    """References that ship with answers that attain them, so that anybody can check these."""

    def attained(self, instance: Instance) -> Json | None:
        """The shipped answer whose objective is the optimum; None if no answer ships."""


@dataclass(frozen=True, slots=True)
class Incumbent:
    """The best answer that a solver had when it was stopped.

    Attributes:
        verdict: what the problem's own verification says of the answer; None if there was no answer yet.
        solver: name of the solver.
        cpu_seconds: CPU seconds of solving with one thread, without the start of the process and the model.
    """

    verdict: Verdict | None
    solver: str
    cpu_seconds: float


@runtime_checkable
class Anytime(References, Protocol):
    """References whose solver can be stopped early, and so be a rival of heuristics at their own time."""

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """The best answer after deterministic seconds of the solver (> 0), one thread.

        A deterministic second counts steps: it takes 1 to 12 CPU seconds, as the model goes.
        """


@dataclass(frozen=True, slots=True)
class Plugin:
    """A problem and its references, as an entry point, a file or a built-in offers them.

    Attributes:
        problem: a callable that returns the problem; takes the `[problem]` table as keyword arguments, each
            with a default and annotated with its `Parameter`.
        references: source of the problem's references; None compares with the best baseline.
    """

    problem: Callable[..., Problem]
    references: References | None = None


class ScoreStatus(StrEnum):
    """Outcome of one candidate on one instance."""

    OK = "ok"
    INFEASIBLE = "infeasible"
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OUTPUT = "output"
    CRASHED = "crashed"
    REFUSED = "refused"
    INVALID_ANSWER = "invalid_answer"
    BEYOND_BOUND = "beyond_bound"
    STATEFUL = "stateful"


Metric = float | str
"""A finite number (integers and booleans stay what they are) or a short text; so infinities are texts."""
MOST_METRICS = 200
"""Metrics of one execution that are kept."""
METRIC_CHARACTERS = 200
"""Longest text that is a metric; the rest is cut."""


def checked_metrics(document: Any) -> dict[str, Metric]:
    """Metrics that came from a file or another process.

    Raises:
        ValueError: the document holds something else.
    """
    if type(document) is not dict or len(document) > MOST_METRICS:
        raise ValueError(f"metrics: got {document!r:.60}, expected at most {MOST_METRICS} by name")
    for name, value in document.items():
        if not (is_number(value) or (isinstance(value, str) and len(value) <= METRIC_CHARACTERS)):
            raise ValueError(f"metric {name:.60}: got {value!r:.60}, expected a number or a short text")
    return document


def is_number(value: Any) -> bool:
    """Whether a value is a number that a metric can be: finite and no larger than floats are."""
    if isinstance(value, int):
        return abs(value) <= 10**300
    return isinstance(value, float) and math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Score:
    """One candidate on one instance.

    Attributes:
        instance: the instance's id.
        status: `OK`, or why there is no gap.
        objective: in the problem's unit; set iff the answer was valid (`OK` or `BEYOND_BOUND`).
        reference: in the problem's unit.
        reference_kind: kind of the reference.
        gap: loss / |reference| (a ratio, not percent); None iff the status is not `OK`, the
            reference is 0, or both numbers were only reported.
        excess: loss in the problem's unit (minimise: objective − reference); None iff there is no objective.
        cpu_seconds: CPU seconds of the execution.
        answer_digest: hex SHA-256 of the canonical answer; None iff there is no answer.
        message: why the status is not `OK`, one short text; None for `OK`.
        marks: names outside its task that the program used; see the sandbox's `Execution`.
        metrics: name → what a foreign evaluator measured, no part of what makes two scores equal; None where
            no foreign evaluator reports.
    """

    instance: str
    status: ScoreStatus
    objective: Number | None
    reference: Number
    reference_kind: ReferenceKind
    gap: Fraction | float | None
    excess: Number | None
    cpu_seconds: float
    answer_digest: str | None = None
    message: str | None = None
    marks: tuple[str, ...] = ()
    metrics: Mapping[str, Metric] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        judged = self.status in (ScoreStatus.OK, ScoreStatus.BEYOND_BOUND)
        if judged != (self.objective is not None) or judged != (self.excess is not None):
            raise ValueError(f"Score: objective and excess must be set iff valid ({self.status})")
        has_gap = self.status is ScoreStatus.OK and measured(self.reference, self.reference_kind)
        if (self.gap is not None) != has_gap:
            raise ValueError(f"Score: gap must be set iff OK and the reference is not 0 ({self.status})")


def measured(reference: Number, kind: ReferenceKind) -> bool:
    """Whether there are gaps to a reference: not to 0, and not to a score that was only reported."""
    return reference != 0 and kind is not ReferenceKind.REPORTED


class EvaluationStatus(StrEnum):
    """Whether a candidate was scored on all instances of a split."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One candidate on a split.

    Attributes:
        split: name of the set.
        scores: in the order of execution; one for every instance, in the usual order, if `COMPLETE`.
        status: `STOPPED` by racing, `FAILED` if an instance has no valid answer.
        fitness: −mean over all instances of excess / max(|reference|, scale) (a ratio, larger is better, 0 is
            optimal everywhere); None unless `COMPLETE`.
    """

    split: str
    scores: tuple[Score, ...]
    status: EvaluationStatus
    fitness: float | None

    def __post_init__(self) -> None:
        if (self.fitness is not None) != (self.status is EvaluationStatus.COMPLETE):
            raise ValueError(f"Evaluation: fitness must be set iff complete ({self.status})")

    @property
    def failure(self) -> Score | None:
        """The first score without a valid answer of a failed evaluation; None for other evaluations."""
        if self.status is not EvaluationStatus.FAILED:
            return None
        return next(score for score in self.scores if score.status is not ScoreStatus.OK)


WHOLE = slice(None)
"""All instances of a split."""


class Race(Protocol):
    """A test that can end an evaluation early.

    Attributes:
        order: ids of the instances in the order in which they are executed; empty for the usual order.
    """

    @property
    def order(self) -> Sequence[str]: ...

    def lost(
        self, losses: Sequence[float], answers: Sequence[str | None], seconds: Sequence[float] = ()
    ) -> bool:
        """Whether the losses so far show that the rest of the evaluation is not worth its cost.

        Args:
            losses: normalised losses in the order of execution.
            answers: digests of the answers on the same instances.
            seconds: CPU seconds of the same executions.
        """


class Evaluator(Protocol):
    """Scores programs on splits."""

    @property
    def version(self) -> str:
        """Hex digest of all that scores depend on except the program (problem, references, limits, …)."""

    def evaluate(
        self,
        program: Program,
        split: str,
        sandbox: Sandbox,
        *,
        stop_at_failure: bool = True,
        race: Race | None = None,
        part: slice = WHOLE,
    ) -> Evaluation:
        """Runs a program on the instances of a split, or on a part of them, in the race's order."""

    def joined(self, first: Evaluation, rest: Evaluation) -> Evaluation:
        """One evaluation of a complete one and of one on the instances that follow."""

    def program(self, files: Mapping[str, str]) -> Program:
        """A candidate's text as a program of this problem."""

    def loss(self, score: Score) -> float | None:
        """Normalised loss of a score, its share of the fitness (ratio, 0 is optimal); None unless OK."""

    def instances(self, split: str) -> Mapping[str, Instance]:
        """The instances of a split by id, in the usual order of execution."""


def losses_of(evaluation: Evaluation, loss_of: Callable[[Score], float | None]) -> dict[str, float]:
    """Instance id → normalised loss (ratio) of a complete evaluation.

    Raises:
        ValueError: a score is not OK.
    """
    found = {}
    for score in evaluation.scores:
        loss = loss_of(score)
        if loss is None:
            raise ValueError(f"instance {score.instance}: status {score.status}, expected ok")
        found[score.instance] = loss
    return found


def student(probability: float, freedom: int) -> float:
    """Quantile of Student's t distribution (Abramowitz and Stegun 1964, 26.7.5), for 3 degrees and more.

    The expansion is within 3 % of the quantile up to probability 0.999.
    """
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z * z * z + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, start=1))


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of a mean (Student's t); None for fewer than five values."""
    count = len(values)
    return None if count < FEWEST else student(0.975, count - 1) * stdev(values) / math.sqrt(count)


def encode_reference(reference: Reference) -> dict[str, Any]:
    """A reference as a JSON mapping, with value and bound as texts."""
    return {
        "value": encode_number(reference.value),
        "kind": reference.kind.value,
        "bound": None if reference.bound is None else encode_number(reference.bound),
        "proof": None if reference.proof is None else reference.proof.value,
        "solver": reference.solver,
        "version": reference.version,
        "seconds": reference.seconds,
        "source": reference.source,
    }


def decode_reference(document: Mapping[str, Any]) -> Reference:
    """The reference that `encode_reference` wrote."""
    return Reference(
        value=decode_number(document["value"]),
        kind=ReferenceKind(document["kind"]),
        bound=None if document["bound"] is None else decode_number(document["bound"]),
        proof=None if document["proof"] is None else ProofKind(document["proof"]),
        solver=document["solver"],
        version=document["version"],
        seconds=document["seconds"],
        source=document["source"],
    )
