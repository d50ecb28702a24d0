"""Reading users' items: three formats, exact scaling, and one line with row and reason for every fault."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.problems.base import InstanceFileError

HEAD = "instance,capacity,size\n"


def write(folder: Path, name: str, text: str) -> Path:
    """A file of this name and text."""
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def test_csv_keeps_order_and_instances_apart(offline: Any, online: Any, tmp_path: Path) -> None:
    """Rows of an instance stand together; online packing takes them in the file's order."""
    path = write(tmp_path, "mine.csv", HEAD + "a,10,7\na,10,3\na,10,5\nb,4,4\n")
    found = offline.read_instances(path)
    assert [(i.id, i.split, dict(i.public)) for i in found] == [
        ("a", "mine.csv", {"sizes": [7, 3, 5], "capacity": 10}),
        ("b", "mine.csv", {"sizes": [4], "capacity": 4}),
    ]
    first = online.read_instances(path)[0]
    assert (dict(first.public), dict(first.hidden)) == ({"capacity": 10}, {"sizes": [7, 3, 5]})


def test_json_lines_scale_decimals_exactly(offline: Any, tmp_path: Path) -> None:
    """Ten items of 0.1 fill a bin of 1.0 exactly, which binary floats would deny."""
    path = write(
        tmp_path, "tenths.jsonl", '{"id": "t", "capacity": 1.0, "sizes": [' + "0.1, " * 9 + "0.1]}\n"
    )
    found = offline.read_instances(path)[0]
    assert found.public == {"sizes": [1] * 10, "capacity": 10}
    assert "× 10" in found.source
    assert offline.verify(found, [0] * 10).objective == 1


