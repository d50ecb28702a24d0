"""References of shops: shipped, or CP-SAT's optimum, or a proven bound when the time is over."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...problems.base import Instance, Json, Verdict
from ...problems.shops.verification import judge
from ..base import Incumbent, ProofKind, Reference, ReferenceKind
from ..certified import Certificate, CertifiedReferences
from ..toolbox import Solved, SolveStatus, incumbent, solve_cpsat, stop_cpsat
from .models import ShopModel, arithmetic_bound, shop_model


class ShopReferences(CertifiedReferences):
    """Optima of a family of shops by CP-SAT, with the schedules that attain them."""

    version = "intervals 1"
    kinds = (ReferenceKind.OPTIMUM, ReferenceKind.BOUND, ReferenceKind.BEST_KNOWN)

    def __init__(
        self,
        family: str,
        *,
        blocking: bool = False,
        best_known: Callable[[Instance], Reference | None] = lambda instance: None,
    ) -> None:
        """Takes what tells one family from another.

        Args:
            family: name of its data file.
            blocking: whether there are no buffers.
            best_known: values of the literature, None for other instances.
        """
        self.family = family
        self._blocking = blocking
        self._best_known = best_known

    def best_known(self, instance: Instance) -> Reference | None:
        """The literature's makespan of an instance; None for others."""
        return self._best_known(instance)

    def certify(self, instance: Instance, seconds: float, start: Json = None) -> Certificate:
        """Optimum (time units) or bound, and the best start times that CP-SAT found."""
        shop, floor = self._model(instance)
        solved = solve_cpsat(shop.model, seconds=seconds, known_bound=floor)
        starts = _schedule(shop, solved)
        verdict = None if starts is None else self._judge(instance, starts)
        reference = solved.as_reference(verified=None if verdict is None else verdict.objective)
        return Certificate(reference, starts)

    def incumbent(self, instance: Instance, effort: float) -> Incumbent:
        """CP-SAT's best schedule after deterministic seconds."""
        shop, floor = self._model(instance)
        solved = stop_cpsat(shop.model, effort, floor)
        starts = _schedule(shop, solved)
        verdict = None if starts is None else self._judge(instance, starts)
        return incumbent(solved, verdict)

    def reprove(self, instance: Instance, reference: Reference, seconds: float) -> Reference:
        """The same reference proven again: a schedule attains it, and CP-SAT finds none that is shorter.

        The schedule is the shipped one, judged by the problem's own verification, or found anew. The second
        question has no objective, only the deadline one time unit earlier. Values of the literature are
        bounded anew.

        Raises:
            ValueError: the shipped schedule does not attain the reference, or the arithmetic bound is above.
        """
        if reference.kind is not ReferenceKind.OPTIMUM:
            return self.compute(instance, seconds)
        started = time.monotonic()
        value = int(reference.value)
        floor = arithmetic_bound(instance.public)
        if floor > value:
            raise ValueError(f"instance {instance.id}: the machines' work needs {floor}, expected {value}")
        if not self._attained(instance, value, seconds):
            return Reference.proven_bound(
                floor, ProofKind.ARITHMETIC, "arithmetic bound", "1", time.monotonic() - started, "computed"
            )
        left = max(1.0, seconds - (time.monotonic() - started))
        solved = self._ends_by(instance, value - 1, left)[0] if value > floor else None
        spent = time.monotonic() - started
        if solved is None:
            return Reference.optimum(
                value, ProofKind.ARITHMETIC, "arithmetic bound", "1", spent, "attained by its schedule"
            )
        if solved.status is SolveStatus.INFEASIBLE:
            source = f"no schedule ends by {value - 1}: {solved.command}"
            return Reference.optimum(value, ProofKind.SOLVER, solved.solver, solved.version, spent, source)
        if solved.solution is not None:
            raise ValueError(f"instance {instance.id}: a schedule ends by {value - 1}, expected none")
        return Reference.proven_bound(
            floor, ProofKind.ARITHMETIC, "arithmetic bound", "1", spent, "the solver's time was over"
        )

    def _attained(self, instance: Instance, value: int, seconds: float) -> bool:
        """Whether a schedule with this makespan is at hand: the shipped one, or one found now."""
        starts = self.attained(instance)
        if starts is None:
            return self._ends_by(instance, value, seconds)[1] is not None
        verdict = self._judge(instance, starts)
        if verdict.objective != value:
            got = verdict.objective if verdict.objective is not None else verdict.violations[0]
            raise ValueError(f"instance {instance.id}: the stored schedule: got {got}, expected {value}")
        return True

    def _ends_by(self, instance: Instance, deadline: int, seconds: float) -> tuple[Solved, Json]:
        """CP-SAT's word on schedules that end by a deadline, and one that passed the verification."""
        shop = shop_model(instance.public, blocking=self._blocking, deadline=deadline)
        solved = solve_cpsat(shop.model, seconds=seconds)
        starts = _schedule(shop, solved)
        if starts is not None and self._judge(instance, starts).objective is None:
            raise ValueError(f"instance {instance.id}: model and verification disagree on a schedule")
        return solved, starts

    def _model(self, instance: Instance) -> tuple[ShopModel, int]:
        """The model of an instance, and the bound from arithmetic that its makespan must keep."""
        floor = arithmetic_bound(instance.public)
        return shop_model(instance.public, blocking=self._blocking, least=floor), floor

    def _judge(self, instance: Instance, starts: Json) -> Verdict:
        return judge(instance.public, starts, blocking=self._blocking)


def _schedule(shop: ShopModel, solved: Solved) -> Json:
    if solved.solution is None:
        return None
    return [[int(solved[start]) for start in begins] for begins in shop.starts]
