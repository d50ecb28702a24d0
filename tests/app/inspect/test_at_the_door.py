"""What a command loads before it answers: looking must not pay for searching."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gapsmith.app.analysis.doctor import LONGEST, longest_program
from gapsmith.app.plugins.loader import BUILT_INS, load_problem
from gapsmith.app.plugins.parameters import ParameterSpec
from gapsmith.problems.base import Interactive, Parameter

COSTLY = ("numpy", "pydantic", "highspy", "ortools", "pulp", "openai", "gapsmith.evolve.offline.proposer")


@pytest.mark.parametrize("words", ["problems list", "list", "show aaaa", "show aaaa best"])
def test_looking_loads_nothing_costly(words: str, runs: Path) -> None:
    """Lists, a run's page and a candidate's page load no solver, no array package and no validator."""
    code = (
        "import sys\n"
        "from gapsmith.cli import main\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    print('ended', ended.code)\n"
        f"print('LOADED', [name for name in {COSTLY!r} if name in sys.modules])"
    )
    given = words.replace("aaaa", "20260102-203301-smtt-aaaa").split()
    place = {**os.environ, "GAPSMITH_RUNS": str(runs)}
    done = subprocess.run(
        [sys.executable, "-c", code, *given], capture_output=True, text=True, check=True, env=place
    )
    assert "ended 0" in done.stdout, done.stdout + done.stderr
    assert "LOADED []" in done.stdout, done.stdout[-300:]


def test_doctor_runs_the_longest_program() -> None:
    """The program that `doctor` names is the longest that the built-in problems hand to the sandbox."""
    every = {
        (name, id): text
        for name in BUILT_INS
        for problem in [load_problem(name).problem]
        if not isinstance(problem, Interactive)
        for id, text in problem.baselines().items()
    }
    assert max(every, key=lambda key: len(every[key])) == LONGEST
    assert getattr(load_problem(LONGEST[0]).problem, "driver", None) is None
    assert longest_program().program.files == {"heuristic.py": every[LONGEST]}


@pytest.mark.parametrize(
    "value", [3, True, 2.5, "a", "é", "\udcff", [1, 2], [1, True], None, "active", 10**30]
)
@pytest.mark.parametrize("name", ["int", "float", "bool", "str", "int | list[int]", "Literal['active', 3]"])
def test_values_that_need_no_conversion_are_those_that_pass(name: str, value: object) -> None:
    """What a parameter takes without a validator is what the strict validator takes, unchanged."""
    from typing import Literal

    from pydantic import TypeAdapter, ValidationError

    type_ = eval(name, {"Literal": Literal})
    spec = ParameterSpec("x", type_, None, Parameter("a value"))
    try:
        expected = TypeAdapter(type_).validate_python(value, strict=True)
    except ValidationError:
        with pytest.raises(Exception, match="got"):
            spec.check(value)
    else:
        assert json.dumps(spec.check(value)) == json.dumps(expected)
