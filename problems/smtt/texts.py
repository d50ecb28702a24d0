"""What people and proposers read: the statements of the four forms, and the field's expressions as data."""

from __future__ import annotations

from ..base import Primitive

_MACHINE = """\
One machine processes n jobs one at a time, without breaks, starting at time 0. Job j takes
processing_times[j] > 0 time units and should be finished by due_dates[j]. Its tardiness is
max(0, completion time - due date)."""

SEQUENCE = f"""{_MACHINE}
Return a permutation of the job numbers 0 to n - 1, the order of processing, so that the sum of all
tardinesses is as small as possible. All inputs are integers. The problem is NP-hard; instances have tens to
hundreds of jobs, and CPU time is limited."""

WEIGHTED_SEQUENCE = f"""{_MACHINE} Job j has weight weights[j] > 0.
Return a permutation of the job numbers 0 to n - 1, the order of processing, so that the sum of
weight * tardiness over all jobs is as small as possible. All inputs are integers. The problem is strongly
NP-hard; instances have tens to hundreds of jobs, and CPU time is limited."""

_LOOP = """
A fixed loop builds the sequence: at each step it calls priority(...) and processes the unscheduled job with
the SMALLEST priority next. `time` is the moment at which the next job starts; the arrays hold the unscheduled
jobs only, ordered by due date (ties by processing time), as floats. Return one number for each of them, as an
array of the same length. Of equal priorities the first wins; NaN counts as infinity. numpy is `np`."""

RULE_CALLS = (
    "The loop calls it once for each job of an instance, with what is left of the jobs; every number must "
    "follow from the arguments of its own call."
)
RULE = f"{_MACHINE}\nThe sum of all tardinesses shall be as small as possible.{_LOOP}"
WEIGHTED_RULE = f"""{_MACHINE} Job j has weight weights[j] > 0.
The sum of weight * tardiness over all jobs shall be as small as possible.{_LOOP}"""


_TERMS = {
    "due_dates - time": "time_left",
    "due_dates - time - processing_times": "slack",
    "due_dates[j] - time - processing_times[j]": "slack",
    "np.maximum(due_dates - time - processing_times, 0.0)": "positive_slack",
    "np.maximum(due_dates, time + processing_times)": "modified_due_dates",
    "max(due_dates[j], time + processing_times[j])": "modified_due_date",
    "np.maximum(processing_times, due_dates - time) / weights": "weighted_modified_due_dates",
    "time + processing_times": "completion_times",
    "time + processing_times[j]": "completion_time",
    "np.maximum(time + processing_times - due_dates, 0.0)": "tardiness_if_next",
    "np.maximum(time + processing_times.sum() - due_dates, 0.0)": "tardiness_if_last",
    "np.maximum(time + np.cumsum(processing_times) - due_dates, 0.0)": "tardiness_by_due_date",
    "np.arange(len(due_dates)) / len(due_dates)": "rank_by_due_date",
    "np.argsort(np.argsort(processing_times)) / len(processing_times)": "rank_by_processing_time",
    "processing_times.sum()": "remaining_work",
    "sum(processing_times[i] for i in remaining)": "remaining_work",
    "time + processing_times.sum()": "makespan",
    "sum(processing_times)": "makespan",
    "processing_times.mean()": "mean_processing_time",
    "sum(processing_times) / len(processing_times)": "mean_processing_time",
    "1.0 - (due_dates.mean() - time) / processing_times.sum()": "tardiness_factor",
    "1 - sum(due_dates) / len(due_dates) / sum(processing_times)": "tardiness_factor",
    "(due_dates.max() - due_dates.min()) / processing_times.sum()": "due_date_range",
    "(max(due_dates) - min(due_dates)) / sum(processing_times)": "due_date_range",
    "sorted(range(len(due_dates)), key=lambda j: due_dates[j])": "by_due_date",
    "sorted(range(len(due_dates)), key=lambda j: processing_times[j])": "by_processing_time",
}
"""What the field calls these expressions."""


def _rows(kind: str, rows: dict[str, str]) -> tuple[Primitive, ...]:
    return tuple(Primitive(text, kind, meaning, _TERMS.get(text, "")) for text, meaning in rows.items())


