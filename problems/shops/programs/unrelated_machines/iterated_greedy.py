"""Iterated greedy (Ruiz and Stützle 2007, doi:10.1016/j.ejor.2005.12.009), moves off the busiest machine."""

import random
from collections.abc import Iterator
from itertools import pairwise

from .insertion import places

STEPS = 100
WORK = 600_000


def schedule(times: list[list[int]], setups: list[list[list[int]]]) -> list[list[int]]:
    """The best of a limited number of steps, fewer for many jobs."""
    stream = random.Random(0)
    machines, jobs = len(times), len(times[0])
    now = descended(inserted([[] for _ in times], list(range(jobs)), times, setups), times, setups)
    best = now
    for _ in range(min(STEPS, 1 + WORK // (machines * jobs * jobs))):
        out = stream.sample(range(jobs), min(jobs, 4))
        trial = inserted([[j for j in row if j not in out] for row in now], out, times, setups)
        trial = descended(trial, times, setups)
        if loads(trial, times, setups) <= loads(now, times, setups) or stream.random() < 0.02:
            now = trial
        if loads(now, times, setups) < loads(best, times, setups):
            best = now
    return best


def loads(plan: list[list[int]], times: list[list[int]], setups: list[list[list[int]]]) -> list[int]:
    """Ends of the machines, the latest first: plans are compared by these."""
    return sorted(map(load, plan, times, setups), reverse=True)


def load(jobs: list[int], time: list[int], between: list[list[int]]) -> int:
    """End of a machine, time units."""
    return sum(time[k] for k in jobs) + sum(between[j][k] for j, k in pairwise(jobs))


def inserted(
    plan: list[list[int]], jobs: list[int], times: list[list[int]], setups: list[list[list[int]]]
) -> list[list[int]]:
    """Jobs put in one after the other, each where its machine then ends earliest."""
    ends = list(map(load, plan, times, setups))
    for job in jobs:
        offers = places(job, plan, times, setups)
        i = min(range(len(plan)), key=lambda i: ends[i] + offers[i][0])
        plan[i].insert(offers[i][1], job)
        ends[i] += offers[i][0]
    return plan


def descended(
    plan: list[list[int]], times: list[list[int]], setups: list[list[list[int]]]
) -> list[list[int]]:
    """The busiest machine gives a job away, exchanges one or moves one, as long as that shortens the plan."""
    value = loads(plan, times, setups)
    better = True
    while better:
        better = False
        for trial in neighbours(plan, times, setups):
            made = loads(trial, times, setups)
            if made < value:
                plan, value, better = trial, made, True
                break
    return plan


def neighbours(
    plan: list[list[int]], times: list[list[int]], setups: list[list[list[int]]]
) -> Iterator[list[list[int]]]:
    """Plans in which a job of the busiest machine is elsewhere, alone or for a job of another machine."""
    busiest = max(range(len(plan)), key=lambda i: load(plan[i], times[i], setups[i]))
    for job in plan[busiest]:
        rest = [[j for j in row if j != job] for row in plan]
        offers = places(job, rest, times, setups)
        for i, (_, place) in enumerate(offers):
            yield [[*row[:place], job, *row[place:]] if k == i else row for k, row in enumerate(rest)]
        for i, row in enumerate(plan):
            for other in row if i != busiest else ():
                trial = [[j for j in line if j != other] for line in rest]
                trial[i].insert(places(job, trial, times, setups)[i][1], job)
                trial[busiest].insert(places(other, trial, times, setups)[busiest][1], other)
                yield trial
