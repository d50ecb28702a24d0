"""References of the classics: shipped with an answer, or proved when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ...problems.base import Instance, Json, Sense, Verdict
from ..base import Incumbent, ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from ..numbers import better_than
from ..toolbox import Solved, call, incumbent


@dataclass(frozen=True, slots=True)
class BoundedAnswer:
    """What a solver proved of an instance, and the best answer that it knows.

    Attributes:
        bound: proven bound of the objective (problem's unit).
        value: objective of the answer (problem's unit); equal to the bound iff both are optimal.
        answer: a valid answer.
        solver, version: who proved the bound.
        seconds: wall seconds of the proof.
    """

    bound: int
    value: int
    answer: Json
    solver: str
    version: str
    seconds: float

    def reference(self, source: str) -> Reference:
        """The optimum, or the bound where no answer attains it.

        Args:
            source: where the bound comes from.
        """
        optimal = self.value == self.bound
        make = Reference.optimum if optimal else Reference.proven_bound
        note = "" if optimal else f"; best answer known {self.value}"
        return make(
            self.bound, ProofKind.SOLVER, self.solver, self.version, round(self.seconds, 3), source + note
        )


Solve = Callable[[Mapping[str, Any], float, Json, int], BoundedAnswer]
"""From the public part, wall seconds (about), a valid answer or None, and a spare to what could be proved.

The spare is 0, or 1: then the method looks for answers one unit worse than the given one too, and no bound of
its is cut off at that answer's value.
"""
Stop = Callable[[Mapping[str, Any], float], tuple[Solved, Json]]
"""From the public part and deterministic seconds to what a solver did, and its answer, None without one."""
Judge = Callable[[Mapping[str, Any], Json], Verdict]


@dataclass(frozen=True)
class SolvedReferences(CertifiedReferences):
    """Optima of one problem, or bounds where the time was over.

    Attributes:
        family: name of the data file.
        version: of the solver's method; part of the key of stored references.
        solve: proves a bound and looks for the answer that attains it.
        judge: the problem's own verification.
        literature: best known values, None for other instances.
        sense: of the problem.
    """

    family: str
    version: str
    solve: Solve
    judge: Judge
    literature: Callable[[Instance], Reference | None] = lambda instance: None
    sense: Sense = Sense.MINIMISE
    kinds: tuple[ReferenceKind, ...] = field(
        default=(ReferenceKind.OPTIMUM, ReferenceKind.BOUND, ReferenceKind.BEST_KNOWN), init=False
    )

    def best_known(self, instance: Instance) -> Reference | None:
        """The literature's value of an instance; None for others."""
        return self.literature(instance)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """Bound and best answer, from a valid answer on."""
        bounded = self.bounded(instance, seconds, start)
        return Certificate(bounded.reference(f"solved: {seconds:g} s"), bounded.answer)

    def better(self, older: Certificate | None, newer: Certificate) -> Certificate:
        """As for all references; of equal bounds the newer, whose answer was found from the older one."""
        stronger = super().better(older, newer)
        equal = stronger.reference.value == newer.reference.value
        return newer if equal and not stronger.optimal else stronger

    def bounded(
        self, instance: Instance, seconds: float, start: Json = None, spare: int = 0
    ) -> BoundedAnswer:
        """Bound and best answer, which is judged by the problem's own verification.

        Args:
            instance: the instance.
            seconds: wall seconds, about.
            start: a valid answer to start from.
            spare: see `Solve`.

        Raises:
            ValueError: solver and verification disagree about the answer, or the answer is beyond the bound.
        """
        bounded = self.solve(instance.public, seconds, start, spare)
        self._check(instance, bounded.answer, bounded.value, bounded.bound)
        return bounded

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same reference proved again: the shipped answer is judged, the solver has to find its equal.

        The solver starts one unit worse than the answer, so that a bound that is too strong goes beyond the
        answer instead of ending at it.

        Raises:
            ValueError: the shipped answer does not attain its optimum, or is beyond the bound that ships or
                was computed now.
        """
        proof = self.certificate(instance)
        if proof is None:
            return self.compute(instance, seconds)
        value = proof.reference.value
        if proof.answer is not None:
            self._check(instance, proof.answer, int(value) if proof.optimal else None, int(value))
        spare = int(proof.answer is not None)
        return self.bounded(instance, seconds, proof.answer, spare).reference(f"proved again: {seconds:g} s")

    def _check(self, instance: Instance, answer: Json, value: int | None, bound: int) -> None:
        """Raises if an answer is not valid, has another objective than `value`, or is beyond the bound."""
        verdict = self.judge(instance.public, answer)
        objective = verdict.objective
        if objective is None or (value is not None and objective != value):
            got = verdict.violations[0] if objective is None else objective
            raise ValueError(
                f"instance {instance.id}: the certificate's answer: got {got}, "
                f"expected {'a valid one' if value is None else value}"
            )
        if better_than(objective, bound, self.sense is Sense.MINIMISE, 0):
            raise ValueError(
                f"instance {instance.id}: a valid answer has {objective}, which is beyond the bound "
                f"{bound}; the bound is wrong"
            )


@dataclass(frozen=True)
class StoppableReferences(SolvedReferences):
    """References whose solver can be stopped early.

    Attributes:
        stop: gives the solver's answer after deterministic seconds.
    """

    stop: Stop = field(kw_only=True)

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """The solver's best answer after deterministic seconds."""
        solved, answer = self.stop(instance.public, effort)
        verdict = None if solved.solution is None else self.judge(instance.public, answer)
        return incumbent(solved, verdict)


def in_process(module: str) -> Solve:
    """A method that runs in a process that is killed where the solver inside overruns; its last bound counts.

    Args:
        module: of this package, loaded when a proof begins. Its `certified` takes public part, seconds,
            answer, spare and `note`; notes and returns answers as JSON.
    """

    def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int) -> BoundedAnswer:
        method = import_module(f".{module}", __package__).certified
        arguments = {"public": dict(public), "answer": answer, "spare": spare}
        return BoundedAnswer(**call(method, arguments, seconds))

    return solve
