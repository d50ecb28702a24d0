"""Users' traces: both layouts give the same instances, and every fault is named with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.training import lora_microbatches, sequence_packing
from gapsmith.problems.base import Instance, InstanceFileError

LORA_CSV = """stages,2
capacity,40
tile,10
times,4,1,8,2
summaries,2,15,5,12
chat,2,21,9
"""
LORA_JSONL = """{"stages": 2, "capacity": 40, "tile": 10, "times": [4, 1, 8, 2]}
{"name": "summaries", "batch_size": 2, "lengths": [15, 5, 12]}
{"name": "chat", "batch_size": 2, "lengths": [21, 9]}
"""
PACKING_CSV = """devices,4
capacity,10
overhead,5
quadratic,0.02,0.01,0.005
linear,0.1,0.05,0.03
monday,18,9,4
tuesday,3
"""
PACKING_JSONL = """{"devices": 4, "capacity": 10, "overhead": 5, "quadratic": [0.02, 0.01, 0.005],
"""


def read(plugin: Any, path: Path, text: str) -> list[Instance]:
    """The instances of a text that a user's file holds."""
    path.write_text(text, "utf-8")
    return list(plugin.problem().read_instances(path))


def test_adapters_are_read_from_both_layouts(tmp_path: Path) -> None:
    """Each job is an adapter; its samples are cut into batches in their order."""
    instances = read(lora_microbatches, tmp_path / "jobs.csv", LORA_CSV)
    assert [i.id for i in instances] == ["jobs"]
    assert instances[0].public["samples"] == [[0, 0, 15], [0, 0, 5], [0, 1, 12], [1, 0, 21], [1, 0, 9]]
    same = read(lora_microbatches, tmp_path / "jobs.jsonl", LORA_JSONL)
    assert same[0].digest == instances[0].digest


def test_defaults_of_the_header(tmp_path: Path) -> None:
    """Tile and times may be left out; a bound and a program work on what was read."""
    (instance,) = read(lora_microbatches, tmp_path / "jobs.csv", "stages,4\ncapacity,4096\na,4,500,90,80\n")
    assert (instance.public["tile"], instance.public["times"]) == (128, [4, 1, 8, 2])
    reference = lora_microbatches.references.reference(instance, 1)  # type: ignore[union-attr]
    verdict = lora_microbatches.problem().verify(instance, [[0, 1, 2]])
    assert verdict.objective is not None
    assert 0 < reference.value <= verdict.objective


def test_steps_are_read_from_both_layouts(tmp_path: Path) -> None:
    """Each line is a training step; times are rounded up, and 0 where a sequence does not fit."""
    monday, tuesday = read(sequence_packing, tmp_path / "steps.csv", PACKING_CSV)
    assert (monday.id, monday.public["lengths"], tuesday.public["lengths"]) == ("monday", [18, 9, 4], [3])
    assert monday.public["times"][0] == [0, 5, 3]
    assert monday.public["degrees"] == [1, 2, 4]
    header = PACKING_JSONL.strip() + ' "linear": [0.1, 0.05, 0.03]}\n'
    lines = '{"name": "monday", "lengths": [18, 9, 4]}\n\n{"name": "tuesday", "lengths": [3]}\n'
    same = read(sequence_packing, tmp_path / "steps.jsonl", header + lines)
    assert [i.digest for i in same] == [monday.digest, tuesday.digest]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LORA_CSV.replace("stages,2\n", ""), "header: got nothing, expected the key stages"),
        (LORA_CSV.replace("stages,2", "stages,2.5"), "row 1, stages: got 2.5, expected a whole number"),
        (LORA_CSV.replace("tile,10", "tile,0"), "tile: got 0, expected a whole number from 1 to 40"),
        (LORA_CSV.replace("times,4,1,8,2", "times,4,1,8"), "row 4, times: got 3 numbers, expected 4"),
        (LORA_CSV.replace("times,4,1,8,2", "times,0,1,0,2"), "expected f0 + b0 of at least 1 tick"),
        (LORA_CSV.replace("stages,2", "stages,2\nstages,3"), "row 2: got stages twice"),
        (LORA_CSV.replace("chat,2,21,9", "chat,2"), "row 6: got 1 numbers after the name"),
        (LORA_CSV.replace("chat,2,21,9", "chat,0,21,9"), "row 6, batch_size: got 0"),
        (LORA_CSV.replace("chat,2,21,9", "chat,2,21,41"), "row 6, length 2: got 41, expected at most the 40"),
        (LORA_CSV.replace("chat,2,21,9", "chat,2,21,nine"), "row 6, column 4: got 'nine', expected a number"),
        (LORA_CSV.replace("chat,2,21,9", "chat,2,21,-9"), "length 2: got -9, expected whole tokens"),
        (LORA_CSV.replace("chat,2,21,9", "chat,2,21,1e400"), "row 6, column 4: got 1E+400"),
        (LORA_CSV.replace("chat,2,21,9", "summaries,2,21,9"), "row 6: got 'summaries', expected a name that"),
        ("stages,2\ncapacity,40\n", "file: got no job"),
        ("", "file: got no job"),
    ],
)
def test_faults_in_csv_are_named(tmp_path: Path, text: str, words: str) -> None:
    """The message says where, what was got and what was expected."""
    with pytest.raises(InstanceFileError) as error:
        read(lora_microbatches, tmp_path / "jobs.csv", text)
    assert words in str(error.value)
    assert str(tmp_path / "jobs.csv") in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LORA_JSONL.replace('"stages"', '"stage"'), "row 1: got the key 'stage', expected a header"),
        (
            LORA_JSONL.replace('"batch_size": 2, "lengths": [21', '"lengths": [21'),
            "row 3: got keys name, lengths",
        ),
        (LORA_JSONL.replace("[21, 9]", "[21, true]"), "row 3: got True, expected a number"),
        (LORA_JSONL.replace("[21, 9]", "21"), "row 3"),
        (LORA_JSONL.replace("[21, 9]", "[21, 9"), "row 3: got no JSON"),
        (LORA_JSONL.replace('"chat"', "7.5"), "row 3, name"),
        ("[1, 2]\n", "row 1: got [1, 2], expected an object"),
    ],
)
def test_faults_in_json_lines_are_named(tmp_path: Path, text: str, words: str) -> None:
    """The message says where, what was got and what was expected."""
    with pytest.raises(InstanceFileError) as error:
        read(lora_microbatches, tmp_path / "jobs.jsonl", text)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PACKING_CSV.replace("quadratic,0.02,0.01,0.005", "quadratic,0.02"), "got 1 numbers, expected 3"),
        (PACKING_CSV.replace("linear,0.1,0.05,0.03\n", ""), "expected the key linear"),
        (PACKING_CSV.replace("linear,0.1", "linear,-0.1"), "row 5, linear: got -0.1, expected a number >= 0"),
        (PACKING_CSV.replace("18,9", "48,9"), "row 6, length 1: got 48, expected at most the 40 tokens"),
    ],
)
def test_faults_in_steps_are_named(tmp_path: Path, text: str, words: str) -> None:
    """Costs for every degree, sequences that the largest group holds."""
    with pytest.raises(InstanceFileError) as error:
        read(sequence_packing, tmp_path / "steps.csv", text)
    assert words in str(error.value)


def test_other_endings_and_missing_files_are_refused(tmp_path: Path) -> None:
    """Only .csv and .jsonl are read, and a file that is not there is a message."""
    for name in ("jobs.txt", "missing.csv"):
        with pytest.raises(InstanceFileError, match=name):
            lora_microbatches.problem().read_instances(tmp_path / name)
