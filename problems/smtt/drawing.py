"""A sequence as a Gantt chart: jobs along the time axis, due dates, tardiness below."""

from __future__ import annotations

from ..base import Drawing, Instance, Json, Shape
from ..faults import permutation_fault
from .verification import total_tardiness


def gantt(instance: Instance, answer: Json) -> Drawing:
    """Three rows: due dates as ticks, jobs (late ones in a group of their own), tardiness of each job.

    Raises:
        ValueError: the answer is no permutation of the jobs.
    """
    public = instance.public
    times, dates = public["processing_times"], public["due_dates"]
    fault = permutation_fault(answer, len(times), "job")
    if fault is not None or not isinstance(answer, list):
        raise ValueError(f"instance {instance.id}: {fault}")
    order = [int(job) for job in answer if isinstance(job, int)]
    shapes = [
        Shape("label", 0, 2.6, text="due dates"),
        Shape("label", 0, 1.6, text="jobs"),
        Shape("label", 0, 0.6, text="tardiness"),
    ]
    late = 0
    clock = 0
    for job in order:
        start, clock = clock, clock + times[job]
        tardy = clock > dates[job]
        late += tardy
        shapes.append(
            Shape("rectangle", start, 1, times[job], 0.5, str(job), "late job" if tardy else "job on time")
        )
        shapes.append(Shape("line", dates[job], 2, 0, 0.5, str(job), "due date"))
        if tardy:
            # Hangs from the job's middle to its due date, so that the eye sees how far back it lies.
            shapes.append(Shape("line", clock, 1, dates[job] - clock, -0.5, "", "tardiness"))
    value = total_tardiness(public, order)
    weighted = "weighted " if "weights" in public else ""
    title = f"{instance.id}: {len(order)} jobs, {late} late, total {weighted}tardiness {value}"
    return Drawing(title, "time (time units)", "", tuple(shapes))
