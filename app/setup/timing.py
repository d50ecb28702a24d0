"""Measures an execution that does nothing and this machine's pace; says how a run's time is divided."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from math import ceil
from statistics import median
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation
from ...evolve.budget import DEFAULT_SECONDS
from ...evolve.champion import ReserveEstimate, TimeReserve, lengths, search_seconds_left
from ...evolve.timing import Timing
from ...sandbox.base import MAIN_FILE, ExecutionStatus, Limits, Program
from ...sandbox.trusted_evaluator import Workshop
from ..errors import USAGE, UserError
from ..formatting import duration

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ...evolve.store.store import Store
    from ...sandbox.base import Sandbox
    from ...sandbox.policy import Policy
    from ..config import Config
    from .setup import Notify, Setup

PREPARATION_SHARE = 0.7
"""The most of a budget of wall seconds that references and baselines may take (ratio)."""
BASELINES_SHARE = 0.25
"""Share of a budget of wall seconds after which only the baselines that matter are evaluated (ratio)."""
_SURE_SECONDS = 3.0
"""Wall seconds after which the pace of a preparation is believed."""
QUICK = ("job-shop", "bin-packing")
"""Built-in problems that are measured within a minute, with nothing cached."""
_RUNS = 20
_PACES = 3
_ENTRY = "measure"
_NOTHING = "def measure():\n    return 0\n"
_LOOP = """def measure():
    total = 0
    for number in range(200_000):
        total = (total * 31 + number) % 1_000_003
    return total
"""
_measured: dict[str, Timing] = {}


def measured(slot: Sandbox, policy: Policy) -> Timing:
    """Floor and pace of this machine under a policy, measured once in a process.

    The floor is the median of twenty executions that return at once; the pace is the median of three
    executions of a fixed loop.
    """
    if isinstance(slot, Workshop):  # every program there runs an evaluator
        slot = slot.sealed
    if policy.digest not in _measured:
        floor = _median(slot, _NOTHING, _RUNS)
        _measured[policy.digest] = Timing(floor, max(0.0, _median(slot, _LOOP, _PACES) - floor))
    return _measured[policy.digest]


def keep_timing(store: Store, slot: Sandbox, policy: Policy) -> None:
    """Stores floor and pace of this machine with a run that lacks them; a replay has those of its record."""
    if store.read.record("timing") is None:
        store.set("timing", asdict(measured(slot, policy)))


def in_time(notify: Notify, config: Config, began: float) -> Notify:
    """Passes progress on, and ends a preparation that leaves a budget of wall seconds no time to search.

    Args:
        notify: told what is being prepared.
        config: whole configuration; without a budget of seconds nothing ends.
        began: monotonic clock at the begin of the run (seconds).

    The returned function raises:
        UserError: the problem cannot be measured in that time.
    """
    limit = config.budget.seconds
    steps: dict[str, tuple[float, int]] = {}

    def timed(what: str, done: int, total: int) -> None:
        notify(what, done, total)
        if limit is None or what not in ("references", "baselines"):
            return
        now = time.monotonic()
        begun, first = steps.setdefault(what, (now, done))
        if done in (total, first) or now - begun < min(_SURE_SECONDS, 0.1 * limit):
            return
        left = (now - begun) / (done - first) * (total - done)
        if now - began + left > PREPARATION_SHARE * limit:
            needed = ceil((now - began + left) / PREPARATION_SHARE / 30) * 30
            raise UserError(
                USAGE,
                f"{config.campaign.problem} cannot be measured in {duration(limit)} here: {what} "
                f"{done}/{total} after {duration(now - began)}, about {duration(left)} left before the "
                "search begins",
                f"`--budget {budget_words(needed)}` is enough, and what is computed is kept: the same "
                f"command comes further each time; {', '.join(QUICK)} can be measured in a minute",
            )

    return timed


def baselines_until(config: Config, began: float | None) -> float | None:
    """Monotonic clock (seconds) until which all baselines are evaluated; None without a limit of seconds.

    Args:
        config: whole configuration; one that limits nothing gets the default budget.
        began: monotonic clock at the begin of the run (seconds); None where no clock counts.
    """
    limit = config.budget.seconds
    if not config.budget.limited and not config.uses_models:
        limit = DEFAULT_SECONDS
    return None if limit is None or began is None else began + BASELINES_SHARE * limit


def budget_words(seconds: float) -> str:
    """A time as `--budget` takes it."""
    return f"{seconds / 60:g}m" if seconds >= 60 and seconds % 30 == 0 else f"{seconds:g}s"


def keep_preparation(store: Store, began: float | None) -> None:
    """Adds the wall seconds since `began` (monotonic clock) to a run's preparation; None for no more."""
    if began is not None:
        store.set(
            "prepared_seconds", (store.read.record("prepared_seconds") or 0.0) + time.monotonic() - began
        )


def keep_left_out(campaign: Campaign, store: Store) -> None:
    """Records which elites were not validated for want of time."""
    left_out = sorted(campaign.validation.left_out)
    if left_out or store.read.record("left_out"):
        store.set("left_out", left_out)


def keeper_of(setup: Setup, baselines: Mapping[str, Mapping[str, Evaluation]], store: Store) -> TimeReserve:
    """Reserves what the preparation took, and time for validation and for the tests of champion and start
    program, by the baselines' times.
    """
    counts = {split: len(setup.evaluator.instances(split)) for split in ("valid", "test")}
    champions = setup.config.evaluation.champions
    slots = setup.config.run.slots
    sharing = slots if setup.divided else 1
    reserve = ReserveEstimate(lengths(baselines.values(), counts), champions, slots, sharing)
    return TimeReserve(reserve, store.read.record("prepared_seconds") or 0.0)


def time_line(campaign: Campaign) -> str | None:
    """How a budget of wall seconds will be divided, before the search; None without such a budget."""
    search = search_seconds_left(campaign)
    limit = campaign.budget.seconds
    if search is None or limit is None:
        return None
    prepared = campaign.ports.store.read.record("prepared_seconds") or 0.0
    end = campaign.kept(campaign) - prepared
    search = search + campaign.usage().wall_seconds
    total = prepared + search + end
    if round(total) <= limit:
        return (
            f"about {duration(total)} in all: {_span(prepared)} of preparation, {duration(search)} of "
            f"search, {_span(end)} of validation and test"
        )
    return (
        f"about {duration(total)} in all, longer than the {duration(limit)} asked for: preparation took "
        f"{_span(prepared)}, the search still gets {duration(search)}, and validation and test take "
        f"{_span(end)}"
    )


def _span(seconds: float) -> str:
    """A time span in words; `0 s` of something that is done would read as if it were left out."""
    return duration(seconds) if round(seconds) else "less than a second"


def _median(slot: Sandbox, text: str, runs: int) -> float:
    """Median CPU seconds of a program's executions."""
    program = Program({MAIN_FILE: text}, _ENTRY)
    limits = Limits(cpu_seconds=20.0)
    results = [slot.execute(program, b"{}", limits, 0) for _ in range(runs)]
    if any(execution.status is not ExecutionStatus.OK for execution in results):
        raise AssertionError(f"a program that does nothing ended as {results[0].status}: {results[0].error}")
    return median(execution.cpu_seconds for execution in results)
