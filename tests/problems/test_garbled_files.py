"""Users' files of many formats, shuffled, repeated, cut and garbled: read as they say, or refused."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import hypot
from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.problems.base import Instance, InstanceFileError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

POINTS = [[0, 0], [0, 10], [10, 10], [12, 1], [5, 7]]
COORDINATES = "".join(f"{k} {x} {y}\n" for k, (x, y) in enumerate(POINTS, 1))
HEAD = (
    "NAME : five\nCOMMENT : by hand\nTYPE : {}\nDIMENSION : 5\nEDGE_WEIGHT_TYPE : EUC_2D\n{}"
    + "NODE_COORD_SECTION\n"
    + COORDINATES
)
TOUR = HEAD.format("TSP", "") + "EOF\n"
DEPOT = "DEPOT_SECTION\n1\n-1\nEOF\n"
DEMANDS = "DEMAND_SECTION\n1 0\n2 3\n3 0\n4 5\n5 2\n"
SCORES = "NODE_SCORE_SECTION\n1 2\n2 3\n3 0\n4 5\n5 1\n"
ROUTES = HEAD.format("CVRP", "CAPACITY : 9\n") + DEMANDS + DEPOT
PRIZES = HEAD.format("OP", "COST_LIMIT : 30\n") + SCORES + DEPOT
SHOP = "# three jobs\n3 2\n0 4 1 5\n1 2 0 0\n0 7 1 3\n"
FLOW = "number of jobs, number of machines\n3 2 873 15 12\nprocessing times :\n4 5 6\n1 2 3\n"
KNAPSACK = "2\n3 2 9.5\n1.5 2 3\n4 5 6\n1 2.25 0\n7 3\n2 1 0\n8 9\n1 1\n1\n"
BINS = "2\n a\n 10 3 2\n4\n5.5\n6\n b\n 7 2 1\n3\n4\n"
STOCK = "4\n100\n40\n55\n60\n33\n"
MACHINES = "3 2 1\n57\n0 3 1 4\n0 5 1 1\n0 2 1 6\nSSD\nM0\n0 7 2\n1 0 9\n3 4 0\nM1\n0 2 8\n5 0 1\n6 3 0\n"
GRAPH = "3\n0 0 0\n1 5 1 0\n2 7 1 0\n3 9 2 1 2\n4 0 1 3\n# made by hand\n"
BUFFERS = "id,lower,upper,size\na,0,4,10\nb,2,6,20\nc,5,9,10\n"
JOBS = "instance,p,d\nx,4,9\nx,3,5\ny,2,8\n"
LINES = '{"id": "x", "p": [4, 3], "d": [9, 5]}\n{"id": "y", "p": [2], "d": [8]}\n'
ITEMS = '{"id": "x", "capacity": 10, "sizes": [4, 5]}\n{"id": "y", "capacity": 7, "sizes": [3]}\n'
QUEUE = "workers,2\nmemory,50\narrival,prompt_tokens,output_tokens\n0,3,4\n2,5,6\n1,7,8\n"


def number(word: str) -> Any:
    """A word as an exact number where it is one."""
    try:
        return Decimal(word)
    except InvalidOperation:
        return word


def sections(text: str) -> dict[str, list[Any]]:
    """A second, small parser of TSPLIB: key or section → its words; what changes no instance is left out."""
    found: dict[str, list[Any]] = {}
    words: list[Any] = []
    for line in text.split("\n"):
        key, colon, value = (part.strip() for part in line.partition(":"))
        if colon:
            found[key] = found.get(key, []) + [number(word) for word in value.split()]
        elif re.fullmatch(r"\s*[A-Z_]+\s*", line):
            words = found.setdefault(key, [])
        else:
            words += [number(word) for word in line.split()]
    for key in ("NAME", "COMMENT", "TYPE", "EOF", "DEPOT_SECTION", "DISPLAY_DATA_TYPE"):
        found.pop(key, None)
    return found


def numbers(text: str) -> list[Any]:
    """All words of a text, comments, titles before the first numbers and known titles behind them aside."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")]
    while lines and not re.match(r"\s*[-+]?[0-9.]", lines[0]):
        lines.pop(0)
    known = re.compile(r"\s*(number of jobs|processing times|nb of jobs|(times|machines|eof)\s*$)", re.I)
    rows = [line for line in lines if not known.match(line)]
    return [number(word) for word in " ".join(rows).split() if set(word) - {"+", "-"}]


