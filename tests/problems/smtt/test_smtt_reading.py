"""A user's own instances, and the picture of an answer."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest
from gapsmith.evaluators.smtt import smtt, smwtt
from gapsmith.problems.base import Drawable, InstanceFileError, ReadsInstances
from gapsmith.problems.smtt.generator import RANGES, WEIGHTED_TIGHTNESS, draw_jobs, stratum_name
from gapsmith.problems.smtt.verification import total_tardiness


def write(folder: Path, name: str, text: str) -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text, "utf-8", newline="")
    return path


def test_the_three_layouts_hold_the_same_instances(tmp_path: Path) -> None:
    """CSV, JSON lines and OR-Library's layout of the same two instances are read alike."""
    problem = smwtt.problem()
    assert isinstance(problem, ReadsInstances)
    table = "instance,p,d,w\na,3,5,1\na,2,-1,2\nb,4,4,1\n\nb,1,9,3\n"
    lines = '{"id":"a","p":[3,2],"d":[5,-1],"w":[1,2]}\n{"id":"b","p":[4,1],"d":[4,9],"w":[1,3]}\n'
    plain = "3 2\n1 2\n5 -1\n 4 1 1 3\n4 9\n"
    read = [
        problem.read_instances(write(tmp_path, name, text))
        for name, text in (("x.csv", table), ("x.jsonl", lines), ("wt2.txt", plain))
    ]
    assert [[i.digest for i in instances] for instances in read] == [[i.digest for i in read[0]]] * 3
    assert [i.id for i in read[0]] == [i.id for i in read[1]] == ["a", "b"]
    assert read[0][0].public == {"processing_times": [3, 2], "due_dates": [5, -1], "weights": [1, 2]}
    assert read[0][0].split == "x.csv"


def test_a_file_like_or_library_s_is_read_with_its_strata(tmp_path: Path) -> None:
    """125 instances by RDD, then TF, five each, get these as strata; in another order they are one."""
    stream = random.Random(5)
    cells = [cell for cell in product(RANGES, WEIGHTED_TIGHTNESS) for _ in range(5)]
    drawn = [draw_jobs(stream, 12, rdd, tf, weighted=True) for rdd, tf in cells]
    texts = [
        "\n".join(" ".join(map(str, jobs[key])) for key in ("processing_times", "weights", "due_dates"))
        for jobs in drawn
    ]
    path = write(tmp_path, "wt12.txt", "\n".join(texts))
    problem = smwtt.problem()
    assert isinstance(problem, ReadsInstances)
    instances = problem.read_instances(path)
    assert [i.public for i in instances] == drawn
    assert [instances[k].id for k in (0, 124)] == ["wt12-001", "wt12-125"]
    assert [i.stratum for i in instances] == [stratum_name(rdd, tf) for rdd, tf in cells]
    backwards = problem.read_instances(write(tmp_path, "wt12b.txt", "\n".join(texts[::-1])))
    fewer = problem.read_instances(write(tmp_path, "wt12c.txt", "\n".join(texts[:60])))
    assert {i.stratum for i in (*backwards, *fewer)} == {"all"}
    assert {i.digest for i in backwards} == {i.digest for i in instances}


def test_or_library_s_sets_are_no_named_sets() -> None:
    """The weighted forms have their three splits alone; a user brings OR-Library's file."""
    problem = smwtt.problem()
    assert list(problem.sets()) == ["train", "valid", "test"]
    with pytest.raises(KeyError):
        problem.instances("wt40", 0)


