"""Runs a problem's baselines through the same sandbox as every candidate, and remembers the results."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation, Reference, ReferenceKind, ScoreStatus
from ...evaluators.evaluator import GapEvaluator
from ...evaluators.numbers import better_than
from ...evaluators.scoring import tolerance_of
from ...evolve.executor import EvaluationJob, Executor
from ...evolve.remote.protocol import decode_evaluation, encode_evaluation
from ...problems.base import Instance, Number, Problem, Sense
from ...sandbox.base import MAIN_FILE, Program
from ..errors import INVALID, UserError
from .setup import Notify, Setup

if TYPE_CHECKING:
    from ..plugins.loader import LoadedProblem

UNKNOWN = Reference(0, ReferenceKind.BASELINE, None, None, "none", "1", None, "placeholder of a first pass")
EVERYTHING: Mapping[str, int | None] = MappingProxyType({})
_VALIDATED = 5
"""The best baselines in training, which are validated even where time is short (count)."""
_PASSING = frozenset({ScoreStatus.TIMEOUT, ScoreStatus.MEMORY, ScoreStatus.CRASHED})
"""What a busy machine alone can cause: another time the same program may do well."""


def evaluate_baselines(
    setup: Setup,
    executor: Executor,
    splits: Sequence[str],
    notify: Notify,
    until: float | None = None,
) -> dict[str, dict[str, Evaluation]]:
    """Baseline → split → evaluation, all instances even after a failure.

    Cached under a digest of all inputs, except for evaluations that the machine may have disturbed.

    Args:
        setup: of the campaign.
        executor: runs the programs.
        splits: on which they are wanted.
        notify: told how far they are.
        until: monotonic clock (seconds) after which only what a campaign needs is evaluated: all baselines
            in training, the best few of those on validation, the best one there on test. None is no limit.
    """
    sources = setup.loaded.problem.baselines()
    wanted = {name: setup.evaluator.program({MAIN_FILE: sources[name]}) for name in sources}
    evaluations: dict[str, dict[str, Evaluation]] = {name: {} for name in wanted}
    missing: list[tuple[str, str]] = []
    for name, program in wanted.items():
        for split in splits:
            cached = setup.cache.get("baseline", _key(setup, program, split))
            if cached is None:
                missing.append((name, split))
            else:
                evaluations[name][split] = decode_evaluation(cached)
    ends = {split: setup.part(split).stop for split in splits}

    def run(what: str, pairs: Sequence[tuple[str, str]], before: int, total: int) -> None:
        for done, (name, split, evaluation) in enumerate(_run(executor, wanted, pairs, ends), before + 1):
            evaluations[name][split] = evaluation
            if not any(score.status in _PASSING for score in evaluation.scores):
                setup.cache.put("baseline", _key(setup, wanted[name], split), encode_evaluation(evaluation))
            notify(what, done, total)

    if missing and (until is None or len(splits) == 1):
        notify("baselines", 0, len(missing))
        run("baselines", missing, 0, len(missing))
    elif missing:
        _run_in_time(missing, evaluations, run, notify, until or 0.0)
    return {name: {s: found[s] for s in splits if s in found} for name, found in evaluations.items()}


def _run_in_time(
    missing: Sequence[tuple[str, str]],
    evaluations: Mapping[str, Mapping[str, Evaluation]],
    run: Callable[[str, Sequence[tuple[str, str]], int, int], None],
    notify: Notify,
    until: float,
) -> None:
    """Evaluates what a campaign needs of its baselines, and more of them as long as there is time."""

    def lacking(split: str, names: Sequence[str]) -> list[tuple[str, str]]:
        return [(name, split) for name in names if (name, split) in missing]

    def ranked(split: str) -> list[str]:
        found = {name: by[split].fitness for name, by in evaluations.items() if split in by}
        worst = float("-inf")
        return sorted(found, key=lambda name: worst if (f := found[name]) is None else f, reverse=True)

    training = lacking("train", list(evaluations))
    total = len(training) + min(_VALIDATED, len(evaluations)) + 1
    notify("baselines", 0, total)
    run("baselines", training, 0, total)
    leaders = ranked("train")
    run("baselines", lacking("valid", leaders[:_VALIDATED]), len(training), total)
    run("baselines", lacking("test", ranked("valid")[:1]), total - 1, total)
    notify("baselines", total, total)
    more = [pair for name in leaders for split in ("valid", "test") for pair in lacking(split, [name])]
    more = [(name, split) for name, split in more if split not in evaluations[name]]
    for number, pair in enumerate(more):
        if time.monotonic() > until:
            return
        run("further baselines", [pair], number, len(more))


def evaluate_all(
    executor: Executor, programs: Mapping[str, Program], splits: Sequence[str]
) -> dict[str, dict[str, Evaluation]]:
    """Program → split → evaluation, all instances even after a failure; nothing cached."""
    evaluations: dict[str, dict[str, Evaluation]] = {name: {} for name in programs}
    for name, split, evaluation in _run(executor, programs, [(n, s) for n in programs for s in splits]):
        evaluations[name][split] = evaluation
    return evaluations


def shipped_programs(problem: Problem) -> dict[str, str]:
    """Name → source of a problem's start programs and baselines; if names are equal, the baseline counts."""
    return {**problem.start_programs(), **problem.baselines()}