def test_or_library_text_is_read(known_n: Any, offline: Any, tmp_path: Path) -> None:
    """Name, capacity, number of items, the listed value in the source, decimal sizes in tenths."""
    path = write(
        tmp_path, "binpack5.txt", "2\n t_00 \n 100.0 3 1\n49.5\n25.2\n25.3\n u_00\n 150 2 2\n100\n60\n"
    )
    triplet, uniform = offline.read_instances(path)
    assert triplet.public == {"sizes": [495, 252, 253], "capacity": 1000}
    assert uniform.public == {"sizes": [100, 60], "capacity": 150}
    assert "listed value 1" in triplet.source
    assert known_n.read_instances(path)[0].public == {"capacity": 1000, "items": 3}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        (
            "a.csv",
            HEAD + "a,10,0\n",
            "a.csv row 2, size: got '0', expected a size > 0 and at most the capacity 10",
        ),
        ("a.csv", HEAD + "a,10,3\na,10,-2\n", "row 3, size: got '-2'"),
        (
            "a.csv",
            HEAD + "a,10,11\n",
            "row 2, size: got '11', expected a size > 0 and at most the capacity 10",
        ),
        ("a.csv", HEAD + "a,10,nan\n", "row 2, size: got 'nan', expected a number in plain digits"),
        ("a.csv", HEAD + "a,10,Infinity\n", "row 2, size: got 'Infinity', expected a number in plain digits"),
        ("a.csv", HEAD + "a,10,1/3\n", "row 2, size: got '1/3', expected a number"),
        ("a.csv", HEAD + "a,10,0.33333333\n", "at most 6 digits after the point"),
        ("a.csv", HEAD + "a,0,1\n", "row 2, capacity: got '0', expected a number > 0"),
        ("a.csv", HEAD + "a,10,1\na,11,1\n", "row 3, capacity: got '11', expected 10"),
        ("a.csv", HEAD + "a,10\n", "row 2: got 'fewer columns'"),
        ("a.csv", HEAD + "a,10,3,4\n", "row 2: got 'more columns'"),
        (
            "a.csv",
            "instance,capacity,size,size\na,10,3,4\n",
            "size,size', expected a header with the columns",
        ),
        (
            "a.csv",
            "size\n1\n",
            "row 1: got 'size', expected a header with the columns instance,capacity,size",
        ),
        ("a.csv", HEAD, "file: got 'no instance', expected at least one"),
        (
            "a.csv",
            HEAD + "a,9,1\nb,9,1\na,9,1\n",
            "row 4: got 'a', expected an instance name that no earlier",
        ),
        (
            "a.jsonl",
            '{"capacity": 10, "sizes": []}\n',
            "row 1: got 'an empty instance', expected at least one item",
        ),
        (
            "a.jsonl",
            '{"capacity": 10, "sizes": [true]}\n',
            "row 1, item 0, size: got 'true', expected a number",
        ),
        (
            "a.jsonl",
            '\n{"capacity": 10, "sizes": [5, NaN]}\n',
            "row 2, item 1, size: got 'NaN', expected a finite",
        ),
        (
            "a.jsonl",
            '{"capacity": 10, "sizes": [[5]]}\n',
            "row 1, item 0, size: got '[5]', expected a number",
        ),
        ("a.jsonl", '{"capacity": null, "sizes": [5]}\n', "row 1, capacity: got 'null', expected a number"),
        ("a.jsonl", '{"sizes": [5]}\n', "row 1: got"),
        ("a.jsonl", "[" * 100_000, "row 1: got 'no JSON"),
        ("a.jsonl", '{"capacity": 1e30, "sizes": [5]}\n', "row 1, capacity"),
        (
            "a.jsonl",
            '{"capacity": 2, "sizes": [' + "1," * 10**6 + "1]}",
            "row 1: got '1000001 items', expected at most",
        ),
        ("a.jsonl", '\n{"capacity": 3, "sizes": [x]}', "row 2, column 27: got 'no JSON (Expecting value)'"),
        ("a.jsonl", '\n{"capacity": 3, "sizes": [2], "sizes": [1]}', "row 2: got \"the key 'sizes' twice\""),
        (
            "a.jsonl",
            '{"capacity": 9, "sizes": [' + "9" * 5000 + "]}",
            "item 0, size: got 'an integer of 5,000 digits, which is too large', expected a number of",
        ),
        ("a.jsonl", '{"capacity": 9, "sizes": [1e99999999999999999999]}', "expected a smaller exponent"),
        ("a.jsonl", '{"capacity": 9, "sizes": [1e-99999999]}', "at most 6 digits after the point"),
        ("a.jsonl", '{"capacity": 9, "sizes": [1.' + "0" * 40 + "1]}", "at most 6 digits after the point"),
        ("a.csv", HEAD + "a,9," + "9" * 5000, "row 2, size: got 'an integer of 5,000 digits"),
        ("a.csv", HEAD + "a,9,1\n" + "x" * 140_000 + ",9,1\n", "row 3: got 'no CSV (field larger"),
        ("a.csv", "x" * 140_000 + "\n", "row 1: got 'no CSV (field larger"),
        ("a.csv", HEAD + 'a,9,"1\n"\n"c",9,x\n', "row 4, size: got 'x'"),
        ("a.csv", HEAD + "a,9,1\n,9,1\n", "row 3, instance: got '', expected a text of 1 to 500 characters"),
        ("a.csv", HEAD + '"a\nb",9,1\n', r"row 3, instance: got 'a\nb', expected a text of 1 to 500"),
        ("a.csv", HEAD + "\x1b[2J,9,1\n", r"row 2, instance: got '\x1b[2J', expected a text of 1 to 500"),
        ("a.jsonl", '{"id": null, "capacity": 9, "sizes": [1]}', "row 1, id: got None, expected a text"),
        ("a.jsonl", '{"id": ["a"], "capacity": 9, "sizes": [1]}', "row 1, id: got ['a'], expected a text"),
        ("a.jsonl", '{"id": true, "capacity": 9, "sizes": [1]}', "row 1, id: got True, expected a text"),
        ("a.jsonl", '{"id": "\\u001b[2J", "capacity": 9, "sizes": [1]}', r"row 1, id: got '\x1b[2J'"),
        ("a.jsonl", '{"id": "\\ud800", "capacity": 9, "sizes": [1]}', r"row 1, id: got '\ud800'"),
        (
            "a.jsonl",
            '{"stratum": "", "capacity": 9, "sizes": [1]}',
            "row 1, stratum: got '', expected a text",
        ),
        ("a.txt", "1\n\x1b[2J\n150 1 1\n1\n", r"row 2: got '\x1b[2J', expected a text of 1 to 500"),
        ("a.txt", "²\n", "row 1: got '²', expected the number of instances"),
        ("a.txt", "9" * 5000, "expected the number of instances"),
        ("a.txt", "1\nu\n150 " + "9" * 5000 + " 1\n", "row 3: got '150 999"),
        ("a.txt", "many\n", "a.txt row 1: got 'many', expected the number of instances"),
        ("a.txt", "1\nu\n150 3 2\n1\n2\n", "row 3: got '2 rows of sizes to the end', expected 3"),
        ("a.txt", "2\nu\n150 1 1\n1\n", "end: got 'no further row', expected 2 instances"),
        ("a.txt", "1\nu\n150 1 1\n1\n7\n", "row 5: got '7', expected the end after 1 instances"),
        ("a.txt", "", "row 1: got '', expected the number of instances"),
        ("a.xlsx", "", "expected a file that ends in .jsonl, .csv, .txt"),
    ],
)
def test_fault_is_one_line_with_row_and_reason(
    offline: Any, tmp_path: Path, name: str, text: str, words: str
) -> None:
    """Whatever is wrong with a file, the error names file, row, what was got and what was expected."""
    with pytest.raises(InstanceFileError) as caught:
        offline.read_instances(write(tmp_path, name, text))
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_ends_of_line_end_lines(offline: Any, tmp_path: Path, mark: str, end: str) -> None:
    """A cell or a text keeps U+2028, at which `str.splitlines` splits, and in CSV a quoted end of line."""
    table = [HEAD.strip() + ",note", f'a,9,4,"\u2028{end}b"', f'a,9,1,"\u2028{end}b"', "c,9,2,", ""]
    (first, second) = offline.read_instances(write(tmp_path, "a.csv", mark + end.join(table)))
    assert (first.id, second.id, first.public["sizes"]) == ("a", "c", [4, 1])
    rows = ['{"note": "a\u2028b", "capacity": 9, "sizes": [4]}', "", '{"capacity": 9, "sizes": [2]}', ""]
    (first, second) = offline.read_instances(write(tmp_path, "a.jsonl", mark + end.join(rows)))
    assert (first.id, second.id) == ("a-1", "a-3")


