"""Runs a problem's baselines through the same sandbox as every candidate, and remembers the results."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
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
_PASSING = frozenset({ScoreStatus.TIMEOUT, ScoreStatus.MEMORY, ScoreStatus.CRASHED})
"""What a busy machine alone can cause: another time the same program may do well."""


def evaluate_baselines(
    setup: Setup, executor: Executor, splits: Sequence[str], notify: Notify
) -> dict[str, dict[str, Evaluation]]:
    """Baseline → split → evaluation, all instances even after a failure.

    Cached under a digest of all inputs, except for evaluations that the machine may have disturbed.
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
    if missing:
        notify("baselines", 0, len(missing))
        ends = {split: setup.part(split).stop for split in splits}
        for done, (name, split, evaluation) in enumerate(_run(executor, wanted, missing, ends), start=1):
            evaluations[name][split] = evaluation
            if not any(score.status in _PASSING for score in evaluation.scores):
                setup.cache.put("baseline", _key(setup, wanted[name], split), encode_evaluation(evaluation))
            notify("baselines", done, len(missing))
    return {name: {split: evaluations[name][split] for split in splits} for name in wanted}


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