def table(text: str) -> list[tuple[str, ...]]:
    """Rows of a CSV text with its header, columns by name."""
    header, *rows = [
        [c.strip() for c in row] for row in csv.reader(io.StringIO(text)) if any(c.strip() for c in row)
    ]
    order = sorted(range(len(header)), key=lambda k: header[k].lower())
    return [
        tuple(header[k].lower() if row is header else str(number(row[k])) for k in order)
        for row in (header, *rows)
    ]


def objects(text: str) -> list[Any]:
    """The objects of JSON lines."""
    return [json.loads(line, parse_float=Decimal) for line in text.split("\n") if line.strip()]


def nodes(instance: Instance) -> dict[str, list[Any]]:
    """What the parser above finds in the file of such an instance."""
    public = instance.public
    count = len(public["distances"])
    points = public["coordinates"]
    expected = [[int(hypot(a - c, b - d) + 0.5) for c, d in points] for a, b in points]
    assert public["distances"] == expected
    found: dict[str, list[Any]] = {"DIMENSION": [count], "EDGE_WEIGHT_TYPE": ["EUC_2D"]}
    found["NODE_COORD_SECTION"] = [x for k, point in enumerate(points, 1) for x in (k, *point)]
    for key, name in (("demands", "DEMAND_SECTION"), ("prizes", "NODE_SCORE_SECTION")):
        if key in public:
            found[name] = [x for k, value in enumerate(public[key], 1) for x in (k, value)]
    for key, name in (("capacity", "CAPACITY"), ("max_length", "COST_LIMIT")):
        if key in public:
            found[name] = [public[key]]
    return found


def shop(instances: Sequence[Instance], text: str) -> list[Any]:
    """Numbers of a job shop in the standard layout, with what its first line has behind n and m."""
    (instance,) = instances
    routes, times = instance.public["routes"], instance.public["times"]
    first = next(line for line in text.split("\n") if re.match(r"\s*[-+0-9.]", line)).split()[2:]
    pairs = [x for row in zip(routes, times, strict=True) for pair in zip(*row, strict=True) for x in pair]
    layout = [x - 0 for x in pairs]
    return [len(routes), instance.public["machines"], *map(number, first), *layout]


def flow(instances: Sequence[Instance], text: str) -> list[Any]:
    """Numbers of flow shops; seeds and bounds from the text."""
    found: list[Any] = []
    rows = [line.split() for line in text.split("\n") if re.match(r"\s*[-+0-9.]", line)]
    place = 0
    for instance in instances:
        times = instance.public["times"]
        found += [len(times), len(times[0]), *map(number, rows[place][2:])]
        found += [x for machine in zip(*times, strict=True) for x in machine]
        place += 1 + len(times[0])
    return found


def machines_in(text: str) -> list[Any]:
    """Words of a file of unrelated machines, without the numbers that may stand behind its sizes."""
    rows = [words for line in text.split("\n") if (words := line.split())]
    body = rows[2:] if len(rows[1]) == 1 else rows[1:]
    return [*map(number, rows[0][:2]), *(number(word) for row in body for word in row)]


def machines(instances: Sequence[Instance], text: str) -> list[Any]:
    """The same words from the instance."""
    (instance,) = instances
    times, setups = instance.public["times"], instance.public["setups"]
    found: list[Any] = [len(times[0]), len(times)]
    found += [x for k in range(len(times[0])) for i, row in enumerate(times) for x in (i, row[k])]
    found.append("SSD")
    for i, square in enumerate(setups):
        found += [f"M{i}", *(x for row in square for x in row)]
    return found


