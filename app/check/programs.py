"""The problem's own programs on sample instances, and what its checks cannot see."""

from __future__ import annotations

import os
import statistics
import time
from typing import TYPE_CHECKING

from ...evaluators.base import ProofKind, Reference, ReferenceKind
from ...evaluators.cache import Cache, ReferenceCache
from ...evaluators.consistency import consistent
from ...evaluators.scoring import loss
from ...problems.base import Interactive, Json, Sense, canonical_json
from ...sandbox.base import MAIN_FILE, ExecutionStatus, Limits, Program, Sandbox
from ..errors import ProblemError
from .bench import SEED, Bench, SampleCase

if TYPE_CHECKING:
    from ...problems.base import Instance


REFERENCE_SECONDS = 2.0


def sample(bench: Bench) -> None:
    """Chooses a few instances of each split, evenly spaced, and the smallest ones of all."""
    by_id: dict[str, Instance] = {}
    every = [i for instances in bench.splits.values() for i in instances]
    smallest = sorted(every, key=lambda i: len(canonical_json(dict(i.public))) + len(str(i.hidden or "")))
    for instance in smallest[:2]:
        by_id[instance.id] = instance
    for instances in bench.splits.values():
        for instance in instances[:: max(1, len(instances) // 2)][:2]:
            by_id[instance.id] = instance
    bench.cases = [SampleCase(instance) for instance in by_id.values()]


def run(sandbox: Sandbox, bench: Bench, text: str, instance: Instance) -> tuple[Json, str | None, float]:
    """Answer of a program, why there is none, and CPU seconds."""
    problem = bench.problem
    program = Program({MAIN_FILE: text}, problem.entry_point, getattr(problem, "driver", None))
    dialogue = problem.dialogue(instance) if isinstance(problem, Interactive) else None
    done = sandbox.execute(program, instance.encoded, Limits(), SEED, dialogue)
    if done.status is ExecutionStatus.OK:
        return done.answer, None, done.cpu_seconds
    return None, f"{done.status.value}: {done.error}", done.cpu_seconds


def check_programs(bench: Bench, sandbox: Sandbox, seconds: float) -> None:
    """Every start program and baseline gives a valid answer within the default limits.

    After `seconds` of CPU time in all, each program is run on one instance only.
    """
    programs = [("start-programs", n, t) for n, t in bench.problem.start_programs().items()]
    programs += [("baselines", n, t) for n, t in bench.problem.baselines().items()]
    slowest = used = 0.0
    for check, name, text in programs:
        for index, case in enumerate(bench.cases):
            if index and used > seconds:  # CPU time: a busy machine does not make the sample smaller
                break
            answer, failure, spent = run(sandbox, bench, text, case.instance)
            slowest = max(slowest, spent)
            used = used + spent
            sent = f"{name} on {case.instance.id}"
            if failure is None:
                verdict = bench.judge(case.instance, answer, sent)
                if verdict is not None and verdict.objective is not None:
                    case.answers[name] = (answer, verdict.objective)
                    continue
                failure = (
                    "no verdict"
                    if verdict is None
                    else "; ".join((verdict.status.value, *verdict.violations))
                )
            bench.report.add(
                check,
                sent=sent,
                got=failure,
                why="what the problem itself offers must be feasible, or nothing can be compared with it",
                fix="correct the program, or verify",
            )
            break
    bench.report.measured["execution_cpu_seconds_max"] = round(slowest, 4)


def check_references(bench: Bench, seconds: float) -> None:
    """References have the right form, come in time, repeat, and no program of the problem beats them.

    Those that campaigns have stored are taken, and the first is computed in any case. The others are computed
    for some wall seconds in all.
    """
    if bench.loaded.references is None:
        return
    ends = time.monotonic() + seconds
    slowest = 0.0
    book = ReferenceCache(Cache(), bench.problem, bench.loaded.references, bench.loaded.reference_fingerprint)
    first = None
    for index, case in enumerate(bench.cases):
        stored = book.get(case.instance, REFERENCE_SECONDS)
        if index and stored is not None:
            case.reference, slowest = stored, max(slowest, stored.seconds or 0.0)
            continue
        if index and time.monotonic() > ends:
            continue
        started = time.monotonic()
        used = _cpu_seconds()
        try:
            case.reference = bench.loaded.reference(case.instance, REFERENCE_SECONDS)
        except ProblemError as error:
            bench.report.add(
                "references",
                sent=f"reference({case.instance.id}, {REFERENCE_SECONDS:g})",
                got=error.message,
                why="every instance needs a reference; without one there is no gap",
                fix=error.hint or "return a Reference, of a weaker bound when the time is over",
            )
            return
        if stored is not None:
            first = case.reference
            case.reference = stored
        # A busy machine takes wall time from a reference, several threads take more CPU time than wall time.
        wall = time.monotonic() - started
        slowest = max(slowest, wall)
        spent = min(wall, _cpu_seconds() - used)
        if spent > 3 * REFERENCE_SECONDS + 3:
            bench.report.add(
                "reference-seconds",
                sent=f"reference({case.instance.id}, {REFERENCE_SECONDS:g})",
                got=f"{spent:.1f} s of CPU time",
                why="a campaign waits for all references before it starts",
                fix="keep to the seconds that are given; solve_mip and solve_cpsat do",
            )
    bench.report.measured["reference_seconds_max"] = round(slowest, 4)
    _repeated(bench, first)
    _beaten(bench)


def _cpu_seconds() -> float:
    """CPU seconds of this process and of the solvers that it started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _repeated(bench: Bench, computed: Reference | None) -> None:
    """Compares the first instance's reference with another one of it: `computed`, if the first was stored."""
    case = next((c for c in bench.cases if c.reference is not None), None)
    if case is None or case.reference is None:
        return
    if computed is None and case.reference.kind is ReferenceKind.OPTIMUM:
        computed = bench.loaded.reference(case.instance, REFERENCE_SECONDS)
    stored = case.reference
    if computed is not None and not consistent(bench.problem, stored, computed):
        bench.report.add(
            "references",
            sent=f"reference({case.instance.id}, {REFERENCE_SECONDS:g}) twice",
            got=f"{stored.kind.value} {stored.value}, then {computed.kind.value} {computed.value}",
            why="an instance has one optimum, and no bound is beyond it",
            fix="call OPTIMUM only what is proven; change `version` when the references change",
        )


def _beaten(bench: Bench) -> None:
    """Compares references with the answers of the problem's own programs."""
    pairs = [
        (case, case.reference, name, objective)
        for case in bench.cases
        if case.reference is not None
        for name, (_, objective) in case.answers.items()
    ]
    beaten = [pair for pair in pairs if bench.beats(pair[3], pair[1])]
    strictly = [pair for pair in pairs if pair[1].bound is not None and pair[3] != pair[1].bound]
    if strictly and len(beaten) == len(strictly) and len({p[0].instance.id for p in beaten}) > 1:
        case, reference, name, objective = beaten[0]
        bench.report.add(
            "sense",
            sent=f"{name} on {case.instance.id}, and all others",
            got=f"{objective} beats the bound {reference.bound}, and so everywhere",
            why="with a wrong sense a campaign would run in the wrong direction",
            fix="correct `sense`, the side that the bound is on, or the values of `reference`",
        )
        return
    for case, reference, name, objective in beaten:
        bench.report.add(
            "reference-beaten",
            sent=f"{name} on {case.instance.id}",
            got=f"objective {objective}, {_named(reference)} {reference.bound}",
            why="the bound is false, or verify accepts what is infeasible; every gap would be wrong",
            fix="compare both with a tiny instance that can be enumerated by hand",
        )
    for case, reference, name, objective in pairs:
        if reference.bound is None and bench.better(objective, reference.value):
            bench.report.add(
                "reference-worse",
                sent=f"{name} on {case.instance.id}",
                got=f"objective {objective}, reference {reference.value} ({reference.kind.value})",
                why="a reference that a baseline beats makes gaps look smaller than they are",
                fix="give the best value that is known, at least the best baseline's",
            )


def _named(reference: Reference) -> str:
    proof = reference.proof or ProofKind.SOLVER
    return f"{reference.kind.value} ({proof.value}, {reference.solver})"


# What the checks of a problem cannot see, so that a pass is not taken for more than it is.

LOOSE_PERCENT = 20.0
"""A bound is loose if the best program of the problem is farther from it, in the median (percent)."""


def say_unseen(bench: Bench) -> None:
    """Adds to the report what stays unseen: without proof, behind a loose bound, in the statement."""
    say = bench.report.unseen.append
    judged = [case for case in bench.cases if case.answers]
    proven = [case for case in judged if case.reference is not None and case.reference.bound is not None]
    if not judged:
        say("no program gave a valid answer: no attack had anything to start from")
        return
    late = [case for case in judged if case.reference is None and bench.loaded.references is not None]
    if late:
        say(
            f"the references of {len(late)} of {len(judged)} sample instances, for which there was no time: "
            "answers to them were not compared with a bound"
        )
    unproven = len(judged) - len(proven) - len(late)
    if unproven:
        kind = "no references" if bench.loaded.references is None else "best known values only"
        say(
            f"{unproven} of {len(judged)} sample instances have no proven bound ({kind}): an answer that is "
            "better than any may be is no alarm, here or in a run; changed answers were compared with each "
            "other instead"
        )
    distances = [gap for case in proven if (gap := _distance(bench, case)) is not None]
    bench.report.measured["bound_distance_percent_median"] = (
        round(statistics.median(distances), 2) if distances else None
    )
    if distances and statistics.median(distances) > LOOSE_PERCENT:
        exact = all(case.reference.kind is ReferenceKind.OPTIMUM for case in proven if case.reference)
        remedy = "" if exact else "; a tighter bound (see solve_mip, solve_cpsat) would show it"
        say(
            f"the best program is {statistics.median(distances):.0f} % from the "
            f"{'optimum' if exact else 'bound'} in the median: an infeasible answer that is accepted and "
            f"better by less than that is no alarm{remedy}"
        )
    say(
        "whether verify checks every rule of the statement: a rule that it leaves out everywhere looks like "
        "a problem without that rule; break each rule once by hand and look at the verdict"
    )


def _distance(bench: Bench, case: SampleCase) -> float | None:
    """Percent between the best program's objective and the bound."""
    if case.reference is None or not case.reference.bound:
        return None
    minimise = bench.problem.sense is Sense.MINIMISE
    objectives = [objective for _, objective in case.answers.values()]
    best = min(objectives) if minimise else max(objectives)
    bound = case.reference.bound
    return 100 * float(loss(best, bound, minimise)) / abs(float(bound))
