"""The founders of a campaign: start programs, tried first, and baselines that can be candidates."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation, Score
from ...evolve.executor import EvaluationJob
from ...evolve.history import CandidateRegistry
from ...evolve.store.reader import BASELINE
from ...evolve.store.schema import StoreError
from ...evolve.types import Candidate, Origin, Proposal, Rejection, RejectionReason
from ...problems.base import Problem, canonical_json
from ...sandbox.base import MAIN_FILE
from ..errors import NO_CANDIDATE, UserError
from .setup import Setup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...evolve.admission import Admission
    from ...evolve.executor import Executor
    from ...evolve.store.reader import Reader
    from ...evolve.store.store import Store


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