RULE_PRIMITIVES = _rows(
    "vector",
    {
        "processing_times": "p, time units",
        "due_dates": "d, time units",
        "time + processing_times": "completion if processed next, time units",
        "due_dates - time": "time left until the due date, time units",
        "due_dates - time - processing_times": "slack, time units",
        "np.maximum(due_dates - time - processing_times, 0.0)": "positive part of the slack, time units",
        "np.maximum(due_dates, time + processing_times)": "modified due date, time units",
        "np.maximum(time + processing_times - due_dates, 0.0)": "tardiness if processed next, time units",
        "np.maximum(time + processing_times.sum() - due_dates, 0.0)": "tardiness if last, time units",
        "processing_times / processing_times.mean()": "p relative to the mean of what remains",
        "processing_times / (time + processing_times.max())": "p relative to the time so far",
        "np.log(processing_times)": "logarithm of p",
        "np.arange(len(due_dates)) / len(due_dates)": "rank by due date, 0 to 1",
        "np.argsort(np.argsort(processing_times)) / len(processing_times)": "rank by p, 0 to 1",
        "np.cumsum(processing_times)": "completion in due-date order after now, time units",
        "np.maximum(time + np.cumsum(processing_times) - due_dates, 0.0)": "tardiness in due-date order, "
        "time units",
        "np.maximum(time + processing_times[:, None] + processing_times - due_dates, 0.0).sum(axis=1)": "sum "
        "of the tardinesses if each job comes right after it, time units",
        "np.minimum(processing_times[:, None], np.maximum(time + np.cumsum(processing_times) - due_dates, "
        "0.0)).sum(axis=1)": "tardiness that the others lose when it leaves due-date order, time units",
        "np.maximum(due_dates, time + processing_times + processing_times[:, None]).min(axis=1)": "least "
        "modified due date after it, time units",
    },
) + _rows(
    "number",
    {
        "time": "t, moment at which the next job starts, time units",
        "len(processing_times)": "number of remaining jobs",
        "processing_times.sum()": "remaining work, time units",
        "time + processing_times.sum()": "end of the schedule, time units",
        "processing_times.mean()": "mean p of what remains, time units",
        "processing_times.min()": "least p of what remains, time units",
        "processing_times.max()": "largest p of what remains, time units",
        "processing_times.std()": "spread of p, time units",
        "due_dates.mean()": "mean due date of what remains, time units",
        "due_dates.min()": "first due date of what remains, time units",
        "due_dates.max()": "last due date of what remains, time units",
        "due_dates.std()": "spread of due dates, time units",
        "1.0 - (due_dates.mean() - time) / processing_times.sum()": "tardiness factor of what remains",
        "(due_dates.max() - due_dates.min()) / processing_times.sum()": "due-date range of what remains",
        "np.mean(due_dates < time + processing_times)": "share of jobs that are late if processed next",
    },
)

WEIGHTED_RULE_PRIMITIVES = (
    *RULE_PRIMITIVES,
    *_rows(
        "vector",
        {
            "weights": "w",
            "processing_times / weights": "length per weight, time units",
            "weights / processing_times": "weight per length, 1 / time units",
            "np.maximum(processing_times, due_dates - time) / weights": "weighted modified due date",
        },
    ),
    *_rows("number", {"weights.sum()": "total weight of what remains", "weights.mean()": "mean weight"}),
)

SEQUENCE_PRIMITIVES = _rows(
    "number",
    {
        "len(processing_times)": "number of jobs",
        "sum(processing_times)": "end of every schedule, time units",
        "sum(processing_times) / len(processing_times)": "mean p, time units",
        "max(processing_times)": "largest p, time units",
        "min(processing_times)": "least p, time units",
        "sum(due_dates) / len(due_dates)": "mean due date, time units",
        "max(due_dates)": "last due date, time units",
        "min(due_dates)": "first due date, time units",
        "1 - sum(due_dates) / len(due_dates) / sum(processing_times)": "tardiness factor",
        "(max(due_dates) - min(due_dates)) / sum(processing_times)": "relative range of due dates",
        "processing_times[j]": "p of job j, time units",
        "due_dates[j]": "d of job j, time units",
        "due_dates[j] - processing_times[j]": "slack of job j at 0, time units",
        "time": "moment at which the next job starts, time units",
        "time + processing_times[j]": "completion of job j if processed next, time units",
        "due_dates[j] - time - processing_times[j]": "slack of job j, time units",
        "max(due_dates[j], time + processing_times[j])": "modified due date of job j, time units",
        "max(0, time + processing_times[j] - due_dates[j])": "tardiness of job j if next, time units",
        "len(remaining)": "number of remaining jobs",
        "sum(processing_times[i] for i in remaining)": "remaining work, time units",
        "max(processing_times[i] for i in remaining)": "largest p of what remains, time units",
    },
) + _rows(
    "sequence",
    {
        "sorted(range(len(due_dates)), key=lambda j: due_dates[j])": "jobs by due date",
        "sorted(range(len(due_dates)), key=lambda j: processing_times[j])": "jobs by p",
        "sorted(range(len(due_dates)), key=lambda j: due_dates[j] - processing_times[j])": "jobs by slack",
    },
)

WEIGHTED_SEQUENCE_PRIMITIVES = SEQUENCE_PRIMITIVES + _rows(
    "number",
    {
        "weights[j]": "weight of job j",
        "processing_times[j] / weights[j]": "length per weight of job j, time units",
        "max(processing_times[j], due_dates[j] - time) / weights[j]": "weighted modified due date of job j",
        "sum(weights)": "total weight",
    },
)
