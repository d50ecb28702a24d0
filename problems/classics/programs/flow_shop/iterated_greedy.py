"""Iterated greedy (Ruiz and Stützle 2007, doi:10.1016/j.ejor.2005.12.009): take out, insert, descend."""

import math
import random

from .insertion import spans

STEPS = 100
CELLS = 200_000
OUT = 4
TEMPERATURE = 0.4


def sequence(times: list[list[int]]) -> list[int]:
    """The best order of a limited number of steps, fewer for large shops."""
    stream = random.Random(0)
    n, work = len(times), sum(map(sum, times))
    warmth = TEMPERATURE * work / (10 * n * len(times[0]))
    now, value = inserted([], sorted(range(n), key=lambda j: -sum(times[j])), times)
    now, value = descended(now, value, times, stream)
    best, least = now, value
    for _ in range(max(1, min(STEPS, CELLS // (n * n * len(times[0]))))):
        out = stream.sample(now, min(OUT, n))
        trial, span = inserted([j for j in now if j not in out], out, times)
        trial, span = descended(trial, span, times, stream)
        if span <= value or stream.random() < math.exp((value - span) / warmth):
            now, value = trial, span
        if span < least:
            best, least = trial, span
    return best


def inserted(order: list[int], jobs: list[int], times: list[list[int]]) -> tuple[list[int], int]:
    """Jobs put into the order, each at its best place, and the makespan."""
    span = 0
    for job in jobs:
        makespans = spans(order, job, times)
        span = min(makespans)
        order.insert(makespans.index(span), job)
    return order, span


def descended(
    order: list[int], span: int, times: list[list[int]], stream: random.Random
) -> tuple[list[int], int]:
    """Each job in random order to its best place, again as long as that shortens the makespan."""
    better = True
    while better:
        better = False
        for job in stream.sample(order, len(order)):
            trial, value = inserted([j for j in order if j != job], [job], times)
            if value < span:
                order, span, better = trial, value, True
    return order, span
