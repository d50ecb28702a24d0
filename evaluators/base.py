"""The evaluator's words: references with their proof, scores, evaluations, and the door for problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Protocol

from ..problems.base import Instance, Number, Problem
from ..problems.plain import brief
from ..sandbox.base import Program, Sandbox
from .numbers import SCORABLE, scorable, written


class ReferenceKind(StrEnum):
    """What a reference value is; only an optimum or a bound makes an *optimality* gap."""

    OPTIMUM = "optimum"
    BOUND = "bound"
    BEST_KNOWN = "best_known"
    BASELINE = "baseline"

    @property
    def proven(self) -> bool:
        """Whether its value is a proven bound, so that nothing honest is better."""
        return self in (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)


class ProofKind(StrEnum):
    """Why the bound of a reference may be believed."""

    ARITHMETIC = "arithmetic"
    DUAL = "dual"
    CONSTRUCTION = "construction"
    SOLVER = "solver"
    LITERATURE = "literature"


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that answers are compared with, and its proof.

    Attributes:
        value: problem's unit; the optimum, the proven bound, the best known or the best baseline's value.
        kind: `OPTIMUM` only if value equals bound exactly.
        bound: proven bound, problem's unit (lower for minimise, upper for maximise), None if there is none.
        proof: why the bound holds; None iff there is no bound.
        solver: name of the method that produced it.
        version: the method's version.
        seconds: wall seconds it took, None if not known.
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
        cls, value: Number, proof: ProofKind, solver: str, version: str, seconds: float | None, source: str
    ) -> Reference:
        """A proven optimum (problem's unit)."""
        return cls(value, ReferenceKind.OPTIMUM, value, proof, solver, version, seconds, source)

    @classmethod
    def proven_bound(
        cls, value: Number, proof: ProofKind, solver: str, version: str, seconds: float | None, source: str
    ) -> Reference:
        """A proven bound (problem's unit) that is not known to be attained."""
        return cls(value, ReferenceKind.BOUND, value, proof, solver, version, seconds, source)


def _members(kinds: type[StrEnum]) -> str:
    """`ProofKind.ARITHMETIC, ProofKind.DUAL or …`, as a plug-in writes them."""
    *some, last = [f"{kinds.__name__}.{member.name}" for member in kinds]
    return f"{', '.join(some)} or {last}"


class References(Protocol):
    """Where the references of a problem come from.

    Attributes:
        version: changes whenever a value could change; part of the cache key.
    """

    @property
    def version(self) -> str: ...

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The reference of an instance within about `seconds` of wall time; a time limit gives a bound."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """What an entry point, a file or a built-in's row resolves to: one door for all problems.

    Attributes:
        problem: a callable that takes the `[problem]` table as keyword arguments, each annotated with its
            `Parameter` and with a default, and returns the problem.
        references: where its references come from; None compares with the best baseline.
    """

    problem: Callable[..., Problem]
    references: References | None = None


class ScoreStatus(StrEnum):
    """How one candidate did on one instance."""

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


@dataclass(frozen=True, slots=True)
class Score:
    """One candidate on one instance.

    Attributes:
        instance: the instance's id.
        status: `OK`, or why there is no gap.
        objective: problem's unit; set iff the answer was valid (`OK` or `BEYOND_BOUND`).
        reference: problem's unit.
        reference_kind: what the reference is.
        gap: loss / |reference| (a ratio, not percent); None iff not scored or the reference is 0.
        excess: loss in the problem's unit (minimise: objective − reference); None iff there is no objective.
        cpu_seconds: CPU seconds of the execution.
        answer_digest: hex SHA-256 of the canonical answer; None iff there is no answer.
        message: why it is not `OK`, one short text; None when it is.
        marks: what the program reached for beside its task; see the sandbox's `Execution`.
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

    def __post_init__(self) -> None:
        judged = self.status in (ScoreStatus.OK, ScoreStatus.BEYOND_BOUND)
        if judged != (self.objective is not None) or judged != (self.excess is not None):
            raise ValueError(f"Score: objective and excess must be set iff valid ({self.status})")
        if (self.gap is not None) != (self.status is ScoreStatus.OK and self.reference != 0):
            raise ValueError(f"Score: gap must be set iff OK and the reference is not 0 ({self.status})")


class EvaluationStatus(StrEnum):
    """Whether a candidate was scored on all instances of a split."""

    COMPLETE = "complete"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One candidate on a split.

    Attributes:
        split: the set's name.
        scores: in the order of execution; all instances iff `COMPLETE`.
        status: `STOPPED` by racing, `FAILED` at the first instance without a valid answer.
        fitness: −mean over all instances of loss / max(|reference|, scale) (a ratio, larger is better, 0 is
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
        """The score that ended a failed evaluation."""
        return self.scores[-1] if self.status is EvaluationStatus.FAILED else None


class Race(Protocol):
    """Ends an evaluation early."""

    def lost(self, losses: Sequence[float], answers: Sequence[str | None]) -> bool:
        """Whether what a program did so far shows that it is not worth going on with.

        Args:
            losses: normalised, in the order of execution.
            answers: digests of the answers on the same instances.
        """


class Evaluator(Protocol):
    """Scores programs on splits."""

    @property
    def version(self) -> str:
        """Hex digest of all that a score depends on beside the program (problem, references, limits, …)."""

    def evaluate(
        self,
        program: Program,
        split: str,
        sandbox: Sandbox,
        *,
        stop_at_failure: bool = True,
        race: Race | None = None,
    ) -> Evaluation:
        """Runs a program on the instances of a split, one after another, in a fixed order."""

    def program(self, files: Mapping[str, str]) -> Program:
        """A candidate's text as a program of this problem."""

    def loss(self, score: Score) -> float | None:
        """Normalised loss of a score (ratio, 0 is optimal), its part in a fitness; None unless it is OK."""

    def instances(self, split: str) -> Mapping[str, Instance]:
        """Id → instance of a split, in the order of execution."""
