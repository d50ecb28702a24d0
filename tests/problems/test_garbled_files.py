"""Users' files of many formats, shuffled, repeated, cut and garbled: read as they say, or refused."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import pairwise
from math import ceil, hypot
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
DOT = (
    'digraph work { /* by hand */\n  node [shape=box]; edge [size=3]\n  a [cost=4, label="the first"]\n'
    '  b [cost="6.0"]; c [cost=5]\n  a -> b -> c [size="7"]\n  a -> c // straight\n  d [cost=9]; d -> c\n}\n'
)
TASKS = '{"name": "g", "times": [[4, null], [3, 5], [6, 2]], "edges": [[0, 1, 3], [2, 1, 0]]}\n'
ADAPTERS = "stages,3\ncapacity,1024\ntile,64\ntimes,4,1,8,2\nnews,2,100,300,65\nchat,1,128,64\n"
LORA_LINES = (
    '{"stages": 3, "capacity": 1024, "times": [4, 1, 8, 2]}\n'
    '{"name": "news", "batch_size": 2, "lengths": [100, 300, 65]}\n'
    '{"name": "chat", "batch_size": 1, "lengths": [128, 64]}\n'
)
STEPS = (
    "devices,4\ncapacity,500\noverhead,7\nquadratic,1,0.5,0.25\nlinear,10,8,6\none,400,300,90\ntwo,500,80\n"
)
DEMAND_ROWS = "arrive,cpu,memory\n0,4,8\n2,1,2\n1,2,16\n"
STAY_ROWS = "arrive,depart,cpu,memory,duration\n0,9,4,8,\n2,,1,2,5\n1,4,2,16,3\n"
FLEET_ROWS = "free_cpu,free_memory,cpu,memory\n8,20,16,64\n16,64,16,64\n"
FLEET = (
    '{"gpu_info": {"small": {"cost": 0.7, "tputs": [[2.5, 1], [0.5, 0]]}, "large": {"cost": 3.25, "tputs": '
    '[[9, 4], [3, 1.5]]}},\n "workload_distribution": [[0.5, 0.25], [0.25, 0]],\n "total_request_rate": 6,\n'
    ' "slice_factor": 3}\n'
)
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
    beside: tuple[str, str] | None = None
    """Name and text of a second file that belongs to it; of the two that of the jobs is opened."""


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


PROCESSORS = 4
"""Of graphs whose files give one time for all."""


def chain(text: str) -> list[tuple[bool, str]]:
    """Tokens of DOT, each with whether it is a plain word or a sign; comments are left out."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", " ", text, flags=re.DOTALL | re.MULTILINE)
    tokens = re.findall(r'"((?:[^"\\]|\\.)*)"|([-]?[\w.]+|->|[^\w\s])', text, re.DOTALL)
    return [(bool(plain), plain or re.sub(r"\\([\"\\])", r"\1", quoted)) for quoted, plain in tokens]


def dot_in(text: str) -> list[Any]:
    """A second, small parser of DOT: the costs of nodes, and edges with sizes."""
    words = chain(text)
    place = next(k for k, word in enumerate(words) if word == (True, "{")) + 1
    costs: dict[str, Any] = {}
    edges: dict[tuple[str, str], Any] = {}
    usual: dict[str, dict[str, str]] = {"node": {}, "edge": {}, "graph": {}}
    while words[place] != (True, "}"):
        names = [words[place]]
        place += 1
        while words[place] == (True, "->"):
            names.append(words[place + 1])
            place += 2
        keys: dict[str, str] = {}
        if words[place] == (True, "="):
            place += 2
            names = []
        while words[place] == (True, "["):
            place += 1
            while words[place] != (True, "]"):
                assert words[place + 1] == (True, "=")
                keys[words[place][1]] = words[place + 2][1]
                place += 3
                while words[place] in ((True, ","), (True, ";")):
                    place += 1
            place += 1
        if len(names) == 1 and names[0][0] and names[0][1].lower() in usual:
            usual[names[0][1].lower()].update(keys)
        elif len(names) == 1:
            cost = keys.get("cost", costs.get(names[0][1]) or usual["node"].get("cost"))
            costs[names[0][1]] = cost
        else:
            for _, name in names:
                costs.setdefault(name, None)
            for (_, tail), (_, head) in pairwise(names):
                assert (tail, head) not in edges
                edges[tail, head] = keys.get("size", usual["edge"].get("size", "0"))
        while words[place] in ((True, ","), (True, ";")):
            place += 1
    assert place == len(words) - 1
    number = {name: k for k, name in enumerate(costs)}
    rows = [[None if x == "-" else Decimal(x) for x in str(cost).split()] for cost in costs.values()]
    links = [(number[a], number[b], max(Decimal(size), Decimal(0))) for (a, b), size in edges.items()]
    wide = max(map(len, rows))
    return ordered(
        [row * (PROCESSORS if wide == 1 else wide) if len(row) == 1 else row for row in rows], links
    )