def test_one_instance_needs_no_name_and_no_weights(tmp_path: Path) -> None:
    """Two columns are enough for one unweighted instance; the OR-Library layout leaves its weights out."""
    problem = smtt.problem()
    (instance,) = problem.read_instances(write(tmp_path, "x.csv", "p,d\n3,5\n2,1\n"))
    (other,) = problem.read_instances(write(tmp_path, "wt2.txt", "3 2 7 7 5 1"))
    assert instance.public == other.public == {"processing_times": [3, 2], "due_dates": [5, 1]}


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("x.csv", "p,d\n3,5\n0,1\n", ("line 3 column 1 (p)", "got 0", "≥ 1")),
        ("x.csv", "p,d\n3,nan\n", ("line 2 column 2 (d)", "'nan'", "an integer")),
        ("x.csv", "p,d\n3\n", ("line 2", "1 columns", "expected 2")),
        ("x.csv", "p,due\n3,4\n", ("line 1", "column 'd'")),
        ("x.csv", "p,d,w\n3,4,1\n", ("line 1 column 3", "'w'")),
        ("x.csv", "p,d\n", ("no instance",)),
        ("x.csv", "p,d\n1.5,2\n", ("line 2 column 1", "'1.5'")),
        ("x.jsonl", '{"p":[1],"d":[2]}\n{"p":[1,-2],"d":[2,3]}', ("line 2 p[1]", "got -2")),
        ("x.jsonl", '{"p":[1,2],"d":[2]}', ("line 1", "lengths", "equal")),
        ("x.jsonl", '{"p":[1],"d":[NaN]}', ("line 1 d[0]", "nan")),
        ("x.jsonl", '{"p":[1],"d":[true]}', ("line 1 d[0]", "True")),
        ("x.jsonl", '{"p":[1],', ("line 1 column", "no JSON")),
        ("x.jsonl", '{"p":[1],"d":[1],"r":[2]}', ("line 1", "'r'")),
        ("x.jsonl", '{"id":"a","p":[1],"d":[1]}\n{"id":"a","p":[1],"d":[1]}', ("line 2 id", "once")),
        ("x.jsonl", '{"p":[1],"d":[2]}\n\n{"p":[1],"d":[x]}', ("line 3 column 15", "no JSON")),
        ("x.jsonl", '\n{"id":"a","p":[1,2],"p":[5,6],"d":[1,2]}', ("line 2:", "the key 'p' twice", "once")),
        ("x.jsonl", '{"p":[1],"d":[2],"d":' + "[" * 100_000, ("line 1", "nested too deep", "expected")),
        (
            "x.jsonl",
            '{"p":[1],"d":[' + "9" * 5000 + "]}",
            ("line 1 d[0]", "5,000 digits", "too large", "1,000,000,000,000"),
        ),
        ("x.jsonl", '{"id":' + "9" * 5000 + ',"p":[1],"d":[2]}', ("line 1 id", "5,000 digits", "a text")),
        ("x.csv", "p,d\n3,4\n" + "x" * 140_000 + ",5\n", ("line 3", "131,072 characters")),
        ("x.csv", "x" * 140_000 + "\n", ("line 1", "131,072 characters")),
        ("x.csv", "p,d\n3," + "x" * 1_000 + "\n", ("line 2 column 2 (d)", "'xxx", "expected an integer")),
        ("x.csv", 'instance,p,d\na,1,"2\n"\n"c",1,x\n', ("line 4 column 3 (d)", "'x'")),
        ("x.csv", "instance,p,d\na,1,2\n ,1,2\n", ("line 3 instance", "got ''", "a text of 1 to 500")),
        ("x.csv", "instance,p,d\n\x1b[2J,1,2\n", ("line 2 instance", r"got '\x1b[2J'", "control")),
        ("x.jsonl", '{"id":null,"p":[1],"d":[2]}', ("line 1 id", "got None", "a text of 1 to 500")),
        ("x.jsonl", '{"id":"\\u001b[2J","p":[1],"d":[2]}', ("line 1 id", r"got '\x1b[2J'", "control")),
        ("x.jsonl", '{"id":"' + "x" * 501 + '","p":[1],"d":[2]}', ("line 1 id", "got 'xxx", "500")),
        ("x.jsonl", '{"id":3,"p":[1],"d":[2]}\n{"id":"3","p":[1],"d":[2]}', ("line 2 id", "got '3'", "once")),
        ("x.csv", "p,d\r\n1,2\r\n\r\n1,x\r\n", ("line 4 column 2 (d)", "'x'")),
        ("wt2.txt", "1 2 3 4 5", ("5 numbers", "multiple of 6")),
        ("wt2.txt", "1 2\n1 1\n3 x\n", ("line 3 number 2 (d)", "'x'")),
        ("plain.txt", "1 2 3", ("number of jobs", "file's name")),
        ("x.xlsx", "", ("'.xlsx'", ".csv")),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, name: str, text: str, parts: tuple[str, ...]) -> None:
    """The message names the file, the place, what was got and what was expected."""
    path = write(tmp_path, name, text)
    with pytest.raises(InstanceFileError) as caught:
        smtt.problem().read_instances(path)
    for part in (str(path), *parts):
        assert part in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["a\u2028b", "a\u0085b", "a\x0bb", "a\x1cb"])
