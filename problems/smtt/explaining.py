"""Where along a sequence its tardiness arises, and in which jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json
from ..summaries import by_parts

_JOBS = 6
"""Late jobs that are listed."""


def explain_sequence(public: Mapping[str, Any], answer: Json) -> str:
    """Late jobs, the share of the tardiness by fifths of the sequence, the worst jobs, moves that help.

    Args:
        public: an instance's processing times, due dates and, where jobs have them, weights.
        answer: a permutation of the jobs.
    """
    order: Any = answer
    times, dates = public["processing_times"], public["due_dates"]
    weights = public.get("weights") or [1] * len(times)
    clock, ends = 0, []
    for job in order:
        clock += times[job]
        ends.append(clock)
    cost = [weights[job] * max(0, end - dates[job]) for job, end in zip(order, ends, strict=True)]
    late = [place for place, value in enumerate(cost) if value]
    slack = [dates[order[place]] - ends[place] for place, value in enumerate(cost) if not value]
    lines = [f"{len(late)} of {len(order)} jobs are late; all work ends at {clock}."]
    if late:
        lines.append(
            f"Share of the tardiness in each fifth of the sequence, from the first: {by_parts(cost)}."
        )
        if slack:
            lines.append(f"Jobs on time end {sum(slack) / len(slack):.0f} before their due date in the mean.")
        weighted = "weights" in public
        lines.append(f"Late jobs that cost most (position, p, {'w, ' if weighted else ''}due, end, cost):")
        for place in sorted(late, key=lambda place: -cost[place])[:_JOBS]:
            job = order[place]
            weight = f"w {weights[job]}, " if weighted else ""
            lines.append(
                f"- {place + 1}: p {times[job]}, {weight}due {dates[job]}, end {ends[place]}, {cost[place]}"
            )
        lines.append(_moves(times, dates, weights, order, ends))
    return "\n".join(lines)


def _moves(
    times: Sequence[int], dates: Sequence[int], weights: Sequence[int], order: Sequence[int], ends: list[int]
) -> str:
    """How many jobs would each make the sequence better at another position, and the best of these moves."""

    def tardy(job: int, end: int) -> int:
        return weights[job] * max(0, end - dates[job])

    best: dict[int, tuple[int, int]] = {}
    for place, job in enumerate(order):
        start = ends[place] - times[job]
        later = earlier = 0
        for other in range(place + 1, len(order)):  # the jobs in between move to the front
            later += tardy(order[other], ends[other]) - tardy(order[other], ends[other] - times[job])
            _note(best, place, other, later + tardy(job, ends[place]) - tardy(job, ends[other]))
        for other in range(place - 1, -1, -1):
            start -= times[order[other]]
            earlier += tardy(order[other], ends[other]) - tardy(order[other], ends[other] + times[job])
            _note(best, place, other, earlier + tardy(job, ends[place]) - tardy(job, start + times[job]))
    if not best:
        return "No job alone would make it better at another position."
    place = max(best, key=lambda place: best[place])
    gain, to = best[place]
    many = "1 job would" if len(best) == 1 else f"{len(best)} jobs would each"
    return (
        f"{many} make it better at another position; the best of these moves, from "
        f"position {place + 1} to {to + 1}, by {gain}."
    )


def _note(best: dict[int, tuple[int, int]], place: int, to: int, gain: int) -> None:
    """Keeps the best gain of a job that stands at `place`, and where it would go."""
    if gain > best.get(place, (0, 0))[0]:
        best[place] = gain, to
