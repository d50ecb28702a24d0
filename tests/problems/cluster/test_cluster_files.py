"""Users' jobs and machines: columns in any order, arrivals out of order, faults with row and column."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gapsmith.problems.base import InstanceFileError
from gapsmith.problems.cluster import cluster_scheduling

JOBS = "arrive,depart,cpu,memory\n5,,2,3\n1.5,,1,1\n5,,0,4\n"
MACHINES = "free_cpu,free_memory\n4,8\n0,3\n"


def read(folder: Path, jobs: str = JOBS, machines: str | None = MACHINES, name: str = "my-jobs.csv") -> Any:
    """The instance of two files with these texts."""
    (folder / name).write_text(jobs, "utf-8")
    if machines is not None:
        (folder / name.replace("jobs", "machines")).write_text(machines, "utf-8")
    (instance,) = cluster_scheduling().read_instances(folder / name)
    return instance


def test_jobs_arrive_in_the_order_of_their_times(tmp_path: Path) -> None:
    """Equal times keep the order of the file; the capacity is the largest free room without columns of it."""
    instance = read(tmp_path)
    assert instance.hidden == {"jobs": [[1, 1], [2, 3], [0, 4]]}
    assert dict(instance.public) == {"cpu": 4, "memory": 8, "free_cpu": [4, 0], "free_memory": [8, 3]}
    assert (instance.id, instance.scale) == ("my-jobs", 64)


def test_columns_in_any_order_and_a_capacity(tmp_path: Path) -> None:
    """Jobs without times come in the order of the file."""
    instance = read(
        tmp_path,
        "\ufeffMemory, CPU\r\n3, 2\r\n\r\n1,1\r\n",
        "memory,free_memory,cpu,free_cpu\n16,8,10,4\n16,3,10,0\n",
        "jobs.csv",
    )
    assert instance.hidden == {"jobs": [[2, 3], [1, 1]]}
    assert (instance.public["cpu"], instance.public["memory"]) == (10, 16)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (os.mkfifo, "a pipe, a device"),
        (lambda path: path.symlink_to("/dev/zero"), "leads out of"),
        (lambda path: path.symlink_to(__file__), "leads out of"),
        (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_RDWR), 1 << 40), "more than 512 MiB"),
        (lambda path: path.mkdir(), "cannot be read"),
    ],
)
def test_the_machines_are_a_file_of_the_folder(
    tmp_path: Path, make: Callable[[Path], Any], message: str
) -> None:
    """Nobody named this file: no link leads elsewhere, and nothing without end is read."""
    make(tmp_path / "my-machines.csv")
    with pytest.raises(InstanceFileError, match=message):
        read(tmp_path, machines=None)


def test_linked_files_of_one_folder_are_read(tmp_path: Path) -> None:
    """Both files may lie together elsewhere."""
    read(tmp_path)
    near = tmp_path / "near"
    near.mkdir()
    for name in ("my-jobs.csv", "my-machines.csv"):
        (near / name).symlink_to(tmp_path / name)
    (instance,) = cluster_scheduling().read_instances(near / "my-jobs.csv")
    assert instance.scale == 64


HEAD = "cpu,memory\n"


@pytest.mark.parametrize(
    ("jobs", "machines", "message"),
    [
        ("", MACHINES, "my-jobs.csv file: got no row"),
        (HEAD, MACHINES, "my-jobs.csv file: got no row"),
        ("cpu\n1\n", MACHINES, "my-jobs.csv row 1: got no column memory"),
        ("cpu,memory,gpu\n1,1,1\n", MACHINES, "row 1 column 3: got 'gpu'"),
        ("cpu,memory,cpu\n1,1,1\n", MACHINES, "row 1 column 3: got the column 'cpu' twice"),
        (HEAD + "1\n", MACHINES, "row 2: got 1 values, expected 2"),
        (HEAD + "1,-1\n", MACHINES, "row 2 column memory: got -1, expected a demand of memory, an integer"),
        (HEAD + "1.5,1\n", MACHINES, "row 2 column cpu: got '1.5'"),
        (HEAD + f"{2**62},1\n", MACHINES, "row 2 column cpu: got 4611686018427387904"),
        (HEAD + f"{'9' * 5000},1\n", MACHINES, "row 2 column cpu: got '999"),
        ("depart,cpu,memory\n,1,1\n7,1,1\n", MACHINES, "row 3 column depart: got '7', expected nothing"),
        ("arrive,cpu,memory\nnan,1,1\n", MACHINES, "row 2 column arrive: got 'nan'"),
        ("arrive,cpu,memory\n1e999999999,1,1\n", MACHINES, "row 2 column arrive: got '1e999999999'"),
        (JOBS, None, "my-machines.csv: cannot be read"),
        (JOBS, "free_cpu,free_memory\n", "my-machines.csv file: got no row"),
        (JOBS, "free_cpu,free_memory\n1,x\n", "my-machines.csv row 2 column free_memory: got 'x'"),
        (
            JOBS,
            "free_cpu,free_memory,cpu\n1,1,4\n2,2,5\n",
            "row 3 column cpu: got 5, expected 4 as in the first row",
        ),
        (JOBS, "free_cpu,free_memory,cpu\n5,1,4\n", "row 2 column free_cpu: got 5, expected at most the cpu"),
        (JOBS, '"free_cpu,free_memory\n', "got no CSV"),
    ],
)
def test_a_fault_is_one_line_with_row_and_column(
    tmp_path: Path, jobs: str, machines: str | None, message: str
) -> None:
    """What was found and what was expected."""
    with pytest.raises(InstanceFileError) as caught:
        read(tmp_path, jobs, machines)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_file_of_the_jobs_is_named(tmp_path: Path) -> None:
    """A name without `jobs` says nothing about the machines' file."""
    with pytest.raises(InstanceFileError, match=r"expected jobs.csv or NAME-jobs.csv"):
        read(tmp_path, name="queue.csv")
