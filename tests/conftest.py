"""What the tests of several folders share: a program's source, and the command, run in this process."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.cli import main
from gapsmith.problems.base import Instance, Problem
from typer.testing import CliRunner

Done = subprocess.CompletedProcess[str]


@pytest.fixture
def answer_of() -> Callable[[Problem, str, Instance], Any]:
    """Runs a program's source on a copy of an instance's public part, in this process; its answer as JSON."""

    def run(problem: Problem, source: str, instance: Instance) -> Any:
        scope: dict[str, Any] = {}
        exec(source, scope)
        answer = scope[problem.entry_point](**copy.deepcopy(dict(instance.public)))
        return json.loads(json.dumps(answer))

    return run


@pytest.fixture
def gapsmith(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Runs the command in this process: `gapsmith("show", "latest", COLUMNS="80")`, None removes a variable.

    Exit code and output are those of a process of its own; only the start of the process is saved.
    """

    def run(*words: str, **environment: str | None) -> Done:
        with monkeypatch.context() as patch, CliRunner().isolation(env=environment) as (out, errors, _):
            patch.setattr(sys, "argv", ["gapsmith", *words])
            code: Any = 0
            try:
                main()
            except SystemExit as ended:
                code = ended.code or 0
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            texts = [stream.getvalue().decode().replace("\r\n", "\n") for stream in (out, errors)]
        return subprocess.CompletedProcess(words, code, *texts)

    return run
