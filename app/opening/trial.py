"""Start programs are tried on one instance before references are computed; the errors of those that fail."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from ...evaluators.base import Score
from ...evolve.base import Origin, Proposal, Rejection, RejectionReason
from ...problems.base import Problem, canonical_json
from ...sandbox.base import MAIN_FILE
from ..errors import NO_CANDIDATE, UserError
from .setup import Setup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def try_programs(setup: Setup, programs: Mapping[str, Mapping[str, str]]) -> None:
    """Examines start programs, and runs each on the smallest instance; references play no part.

    Args:
        setup: over the set `trial`.
        programs: name → files.

    Raises:
        UserError: a program is none, or gives no valid answer.
    """
    evaluator, problem = setup.evaluator, setup.loaded.problem
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
