"""The worker's side: a job's line becomes a reply's line."""

from __future__ import annotations

import traceback

from ..evaluators.base import Evaluator
from ..sandbox.base import Sandbox
from .executor import evaluate
from .lines import decode_job, encode_reply


def reply(evaluator: Evaluator, slot: Sandbox, line: str) -> str:
    """Does the job of a line and returns the line of its outcome, whatever went wrong in it.

    Raises:
        LineError: the line holds no job.
    """
    number, job = decode_job(line)
    try:
        return encode_reply(number, evaluate(evaluator, slot, job))
    except Exception as error:
        return encode_reply(number, error, traceback.format_exc())
