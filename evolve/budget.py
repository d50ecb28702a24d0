"""What a campaign may use and has used, and why it ended; caps in tokens and dollars: `llm/ledger.py`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum

from .settings import knob


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
    FINISHED = "finished"

    @property
    def halts(self) -> bool:
        """Whether the user ended the search before its budget did, so that the campaign can go on later."""
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


END_SHARE = 0.5
"""The most of the wall seconds after the preparation that is kept for validation and test (ratio)."""
DEFAULT_ITERATIONS = 400
"""Iterations of a campaign that names no budget (count)."""
DEFAULT_SECONDS = 60.0
"""Wall seconds of a campaign that names no budget and asks no model, at least twice its preparation."""


@dataclass(frozen=True)
class BudgetSettings:
    """What a campaign may use over all stops and resumes; None is no limit."""

    iterations: int | None = knob(
        None,
        f"iterations (count, >= 1); {DEFAULT_ITERATIONS} if nothing here is limited and a model is asked",
        ge=1,
        le=10**9,
    )
    evaluations: int | None = knob(None, "candidates evaluated in training (count, >= 1)", ge=1, le=10**9)
    executions: int | None = knob(None, "executions in training and validation (count, >= 1)", ge=1, le=10**9)
    cpu_seconds: float | None = knob(
        None,
        "CPU seconds of executions (> 0); ends the same trajectory earlier",
        gt=0,
    )
    seconds: float | None = knob(
        None,
        "wall seconds of the whole campaign (> 0): references, baselines, search, validation and test; ends "
        f"the same trajectory earlier; {DEFAULT_SECONDS:g}, or twice the preparation, if nothing here is "
        "limited and no model is asked",
        gt=0,
    )
    patience: int | None = knob(None, "iterations without a better best (count, >= 1)", ge=1, le=10**9)
    tokens: int | None = knob(
        None, "tokens in and out of all models, a hard cap (count, >= 1)", ge=1, le=10**12
    )
    usd: float | None = knob(None, "US dollars over all models, a hard cap (> 0)", gt=0)

    @property
    def limited(self) -> bool:
        """Whether anything is limited."""
        return any(getattr(self, field.name) is not None for field in dataclasses.fields(BudgetSettings))


@dataclass(frozen=True)
class Budget(BudgetSettings):
    """What a campaign may use, as the loop keeps to it; models' callers keep to tokens and money.

    Attributes:
        gates: (asks before, limit of evaluations) of each start and resume, in order. Near a limit asks wait
            for outcomes, which decides what they can know, so a repetition of the run keeps to them.
    """

    gates: tuple[tuple[int, int | None], ...] = ()

    def admits(self, number: int, evaluations: int, under_way: int) -> bool:
        """Whether an ask (1-based) may be opened, given evaluations told and asks under way (counts)."""
        limits = [limit for before, limit in self.gates if before < number]
        if not limits:
            limits = [None if self.gates else self.evaluations]
        return limits[-1] is None or evaluations + under_way < limits[-1]

    def search_seconds(self, kept: float) -> float | None:
        """Wall seconds for the search if `kept` are for preparation and end; None without a limit."""
        return None if self.seconds is None else max(0.0, self.seconds - kept)

    def exhausted(self, usage: Usage, kept: float = 0.0) -> StopReason | None:
        """The first limit that is used up, or None; `kept` wall seconds are for preparation and end."""
        seconds = self.search_seconds(kept)
        for limit, used, reason in (
            (self.iterations, usage.iterations, StopReason.ITERATIONS),
            (self.evaluations, usage.evaluations, StopReason.EVALUATIONS),
            (self.executions, usage.executions, StopReason.EXECUTIONS),
            (self.cpu_seconds, usage.cpu_seconds, StopReason.CPU),
            (seconds, usage.wall_seconds, StopReason.SECONDS),
            (self.patience, usage.since_improvement, StopReason.PATIENCE),
        ):
            if limit is not None and used >= limit:
                return reason
        return None