def stg_in(text: str) -> list[Any]:
    """Numbers of a Standard Task Graph file: as many tasks as it says, or two more of time 0 at both ends."""
    lines = [line.split() for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    rows = [list(map(int, words)) for words in lines]
    (count,), tasks = rows[0], rows[1:]
    outer = tasks[0][1] == 0, tasks[-1][1] == 0
    assert len(tasks) == count or (len(tasks) == count + 2 and outer == (True, True))
    assert outer[0] == outer[1]
    assert [row[0] for row in tasks] == list(range(len(tasks)))
    assert all(len(row) == 3 + row[2] for row in tasks)
    edges = [(before, row[0], 0) for row in tasks for before in row[3:]]
    assert len(set(edges)) == len(edges)
    return ordered([[row[1]] * PROCESSORS for row in tasks], edges)


def ordered(times: list[list[Any]], edges: list[tuple[int, int, Any]]) -> list[Any]:
    """A graph without idle ends, each time the first task of the file whose predecessors all stand before."""
    tails, heads = {a for a, _, _ in edges}, {b for _, b, _ in edges}
    heavy = {task for a, b, size in edges if size for task in (a, b)}
    idle = {k for k, row in enumerate(times) if set(row) == {0} and k not in heavy and k not in tails & heads}
    edges = [edge for edge in edges if not idle & set(edge[:2])]
    left = [k for k in range(len(times)) if k not in idle]
    order: list[int] = []
    while left:
        order.append(next(k for k in left if all(a in order for a, b, _ in edges if b == k)))
        left.remove(order[-1])
    return [[times[k] for k in order], sorted([order.index(a), order.index(b), size] for a, b, size in edges)]


def graphs(instances: Sequence[Instance], text: str) -> list[Any]:
    """Times and edges of the one graph, or of each in a list."""
    return [[i.public["times"], i.public["edges"]] for i in instances]


def graphs_in(text: str) -> list[Any]:
    """The same from a JSON text."""
    found = json.loads(text)
    return [
        ordered(graph["times"], [(a, b, size) for a, b, size in graph["edges"]])
        for graph in (found if isinstance(found, list) else [found])
    ]


def trace_in(text: str, keys: Sequence[str], own: int) -> list[Any]:
    """Header and jobs of a CSV trace: each key's numbers; name, `own` numbers and lengths of each job."""
    rows = [[c.strip() for c in row] for row in csv.reader(io.StringIO(text)) if any(c.strip() for c in row)]
    rows = [row[: max(k for k, cell in enumerate(row) if cell) + 1] for row in rows]
    heads = [(row[0], [plainly(c) for c in row[1:]]) for row in rows if row[0] in keys]
    jobs = [(row[0], [plainly(c) for c in row[1:]]) for row in rows if row[0] not in keys]
    assert len(dict(heads)) == len(heads)
    assert len(dict(jobs)) == len(jobs)
    return [dict(heads), [(name, values[:own], values[own:]) for name, values in jobs]]


def trace_lines_in(text: str, own: Sequence[str]) -> list[Any]:
    """The same of JSON lines."""
    head, *rows = objects(text)
    heads = {key: value if isinstance(value, list) else [value] for key, value in head.items()}
    return [heads, [(str(row["name"]), [row[key] for key in own], row["lengths"]) for row in rows]]


def plainly(word: str) -> Decimal:
    """A number in plain digits."""
    assert re.fullmatch(r"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(E[-+]?[0-9]+)?", word, re.I), word
    return Decimal(word)


def adapters(parser: Callable[[str], list[Any]]) -> Callable[[Sequence[Instance], str], list[Any]]:
    """What a parser finds in the file of such a LoRA instance, of the keys that the file has."""

    def written(instances: Sequence[Instance], text: str) -> list[Any]:
        (instance,) = instances
        public = instance.public
        head, jobs = parser(text)
        named = {
            key: value if isinstance(value := public[key], list) else [value]
            for key in ("stages", "capacity", "tile", "times")
            if key in head
        }
        found = []
        for k, (name, _, _) in enumerate(jobs):
            samples = [(batch, tokens) for adapter, batch, tokens in public["samples"] if adapter == k]
            size = Decimal(jobs[k][1][0])
            assert [batch for batch, _ in samples] == [n // size for n in range(len(samples))]
            assert (instance.hidden or {})["adapters"][k] == name
            found.append((name, [size], [tokens for _, tokens in samples]))
        assert len(public["samples"]) == sum(len(job[2]) for job in found)
        return [named, found]

    return written


STEP_KEYS = ("devices", "capacity", "overhead", "quadratic", "linear")


def steps_in(text: str) -> list[Any]:
    """Devices, capacity, overhead, and each step: name, lengths, and times by degree if the file says how."""
    head, jobs = trace_in(text, STEP_KEYS, 0)
    devices, capacity, overhead = (head.get(key, [62_936])[0] for key in STEP_KEYS[:3])
    laws = None
    if "quadratic" in head or "linear" in head:
        laws = list(zip(head["quadratic"], head["linear"], strict=True))
        assert len(laws) == int(devices).bit_length()
    steps = [(name, lengths, timed(laws, lengths, capacity)) for name, _, lengths in jobs]
    return [devices, capacity, overhead, steps]


def timed(laws: Sequence[Any] | None, lengths: Sequence[Any], capacity: Any) -> list[list[int]] | None:
    """Time of each sequence by degree, rounded up; 0 where a group is too small."""
    if laws is None:
        return None
    return [
        [max(1, ceil(a * x * x + b * x)) if x <= 2**k * capacity else 0 for k, (a, b) in enumerate(laws)]
        for x in lengths
    ]


def steps(instances: Sequence[Instance], text: str) -> list[Any]:
    """The same from the instances."""
    told = "quadratic" in text
    public = instances[0].public
    found = [(i.id, i.public["lengths"], i.public["times"] if told else None) for i in instances]
    return [public["devices"], public["capacity"], public["overhead"], found]


def demands_in(text: str) -> list[Any]:
    """Demands of a CSV text by arrival, with what else its columns say."""
    rows = [
        {key.strip().lower(): cell.strip() for key, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text.lstrip()))
        if any(cell.strip() for cell in row.values())
    ]
    rows.sort(key=lambda row: plainly(row.get("arrive", "0")))
    return [[int(row["cpu"]), int(row["memory"])] for row in rows if not row.get("depart")]


def stays_in(text: str) -> list[Any]:
    """Jobs that end: [arrive, depart, cpu, memory, told duration], to a minute after the last arrival."""
    rows = csv.DictReader(io.StringIO(text.lstrip()))
    rows = [row for row in rows if any(cell.strip() for cell in row.values())]
    rows = [{key.strip().lower(): cell.strip() for key, cell in row.items()} for row in rows]
    rows.sort(key=lambda row: int(row["arrive"]))
    end = int(rows[-1]["arrive"]) + 1
    found = []
    for row in rows:
        arrive, until = int(row["arrive"]), int(row["depart"] or end)
        told = int(row.get("duration") or until - arrive)
        found.append([arrive, until, int(row["cpu"]), int(row["memory"]), told])
    return found


def machine_rows(instances: Sequence[Instance], text: str) -> list[Any]:
    """Capacity and free rooms as `table` has them, of the columns that the file has."""
    (instance,) = instances
    public = instance.public
    header = table(text)[0]
    rows = zip(public["free_cpu"], public["free_memory"], strict=True)
    values = [{**public, "free_cpu": cpu, "free_memory": memory} for cpu, memory in rows]
    return [header, *(tuple(str(row[key]) for key in header) for row in values)]


def fleet_in(text: str) -> list[Any]:
    """Prices and loads of the published tool's input, in fractions."""
    found = json.loads(text, parse_float=Fraction, parse_int=Fraction, object_pairs_hook=once)
    return [rented(entry) for entry in (found if isinstance(found, list) else [found])]


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ."""
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def rented(entry: Any) -> list[Any]:
    """Names, prices (ten-thousandths of a dollar), slices, and loads (millionths of a GPU) of ranges."""
    assert set(entry) == {"gpu_info", "workload_distribution", "total_request_rate", "slice_factor"}
    shares = entry["workload_distribution"]
    ranges = [(r, c) for r, row in enumerate(shares) for c, share in enumerate(row) if share]
    loads = []
    for r, c in ranges:
        rate = entry["total_request_rate"] * shares[r][c] / entry["slice_factor"]
        served = [gpu["tputs"][r][c] for gpu in entry["gpu_info"].values()]
        units = [max(1, 10**6 * rate // most) if most else None for most in served]
        loads.append([None if load is None or load > 10**6 else load for load in units])
    prices = [round(gpu["cost"] * 10**4) for gpu in entry["gpu_info"].values()]
    return [list(entry["gpu_info"]), prices, [entry["slice_factor"]] * len(ranges), loads]


def rents(instances: Sequence[Instance], text: str) -> list[Any]:
    """The same from the instances."""
    return [
        [(i.hidden or {})["gpus"], i.public["prices"], i.public["slices"], i.public["loads"]]
        for i in instances
    ]


def requests(instances: Sequence[Instance], text: str) -> list[Any]:
    """Workers, memory and requests by arrival."""
    (instance,) = instances
    public = instance.public
    rows = zip(public["arrivals"], public["prompts"], public["outputs"], strict=True)
    return [public["workers"], public["memory"], *map(list, rows)]


def requests_in(text: str) -> list[Any]:
    """The same from the file."""
    rows = [[c.strip() for c in row] for row in csv.reader(io.StringIO(text)) if any(c.strip() for c in row)]
    assert [rows[0][0], rows[1][0], rows[2]] == [
        "workers",
        "memory",
        ["arrival", "prompt_tokens", "output_tokens"],
    ]
    sorted_rows = sorted(([int(cell) for cell in row] for row in rows[3:]), key=lambda row: row[0])
    return [int(rows[0][1]), int(rows[1][1]), *sorted_rows]


LORA_KEYS = ("stages", "capacity", "tile", "times")


def lora_in(text: str) -> list[Any]:
    """Header and adapters of a CSV trace."""
    return trace_in(text, LORA_KEYS, 1)


def lora_lines_in(text: str) -> list[Any]:
    """The same of JSON lines."""
    return trace_lines_in(text, ("batch_size",))


FORMATS = {
    "dot": Format("task-graph", "my.dot", DOT, lambda text: [dot_in(text)], graphs),
    "stg": Format("task-graph", "my.stg", GRAPH, lambda text: [stg_in(text)], graphs),
    "graphs-json": Format("task-graph", "my.json", TASKS, graphs_in, graphs),
    "lora": Format("lora-microbatches", "my.csv", ADAPTERS, lora_in, adapters(lora_in)),
    "lora-json": Format("lora-microbatches", "my.jsonl", LORA_LINES, lora_lines_in, adapters(lora_lines_in)),
    "steps": Format("sequence-packing", "my.csv", STEPS, steps_in, steps),
    "queue": Format("kv-scheduling", "my.csv", QUEUE, requests_in, requests),
    "fleet": Format("gpu-fleet", "my.json", FLEET, fleet_in, rents),
    "cluster-jobs": Format(
        "cluster-scheduling",
        "my-jobs.csv",
        DEMAND_ROWS,
        demands_in,
        lambda found, text: (found[0].hidden or {})["jobs"],
        ("my-machines.csv", FLEET_ROWS),
    ),
    "cluster-machines": Format(
        "cluster-scheduling", "my-machines.csv", FLEET_ROWS, table, machine_rows, ("my-jobs.csv", DEMAND_ROWS)
    ),
    "churn-jobs": Format(
        "cluster-churn",
        "my-jobs.csv",
        STAY_ROWS,
        stays_in,
        lambda found, text: (found[0].hidden or {})["jobs"],
        ("my-machines.csv", FLEET_ROWS),
    ),
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
    "_0",
    "\u0660",
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
            text = text[:at] + draw(st.sampled_from('0179.-+ :,xE_#\n"[]{}()\u0663\u00b2')) + text[at + 1 :]
        elif kind == "insert":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        else:
            text += draw(st.sampled_from(PIECES))
    return text


def read(form: Format, folder: Path, text: str) -> Sequence[Instance]:
    """The instances of a text."""
    path = folder / form.file
    path.write_text(text, "utf-8")
    if form.beside is not None:
        (folder / form.beside[0]).write_text(form.beside[1], "utf-8")
        path = path.with_name(path.name.replace("machines", "jobs"))
    problem: Any = load_problem(form.problem).problem
    return list(problem.read_instances(path))


@pytest.mark.parametrize("name", FORMATS)
def test_the_second_parser_agrees_on_the_file_itself(tmp_path: Path, name: str) -> None:
    """Both readings of the file by hand are the same."""
    form = FORMATS[name]
    assert form.written(read(form, tmp_path, form.text), form.text) == form.parser(form.text)


@pytest.mark.quick("lora", "bpplib", "tardiness-csv")
@pytest.mark.parametrize("name", FORMATS)
def test_numbers_are_written_in_plain_digits(tmp_path: Path, name: str) -> None:
    """Python's `1_0`, and digits of other scripts, are refused wherever they would change an instance."""
    form = FORMATS[name]
    before = [(i.public, i.hidden) for i in read(form, tmp_path, form.text)]
    for found in re.finditer(r"[0-9]+", form.text):
        for written in (f"{found[0]}_0", f"{found[0]}\u0660", "\uff11"):
            text = form.text[: found.start()] + written + form.text[found.end() :]
            try:
                now = [(i.public, i.hidden) for i in read(form, tmp_path, text)]
            except InstanceFileError:
                continue
            assert now == before, text


@pytest.mark.parametrize("examples", [20, pytest.param(300, marks=pytest.mark.slow)])
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
