"""MiniMalloc's files: columns in any order, faults with row and column, and answers written back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.problems.base import InstanceFileError
from gapsmith.problems.memory import memory_mapping

EXAMPLE = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"


def read(folder: Path, text: str, name: str = "example.12.csv") -> Any:
    """The instance of a file with this text."""
    path = folder / name
    path.write_text(text, "utf-8")
    (instance,) = memory_mapping().read_instances(path)
    return instance


def test_the_example_of_minimalloc(tmp_path: Path) -> None:
    """Sizes of 4 units have the unit 4; offsets are written back in the file's unit."""
    instance = read(tmp_path, EXAMPLE)
    assert instance.public["buffers"][1] == [3, 9, 1]
    assert instance.hidden == {"ids": ["b1", "b2", "b3", "b4", "b5"], "unit": 4}
    written = memory_mapping().answer_file(instance, [2, 2, 1, 1, 0])
    assert written.splitlines()[:3] == ["id,lower,upper,size,offset", "b1,0,3,4,8", "b2,3,9,4,8"]
    again = read(tmp_path, written, "again.csv")
    assert dict(again.public) == dict(instance.public)


@pytest.mark.parametrize(
    "text",
    [
        "size,upper,id,lower\n4,3,a,0\n8,9,b,3\n",
        "\ufeffID , Start,END,size,offset\r\na, 0 ,3,4,\r\n\r\nb,3,9,8,7\r\n",
        "id,lower,upper,size\na,0,3,0004\nb,3,9,+8",
    ],
)
def test_columns_in_any_order_and_spelling(tmp_path: Path, text: str) -> None:
    """Other orders, aliases, blanks, line ends, a mark of byte order, offsets of an earlier answer."""
    assert read(tmp_path, text).public["buffers"] == [[0, 3, 1], [3, 9, 2]]


def test_sizes_up_to_two_to_the_62(tmp_path: Path) -> None:
    """Huge sizes and negative times are exact."""
    instance = read(tmp_path, f"id,lower,upper,size\na,-5,{2**62},{2**62}\nb,0,1,{2**62 - 1}\n")
    assert instance.public["buffers"] == [[-5, 2**62, 2**62], [0, 1, 2**62 - 1]]
    offsets = [0, 2**62]
    assert memory_mapping().verify(instance, offsets).objective == 2**63 - 1  # type: ignore[arg-type]


HEAD = "id,lower,upper,size\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "file: got no row, expected a header with the columns id, lower"),
        (HEAD, "file: got no row"),
        ("id,lower,upper\na,0,1\n", "row 1: got no column size"),
        ("id,lower,upper,size,align\n", "row 1 column 5: got 'align'"),
        ("id,lower,start,upper,size\n", "row 1 column 3: got the column 'start' twice"),
        (HEAD + "a,0,1\n", "row 2: got 3 values, expected 4"),
        (HEAD + "a,3,3,1\n", "row 2 column upper: got 3, expected the end of a life, more than its first"),
        ("id,start,end,size\na,3,2,1\n", "row 2 column end: got 2"),
        (
            HEAD + "a,0,1,0\n",
            "row 2 column size: got 0, expected a size, an integer from 1 to 4,611,686,018,427,387,904",
        ),
        (HEAD + "a,0,1,-3\n", "row 2 column size: got -3"),
        (HEAD + "a,0,1,1.5\n", "row 2 column size: got '1.5'"),
        (HEAD + "a,0,1,nan\n", "row 2 column size: got 'nan'"),
        (HEAD + f"a,0,1,{2**62 + 1}\n", "row 2 column size: got 4611686018427387905"),
        (HEAD + f"a,0,1,{'9' * 5000}\n", "row 2 column size: got '999"),
        (HEAD + "a,0,1,²\n", "row 2 column size: got '²'"),
        (HEAD + "a,,1,1\n", "row 2 column lower: got ''"),
        (
            HEAD + "a,0,1,1\nb,0,1,1\na,2,3,1\n",
            "row 4 column id: got 'a', as in row 2, expected each id once",
        ),
        (HEAD + " ,0,1,1\n", "row 2 column id: got ''"),
        (HEAD + '"a,0,1,1\n', "got no CSV"),
    ],
)
def test_a_fault_is_one_line_with_row_and_column(tmp_path: Path, text: str, message: str) -> None:
    """What was found and what was expected."""
    with pytest.raises(InstanceFileError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    """Bytes, a folder and a missing file are named."""
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("bytes.csv", "none.csv"):
        with pytest.raises(InstanceFileError, match=name):
            memory_mapping().read_instances(tmp_path / name)


@pytest.mark.slow
def test_evaluate_writes_offsets(gapsmith: Any, tmp_path: Path) -> None:
    """`--answers OUT.csv` gives the file with its offsets; a set of many instances is refused."""
    (tmp_path / "small.csv").write_text(EXAMPLE, "utf-8")
    program = tmp_path / "first.py"
    program.write_text(memory_mapping().baselines()["size"], "utf-8")
    out = tmp_path / "out.csv"
    words = ("evaluate", "memory-mapping", str(program), "--answers", str(out))
    assert gapsmith(*words, "--instances", str(tmp_path / "small.csv")).returncode == 0
    lines = out.read_text("utf-8").splitlines()
    assert lines[0] == "id,lower,upper,size,offset"
    assert max(int(line.split(",")[3]) + int(line.split(",")[4]) for line in lines[1:]) == 12
    refused = gapsmith(*words, "--split", "train", "--set", "problem.train_per_stratum=1")
    assert refused.returncode == 2
    assert "a CSV file takes the answer to one" in refused.stderr
