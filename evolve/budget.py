"""What a campaign may use, what it has used, and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class StopReason(StrEnum):
    """Why a campaign ended."""

    ITERATIONS = "iterations"
    EVALUATIONS = "evaluations"
    EXECUTIONS = "executions"
    CPU = "cpu"
    SECONDS = "seconds"
    PATIENCE = "patience"
    TOKENS = "tokens"
    COST = "cost"
    INTERRUPTED = "interrupted"
    STOP_FILE = "stop_file"
    PROVIDER = "provider"

    @property
    def halts(self) -> bool:
        """Whether it ends the search before its budget does, for somebody to go on with it."""
        return self in (StopReason.INTERRUPTED, StopReason.STOP_FILE, StopReason.PROVIDER)


@dataclass(frozen=True, slots=True)
class Usage:
    """What a campaign has used so far: counts, tokens, US dollars, CPU and wall seconds."""

    iterations: int = 0
    evaluations: int = 0
    executions: int = 0
    cpu_seconds: float = 0.0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    model_calls: int = 0
    wall_seconds: float = 0.0
    since_improvement: int = 0


@dataclass(frozen=True, slots=True)
class Budget:
    """What a campaign may use; None is no limit. Totals over stops and resumes.

    Attributes:
        iterations: asks (count).
        evaluations: candidates evaluated on the training split (count).
        executions: executions in training and validation (count).
        cpu_seconds: CPU seconds of those executions.
        seconds: wall seconds of search.
        patience: iterations without a better training fitness (count).
        gates: (asks before, limit of evaluations) of each start and resume, in order. Near a limit asks wait
            for outcomes, which decides what they can know, so a repetition of the run keeps to them.
    """

    iterations: int | None = None
    evaluations: int | None = None
    executions: int | None = None
    cpu_seconds: float | None = None
    seconds: float | None = None
    patience: int | None = None
    gates: tuple[tuple[int, int | None], ...] = ()

    def admits(self, number: int, evaluations: int, under_way: int) -> bool:
        """Whether an ask (1-based) may be opened, given evaluations told and asks under way (counts)."""
        limits = [limit for before, limit in self.gates if before < number]
        if not limits:
            limits = [None if self.gates else self.evaluations]
        return limits[-1] is None or evaluations + under_way < limits[-1]

    def exhausted(self, usage: Usage) -> StopReason | None:
        """The first limit that is used up, or None."""
        for limit, used, reason in (
            (self.iterations, usage.iterations, StopReason.ITERATIONS),
            (self.evaluations, usage.evaluations, StopReason.EVALUATIONS),
            (self.executions, usage.executions, StopReason.EXECUTIONS),
            (self.cpu_seconds, usage.cpu_seconds, StopReason.CPU),
            (self.seconds, usage.wall_seconds, StopReason.SECONDS),
            (self.patience, usage.since_improvement, StopReason.PATIENCE),
        ):
            if limit is not None and used >= limit:
                return reason
        return None
