"""What people and proposers read of the flow shop: statements, columns of the rule, expressions."""

from __future__ import annotations

from ..base import Primitive
from ..rule_form import parameters

_SHOP = """\
n jobs visit all m machines in the order 0, 1, …, m - 1, and every machine takes the jobs in one and the same
order, one at a time, without breaks; times[j][k] is the processing time of job j on machine k, an integer
from 1. The makespan, the end of the last job on the last machine, shall be as small as possible."""

SEQUENCE = f"""{_SHOP}
Return the order of the jobs, a permutation of the job numbers 0 to n - 1. For three machines and more the
problem is strongly NP-hard, and CPU time is limited."""

COLUMNS = {
    "end": "end of the job on the last machine if it comes next",
    "bound": "bound of the makespan if the job comes next, the largest of all machines: end of the job "
    "there, work left there, least work of another job on the machines after it",
    "idle": "time that the machines stand idle until the job comes, summed",
    "weighted_idle": "the same for the machines after the first, weighted: early machines and early places "
    "in the order weigh more",
    "waiting": "time that the job waits between its machines, summed",
    "advance": "how far the job moves the ends of work on the machines, summed",
    "slope": "times on the last machines less times on the first ones: sum of (2 k - m + 1) times[j][k]",
    "work": "sum of the job's times",
    "first_machine": "time on the first machine",
    "last_machine": "time on the last machine",
    "bottleneck": "time on the machine with most work left",
}
"""Arrays of the rule: one entry for each job left; time units."""

NUMBERS = {
    "progress": "share of the jobs that are in the order, 0 to 1",
    "machines": "number of machines",
    "mean_processing": "mean time of all operations, time units",
}
"""Plain numbers of the rule."""

ARGUMENTS = parameters(COLUMNS, NUMBERS)


def _listed(rows: dict[str, str]) -> str:
    return "".join(f"\n- {name}: {meaning}" for name, meaning in rows.items())


APPEND = f"""{_SHOP}
A fixed loop makes the order from its front: it calls priority(...) with the jobs that are left, and the job
with the SMALLEST number comes next, at its earliest start on every machine. The last job is not asked for.
Return one number for each entry, as an array of the same length. Of equal numbers the job with the lowest
number wins; NaN counts as infinity. numpy is `np`. The arrays (floats, time units):{_listed(COLUMNS)}
and plain numbers:{_listed(NUMBERS)}"""

SEQUENCE_PROGRAMS = (
    "palmer",
    "gupta",
    "rapid-access",
    "cds",
    "neh",
    "neh-last-tie",
    "neh-random",
    "iterated-greedy",
)
APPEND_RULES = {
    "least-idle-time": (
        "Least idle time of the machines",
        "The job for which the machines stand idle least.",
        "idle",
    ),
    "weighted-idle-time": (
        "Least weighted idle time (Liu and Reeves 2001, doi:10.1016/S0377-2217(00)00137-5)",
        "Early machines and early places weigh more.",
        "weighted_idle",
    ),
    "least-bound": (
        "Least one-machine bound of the makespan",
        "The job after which the bound is smallest.",
        "bound",
    ),
    "palmer": (
        "Slope index: jobs whose times grow from machine to machine first (Palmer 1965)",
        "The largest slope comes next.",
        "-slope",
    ),
}
"""Name → what a rule prefers, which job comes next, and its priority as an expression."""

SEQUENCE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(times)", "", "number of jobs"),
        ("len(times[0])", "", "number of machines"),
        ("sum(map(sum, times))", "total_work", "work of all jobs, time units"),
        ("sum(times[j])", "job_work", "work of job j, time units"),
        ("times[j][0]", "first_time", "time of job j on the first machine, time units"),
        ("times[j][-1]", "last_time", "time of job j on the last machine, time units"),
        ("max(times[j])", "longest_time", "longest time of job j, time units"),
        ("sum(times[j][1:])", "tail", "work of job j after the first machine, time units"),
        ("sum(times[j][:-1])", "head", "work of job j before the last machine, time units"),
        (
            "sum((2 * k - len(times[j]) + 1) * time for k, time in enumerate(times[j]))",
            "slope",
            "times of job j on the last machines less times on the first ones",
        ),
    )
)

APPEND_PRIMITIVES = (
    *[Primitive(name, "vector", meaning) for name, meaning in COLUMNS.items()],
    *[Primitive(name, "number", meaning) for name, meaning in NUMBERS.items()],
    Primitive("end - end.min()", "vector", "how much later the job ends than the earliest", "delay"),
    Primitive("bound - bound.min()", "vector", "how far its bound is above the least", "bound_excess"),
    Primitive("idle / machines", "vector", "mean idle time of a machine, time units", "mean_idle"),
    Primitive("work / machines", "vector", "mean time of the job's operations, time units", "mean_time"),
    Primitive("1 - progress", "number", "share of the jobs that are left", "share_left"),
    Primitive("len(work)", "number", "jobs left", "jobs_left"),
    Primitive("work.sum()", "number", "work of the jobs left, time units", "work_left"),
)
