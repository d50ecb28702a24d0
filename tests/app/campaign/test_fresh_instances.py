"""`verify --fresh`: a champion that remembers its instances is told from one that solves them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app import compose
from gapsmith.app.analysis.verify import check_fresh
from gapsmith.app.config import parse
from gapsmith.app.runs.record import open_record
from gapsmith.app.setup.reruns import setup_of_record
from gapsmith.cli import app
from gapsmith.evaluators.difference import difference
from typer.testing import CliRunner

COUNTS = {"train": 2, "valid": 2, "test": 12}
HONEST = """
def pack(sizes, capacity):
    bins, loads = [], []
    for size in sizes:
        index = next((i for i, load in enumerate(loads) if load + size <= capacity), len(loads))
        if index == len(loads):
            loads.append(0)
        loads[index] += size
        bins.append(index)
    return bins
"""
MEMORY = """
from numpy.random import RandomState

def pack(sizes, capacity):
    for seed in SEEDS:
        stream, drawn = RandomState(seed), []
        for _ in range(20):
            first = int(stream.randint(380, 491))
            second = int(stream.randint(250, (1000 - first) // 2 + 1))
            drawn += [first, second, 1000 - first - second]
        order = stream.permutation(60).tolist()
        if [drawn[j] for j in order] == sizes:
            return [j // 3 for j in order]
    return fallback(sizes, capacity)
"""


def _memory() -> str:
    """A program that holds the seeds of all instances of the public draw, and packs others by first fit."""
    keys = [
        "\0".join(("bin-packing", s, "1", "t60", str(n))) for s, count in COUNTS.items() for n in range(count)
    ]
    seeds = [int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") for key in keys]
    return HONEST.replace("pack", "fallback") + MEMORY.replace("SEEDS", repr(seeds))


@pytest.fixture
def searched(tmp_path: Path) -> Callable[[str, str], Path]:
    """Runs a short campaign from a program's text; the run's folder."""

    def run(name: str, text: str) -> Path:
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        splits = {f"{split}_per_stratum": count for split, count in COUNTS.items()}
        document = {
            "campaign": {"problem": "bin-packing"},
            "budget": {"iterations": 1},
            "problem": {"law": "t60", **splits},
        }
        compose.run(parse(document, "test"), folder, start={"mine": {"heuristic.py": text}})
        return folder

    return run


@pytest.mark.slow
def test_a_program_that_remembers_differs_on_fresh_instances(searched: Callable[[str, str], Path]) -> None:
    """Optimal on every instance of the run, by heart: on new ones it falls back, far beyond noise."""
    with open_record(searched("memory", _memory())) as record:
        found = check_fresh(record, setup_of_record(record, workers=1), 12, seed=99)
    champion = found["programs"]["champion"]
    assert champion["test"]["mean_gap_percent"] == 0
    assert champion["fresh"]["mean_gap_percent"] > 5
    assert champion["beyond_noise"]
    assert champion["p"] < 0.001
    assert found["instance_seed"] == 99
    assert found["instances"] == champion["fresh"]["instances"] == 12


@pytest.mark.slow
def test_an_honest_program_is_within_noise(
    searched: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First fit does as well on new instances as on the test split; the command line says so."""
    searched("honest", HONEST)
    monkeypatch.setenv("GAPSMITH_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr("secrets.randbits", lambda bits: 7)
    words = ["verify", "honest", "--references", "1", "--workers", "1", "--fresh", "20"]
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 0, said.output
    assert "20 fresh instances (instance seed 7)" in said.output
    rows = [line for line in said.output.splitlines() if "on fresh instances" in line]
    assert rows[0].split()[0] == "champion"
    assert all("% [" in line and line.endswith("(permutation test): within noise") for line in rows)


@pytest.mark.slow
def test_a_problem_without_new_instances_is_skipped(
    campaign: Callable[..., tuple[dict[str, Any], Path]], tmp_path: Path
) -> None:
    """A run on a user's own files says that new ones must be collected."""
    rows = [f'{{"capacity": 10, "sizes": [{k % 7 + 1}, {k % 5 + 1}, 4]}}' for k in range(8)]
    file = tmp_path / "items.jsonl"
    file.write_text("\n".join(rows) + "\n")
    _, folder = campaign(
        campaign={"problem": "bin-packing"}, budget={"iterations": 1}, evaluation={"instances": [str(file)]}
    )
    with open_record(folder) as record:
        assert "came from files" in check_fresh(record, setup_of_record(record), 3)["skipped"]


def test_difference_of_two_samples() -> None:
    """Equal samples give p 1, a shift of every value a small p; strata differ without being a difference."""
    stream = random.Random(3)
    values = [stream.gauss(0, 1) for _ in range(30)]
    same = difference([(values, values)])
    assert same is not None
    assert (same.value, same.p) == (0, 1)
    shifted = difference([(values, [v + 3 for v in values])])
    assert shifted is not None
    assert shifted.value == pytest.approx(3)
    assert shifted.p == pytest.approx(1e-4)
    apart = difference([(values[:10], values[10:20]), ([v + 50 for v in values[20:]], [50.0]), ([], [1.0])])
    assert apart is not None
    assert not apart.beyond_noise
    assert difference([([], [1.0])]) is None


def test_noise_alone_is_rarely_a_difference() -> None:
    """Of 200 pairs of samples of one law about one in twenty is beyond noise."""
    stream = random.Random(5)
    pairs = [[[stream.expovariate(1) for _ in range(12)] for _ in range(2)] for _ in range(200)]
    found = [difference([(a, b)]) for a, b in pairs]
    assert 2 <= sum(d is not None and d.beyond_noise for d in found) <= 20