def test_numbers_name_instances_and_strata(offline: Any, tmp_path: Path) -> None:
    """Instances that are numbered go by their numbers; blanks inside a name are kept."""
    rows = (
        '{"id": 7, "stratum": 500, "capacity": 9, "sizes": [4]}\n{"id": " b ", "capacity": 9, "sizes": [4]}'
    )
    (first, second) = offline.read_instances(write(tmp_path, "a.jsonl", rows))
    assert (first.id, first.stratum, second.id, second.stratum) == ("7", "500", " b ", "a")


def test_capacity_too_fine_for_online_packing(online: Any, tmp_path: Path) -> None:
    """Gap counts are a list as long as the capacity: a huge one is refused with the reason."""
    path = write(tmp_path, "fine.csv", HEAD + "a,100000,7\n")
    with pytest.raises(InstanceFileError, match=r"row 2, capacity: got 100000 .*at most 10000"):
        online.read_instances(path)


def test_the_capacity_is_named_as_written(offline: Any, tmp_path: Path) -> None:
    """A message says 10 for a capacity of 10, not 10.000000."""
    with pytest.raises(InstanceFileError, match=r"at most the capacity 10$"):
        offline.read_instances(write(tmp_path, "a.csv", HEAD + "a,10,11\n"))


def test_missing_file_is_one_line(offline: Any, tmp_path: Path) -> None:
    """A path that is no file is named."""
    with pytest.raises(InstanceFileError, match=r"gone\.csv: cannot be read"):
        offline.read_instances(tmp_path / "gone.csv")
