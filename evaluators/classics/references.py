"""References of the classics: shipped with an answer, or proved when they are first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...problems.base import Instance, Json, Sense, Verdict
from ..base import Incumbent, Reference, ReferenceKind
from ..numbers import better_than
from ..toolbox import Solved, call, incumbent
from . import certificates
from .certificates import Certificate

Solve = Callable[[Mapping[str, Any], float, Json, int], Certificate]
"""From the public part, wall seconds (about), a valid answer or None, and a spare to what could be proved.

The spare is 0, or 1: then the method looks for answers one unit worse than the given one too, and no bound of
its is cut off at that answer's value.
"""
Stop = Callable[[Mapping[str, Any], float], tuple[Solved, Json]]
"""From the public part and deterministic seconds to what a solver did, and its answer, None without one."""
Judge = Callable[[Mapping[str, Any], Json], Verdict]


@dataclass(frozen=True, slots=True)
class CertifiedReferences:
    """Optima of one problem, or bounds where the time was over.

    Attributes:
        problem: name of the data file.
        version: of the solver's method; part of the key of stored references.
        solve: proves a bound and looks for the answer that attains it.
        judge: the problem's own verification.
        best_known: values of the literature, None for other instances.
        sense: of the problem.
    """

    problem: str
    version: str
    solve: Solve
    judge: Judge
    best_known: Callable[[Instance], Reference | None] = lambda instance: None
    sense: Sense = Sense.MINIMISE
    kinds: ClassVar = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND, ReferenceKind.BEST_KNOWN)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum, or within about `seconds` of wall time a proven bound (problem's unit)."""
        return self.shipped(instance) or self.compute(instance, seconds)

    def shipped(self, instance: Instance) -> Reference | None:
        """What ships with its answer, or the best known value of the literature, else None."""
        proof = certificates.certificate(self.problem, instance.digest)
        return self.best_known(instance) if proof is None else proof.reference("shipped with its answer")

    def attained(self, instance: Instance) -> Json | None:
        """The shipped answer that attains the optimum; None if none ships or attains it."""
        proof = certificates.certificate(self.problem, instance.digest)
        return proof.answer if proof is not None and proof.value == proof.bound else None

    def compute(self, instance: Instance, seconds: float) -> Reference:
        """Like `reference`, without what is shipped."""
        return self.certify(instance, seconds).reference(f"solved: {seconds:g} s")

    def certify(self, instance: Instance, seconds: float, answer: Json = None, spare: int = 0) -> Certificate:
        """Bound and best answer, which is judged by the problem's own verification.

        Args:
            instance: the instance.
            seconds: wall seconds, about.
            answer: a valid answer to start from.
            spare: see `Solve`.

        Raises:
            ValueError: solver and verification disagree about the answer, or the answer is beyond the bound.
        """
        certificate = self.solve(instance.public, seconds, answer, spare)
        self._attained(instance, certificate)
        return certificate

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same reference proved again: the shipped answer is judged, the solver has to find its equal.

        The solver starts one unit worse than the answer, so that a bound that is too strong goes beyond the
        answer instead of ending at it.

        Raises:
            ValueError: the shipped answer has another objective than the certificate says, or is beyond the
                bound that was computed now.
        """
        proof = certificates.certificate(self.problem, instance.digest)
        if proof is None:
            return self.compute(instance, seconds)
        self._attained(instance, proof)
        return self.certify(instance, seconds, proof.answer, 1).reference(f"proved again: {seconds:g} s")

    def _attained(self, instance: Instance, certificate: Certificate) -> None:
        verdict = self.judge(instance.public, certificate.answer)
        if verdict.objective != certificate.value:
            got = verdict.violations[0] if verdict.objective is None else verdict.objective
            raise ValueError(
                f"instance {instance.id}: the certificate's answer: got {got}, expected {certificate.value}"
            )
        if better_than(certificate.value, certificate.bound, self.sense is Sense.MINIMISE, 0):
            raise ValueError(
                f"instance {instance.id}: a valid answer has {certificate.value}, which is beyond the bound "
                f"{certificate.bound}; the bound is wrong"
            )


@dataclass(frozen=True, slots=True)
class StoppableReferences(CertifiedReferences):
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


def in_process(method: Callable[..., dict[str, Any]]) -> Solve:
    """A method that runs in a process that is killed where the solver inside overruns; its last bound counts.

    Args:
        method: takes public part, seconds, answer, spare and `note`; notes and returns certificates as JSON.
    """

    def solve(public: Mapping[str, Any], seconds: float, answer: Json, spare: int) -> Certificate:
        arguments = {"public": dict(public), "answer": answer, "spare": spare}
        return Certificate(**call(method, arguments, seconds))

    return solve