def knapsacks(instances: Sequence[Instance], text: str) -> list[Any]:
    """Numbers of knapsacks without the listed optima, each row as shares of its capacity's scale."""
    found: list[Any] = []
    for instance in instances:
        public = instance.public
        found.append((len(public["profits"]), len(public["capacities"])))
        found.append([Decimal(p) / instance.scale for p in public["profits"]])
        found += [[Decimal(w) * 1 for w in row] for row in public["weights"]]
    return found


@dataclass(frozen=True, slots=True)
class Format:
    """A format: the problem that reads it, a file, what a second parser finds there, and what was read."""

    problem: str
    file: str
    text: str
    parser: Callable[[str], Any]
    written: Callable[[Sequence[Instance], str], Any]


def bins(instances: Sequence[Instance], text: str) -> list[Any]:
    """Capacity and sizes of each instance in the file's unit."""
    return [[Decimal(x) / factor(i) for x in (i.public["capacity"], *i.public["sizes"])] for i in instances]


def factor(instance: Instance) -> int:
    """By which the numbers of a file were multiplied."""
    scaled = re.search(r"numbers × (\d+)", instance.source)
    return int(scaled[1]) if scaled else 1


def bins_in(text: str) -> list[Any]:
    """Capacity and sizes of each instance of OR-Library's layout."""
    words = text.split()
    found, place = [], 1
    for _ in range(int(words[0])):
        capacity, count = Decimal(words[place + 1]), int(words[place + 2])
        found.append([capacity, *map(Decimal, words[place + 4 : place + 4 + count])])
        place += 4 + count
    assert place == len(words)
    return found


def stock_in(text: str) -> list[Any]:
    """Capacity and sizes of BPPLIB's layout."""
    count, *rest = text.split()
    assert int(count) == len(rest) - 1
    return [list(map(Decimal, rest))]


def knapsacks_in(text: str) -> list[Any]:
    """Sizes, profits and rows of weights, a row scaled to integers together with its capacity."""
    words = [Decimal(word) for word in text.split()]
    found: list[Any] = []
    place = 1
    for _ in range(int(words[0])):
        n, m = int(words[place]), int(words[place + 1])
        place += 3
        found += [(n, m), words[place : place + n]]
        place += n
        capacities = words[place + n * m : place + n * m + m]
        for k in range(m):
            row = words[place + k * n : place + (k + 1) * n]
            scale = next(10**d for d in range(9) if all(x * 10**d % 1 == 0 for x in (*row, capacities[k])))
            found.append([x * scale for x in row])
        place += n * m + m
    assert place == len(words)
    return found


def buffers(instances: Sequence[Instance], text: str) -> list[Any]:
    """Rows of a memory file as `table` has them."""
    (instance,) = instances
    hidden = instance.hidden or {}
    rows = zip(hidden["ids"], instance.public["buffers"], strict=True)
    return [
        ("id", "lower", "size", "upper"),
        *(
            (str(number(name)), str(low), str(size * hidden["unit"]), str(high))
            for name, (low, high, size) in rows
        ),
    ]


def jobs(instances: Sequence[Instance], text: str) -> list[Any]:
    """Processing time and due date of all jobs by instance."""
    return [[i.id, i.public["processing_times"], i.public["due_dates"]] for i in instances]


def jobs_in(text: str) -> list[Any]:
    """The same from a CSV text."""
    rows = list(csv.DictReader(io.StringIO(text)))
    names = list(dict.fromkeys(row["instance"].strip() for row in rows))
    return [
        [name, *([int(row[key]) for row in rows if row["instance"].strip() == name] for key in "pd")]
        for name in names
    ]


