"""`experiment`: a sealed script of the experimenter's own, with training instances and the objective."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from typing import Any

from ...evolve.store.operations import Operation
from ...problems.reported import Reported
from ...sandbox.base import Description, Execution, Limits, Program, Sandbox, SandboxError
from ..errors import USAGE, UserError
from .laboratory import Texts, about, driver, rows, sizes, texts_of
from .sitting import Sitting
from .spent import budget_document, experiment_seconds_left
from .texts import said

ENTRY_POINT = "experiment"
MODULE = "bench"
PRINTED_BYTES = 8 * 1024
"""Of what a script prints, the end that is shown."""
VALUE_BYTES = 64 * 1024
"""Longest value of an experiment (bytes of JSON), and most that it may print."""
MEMORY_BYTES = 2 << 30
"""Memory of an experiment."""
MOST_CPU_SECONDS = 600.0
"""CPU seconds of one experiment."""
_STUB = '"""The training instances and the problem\'s objective."""\n'


def experiment(at: Sitting, operation: Operation, text: str, cpu_seconds: float) -> dict[str, Any]:
    """Runs a script sealed as candidates are, in a sandbox of its own that ends with it.

    Args:
        at: the workbench.
        operation: that records it.
        text: source text; defines `experiment()`, whose value is the result.
        cpu_seconds: that it may use.

    Raises:
        UserError: the CPU seconds are more than one experiment, or all, may use; or the problem is another
            tool's task, whose evaluator is no module.
        SandboxError: nothing can be run safely here.
    """
    allowed = min(cpu_seconds, MOST_CPU_SECONDS, experiment_seconds_left(at.store.read))
    if isinstance(at.setup.loaded.problem, Reported):
        raise UserError(USAGE, "experiment: the objective of another tool's task is no module", "use probe")
    if allowed <= 0:
        raise UserError(
            USAGE, f"{at.folder.name}: the CPU seconds of experiments are spent", "go on without experiments"
        )
    if (fault := _fault(at.slot.describe(text, ENTRY_POINT), at.setup.modules())) is not None:
        operation.refused = True
        return {"status": "refused", "message": said(fault)}
    given = rows(at)
    execution, why = _run(at, text, given, allowed)
    operation.cpu_seconds = execution.cpu_seconds
    return {
        "status": execution.status.value,
        "message": said(execution.error),
        "printed": said(execution.output, PRINTED_BYTES + 100) or None,
        "value": execution.answer,
        "cpu_seconds": execution.cpu_seconds,
        "cpu_limit_seconds": allowed,
        "instances": sizes(given),
        "objective_missing": said(why),
        "budget": budget_document(at, experiment=execution.cpu_seconds),
    }


def _fault(description: Description, modules: tuple[str, ...]) -> str | None:
    """Why a text is no script of an experiment; None if it is one."""
    if description.error is not None:
        line = "" if description.error_line is None else f"line {description.error_line}: "
        return f"{line}{description.error}"
    refused = [name for name in description.imports if name not in (*modules, MODULE)]
    if refused:
        return f"import of {', '.join(refused)}: expected {MODULE} or a module that programs may import"
    if not description.entry_point:
        return f"no `def {ENTRY_POINT}():` at the top level; what it returns is the result"
    return None


def _run(at: Sitting, text: str, given: list[dict[str, Any]], seconds: float) -> tuple[Execution, str | None]:
    """The execution of a script, and why there is no objective in it; None if there is one."""
    problem, secret = at.setup.loaded.problem, at.setup.config.evaluation.secret
    texts = texts_of(problem, at.setup.loaded.source)
    slot, texts = _open(at, texts)
    files = {"experiment.py": text, f"{MODULE}.py": _STUB}
    program = Program(files, ENTRY_POINT, driver(texts))
    document = {
        "instances": given,
        "problem": about(problem, secret, texts.why),
        "cpu_seconds": seconds,
    }
    limits = Limits(seconds, MEMORY_BYTES, VALUE_BYTES, PRINTED_BYTES)
    with closing(slot):
        return slot.execute(program, json.dumps(document).encode(), limits, 0), texts.why


def _open(at: Sitting, texts: Texts) -> tuple[Sandbox, Texts]:
    """A sandbox that nothing else runs in; without the problem where its modules cannot be loaded there."""
    from ...sandbox.slot import open_sandbox

    policy = at.setup.policy
    try:
        return open_sandbox(replace(policy, support=texts.support)), texts
    except SandboxError as error:
        if error.layer != "policy" or not texts.support:
            raise
        return open_sandbox(policy), Texts({}, (), error.reason)
