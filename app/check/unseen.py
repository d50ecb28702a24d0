"""What the checks of a problem cannot see, so that a pass is not taken for more than it is."""

from __future__ import annotations

import statistics

from ...evaluators.base import ReferenceKind
from ...evaluators.scoring import loss
from ...problems.base import Sense
from .bench import Bench, Case

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


def _distance(bench: Bench, case: Case) -> float | None:
    """Percent between the best program's objective and the bound."""
    if case.reference is None or not case.reference.bound:
        return None
    minimise = bench.problem.sense is Sense.MINIMISE
    objectives = [objective for _, objective in case.answers.values()]
    best = min(objectives) if minimise else max(objectives)
    bound = case.reference.bound
    return 100 * float(loss(best, bound, minimise)) / abs(float(bound))