FORMATS = {
    "tsplib": Format("tsp", "my.tsp", TOUR, sections, lambda found, text: nodes(found[0])),
    "cvrplib": Format("cvrp", "my.vrp", ROUTES, sections, lambda found, text: nodes(found[0])),
    "oplib": Format("orienteering", "my.op", PRIZES, sections, lambda found, text: nodes(found[0])),
    "job-shop": Format("job-shop", "my.txt", SHOP, numbers, shop),
    "flow-shop": Format("flow-shop", "my.txt", FLOW, numbers, flow),
    "unrelated-machines": Format("unrelated-machines", "my.txt", MACHINES, machines_in, machines),
    "mknap": Format("multi-knapsack", "my.txt", KNAPSACK, knapsacks_in, knapsacks),
    "or-library-bins": Format("bin-packing", "my.txt", BINS, bins_in, bins),
    "bpplib": Format("bin-packing", "my.bpp", STOCK, stock_in, bins),
    "bins-json": Format(
        "bin-packing",
        "my.jsonl",
        ITEMS,
        lambda text: [[Decimal(x) for x in (row["capacity"], *row["sizes"])] for row in objects(text)],
        bins,
    ),
    "memory": Format("memory-mapping", "my.csv", BUFFERS, table, buffers),
    "tardiness-csv": Format("smtt", "my.csv", JOBS, jobs_in, jobs),
    "tardiness-json": Format(
        "smtt",
        "my.jsonl",
        LINES,
        lambda text: [
            [row.get("id", f"line-{k}"), row["p"], row["d"]] for k, row in enumerate(objects(text), 1)
        ],
        jobs,
    ),
}
MUTATIONS = ("swap", "repeat", "drop", "cut", "garble", "insert", "append")
PIECES = (
    " 7",
    "\n7 7\n",
    " x",
    "\nDUE_DATES : 4\n",
    "\nTIME_WINDOW_SECTION\n1 0 5\n",
    "\nEOF\nNAME : x\n",
    ',"due": 3',
    ",9",
    "\n",
)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """A text after one to three changes of lines or characters."""
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(MUTATIONS))
        lines = text.split("\n")
        i, j = (draw(st.integers(0, len(lines) - 1)) for _ in "ij")
        at = draw(st.integers(0, len(text)))
        if kind == "swap":
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
        elif kind == "repeat":
            text = "\n".join([*lines[:j], lines[i], *lines[j:]])
        elif kind == "drop":
            text = "\n".join([*lines[:i], *lines[i + 1 :]])
        elif kind == "cut":
            text = text[:at]
        elif kind == "garble":
            text = text[:at] + draw(st.sampled_from('0179.-+ :,xE_#\n"[]')) + text[at + 1 :]
        elif kind == "insert":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        else:
            text += draw(st.sampled_from(PIECES))
    return text


def read(form: Format, folder: Path, text: str) -> Sequence[Instance]:
    """The instances of a text."""
    path = folder / form.file
    path.write_text(text, "utf-8")
    problem: Any = load_problem(form.problem).problem
    return list(problem.read_instances(path))


@pytest.mark.parametrize("name", FORMATS)
def test_the_second_parser_agrees_on_the_file_itself(tmp_path: Path, name: str) -> None:
    """Both readings of the file by hand are the same."""
    form = FORMATS[name]
    assert form.written(read(form, tmp_path, form.text), form.text) == form.parser(form.text)


@pytest.mark.parametrize("examples", [40, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORMATS)
def test_a_garbled_file_is_read_as_it_says_or_refused(tmp_path: Path, name: str, examples: int) -> None:
    """Whatever is accepted holds every number of the text that a second parser finds; the rest is refused."""
    form = FORMATS[name]

    @settings(derandomize=True, max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(mutated(form.text))
    def check(text: str) -> None:
        try:
            found = read(form, tmp_path, text)
        except InstanceFileError:
            return
        assert form.written(found, text) == form.parser(text), text

    check()
