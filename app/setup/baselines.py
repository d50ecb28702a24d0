"""Programs from before the search: a problem's baselines, run and remembered, and a campaign's founders."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation, Reference, ReferenceKind, Score, ScoreStatus
from ...evaluators.evaluator import GapEvaluator
from ...evaluators.numbers import better_than
from ...evaluators.scoring import tolerance_of
from ...evolve.executor import EvaluationJob, Executor
from ...evolve.history import CandidateRegistry
from ...evolve.remote.protocol import decode_evaluation, encode_evaluation
from ...evolve.store.reader import BASELINE
from ...evolve.store.schema import StoreError
from ...evolve.types import Candidate, Origin, Proposal, Rejection, RejectionReason
from ...problems.base import Instance, Number, Problem, Sense, canonical_json
from ...sandbox.base import MAIN_FILE, Program
from ..errors import INVALID, NO_CANDIDATE, UserError
from .setup import Notify, Setup

if TYPE_CHECKING:
    from ..plugins.loader import LoadedProblem
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evolve.admission import Admission
    from ...evolve.executor import Executor
    from ...evolve.store.reader import Reader
    from ...evolve.store.store import Store

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


# Start programs are tried on one instance before references are computed; the errors of those that fail.


def try_programs(setup: Setup, programs: Mapping[str, Mapping[str, str]]) -> None:
    """Examines start programs, and runs each on the smallest instance; references play no part.

    Args:
        setup: over the set `trial`.
        programs: name → files.

    Raises:
        UserError: a program is none, or gives no valid answer.
    """
    evaluator = setup.evaluator
    problem = setup.loaded.problem
    instances = evaluator.instances("trial").values()
    smallest = min(instances, key=lambda instance: len(canonical_json(dict(instance.public))))
    evaluator.prepare()
    try:
        with closing(setup.open_slot()) as slot:
            admission = setup.admission(slot)
            for name, files in programs.items():
                examined = admission.examined(Proposal(files, Origin.START, name))
                if isinstance(examined, Rejection):
                    raise no_program(name, examined, problem, setup.modules())
                score = evaluator.execute(evaluator.program(files), smallest, slot)
                if score.objective is None:
                    raise no_answer(name, score, setup.config.campaign.problem)
    finally:
        evaluator.close()


def no_program(name: str, rejection: Rejection, problem: Problem, modules: Sequence[str]) -> UserError:
    """The error of a start program that cannot be a candidate; `modules` are those that it may import."""
    hints = {
        RejectionReason.NEAR_DUPLICATE: "leave one of the two out",
        RejectionReason.SYNTAX: "correct the line; Python cannot read the program",
        RejectionReason.FORBIDDEN_IMPORT: f"it may import {', '.join(modules)}",
        RejectionReason.UNSEEDED: "seed the generator with a number, or with what the function is given",
        RejectionReason.MISSING_ENTRY_POINT: f"it must define `{problem.signature}`",
    }
    hint = hints.get(rejection.reason, "candidates and start programs are held to the same rules")
    what = rejection.reason.value.replace("_", " ")
    return UserError(NO_CANDIDATE, f"start program {name}: {what}: {_own(rejection.excerpt, name)}", hint)


def no_answer(name: str, score: Score, problem: str) -> UserError:
    """The error of a start program that fails on an instance."""
    return UserError(
        NO_CANDIDATE,
        f"start program {name}: {score.status.value} on {score.instance}: {_own(score.message or '', name)}",
        f"try it with `gapsmith evaluate {problem} {name if name.endswith('.py') else 'FILE'}`",
    )


def _own(text: str, name: str) -> str:
    """A message of the sandbox with the user's file name in place of the name that the sandbox gives the
    file.
    """
    return text.replace(MAIN_FILE, name) if name.endswith(".py") else text


Founder = tuple[Candidate, Evaluation]
"""A program that a search begins with, and its evaluation on the training split."""
Programs = Mapping[str, Mapping[str, str]]
"""Name → files of a program."""


def founders_of(
    setup: Setup,
    store: Store,
    admission: Admission,
    executor: Executor,
    programs: Programs | None,
    baselines: Mapping[str, Mapping[str, Evaluation]],
) -> list[Founder]:
    """The founders of a campaign, start programs first; evaluates and records them at the start of a
    campaign.

    Args:
        setup: of the campaign.
        store: of the run.
        admission: examines programs.
        executor: runs them.
        programs: start programs; the problem's own by default.
        baselines: baseline → split → evaluation.

    Raises:
        UserError: a start program is no program, or fails on a training instance.
    """
    if ids := store.read.record("starts"):
        return [_recorded(store.read, id, setup.prefixes[0]) for id in ids]
    programs = programs or store.read.record("given_starts")  # a kill may come before the evaluations
    given = bool(programs)
    programs = programs or {n: {MAIN_FILE: t} for n, t in setup.loaded.problem.start_programs().items()}
    starts = _start_programs(setup, admission, executor, programs)
    by_id: dict[str, Founder] = {}
    reasons: dict[str, str] = {}
    if setup.config.search.founders == "all":
        by_id, reasons = _baselines(setup, admission, starts, baselines)
    names = {candidate.id: name for name, (candidate, _) in by_id.items()}
    founders = list({founder[0].id: founder for founder in (*starts, *by_id.values())}.values())
    with store.transaction():
        for candidate, evaluation in founders:
            store.put_start(candidate, evaluation, setup.evaluator.version)
        for id, name in names.items():
            if (judged := baselines[name].get("valid")) is not None:
                store.put_evaluation(id, judged, setup.evaluator.version)
        for name, reason in reasons.items():
            store.event(0, "note", {"text": f"baseline {name} is no founder: {reason}"})
        store.set("start", starts[0][0].id)
        store.set("start_programs", [candidate.id for candidate, _ in starts])
        store.set("starts", [candidate.id for candidate, _ in founders])
        store.set("founders", names)
        if store.read.record("founder_seconds") is None:  # a replay uses the evaluations of its record
            store.set("founder_seconds", {c.id: _seconds(evaluation) for c, evaluation in founders})
        store.set("given_starts", None)
        store.set("start_given", given)
    return founders


def _seconds(evaluation: Evaluation) -> float:
    """Mean CPU seconds of an execution."""
    return sum(score.cpu_seconds for score in evaluation.scores) / len(evaluation.scores)


def _recorded(read: Reader, id: str, prefix: int) -> Founder:
    """A founder as it is stored: the transaction that names one stores it too.

    Raises:
        StoreError: it is not there.
    """
    candidate = read.candidate(id)
    evaluation = read.evaluation(id, "train", prefix)
    if candidate is None or evaluation is None:
        raise StoreError(f"founder {id}: the record names a start program that is not in it; it was edited")
    return candidate, evaluation


def _start_programs(
    setup: Setup, admission: Admission, executor: Executor, programs: Programs
) -> list[Founder]:
    """Start programs with their training evaluations, the first one first.

    Raises:
        UserError: one of them is no program, or fails.
    """
    starts: list[Founder] = []
    memory = CandidateRegistry(())
    for name, files in programs.items():
        examined = admission.examined(Proposal(files, Origin.START, name))
        candidate = memory.admit(examined, (), 0, 0) if isinstance(examined, Proposal) else examined
        if isinstance(candidate, Rejection):
            if candidate.reason is RejectionReason.DUPLICATE and starts:
                continue  # named twice, as a file and among a run's elites, say
            raise no_program(name, candidate, setup.loaded.problem, setup.modules())
        job = EvaluationJob(setup.evaluator.program(files), "train", last=setup.prefixes[0])
        evaluation = executor.submit(job).result()
        if evaluation.failure is not None:
            raise no_answer(name, evaluation.failure, setup.config.campaign.problem)
        starts.append((candidate, evaluation))
    return starts


def _baselines(
    setup: Setup,
    admission: Admission,
    starts: list[Founder],
    evaluations: Mapping[str, Mapping[str, Evaluation]],
) -> tuple[dict[str, Founder], dict[str, str]]:
    """The baselines that are founders; for each other baseline the reason why it is not.

    A baseline may be a start program too. Two that differ in names and numbers alone are both founders:
    textbook rules may differ in a number.
    """
    founders: dict[str, Founder] = {}
    reasons: dict[str, str] = {}
    known = {candidate.id: (candidate, evaluation) for candidate, evaluation in starts}
    titles = {candidate.operator for candidate, _ in starts}
    for name, text in setup.loaded.problem.baselines().items():
        evaluation = evaluations.get(name, {}).get("train")
        title = f"{BASELINE}{name}" if name in titles else name
        proposal = admission.examined(Proposal({MAIN_FILE: text}, Origin.START, title))
        if isinstance(proposal, Rejection):
            reasons[name] = f"{proposal.reason.value}: {proposal.excerpt}"
        elif evaluation is None:
            reasons[name] = "it was not evaluated in training"
        elif evaluation.failure is not None:
            failure = evaluation.failure
            reasons[name] = f"{failure.status.value} on {failure.instance}: {failure.message}"
        elif proposal.examined is not None and proposal.examined.id in known:
            founders[name] = known[proposal.examined.id]
        elif proposal.examined is not None:
            id = proposal.examined.id
            description = proposal.examined.description
            candidate = Candidate(id, proposal.files, (), Origin.START, title, 0, 0, description)
            known[id] = founders[name] = candidate, evaluation
    return founders, reasons