def test_only_ends_of_line_end_lines(tmp_path: Path, name: str, mark: str, end: str) -> None:
    """Other characters that `str.splitlines` splits at are part of a name, which is refused for them."""
    texts = {"x.csv": ["instance,p,d", f'"{name}",3,5', "c,4,4", ""]}
    if name[1] > "\x1f":  # JSON has control characters only as escapes
        texts["x.jsonl"] = ["", f'{{"id":"{name}","p":[3,2],"d":[5,1]}}', ""]
    for file, rows in texts.items():
        with pytest.raises(InstanceFileError, match=r"line 2 i(d|nstance): got 'a\\.*b', expected a text"):
            smtt.problem().read_instances(write(tmp_path, file, mark + end.join(rows)))


def test_a_name_of_two_lines_is_refused(tmp_path: Path) -> None:
    """A quoted cell over two lines is one cell: a name that would break the rows of a table."""
    path = write(tmp_path, "x.csv", 'instance,p,d\r\nc,1,2\r\n"a\r\nb",3,5\r\n')
    with pytest.raises(InstanceFileError, match=r"line 4 instance: got 'a\\nb', expected a text"):
        smtt.problem().read_instances(path)


def test_names_of_other_scripts_and_numbers_are_kept(tmp_path: Path) -> None:
    """Blanks inside, letters of any script, long names and plain numbers name instances."""
    long = "x" * 500
    rows = [f'{{"id":{id},"p":[3],"d":[5]}}' for id in ('"Größe 3 例"', f'"{long}"', "17")]
    instances = smtt.problem().read_instances(write(tmp_path, "x.jsonl", "\n".join(rows)))
    assert [i.id for i in instances] == ["Größe 3 例", long, "17"]


def test_a_file_name_that_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    """The set goes by the file's name, so it must be one that a table can show."""
    with pytest.raises(
        InstanceFileError, match=r"^file name: got 'a\\x1b.csv', expected .*; rename the file"
    ):
        smtt.problem().read_instances(tmp_path / "a\x1b.csv")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A path that does not exist is an instance-file error too."""
    with pytest.raises(InstanceFileError, match=r"gone\.csv"):
        smtt.problem().read_instances(tmp_path / "gone.csv")


def test_the_picture_shows_jobs_due_dates_and_tardiness() -> None:
    """Every job is a rectangle of its length at its place; late ones are in a group of their own."""
    problem = smtt.problem(jobs=8)
    assert isinstance(problem, Drawable)
    instance = problem.instances("train", 1)[3]
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    drawing = problem.draw(instance, order)  # type: ignore[arg-type]
    bars = [shape for shape in drawing.shapes if shape.kind == "rectangle"]
    assert [int(bar.text) for bar in bars] == order
    assert [bar.width for bar in bars] == [instance.public["processing_times"][j] for j in order]
    assert bars[1].x == bars[0].width
    value = total_tardiness(instance.public, order)
    assert drawing.title.endswith(f"total tardiness {value}")
    late = [s for s in drawing.shapes if s.group == "tardiness"]
    assert -sum(s.width for s in late) == value
    assert len(late) == sum(bar.group == "late job" for bar in bars) > 0
    with pytest.raises(ValueError, match="expected"):
        problem.draw(instance, [0, 0])
