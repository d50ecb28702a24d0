"""Users' files that are made to take long: an answer comes, for no step looks at all of it again."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

MOST_SECONDS = 20
"""CPU seconds of the process that reads; each of these files took longer, most of them many minutes."""
READ = """
import sys
from pathlib import Path
from gapsmith.app.plugins.loader import load_problem
from gapsmith.problems.base import InstanceFileError

try:
    print(len(load_problem(sys.argv[1]).problem.read_instances(Path(sys.argv[2]))), "instances")
except InstanceFileError as error:
    print(error)
"""
STEP = "devices,4\ncapacity,500\n"
DENSE = [[i, k, 0] for i in range(2, 224) for k in range(i + 1, 224)]
WIDE = [[i, k, 0] for i in range(224, 380) for k in range(380, 536)]
DOWN = [*WIDE, *([k, 2, 0] for k in range(380, 536)), *([1, i, 0] for i in range(224, 380)), *DENSE]
"""Edges of tasks behind a circle of the tasks 0 and 1; a walk from most of them looks at half of them."""
FLEET = {
    "gpu_info": {"a": {"cost": 1, "tputs": [[1, 1]]}},
    "workload_distribution": "SHARES",
    "total_request_rate": 1,
    "slice_factor": 1,
}


def fleet(text: str) -> str:
    """A list of prices whose workload is a text."""
    return json.dumps(FLEET).replace('"SHARES"', text)


@pytest.mark.quick("circle", "digits", "fractions")
@pytest.mark.parametrize(
    ("problem", "name", "text", "said"),
    [
        (
            "sequence-packing",
            "a.csv",
            STEP + "".join(f"step{n},400\n" for n in range(100_000)),
            "100000 instances",
        ),
        ("sequence-packing", "a.csv", f"{STEP}one,{'1' * 130_000}x\n", "a number in plain digits"),
        (
            "sequence-packing",
            "a.jsonl",
            "{" + ",".join(f'"k{n}": 1' for n in range(200_000)) + ', "k199999": 2}\n',
            "the key 'k199999' twice",
        ),
        (
            "gpu-fleet",
            "a.json",
            fleet(f"[[{', '.join('0.' + digit * 3_000_000 for digit in '37')}]]"),
            "got a number of 3,000,002 characters, expected at most 10,000",
        ),
        ("tsp", "a.tsp", f"COMMENT : a{' ' * 500_000}x\nTYPE : OP\n", "`orienteering` reads such files"),
        (
            "task-graph",
            "a.json",
            json.dumps({"times": [[1]] * 536, "edges": [*DOWN, [0, 1, 0], [1, 0, 0]]}),
            "a circle through the edge '0' to '1'",
        ),
    ],
    ids=["jobs", "digits", "keys", "fractions", "blanks", "circle"],
)
def test_a_file_takes_no_more_than_its_length(
    problem: str, name: str, text: str, said: str, tmp_path: Path
) -> None:
    """Many jobs, numbers of many digits, a late double key, blanks and a circle before many tasks."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ, problem, str(path)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS)),
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-500:]}"
    assert said in done.stdout
