"""Runs recorded programs again, for what the store does not keep: answers, and variants of a program."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...evaluators.base import Evaluation
from ...evolve.store.reader import BASELINE
from ...problems.base import Instance, Json
from ..errors import USAGE, UserError
from ..record.record import RunRecord

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ...sandbox.policy import Policy
    from ..door.plugins import LoadedProblem


@dataclass(frozen=True, slots=True)
class Again:
    """A run's problem, evaluator and sandbox policy, as recorded."""

    record: RunRecord
    loaded: LoadedProblem
    evaluator: GapEvaluator
    policy: Policy
    slots: int

    def files(self, program: str) -> Mapping[str, str]:
        """Files of a candidate (id) or of a baseline (`baseline/NAME`)."""
        from ...sandbox.base import MAIN_FILE

        if program.startswith(BASELINE):
            return {MAIN_FILE: self.loaded.problem.baselines()[program.removeprefix(BASELINE)]}
        return self.record.candidate(program).files

    def answers(self, programs: Sequence[str], instance: Instance) -> dict[str, Json]:
        """Program → its answer to an instance; programs without a valid answer are left out."""
        from ...sandbox.slot import open_sandbox

        slot = open_sandbox(self.policy)
        try:
            answers = {
                name: self.evaluator.answer(self.evaluator.program(self.files(name)), instance, slot)
                for name in programs
            }
        finally:
            slot.close()
        return {name: answer for name, answer in answers.items() if answer is not None}

    def evaluate(self, variants: Sequence[Mapping[str, str]], split: str) -> list[Evaluation]:
        """Evaluations of programs on a split, in their order."""
        from ...evolve.executor import Job, ThreadExecutor
        from ...sandbox.slot import open_sandbox

        slots = max(1, min(self.slots, len(variants)))
        self.evaluator.prepare()  # forks, so before there are threads
        executor = ThreadExecutor(self.evaluator, lambda: open_sandbox(self.policy), slots)
        try:
            jobs = [executor.submit(Job(self.evaluator.program(files), split)) for files in variants]
            return [job.result() for job in jobs]
        finally:
            executor.close()
            self.evaluator.close()


def again(record: RunRecord) -> Again:
    """What is needed to run a record's programs.

    Raises:
        UserError: the run's problem is not here.
    """
    from ..config import parse
    from ..opening.setup import open_problem, policy_of
    from ..opening.stored import stored_evaluator

    config = parse(record.config, record.name)
    loaded = open_problem(config)
    slots = config.run.workers or os.cpu_count() or 1
    return Again(record, loaded, stored_evaluator(record.reader, loaded, config), policy_of(config), slots)


def find_instance(record: RunRecord, text: str) -> Instance:
    """The instance of a run that `text` names.

    Raises:
        UserError: there is none; the hint lists the nearest ids.
    """
    import difflib

    found = record.instances.get(text)
    if found is not None:
        return found
    near = difflib.get_close_matches(text, list(record.instances), 3, 0.3) or list(record.instances)[:3]
    raise UserError(USAGE, f"instance {text!r}: not in run {record.name}", f"did you mean {', '.join(near)}?")
