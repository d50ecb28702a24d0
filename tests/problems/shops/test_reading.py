"""Users' files: both layouts and collections, and errors that name line and column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.shops.references import ShopReferences
from gapsmith.problems.base import InstanceFileError
from gapsmith.problems.shops import blocking_job_shop, job_shop, taillard

STANDARD = "# two jobs\n2 3\n0 4 1 5 2 6\n2 1 1 2 0 3\n"
ROUTES, TIMES = [[0, 1, 2], [2, 1, 0]], [[4, 5, 6], [1, 2, 3]]


def read(folder: Path, text: str, name: str = "my.txt") -> list[Any]:
    """The instances of a file with this text."""
    path = folder / name
    path.write_text(text, "utf-8")
    return list(job_shop().read_instances(path))


def test_the_standard_layout(tmp_path: Path) -> None:
    """Pairs of machine and time, machines from 0; the scale is the largest load, 9 on machine 2 … 15."""
    (instance,) = read(tmp_path, STANDARD)
    assert dict(instance.public) == {"machines": 3, "routes": ROUTES, "times": TIMES}
    assert (instance.id, instance.stratum, instance.scale) == ("my", "2x3", 15)


@pytest.mark.parametrize(
    "text",
    [
        "2 3\n4 5 6\n1 2 3\n1 2 3\n3 2 1\n",
        "Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound\n"
        " 2 3 840612802 398197754 1231 1005\nTimes\n 4 5 6\n 1 2 3\nMachines\n 1 2 3\n 3 2 1\n",
    ],
)
def test_taillards_layout(tmp_path: Path, text: str) -> None:
    """Times, then machines from 1, with titles, seeds and bounds or without."""
    (instance,) = read(tmp_path, text)
    assert dict(instance.public) == {"machines": 3, "routes": ROUTES, "times": TIMES}


def test_a_collection_of_named_instances(tmp_path: Path) -> None:
    """OR-Library's file: text before, a line with the name, a title, rows of plus signs."""
    part = " instance {}\n\n +++++++++\n A title by Somebody 6x6\n 2 3\n 0 4 1 5 2 6\n 2 1 1 2 0 3\n +++++\n"
    instances = read(tmp_path, "This file holds 2 instances.\n" + part.format("abz5") + part.format("ft06"))
    assert [instance.id for instance in instances] == ["abz5", "ft06"]
    assert all(dict(i.public)["routes"] == ROUTES for i in instances)
    with pytest.raises(InstanceFileError, match=r"line 9: got the instance 'abz5' twice"):
        read(tmp_path, part.format("abz5") + part.format("abz5"))


def test_a_written_instance_is_read_back(tmp_path: Path) -> None:
    """ta01 in the standard layout has the digest of the generated one."""
    public = taillard.public(1)
    rows = [
        " ".join(f"{machine} {time}" for machine, time in zip(route, times, strict=True))
        for route, times in zip(public["routes"], public["times"], strict=True)
    ]
    (instance,) = read(tmp_path, "\n".join(["15 15", *rows]))
    assert instance.digest == taillard.instances()[0].digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got no numbers, expected a line that begins with the numbers of jobs and machines"),
        ("2\n", "line 1: got 1 number"),
        ("2 x\n", "line 1 column 2: got 'x'"),
        ("2 3\n0 4 1 5 2\n2 1 1 2 0 3\n", "line 2: got 5 numbers, expected 6"),
        ("2 3\n0 4 1 5 2 6\n", "line 2: got 1 lines of numbers after the first, expected 2"),
        ("2 3\n0 4 1 5 2 6\n2 1 1 2 0 3\n0 1 1 1 2 1\n", "line 4: got 3 lines"),
        ("2 3\n0 4 1 5 3 6\n2 1 1 2 0 3\n", "line 2 column 5: got 3, expected a machine"),
        ("2 3\n0 4 1 5 2 6\n2 1 1 -1 0 3\n", "line 3 column 4: got -1, expected a processing time"),
        ("2 3\n0 4 1 5.5 2 6\n2 1 1 2 0 3\n", "line 2 column 4: got '5.5'"),
        ("2 3\n4 5 6\n1 2 3\n1 2 3\n3 2 0\n", "line 5 column 3: got 0, expected a machine"),
        ("2 3\n4 5 6\n1 2 3\n1 2 3\n", "line 4: got 3 lines of numbers after the first, expected 4"),
        ("30 1000\n", "at most 20,000 operations (`--set problem.most_operations=30000` lifts the limit)"),
        ("2 3 x\n0 4 1 5 2 6\n2 1 1 2 0 3\n", "line 1 column 3: got 'x', expected a seed or a bound"),
        ("2 3\n0 4 1 5 2 6\nrelease\n2 1 1 2 0 3\n", "line 3: got 'release', expected numbers, or a line"),
        ("2 3\n0 4 1 5 2 6\n2 1 1 2 0 3\ndue dates follow\n", "line 4: got 'due dates follow'"),
        ("1000 1000\n", "line 1: got 1000 x 1000, expected at most 200,000 operations"),
    ],
)
def test_an_error_names_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    """What was got, what was expected, where."""
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_a_job_may_return_to_a_machine(tmp_path: Path) -> None:
    """Re-entrant routes are read, and their schedules judged."""
    (instance,) = read(tmp_path, "1 2\n0 3 0 4\n")
    assert job_shop().verify(instance, [[0, 3]]).objective == 7
    assert job_shop().verify(instance, [[0, 2]]).objective is None


def test_taillards_files_hold_several_instances(tmp_path: Path) -> None:
    """Each begins with its heading; the first has the file's name, the others numbers."""
    part = "Nb of jobs, Nb of Machines, Time seed\n 2 3 84\nTimes\n 4 5 6\n 1 2 3\nMachines\n 1 2 3\n 3 2 1\n"
    instances = read(tmp_path, part + part)
    assert [instance.id for instance in instances] == ["my", "my-2"]
    assert all(dict(i.public)["times"] == TIMES for i in instances)


def test_operations_may_take_no_time(tmp_path: Path) -> None:
    """orb07 has one; judged and solved alike by the dispatch loop and CP-SAT; a blocking shop refuses it."""
    (instance,) = read(tmp_path, "2 2\n0 0 1 3\n1 2 0 4\n")
    assert job_shop().verify(instance, [[0, 2], [0, 2]]).objective == 6
    assert job_shop().verify(instance, [[3, 3], [0, 2]]).objective is None
    assert ShopReferences("job-shop").compute(instance, 5).value == 6
    for text in job_shop().baselines().values():
        names: dict[str, Any] = {}
        exec(text, names)  # shipped programs
        assert job_shop().verify(instance, names["schedule"](**instance.public)).objective >= 6
    with pytest.raises(InstanceFileError, match="line 2 column 2: got 0, expected a processing time"):
        blocking_job_shop().read_instances(tmp_path / "my.txt")
