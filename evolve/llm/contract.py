"""What every provider must keep, as a check that a provider's own tests can run.

from gapsmith.evolve.llm.contract import check_model
assert check_model(my_model) == []
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from ..types import Completion, Prompt
from .base import Model, ModelError, Request

PROMPT = Prompt("You answer in one line.", "Say hello.")
AT_ONCE = 4


def check_model(model: Model, timeout_seconds: float = 60.0) -> list[str]:
    """Asks a model a few times, several at once; returns a sentence for each broken rule.

    Args:
        model: answers for real, so this may cost a few hundred tokens.
        timeout_seconds: for one attempt (wall seconds).
    """
    if not isinstance(model.name, str) or not model.name:
        return [f"name: got {model.name!r}, expected the specification as text"]
    requests = [Request(PROMPT, 100, timeout_seconds, iteration) for iteration in range(1, AT_ONCE + 1)]
    faults: list[str] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for request, outcome in zip(requests, pool.map(lambda r: _ask(model, r), requests), strict=True):
            faults += [f"complete, request {request.iteration}: {sentence}" for sentence in _faults(outcome)]
    return faults


def _ask(model: Model, request: Request) -> object:
    try:
        return model.complete(request)
    except Exception as error:
        return error


def _faults(outcome: object) -> list[str]:
    if isinstance(outcome, ModelError):
        return [] if outcome.sentence.strip() else ["raised a ModelError without a sentence"]
    if isinstance(outcome, Exception):
        return [f"raised {type(outcome).__name__}: {outcome}; expected a Completion or a ModelError"]
    if not isinstance(outcome, Completion):
        return [f"returned {type(outcome).__name__}, expected a Completion"]
    faults = []
    text: object = outcome.text
    if not isinstance(text, str):
        faults.append(f"text: got {type(text).__name__}, expected str")
    if not outcome.model:
        faults.append(f"model: got {outcome.model!r}, expected the name that answered")
    for name in ("tokens_in", "tokens_out", "tokens_cached", "tokens_reasoning"):
        value = getattr(outcome, name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
            faults.append(f"{name}: got {value!r}, expected a count, or None when it is not known")
    if outcome.seconds < 0:
        faults.append(f"seconds: got {outcome.seconds!r}, expected wall seconds")
    return faults
