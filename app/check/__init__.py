"""Checks a problem before it is trusted: its contract, and attacks such as candidates come up with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from ...sandbox.base import SandboxError
from ..door.plugins import load_problem
from ..door.sources import place
from ..errors import ProblemError
from .attacks import check_damage, check_hostile, check_pure, check_types, search
from .bench import Bench, Overrun
from .contract import check_instances, check_names, check_secrets, check_sets, draw
from .findings import Finding, Report
from .inputs import check_dialogue, check_left_out, check_spoiled
from .parts import check_parts, parts_of
from .programs import check_programs, check_references, sample

__all__ = ["Finding", "Report", "check_problem", "parts_of"]

SECONDS = 12.0


def check_problem(
    spec: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float = SECONDS,
    notify: Callable[[str], None] = lambda name: None,
) -> Report:
    """Runs every check on a problem.

    Args:
        spec: name, file or `module:attribute`.
        parameters: its `[problem]` table.
        seconds: wall seconds in all, about; samples are smaller when they are few.
        notify: told the name of each check as it starts.

    Raises:
        ProblemError: the problem cannot be loaded at all.
        SandboxError: its programs cannot be run safely here.
    """
    from ...sandbox.slot import open_sandbox

    started = time.monotonic()
    loaded = load_problem(spec, parameters)
    bench = Bench(loaded, Report(loaded.name), started + seconds)
    if draw(bench):
        _guarded(bench, "sample", lambda: sample(bench))
        with open_sandbox() as sandbox:
            checks: dict[str, Callable[[], None]] = {
                "names": lambda: check_names(bench),
                "instances": lambda: check_instances(bench, spec, parameters or {}),
                "hidden parts": lambda: check_secrets(bench),
                "programs": lambda: check_programs(bench, sandbox, 0.25 * seconds),
                "references": lambda: check_references(bench, 0.25 * seconds),
                "hostile answers": lambda: check_hostile(bench),
                "types": lambda: check_types(bench),
                "damaged answers": lambda: check_damage(bench),
                "pure verify": lambda: check_pure(bench),
                "search for a better answer": lambda: search(bench, 0.2 * seconds),
                "inputs changed in place": lambda: check_spoiled(bench, sandbox),
                "an instance left out": lambda: check_left_out(bench, sandbox),
                "dialogue": lambda: check_dialogue(bench),
                "optional parts": lambda: check_parts(bench, sandbox),
                "sets": lambda: check_sets(bench),
            }
            for name, check in checks.items():
                notify(name)
                _guarded(bench, name, check)
                bench.report.checks.append(name)
    bench.report.measured["seconds"] = round(time.monotonic() - started, 2)
    return bench.report


def _guarded(bench: Bench, name: str, check: Callable[[], None]) -> None:
    """Makes a check; one that breaks is a finding itself, and the others are made all the same."""
    try:
        check()
    except SandboxError:  # says of this machine that nothing can be checked on it, not of the problem
        raise
    except ProblemError as error:
        _broken(bench, name, error.message)
    except (Exception, SystemExit, Overrun) as error:
        _broken(bench, name, f"{type(error).__name__}: {error} ({place(error)})")


def _broken(bench: Bench, name: str, got: str) -> None:
    bench.report.add(
        "check-failed",
        sent=f"the check: {name}",
        got=got,
        why="it could not come to its end; what it looks for may be there",
        fix="correct the line that is named; if it is not the plug-in's, report it as Gapsmith's fault",
    )
