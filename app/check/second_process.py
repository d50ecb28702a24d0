"""Digests and a reference from a process with another hash seed; apart, as that process runs it.

Run as `python -m gapsmith.app.check.second_process`, with `[folder, path, spec, parameters, seed, instance]`
on
standard input; `instance` is null where no reference is asked for.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from ...evaluators.base import Reference
from ...problems.base import SPLITS, encode_number
from ...sandbox.interpreter import START_FOLDER, enter, environment, module_places, python

_TIMEOUT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class ProcessAnswers:
    """What a fresh process draws and computes.

    Attributes:
        digests: split → digests of its instances.
        reference: kind and value of one reference, None if it was not asked for.
    """

    digests: dict[str, list[str]]
    reference: str | None


def elsewhere(
    spec: str, parameters: Mapping[str, Any], seed: int, instance: str | None = None
) -> ProcessAnswers | str:
    """Digests, and the reference of an instance if one is named; if the process failed, its last line."""
    result = _elsewhere([spec, dict(parameters), seed, instance])
    return result if isinstance(result, str) else ProcessAnswers(*result)


def words(reference: Reference | None) -> str | None:
    """Kind and value of a reference, so that two can be compared."""
    return None if reference is None else f"{reference.kind.value} {encode_number(reference.value)}"


def _elsewhere(job: list[Any]) -> Any:
    try:
        run = subprocess.run(
            python("-m", __name__),  # a problem in random.py must not hide the module random
            input=json.dumps([os.getcwd(), module_places(), *job]),
            capture_output=True,
            text=True,
            cwd=START_FOLDER,
            env=environment() | {"PYTHONHASHSEED": "4711"},
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {_TIMEOUT_SECONDS} s"
    if run.returncode:
        return (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    """Prints split → digests and a reference as JSON."""
    from ..plugins.loader import load_problem

    folder, path, spec, parameters, seed, instance = json.load(sys.stdin)
    enter(folder, path)
    with redirect_stdout(sys.stderr):  # a plug-in may print; the answer stands alone
        loaded = load_problem(spec, parameters)
        drawn = {split: loaded.instances(split, seed) for split in SPLITS}
        digests = {split: [i.digest for i in instances] for split, instances in drawn.items()}
        named = [i for instances in drawn.values() for i in instances if i.id == instance]
        reference = words(loaded.reference(named[0], 2.0)) if named else None
    sys.stdout.write(json.dumps([digests, reference]) + "\n")


if __name__ == "__main__":
    main()
