"""The worker's side: a job's line becomes a reply's line."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

from ..evaluators.base import Evaluator
from .admission import Admission
from .drafts import Draft, Remote, drafted
from .executor import evaluate
from .lines import decode_work, encode_reply


@dataclass(frozen=True, slots=True)
class Workplace:
    """The parts that a worker uses.

    Attributes:
        evaluator: scores programs.
        admission: examines proposals, on the slot that programs run on.
        proposer: makes proposals.
        problem: what they are proposed for.
    """

    evaluator: Evaluator
    admission: Admission
    proposer: Remote
    problem: Any

    def reply(self, line: str) -> str:
        """Does the job of a line and returns the line of its result; an error in the job is a result too.

        Raises:
            LineError: the line holds no job.
        """
        number, work = decode_work(line)
        try:
            if isinstance(work, Draft):
                return encode_reply(number, drafted(work, self.proposer, self.problem, self.admission))
            return encode_reply(number, evaluate(self.evaluator, self.admission.sandbox, work))
        except Exception as error:
            return encode_reply(number, error, traceback.format_exc())
