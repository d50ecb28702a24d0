"""Unrelated machines with setups between jobs: instances, verification, files of the benchmark, pictures.

R | s_ijk | Cmax as E. Vallada and R. Ruiz, A genetic algorithm for the unrelated parallel machine scheduling
problem with sequence dependent setup times, European Journal of Operational Research 211 (2011) 612-622,
doi:10.1016/j.ejor.2011.01.011, whose laws these are: times uniform from 1 to 99, setups uniform from 1.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NoReturn

from ..answers import Partition
from ..base import (
    Drawing,
    Instance,
    InstanceFileError,
    Json,
    Parameter,
    Primitive,
    Sense,
    Shape,
    Verdict,
)
from ..faults import objective_of
from ..files import read_text, shown, split_lines
from ..programs import ShipsMoves
from ..strata import Cell, Draw
from ..stratified import StratifiedProblem, rounds
from ..summaries import percent
from . import Rounds

KIND = Partition("times[0]", "times")
"""One list of jobs for each machine."""
SIZES = ((2, 12, 99), (3, 14, 49), (4, 16, 9), (4, 16, 124))
"""Machines, jobs and longest setup of the strata."""
LARGE = "large"
LARGE_SIZES = ((6, 40, 9), (6, 40, 49), (6, 40, 99), (6, 40, 124))
FORMAT = """\
A text file in the layout of the benchmark of Vallada and Ruiz (`I_50_10_S_1-9_1.txt`): a line that begins
with the numbers of jobs n and machines m (up to two further numbers may follow, and one on a line of its
own), n lines of m pairs `machine time`, machines from 0, the word `SSD`, and for each machine a line `M0`,
`M1`, … with n lines of n setups behind it: line j, number k is the setup from job j to job k. A machine's
first job needs no setup, and the setup of a job to itself is never used. Numbers are integers from 0 to 10⁹,
time units. At most 400,000 setups (`--set problem.most_setups=N` lifts that up to 4,000,000)."""
_STATEMENT = """\
m machines process n jobs, each job once, on one of the machines, one at a time, without breaks. times[i][k]
is the processing time of job k on machine i; setups[i][j][k] is the time that machine i is set up when job k
follows job j directly; the first job of a machine needs no setup. All are integers, time units. The makespan,
the largest sum of a machine's processing and setup times, shall be as small as possible.
Return one list for each machine, the jobs (0 to n - 1) in the order in which the machine processes them; a
list may be empty, and each job is in exactly one list. Setups need not keep the triangle inequality. The
problem is strongly NP-hard, and CPU time is limited."""
_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(times)", "", "number of machines"),
        ("len(times[0])", "", "number of jobs"),
        ("times[i][k]", "", "processing time of job k on machine i, time units"),
        ("setups[i][j][k]", "", "setup of machine i from job j to job k, time units"),
        ("times[i][k] + setups[i][j][k]", "stay", "time that job k takes on machine i behind job j"),
        ("min(row[k] for row in times)", "least_time", "least processing time of job k, time units"),
        ("sum(setups[i][j]) / len(setups[i][j])", "mean_setup", "mean setup of machine i behind job j"),
        ("sum(map(min, zip(*times))) / len(times)", "least_share", "least work of all jobs for each machine"),
    )
)
_LONGEST = 10**9
_SHOWN = 4
"""Machines and setups that an explanation lists."""


def draw_machines(machines: int, jobs: int, longest: int, stream: random.Random) -> Draw:
    """Times uniform from 1 to 99, setups uniform from 1 to `longest`, 0 from a job to itself."""
    times = [[stream.randint(1, 99) for _ in range(jobs)] for _ in range(machines)]
    setups = [
        [[0 if j == k else stream.randint(1, longest) for k in range(jobs)] for j in range(jobs)]
        for _ in range(machines)
    ]
    return Draw({"times": times, "setups": setups}, 1)


def _cells(sizes: Sequence[tuple[int, int, int]]) -> tuple[Cell, ...]:
    return tuple(Cell(f"{m}x{n} S1-{s}", partial(draw_machines, m, n, s)) for m, n, s in sizes)


def loads(public: Mapping[str, Any], plan: Sequence[Sequence[int]]) -> list[int]:
    """Processing and setup times of each machine, summed, time units."""
    return [
        sum(row[k] for k in jobs) + sum(between[j][k] for j, k in pairwise(jobs))
        for row, between, jobs in zip(public["times"], public["setups"], plan, strict=True)
    ]


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its makespan iff the answer is one list of jobs for each machine, each job once; exact."""
    if fault := KIND.fault(answer, public):
        return Verdict.invalid(fault)
    plan: Any = answer
    return Verdict.valid(max(loads(public, plan)))


