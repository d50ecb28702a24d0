"""Digests of a problem's instances, drawn in another process with another hash seed.

Run as `python -m gapsmith.app.check.fresh`, with `[spec, parameters, seed]` on standard input.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

from ...problems.base import SPLITS

_TIMEOUT_SECONDS = 60


def digests_elsewhere(spec: str, parameters: Mapping[str, Any], seed: int) -> dict[str, list[str]] | str:
    """Split → digests as a fresh process draws them, or the last line that it wrote when it failed."""
    try:
        run = subprocess.run(
            [sys.executable, "-P", "-m", __name__],  # a problem in random.py must not hide the module random
            input=json.dumps([spec, dict(parameters), seed]),
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": "4711"},
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {_TIMEOUT_SECONDS} s"
    if run.returncode:
        return (run.stderr.strip().splitlines() or [f"exit code {run.returncode}"])[-1]
    found: dict[str, list[str]] = json.loads(run.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Prints split → digests as JSON."""
    from ..door.plugins import load_problem

    spec, parameters, seed = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):  # a plug-in may print; the digests stand alone
        loaded = load_problem(spec, parameters)
        found = {split: [i.digest for i in loaded.instances(split, seed)] for split in SPLITS}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
