"""All checks of a problem one after the other, as the process of `check_problem` makes them.

Run as `python -m gapsmith.app.check.check_process`, with `[spec, parameters, seconds, folder, path, quick,
limit]` on standard input; each line on standard output is `[kind, value]`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from ...sandbox.base import SandboxError
from ...sandbox.interpreter import enter
from ..errors import ProblemError
from ..plugins.loader import load_problem
from ..plugins.sources import place
from .attacks import (
    check_claims,
    check_collisions,
    check_damage,
    check_hostile,
    check_pure,
    check_types,
    check_untouched,
    search,
)
from .bench import Bench
from .contract import (
    check_instances,
    check_names,
    check_references_again,
    check_repeated,
    check_secrets,
    check_seed,
    check_sets,
    check_signature,
    draw,
)
from .coverage import check_coverage, check_ignored, check_tolerance
from .execution import check_execution, words
from .findings import CheckReport
from .forms import check_huge, check_items, check_keys, check_texts, check_trivial, check_unbounded
from .inputs import check_dialogue, check_labels, check_left_out, check_spoiled
from .parts import check_parts
from .policies import check_policies, check_reference_parts, check_small
from .programs import check_programs, check_references, sample, say_unseen

QUICK = frozenset(
    {
        "names",
        "signature",
        "repeated draw",
        "seed",
        "hidden parts",
        "programs",
        "references",
        "types",
        "damaged answers",
    }
    | {"items", "item numbers", "claims", "keys"}
)
"""Checks of a quick check: what a first problem gets wrong most often, in about two seconds."""
_LAST = "what is not seen"
"""The check that takes no time and says what a pass is worth."""


def examine(
    spec: str,
    parameters: Mapping[str, Any],
    seconds: float,
    tell: Callable[[str, object], None] = lambda kind, value: None,
    quick: bool = False,
    limit: float | None = None,
) -> CheckReport:
    """Runs every check on a problem, in this process.

    Args:
        spec, parameters, seconds, quick, limit: as for `check_problem`.
        tell: called with `checks` and all names, with `check` and the name of each check as it starts, and
            with `report` and the report's document when it has ended.
    """
    from ...sandbox.slot import open_sandbox

    started = time.monotonic()
    loaded = load_problem(spec, parameters)
    bench = Bench(loaded, CheckReport(loaded.name), started + seconds)
    if draw(bench):
        _guarded(bench, "sample", lambda: sample(bench))
        with open_sandbox() as sandbox:
            checks: dict[str, Callable[[], None]] = {
                "names": lambda: check_names(bench),
                "signature": lambda: check_signature(bench),
                "seed": lambda: check_seed(bench),
                "hidden parts": lambda: check_secrets(bench),
                "programs": lambda: check_programs(bench, sandbox, 0.25 * seconds),
                "references": lambda: check_references(bench, 0.25 * seconds),
                "repeated draw": lambda: check_repeated(bench),
                "instances": lambda: check_instances(bench, spec, parameters),
                "hostile answers": lambda: check_hostile(bench),
                "types": lambda: check_types(bench),
                "damaged answers": lambda: check_damage(bench),
                "items": lambda: check_items(bench),
                "item numbers": lambda: check_labels(bench),
                "claims": lambda: check_claims(bench, words(bench.problem)),
                "keys": lambda: check_keys(bench),
                "numbers as texts": lambda: check_texts(bench),
                "huge numbers": lambda: check_huge(bench),
                "numbers without end": lambda: check_unbounded(bench),
                "trivial answers": lambda: check_trivial(bench),
                "text that is run": lambda: check_execution(bench),
                "colliding integers": lambda: check_collisions(bench),
                "all of the instance": lambda: check_coverage(bench),
                "data that nothing depends on": lambda: check_ignored(bench),
                "tolerances": lambda: check_tolerance(bench),
                "pure verify": lambda: check_pure(bench),
                "search for a better answer": lambda: search(bench, 0.2 * seconds),
                "hostile policies": lambda: check_policies(bench, 0.4 * seconds),
                "small instances": lambda: check_small(bench),
                "what references depend on": lambda: check_reference_parts(bench, 0.2 * seconds),
                "inputs changed in place": lambda: check_spoiled(bench, sandbox),
                "an instance left out": lambda: check_left_out(bench, sandbox),
                "dialogue": lambda: check_dialogue(bench),
                "optional parts": lambda: check_parts(bench, sandbox),
                "sets": lambda: check_sets(bench),
                "untouched instances": lambda: check_untouched(bench),
                "references again": lambda: check_references_again(bench),
                _LAST: lambda: say_unseen(bench),
            }
            names = [name for name in checks if name in QUICK or not quick]
            tell("checks", names)
            for name in names:
                if limit is not None and time.monotonic() - started > limit and name != _LAST:
                    continue
                tell("check", name)
                _guarded(bench, name, checks[name])
                bench.report.checks.append(name)
                tell("report", bench.report.document())
    bench.report.measured["seconds"] = round(time.monotonic() - started, 2)
    tell("report", bench.report.document())
    return bench.report


def _guarded(bench: Bench, name: str, check: Callable[[], None]) -> None:
    """Makes a check; a check that breaks is a finding itself, and the next ones are still made."""
    try:
        check()
    except SandboxError:  # says of this machine that nothing can be checked on it, not of the problem
        raise
    except ProblemError as error:
        _broken(bench, name, error.message)
    except BaseException as error:  # the plug-in's: no Ctrl-C reaches this process
        _broken(bench, name, f"{type(error).__name__}: {error} ({place(error)})")


def _broken(bench: Bench, name: str, got: str) -> None:
    bench.report.add(
        "check-failed",
        sent=f"the check: {name}",
        got=got,
        why="it could not come to its end; what it looks for may be there",
        fix="correct the line that is named; if it is not the plug-in's, report it as Gapsmith's fault",
    )


def main() -> None:
    """Makes the checks of a job; what the plug-in prints goes to standard error."""
    spec, parameters, seconds, folder, path, quick, limit = json.load(sys.stdin)
    enter(folder, path)
    lines = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def tell(kind: str, value: object) -> None:
        lines.write(json.dumps([kind, value]) + "\n")
        lines.flush()

    try:
        examine(spec, parameters, seconds, tell, quick, limit)
    except SandboxError as error:
        tell("sandbox", [error.layer, error.reason, error.hint])
    tell("end", None)


if __name__ == "__main__":
    main()