def best_of_baselines(
    loaded: LoadedProblem,
    evaluator: GapEvaluator,
    executor: Executor,
    instances: Sequence[Instance],
    notify: Notify,
) -> dict[str, Reference]:
    """Instance id → the best objective of any baseline or start program; no proof, so no optimality gap.

    Args:
        loaded: the problem.
        evaluator: over one split `all`, where every reference is `UNKNOWN`.
        executor: runs the programs.
        instances: of that split.
        notify: told when it begins and ends.

    Raises:
        UserError: no baseline gives a valid answer to an instance.
    """
    problem = loaded.problem
    sources = shipped_programs(problem)
    programs = {name: evaluator.program({MAIN_FILE: text}) for name, text in sources.items()}
    notify("baselines", 0, len(programs))
    evaluations = evaluate_all(executor, programs, ["all"])
    notify("baselines", len(programs), len(programs))
    best: dict[str, tuple[Number, str]] = {}
    minimise = problem.sense is Sense.MINIMISE
    tolerance = tolerance_of(problem)
    for name, by in evaluations.items():
        for score in by["all"].scores:
            objective = score.objective
            held = best.get(score.instance)
            if objective is not None and (
                held is None or better_than(objective, held[0], minimise, tolerance)
            ):
                best[score.instance] = (objective, name)
    for instance in instances:
        if instance.id not in best:
            raise UserError(
                INVALID, f"{loaded.name}: no baseline or start program gives a valid answer to {instance.id}"
            )
    return {
        id: Reference(value, ReferenceKind.BASELINE, None, None, name, problem.version, None, "best baseline")
        for id, (value, name) in best.items()
    }


def _run(
    executor: Executor,
    programs: Mapping[str, Program],
    pairs: Sequence[tuple[str, str]],
    ends: Mapping[str, int | None] = EVERYTHING,
) -> Iterator[tuple[str, str, Evaluation]]:
    """Evaluates (program, split) pairs on the executor's slots, in their order; `ends` as a job's `last`."""
    jobs = [EvaluationJob(programs[name], split, whole=True, last=ends.get(split)) for name, split in pairs]
    futures = [executor.submit(job) for job in jobs]
    for (name, split), future in zip(pairs, futures, strict=True):
        yield name, split, future.result()


def _key(setup: Setup, program: Program, split: str) -> str:
    """Digest of all inputs of a baseline's evaluation.

    Includes the problem's source and parameters: `verify` may change without a new version, or use
    parameters.
    """
    parts = [setup.evaluator.digest(split, setup.part(split)), program.digest, setup.loaded.fingerprint]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
