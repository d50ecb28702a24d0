"""What an experimenter asks of `evaluate` and `problems show`: groups, noise, a rival, limits."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
SMITH = (
    "def order(times, weights):\n    return sorted(range(len(times)), key=lambda j: times[j] / weights[j])\n"
)


def test_evaluate_compares_two_programs_in_pairs(command: Command, problem: str, tmp_path: Path) -> None:
    """Groups with both means, a paired difference, the share of the CPU limit, the best answer at hand."""
    file = tmp_path / "smith.py"
    file.write_text(SMITH)
    done = command("evaluate", problem, str(file), "--against", "shortest", "--json")
    found = json.loads(done.stdout)
    assert found["against"]["program"] == "shortest"
    paired = found["against"]["paired"]
    assert paired["difference_points"] == -found["against"]["summary"]["mean_gap_percent"] < 0
    assert (paired["better"], paired["instances"]) == (2, 2)
    assert {row["group"] for row in found["groups"]} == {"s0", "s1"}
    assert all(row["difference_points"] < 0 for row in found["groups"])
    assert 0 < found["time"]["share_of_limit"] < 1
    assert found["time"]["cpu_limit_seconds"] == 1
    for row in found["instances"]:
        assert row["best_known"] == {"objective": row["reference"], "program": "reference"}
    words = command("evaluate", problem, str(file), "--against", "shortest").stdout
    assert "against shortest: -" in words
    assert "of the limit of 1 s" in words


def test_a_rival_is_a_file_or_a_program_of_the_problem(
    command: Command, problem: str, tmp_path: Path
) -> None:
    """The same file is its own equal; a name that is nothing is refused with what would do."""
    file = tmp_path / "smith.py"
    file.write_text(SMITH)
    found = json.loads(command("evaluate", problem, str(file), "--against", str(file), "--json").stdout)
    assert found["against"]["paired"]["difference_points"] == 0
    done = command("evaluate", problem, str(file), "--against", "nothing")
    assert (done.returncode, "--against nothing: no file" in done.stderr) == (2, True)
    assert "heaviest, shortest" in done.stderr


@pytest.mark.slow
def test_a_rival_is_a_candidate_of_a_run(command: Command, problem: str, tmp_path: Path) -> None:
    """RUN/CANDIDATE names one, as best and start do."""
    command("run", problem, "--iterations", "2")
    file = tmp_path / "smith.py"
    file.write_text(SMITH)
    run = json.loads(command("list", "--json").stdout)[0]["run"]
    found = json.loads(command("evaluate", problem, str(file), "--against", f"{run}/start", "--json").stdout)
    assert found["against"]["paired"]["difference_points"] < 0


def test_a_problem_says_what_its_programs_may_use(command: Command, problem: str) -> None:
    """CPU limit, modules, threads, and what is kept from one call to another."""
    limits = json.loads(command("problems", "show", problem, "--json").stdout)["limits"]
    assert (limits["cpu_seconds"], limits["memory_mb"]) == (1, 512)
    assert {"numpy", "math"} <= set(limits["modules"])
    assert not {"os", "time", "socket"} & set(limits["modules"])
    assert limits["threads"].startswith("one")
    assert limits["keeps"].startswith("nothing")
    words = command("problems", "show", "smtt-rule").stdout
    assert "CPU limit: 0.02 s for an instance" in words
    assert "keeps between calls: The loop calls it once for each job" in words
