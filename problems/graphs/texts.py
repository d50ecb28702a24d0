"""What people and proposers read: statements, the columns of the rule, and the field's expressions."""

from __future__ import annotations

from ..base import Primitive
from ..rule_form import parameters

_GRAPH = """\
A directed acyclic graph of tasks runs on processors that differ. Task i takes times[i][p] > 0 on processor p,
or cannot run there (None). An edge [i, k, c] says that task k needs the result of task i, which takes c >= 0
time units if the two run on different processors and nothing on the same one; transfers do not wait for each
other and keep no processor busy. Tasks are numbered so that i < k for every edge; a processor runs one task
at a time, without breaks. The makespan, the end of the last task, shall be as small as possible."""

SCHEDULE = f"""{_GRAPH}
Return [processor, start] of each task, in the order of the tasks; a start is an integer no later than the sum
of all longest times and transfers. All inputs are integers. The problem is strongly NP-hard, and CPU time is
limited."""

COLUMNS = {
    "start": "earliest start of the task on the processor, gaps between its tasks included, time units",
    "finish": "start + duration, time units",
    "data_ready": "arrival of the last input on the processor, time units",
    "local_input": "transfers that the processor saves: of inputs that were made on it, time units",
    "processor_end": "end of the last task that is placed on the processor, time units",
    "least_finish": "least finish of the task over all processors, time units",
    "second_finish": "second least finish of the task (least, if one processor alone can run it), time units",
    "duration": "time of the task on the processor, time units",
    "optimistic_cost": "least time from the task's end to the last end if no processor were busy, time units",
    "mean_optimistic_cost": "its mean over the task's processors, time units",
    "upward_rank": "longest path from the task to an end, by mean times and all transfers, time units",
    "downward_rank": "longest path from a beginning to the task, the task left out, time units",
    "least_duration": "least time of the task over all processors, time units",
    "mean_duration": "mean time of the task over its processors, time units",
    "successors": "edges that leave the task",
    "on_critical_path": "1 for tasks of one longest path by mean times and all transfers",
    "critical_processor": "1 for the processor that runs most of that path soonest",
    "task": "number of the task: pairs of one task have the same",
}
"""Arrays of the rule: one entry for each pair of a ready task and a processor that can run it."""

NUMBERS = {
    "progress": "share of all tasks that are placed, 0 to 1",
    "ccr": "mean transfer of the edges over mean time of the tasks",
    "makespan": "end of the last task that is placed, time units",
}
"""Plain numbers of the rule."""

RULE_ARGUMENTS = parameters(COLUMNS, NUMBERS)

RULE_CALLS = (
    "The loop calls it once for each task that it places; every number must follow from the arguments of its "
    "own call."
)

RULE = (
    f"""{_GRAPH}
A fixed loop places one task at a time. Ready are the tasks whose inputs are all placed. The loop calls
score(...) for all pairs of a ready task and a processor that can run it, and places the pair with the
smallest number at its earliest start, in a gap between two tasks if one is long enough. A placement is final.
Return one number for each pair, as an array of the same length; the SMALLEST is placed next. Of equal numbers
the lowest task, then the lowest processor wins; NaN counts as infinity. A rule may choose the task first
(a large weight on a column of the task) and the processor by the rest. numpy is `np`. The arrays (floats),
one entry for each pair:"""
    + "".join(f"\n- {name}: {meaning}" for name, meaning in COLUMNS.items())
    + "\nand plain numbers:"
    + "".join(f"\n- {name}: {meaning}" for name, meaning in NUMBERS.items())
)

RULE_PRIMITIVES = (
    *(Primitive(name, "vector", meaning) for name, meaning in COLUMNS.items()),
    *(Primitive(name, "number", meaning) for name, meaning in NUMBERS.items()),
    *(
        Primitive(text, "vector", meaning, term)
        for text, term, meaning in (
            ("finish + optimistic_cost", "optimistic_end", "end of the graph after the pair, time units"),
            ("upward_rank + downward_rank", "path_length", "longest path through the task, time units"),
            ("second_finish - least_finish", "sufferage", "loss on the second best processor, time units"),
            ("finish - least_finish", "later_than_best", "how much later than on the best, time units"),
            ("start - processor_end", "idle_before", "idle time before the task; negative in a gap"),
            ("start - data_ready", "waiting", "time that the inputs wait for the processor, time units"),
            ("duration - least_duration", "slower_than_best", "longer than on the fastest, time units"),
            ("duration / mean_duration", "relative_duration", "time over the task's mean"),
            ("np.maximum(finish - makespan, 0.0)", "makespan_growth", "growth of the makespan, time units"),
            ("finish + upward_rank - mean_duration", "ranked_end", "end by ranks after the pair, time units"),
        )
    ),
    Primitive("finish.min()", "number", "least finish of all pairs, time units"),
    Primitive("upward_rank.max()", "number", "largest upward rank of the ready tasks, time units"),
)

SCHEDULE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(times)", "task_count", "number of tasks"),
        ("len(times[0])", "processor_count", "number of processors"),
        ("len(edges)", "edge_count", "number of edges"),
        ("sum(c for _, _, c in edges)", "all_transfers", "sum of all transfers, time units"),
        (
            "sum(min(t for t in row if t is not None) for row in times)",
            "least_work",
            "least work, time units",
        ),
    )
)