class UnrelatedMachines(ShipsMoves, StratifiedProblem):
    """R | s_ijk | Cmax: minimise the makespan (time units) of jobs on unrelated machines with setups."""

    name = stream = "unrelated-machines"
    law = "random unrelated machines"
    cells = _cells(SIZES)
    other_sets: Mapping[str, str] = {LARGE: "12 instances of 40 jobs on 6 machines, with bounds"}
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    strata = "machines x jobs, and the range of the setups."
    entry_point = "schedule"
    signature = "def schedule(times: list[list[int]], setups: list[list[list[int]]]) -> list[list[int]]:"
    statement = _STATEMENT
    instance_format = FORMAT
    package = __package__
    start_ids = ("earliest-end", "multiple-insertion")
    baseline_ids = ("earliest-end", "multiple-insertion", "iterated-greedy")
    expressions = _PRIMITIVES
    answer_kind = KIND
    judge = staticmethod(judge)

    def __init__(self, rounds: Mapping[str, int], most_setups: int) -> None:
        """Takes the sizes of the splits, and the setups that an instance of a file may have."""
        super().__init__(rounds)
        self.most_setups = most_setups

    def other(self, set: str, seed: int) -> list[Instance]:
        """Larger instances of the same law."""
        return self.draw_other(set, seed, _cells(LARGE_SIZES), 3)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Gantt chart: machine i between the heights i and i + 1, setups apart."""
        makespan = objective_of(instance.id, judge(instance.public, answer))
        plan: Any = answer
        shapes = []
        for i, jobs in enumerate(plan):
            clock = 0
            for place, k in enumerate(jobs):
                setup = instance.public["setups"][i][jobs[place - 1]][k] if place else 0
                if setup:
                    shapes.append(Shape("rectangle", clock, i + 0.1, setup, 0.8, "", "setup"))
                time = instance.public["times"][i][k]
                shapes.append(Shape("rectangle", clock + setup, i + 0.1, time, 0.8, str(k), "job"))
                clock += setup + time
        title = f"{instance.id}: {sum(map(len, plan))} jobs on {len(plan)} machines, makespan {makespan}"
        return Drawing(title, "time (time units)", "machine (0 at the bottom)", tuple(shapes))

    def explain(self, instance: Instance, answer: Json) -> str:
        """Loads and setups, jobs away from their quickest machine, longest setups of the busiest one."""
        objective_of(instance.id, judge(instance.public, answer))
        return explain_loads(instance.public, answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instance in the layout of the benchmark."""
        return [_File(path).instance(self.most_setups)]


def explain_loads(public: Mapping[str, Any], answer: Json) -> str:
    """Where the makespan of a valid answer arises."""
    plan: Any = answer
    times, setups = public["times"], public["setups"]
    ends = loads(public, plan)
    work = [sum(times[i][k] for k in jobs) for i, jobs in enumerate(plan)]
    order = sorted(range(len(plan)), key=lambda i: -ends[i])
    away = [
        (times[i][k] - min(row[k] for row in times), k, i)
        for i, jobs in enumerate(plan)
        for k in jobs
        if times[i][k] > min(row[k] for row in times)
    ]
    most = "; ".join(f"job {k} on machine {i}: {more}" for more, k, i in sorted(away, reverse=True)[:_SHOWN])
    lines = [
        f"{sum(map(len, plan))} jobs on {len(plan)} machines end at {max(ends)}; the machines' mean load is "
        f"{sum(ends) / len(ends):.1f}, of it {percent(sum(ends) - sum(work), sum(ends))} setups.",
        "Machines by their end (jobs, processing, setups):",
        *(
            f"- machine {i}: ends {ends[i]}; {len(plan[i])} jobs, {work[i]}, {ends[i] - work[i]}"
            for i in order[:_SHOWN]
        ),
        f"{len(away)} jobs are not on their quickest machine and work {sum(more for more, *_ in away)} "
        f"longer; most: {most or 'none'}.",
    ]
    busiest = order[0]
    steps = sorted(((setups[busiest][j][k], j, k) for j, k in pairwise(plan[busiest])), reverse=True)
    shown_steps = "; ".join(
        f"{setup} from job {j} to job {k} (the least from it is "
        f"{min(s for other, s in enumerate(setups[busiest][j]) if other != j)})"
        for setup, j, k in steps[:_SHOWN]
    )
    lines.append(f"Longest setups of machine {busiest}: {shown_steps or 'none'}.")
    return "\n".join(lines)


