"""What people and proposers read: statements, the columns of the rules, and the field's expressions."""

from __future__ import annotations

from ..base import Primitive
from ..rule_form import parameters

_SHOP = """\
n jobs visit m machines, numbered from 0. Job j is a chain of operations: routes[j][o] is the machine of its
o-th operation and times[j][o] > 0 its processing time. An operation starts when the one before it in its job
has ended, or later; a machine processes one operation at a time, without breaks."""

_BUFFERS = "Between its operations a job waits in a buffer with room for all."

_NO_BUFFERS = """\
There are no buffers: a job that has ended an operation stays on its machine, and blocks it, until its next
operation starts; after its last operation it leaves at once. A machine that a job leaves can take another job
at the same moment, so jobs may exchange machines in a circle (swap)."""

_GOAL = "The makespan, the end of the last operation, shall be as small as possible."

_RETURN = """
Return the start times: one list per job with one integer per operation, none later than the sum of all
processing times. All inputs are integers. The problem is strongly NP-hard, and CPU time is limited."""

SCHEDULE = f"{_SHOP}\n{_BUFFERS}\n{_GOAL}{_RETURN}"
BLOCKING_SCHEDULE = f"{_SHOP}\n{_NO_BUFFERS}\n{_GOAL}{_RETURN}"

COLUMNS = {
    "start": "earliest start of the operation, time units",
    "processing": "processing time of the operation, time units",
    "work_left": "work left of its job, this operation included, time units",
    "operations_left": "operations left of its job, this one included",
    "work_done": "work of its job before this operation, time units",
    "job_ready": "end of the job's previous operation, 0 for the first, time units",
    "next_processing": "processing time of the job's next operation, 0 if there is none, time units",
    "next_machine_free": "moment at which the machine of the next operation is free, 0 if there is none",
    "next_machine_work": "unscheduled work of the machine of the next operation, time units",
    "route_work": "largest unscheduled work of the machines on the rest of the job's route, time units",
}
"""Arrays of the rule: one entry for each competing operation."""

NUMBERS = {
    "machine_work": "unscheduled work of this machine, time units",
    "progress": "share of all operations that are scheduled, 0 to 1",
    "mean_processing": "mean processing time of all operations, time units",
}
"""Plain numbers of the rule."""

BLOCKING_COLUMNS = {
    "processing": "processing time of the job's next operation, time units",
    "work_left": "work left of the job, the next operation included, time units",
    "operations_left": "operations left of the job, the next one included",
    "begun": "1 if the job is on a machine, 0 if it is still outside",
    "waited": "time since its previous operation ended (since 0 for a job outside), time units",
    "next_processing": "processing time of the operation after the next, 0 if there is none, time units",
    "next_machine_held": "1 if the machine after the next is held by a job, 0 if not or if there is none",
    "next_machine_free_in": "time until the operation on that machine ends, 0 if none is in process",
    "wanted_by": "waiting jobs that want the machine which this job would leave",
    "machine_work": "unscheduled work of the machine that the job moves to, time units",
}
"""Arrays of the blocking rule: one entry for each job that can move now."""

BLOCKING_NUMBERS = {
    "jobs_in_shop": "machines that are held by a job",
    "machines": "number of machines",
    "progress": "share of all operations that have started, 0 to 1",
    "mean_processing": "mean processing time of all operations, time units",
}
"""Plain numbers of the blocking rule."""


RULE_ARGUMENTS = parameters(COLUMNS, NUMBERS)
BLOCKING_ARGUMENTS = parameters(BLOCKING_COLUMNS, BLOCKING_NUMBERS)

_ANSWER = """
Return one number for each entry, as an array of the same length; the SMALLEST goes first. Of equal numbers
the job with the lowest number wins; NaN counts as infinity. numpy is `np`. The arrays (floats):"""

_LOOPS = {
    "active": """
A fixed loop builds an active schedule (Giffler and Thompson): it takes the machine whose next operation can
end first, and all operations of this machine that can start before that end compete. It calls priority(...),
and the operation with the smallest number is scheduled at its earliest start. Where one operation competes
alone it is not called. A schedule is non-delay if the smallest `start` always wins.""",
    "non-delay": """
A fixed loop builds a non-delay schedule: at the earliest moment at which any operation can start, all
operations that can start then on one machine compete. It calls priority(...), and the operation with the
smallest number starts. Where one operation competes alone it is not called.""",
}

