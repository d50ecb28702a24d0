"""Runs recorded programs again to get results that the store does not keep: answers, and variants of a
program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation
from ...evolve.store.reader import BASELINE
from ...problems.base import Instance, Json
from ..errors import USAGE, UserError
from ..record.record import RunRecord
from .executors import open_executor

if TYPE_CHECKING:
    from .setup import Setup


def answers(record: RunRecord, setup: Setup, programs: Sequence[str], instance: Instance) -> dict[str, Json]:
    """Program → its answer to an instance; programs without a valid answer are left out.

    Args:
        record: of the run.
        setup: from the record.
        programs: candidates (ids) and baselines (`baseline/NAME`).
        instance: of the run.
    """
    from ...sandbox.base import MAIN_FILE

    baselines = {
        BASELINE + name: {MAIN_FILE: text} for name, text in setup.loaded.problem.baselines().items()
    }
    by_program: dict[str, Json] = {}
    with closing(setup.open_slot()) as slot:
        for name in programs:
            files = baselines[name] if name.startswith(BASELINE) else record.candidate(name).files
            answer = setup.evaluator.answer(setup.evaluator.program(files), instance, slot)
            if answer is not None:
                by_program[name] = answer
    return by_program


def evaluate_variants(setup: Setup, variants: Sequence[Mapping[str, str]], split: str) -> list[Evaluation]:
    """Evaluations of programs on a split, in their order."""
    from ...evolve.executor import Job

    with open_executor(setup) as executor:
        jobs = [executor.submit(Job(setup.evaluator.program(files), split)) for files in variants]
        return [job.result() for job in jobs]


def find_instance(record: RunRecord, text: str) -> Instance:
    """The instance of a run that `text` names.

    Raises:
        UserError: there is none; the hint lists the nearest ids.
    """
    import difflib

    instance = record.instances.get(text)
    if instance is not None:
        return instance
    near = difflib.get_close_matches(text, list(record.instances), 3, 0.3) or list(record.instances)[:3]
    raise UserError(USAGE, f"instance {text!r}: not in run {record.name}", f"did you mean {', '.join(near)}?")
