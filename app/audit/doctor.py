"""Says what works on this machine: versions, solvers, the sandbox, keys (never their values)."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...evaluators.solver_check import solvers
from ...evolve.base import Prompt
from ...evolve.models.base import Closable, ErrorKind, Model, ModelError, Recourse, Request
from ...evolve.models.settings import ModelSettings
from ...problems.base import Interactive, canonical_json
from ...sandbox.base import MAIN_FILE, Program, SandboxError
from ..errors import USAGE, UserError
from ..versions import versions

if TYPE_CHECKING:
    from ...sandbox.checks import Honest

_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")

_QUESTION = Prompt("You answer with one word.", "Say: here")
_ANSWER_TOKENS = 256
_MOST_SECONDS = 30.0
_REPLIED = (Recourse.AGAIN, Recourse.REJECT)
"""What can be done about a reply that arrived and is of no use."""


def examine(without: frozenset[str], models: Sequence[ModelSettings] = ()) -> dict[str, Any]:
    """The document of `doctor`; each named model gets one short question, which its provider may bill."""
    return {
        "versions": versions(),
        "solvers": solvers(),
        "sandbox": sandbox(without),
        "keys": {name: bool(os.environ.get(name)) for name in _KEYS},
        "models": [reach(settings) for settings in models],
    }


def reach(settings: ModelSettings) -> dict[str, Any]:
    """Whether a model answers, after how many wall seconds; the reason when it does not.

    Raises:
        UserError: no model has such a name.
    """
    began = time.monotonic()
    reason = None
    try:
        model = _built(settings)
        try:
            seconds = min(_MOST_SECONDS, settings.timeout_seconds)
            model.complete(Request(_QUESTION, _ANSWER_TOKENS, seconds, iteration=1))
        finally:
            if isinstance(model, Closable):
                model.close()
    except ModelError as error:
        reason = None if error.recourse in _REPLIED else error.sentence
    spent = round(time.monotonic() - began, 3)
    return {"spec": settings.spec, "reachable": reason is None, "reason": reason, "wall_seconds": spent}


def _built(settings: ModelSettings) -> Model:
    from ...evolve.models.registry import Surroundings, build_model

    try:
        return build_model(settings, Surroundings())
    except ModelError as error:
        if error.kind is ErrorKind.UNKNOWN_MODEL:
            raise UserError(USAGE, error.sentence, "`gapsmith models` lists what works here") from error
        raise


def sandbox(without: frozenset[str]) -> dict[str, Any]:
    """The sandbox's layers and its self-test, which runs the longest program of the built-in problems too."""
    from ...sandbox.policy import Policy
    from ...sandbox.slot import layers, self_test

    policy = Policy(without=without)
    shown = {n: {"active": layer.active, "reason": layer.reason} for n, layer in layers(policy).items()}
    try:
        self_test(policy, [longest_program()])
    except SandboxError as error:
        return {"layers": shown, "self_test": "failed", "reason": f"{error}; {error.hint}"}
    return {"layers": shown, "self_test": "passed", "reason": None}


def longest_program() -> Honest:
    """The longest program that a built-in problem ships, with an instance of that problem."""
    from ...sandbox.checks import Honest
    from ..door.built_ins import BUILT_IN
    from ..door.plugins import list_problems

    loaded = [listed.loaded for listed in list_problems() if listed.origin == BUILT_IN]
    shipped = [
        (text, name, one.problem)
        for one in loaded
        if one is not None and not isinstance(one.problem, Interactive)
        for name, text in one.problem.baselines().items()
    ]
    text, name, problem = max(shipped, key=lambda each: len(each[0]))
    instance = problem.instances("train", 1)[0]
    program = Program({MAIN_FILE: text}, problem.entry_point, getattr(problem, "driver", None))
    public = canonical_json(dict(instance.public)).encode()
    return Honest(f"baseline {name} of {problem.name}", program, public)