class _File:
    """A reader of one file: lines of words, taken one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = enumerate(split_lines(read_text(path)), 1)
        self.rows = [(number, line.split()) for number, line in lines if line.strip()]
        self.place = 0

    def instance(self, most: int) -> Instance:
        """The instance, of at most `most` setups.

        Raises:
            InstanceFileError: names file, line and column, what was got and what was expected.
        """
        count = "a line that begins with the numbers of jobs and machines, each from 1 to 1,000"
        line, words = self.take(count)
        if not 2 <= len(words) <= 4:
            self.refuse(line, 0, f"{len(words)} words", f"{count}, and at most two further numbers")
        n, m = (self.number(line, words, place, 1, 1_000, count) for place in (0, 1))
        for place in range(2, len(words)):
            self.number(line, words, place, 0, _LONGEST, "a further number")
        if m * n * n > most:
            self.refuse(line, 0, f"{m} x {n} x {n}", f"at most {most:,} setups; lift problem.most_setups")
        if len(self.rows) > 1 and len(self.rows[1][1]) == 1:
            line, words = self.take("a number")
            self.number(line, words, 0, 0, _LONGEST, "a further number")
        times = self.times(n, m)
        self.title("SSD")
        setups = [self.square(n, machine) for machine in range(m)]
        if self.place < len(self.rows):
            line, words = self.rows[self.place]
            self.refuse(line, 0, shown(" ".join(words)), "the end of the file, one instance in each")
        public = {"times": times, "setups": setups}
        return Instance(self.path.stem, self.path.name, f"{m}x{n}", public, 1, f"file {self.path.name}")

    def times(self, n: int, m: int) -> list[list[int]]:
        """Processing times by machine."""
        times: list[list[int]] = [[] for _ in range(m)]
        for _ in range(n):
            line, words = self.numbers(2 * m, f"{m} pairs of machine and time")
            for i in range(m):
                self.number(line, words, 2 * i, i, i, f"the machine {i}")
                times[i].append(self.number(line, words, 2 * i + 1, 0, _LONGEST, "a processing time"))
        return times

    def square(self, n: int, machine: int) -> list[list[int]]:
        """Setups of one machine."""
        self.title(f"M{machine}")
        rows = []
        for _ in range(n):
            line, words = self.numbers(n, f"{n} setups")
            rows.append([self.number(line, words, k, 0, _LONGEST, "a setup") for k in range(n)])
        return rows

    def take(self, expected: str) -> tuple[int, list[str]]:
        """The next line that is not empty: number and words."""
        if self.place == len(self.rows):
            self.refuse(self.rows[-1][0] if self.rows else 1, 0, "the end of the file", expected)
        self.place += 1
        return self.rows[self.place - 1]

    def title(self, word: str) -> None:
        """Passes a line of one word."""
        line, words = self.take(f"the line {word}")
        if words != [word]:
            self.refuse(line, 0, shown(" ".join(words)), f"the line {word}")

    def numbers(self, count: int, expected: str) -> tuple[int, list[str]]:
        """The next line, of this many words."""
        line, words = self.take(expected)
        if len(words) != count:
            self.refuse(line, 0, f"{len(words)} words", expected)
        return line, words

    def number(self, line: int, words: list[str], place: int, low: int, high: int, meaning: str) -> int:
        """An integer of a line, within its range."""
        word = words[place]
        value = int(word) if re.fullmatch(r"[0-9]{1,20}", word) else None
        if value is None or not low <= value <= high:
            at_most = "" if low == high else f", an integer from {low} to {high:,}"
            self.refuse(line, place + 1, shown(word), meaning + at_most)
        return value

    def refuse(self, line: int, place: int, got: str, expected: str) -> NoReturn:
        """Raises with file, line and column."""
        column = f" column {place}" if place else ""
        raise InstanceFileError(f"{self.path} line {line}{column}: got {got}, expected {expected}")


def unrelated_machines(
    train_per_stratum: Rounds = 6,
    valid_per_stratum: Rounds = 6,
    test_per_stratum: Rounds = 15,
    most_setups: Annotated[
        int, Parameter("setups that a user's file may have; they cost time", "setups", 1, 4_000_000)
    ] = 400_000,
) -> UnrelatedMachines:
    """Candidates return the jobs of each machine in order; 4 strata."""
    return UnrelatedMachines(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_setups)