_BLOCKING_LOOP = """
A fixed loop walks through time. At each event the jobs that can move compete: those whose operation has
ended, or that have not begun, and whose next machine is free. It calls priority(...), and the job with the
smallest number moves; then the loop asks again. When no job can move, jobs that wait for each other in a
circle exchange their machines. Infinity for a job that has not begun keeps it out of the shop for now, as
long as some operation is in process: too many jobs in the shop block each other. Where one job competes alone
and cannot be kept out, priority(...) is not called."""


RULE_CALLS = (
    "The loop calls it many times for one instance, whenever operations or jobs compete; every number must "
    "follow from the arguments of its own call."
)


def rule(dispatching: str) -> str:
    """Statement of the job shop's rule."""
    return f"{_SHOP}\n{_BUFFERS}\n{_GOAL}{_LOOPS[dispatching]}{_ANSWER}{_listed(COLUMNS, NUMBERS)}"


def blocking_rule() -> str:
    """Statement of the blocking job shop's rule."""
    listed = _listed(BLOCKING_COLUMNS, BLOCKING_NUMBERS)
    return f"{_SHOP}\n{_NO_BUFFERS}\n{_GOAL}{_BLOCKING_LOOP}{_ANSWER}{listed}"


def _listed(columns: dict[str, str], numbers: dict[str, str]) -> str:
    arrays = "".join(f"\n- {name}: {meaning}" for name, meaning in columns.items())
    return arrays + "\nand plain numbers:" + "".join(f"\n- {n}: {meaning}" for n, meaning in numbers.items())


def _vectors(rows: dict[str, tuple[str, str]]) -> tuple[Primitive, ...]:
    return tuple(Primitive(text, "vector", meaning, term) for text, (term, meaning) in rows.items())


def _named(columns: dict[str, str], numbers: dict[str, str]) -> tuple[Primitive, ...]:
    arrays = [Primitive(name, "vector", meaning) for name, meaning in columns.items()]
    return (*arrays, *[Primitive(name, "number", meaning) for name, meaning in numbers.items()])


RULE_PRIMITIVES = (
    *_named(COLUMNS, NUMBERS),
    *_vectors(
        {
            "start - start.min()": ("delay", "idle time of the machine before it, time units"),
            "start + processing": ("completion", "end of the operation, time units"),
            "start - job_ready": ("waiting", "time that the job has waited by then, time units"),
            "work_left - processing": ("tail", "work of the job after this operation, time units"),
            "work_done + work_left": ("job_work", "work of the whole job, time units"),
            "start + work_left": ("earliest_job_end", "end of the job if it never waits again, time units"),
            "start + processing - next_machine_free": (
                "next_machine_idle",
                "time that the next machine has stood idle when the job arrives; negative: it waits",
            ),
            "processing / work_left": ("share_of_work_left", "the operation's share of its job's work left"),
            "processing / mean_processing": ("relative_processing", "processing time over the mean"),
        }
    ),
    Primitive("len(processing)", "number", "operations that compete", "competitors"),
    Primitive("start.min()", "number", "earliest start among the competitors, time units", "now"),
    Primitive("processing.sum()", "number", "work of the competitors, time units", "queue_work"),
    Primitive("work_left.max()", "number", "largest work left among the competitors, time units"),
)

BLOCKING_PRIMITIVES = (
    *_named(BLOCKING_COLUMNS, BLOCKING_NUMBERS),
    *_vectors(
        {
            "work_left - processing": ("tail", "work of the job after the next operation, time units"),
            "processing / work_left": ("share_of_work_left", "the operation's share of its job's work left"),
            "processing / mean_processing": ("relative_processing", "processing time over the mean"),
            "np.maximum(next_machine_free_in - processing, 0.0)": (
                "blocking_time",
                "time that the job would block its machine at the least, time units",
            ),
            "(jobs_in_shop >= machines - 1) & (begun < 1)": (
                "last_machine",
                "whether a job from outside would take the last free machine",
            ),
        }
    ),
    Primitive("np.inf", "number", "keeps a job that has not begun out of the shop for now"),
    Primitive("jobs_in_shop / machines", "number", "share of the machines that are held", "held_share"),
    Primitive("len(processing)", "number", "jobs that can move now", "competitors"),
)

SCHEDULE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("machines", "", "number of machines"),
        ("len(routes)", "", "number of jobs"),
        ("sum(map(sum, times))", "total_work", "work of all jobs, time units"),
        ("max(map(sum, times))", "longest_job", "work of the longest job, time units"),
        ("sum(times[j])", "job_work", "work of job j, time units"),
        ("len(routes[j])", "job_operations", "operations of job j"),
        ("sum(times[j][o:])", "work_left", "work of job j from operation o on, time units"),
        ("times[j][o]", "processing", "processing time of operation o of job j, time units"),
    )
)
