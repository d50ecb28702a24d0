"""What works on this machine: versions, solvers, the sandbox, keys (never their values)."""

from __future__ import annotations

import os
from typing import Any

from ..evaluators.solver_check import solvers
from ..sandbox.base import SandboxError
from .versions import versions

_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")


def examine(without: frozenset[str]) -> dict[str, Any]:
    """The document of `doctor`."""
    return {
        "versions": versions(),
        "solvers": solvers(),
        "sandbox": sandbox(without),
        "keys": {name: bool(os.environ.get(name)) for name in _KEYS},
    }


def sandbox(without: frozenset[str]) -> dict[str, Any]:
    """The sandbox's layers and its self-test."""
    from ..sandbox.policy import Policy
    from ..sandbox.slot import layers, self_test

    policy = Policy(without=without)
    shown = {n: {"active": layer.active, "reason": layer.reason} for n, layer in layers(policy).items()}
    try:
        self_test(policy)
    except SandboxError as error:
        return {"layers": shown, "self_test": "failed", "reason": f"{error}; {error.hint}"}
    return {"layers": shown, "self_test": "passed", "reason": None}
