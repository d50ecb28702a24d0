"""Regret of a bound on the remaining makespan: one machine with tails and blocking, all orders."""

import itertools

import numpy as np

STRETCH = 1.25        # tails are longer than their work by this factor
HOP = 0.15            # delay at every later operation, in mean operations
FREE_RISK = 0.15      # blocking with a free machine ahead
BUSY_RISK = 0.3       # further blocking with a busy machine ahead
STUCK_RISK = 1.2      # blocking with a blocked machine ahead
CHAIN = 0.5           # delay that a blocked job hands on to a job that wants its machine
SUM_WEIGHT = 0.25     # share of the mean end, beside the last end
CROWD = 0.5           # delay of the whole shop per job beyond the level
LEVEL = 0.6           # share of held machines without such a delay
LATER = 1.0           # length of a wait, in mean operations
HARM = 0.6            # delay of others per unit of blocking
HOLD = 0.4            # delay of others by a job that stays on its machine
LOAD = 1.3            # horizon per machine work left
MAX_ALL = 5           # up to so many jobs all orders are timed


def ends(order, hold, tail, extra, start):
    """Last and mean end of an order on one machine."""
    t = start
    last = 0.0
    total = 0.0
    for i in order:
        end = t + tail[i] + extra[i] * t
        t += hold[i]
        if end > last:
            last = end
        total += end
    return last + SUM_WEIGHT * total / len(order)


def priority(
    processing: np.ndarray,
    work_left: np.ndarray,
    operations_left: np.ndarray,
    begun: np.ndarray,
    waited: np.ndarray,
    next_processing: np.ndarray,
    next_machine_held: np.ndarray,
    next_machine_free_in: np.ndarray,
    wanted_by: np.ndarray,
    machine_work: np.ndarray,
    jobs_in_shop: float,
    machines: float,
    progress: float,
    mean_processing: float,
) -> np.ndarray:
    mean = max(mean_processing, 1e-9)
    p = processing / mean
    left = work_left / mean
    n = len(p)
    held = next_machine_held > 0.5
    free_in = next_machine_free_in / mean
    more = operations_left > 1.5
    block = np.full(n, FREE_RISK)
    block = np.where(held & (free_in > 0), BUSY_RISK + np.maximum(free_in - p, 0.0), block)
    block = np.where(held & (free_in <= 0), STUCK_RISK / (1.0 + 0.5 * p), block)
    block = np.where(more, block, 0.0)
    hold = p + block
    tail = hold + STRETCH * np.maximum(left - p, 0.0) + HOP * np.maximum(operations_left - 1.0, 0.0)
    extra = np.where(begun > 0.5, CHAIN * (wanted_by + 0.5), 0.0)
    machine = machine_work / mean
    over = max(jobs_in_shop + 1.0 - LEVEL * machines, 0.0)
    horizon = max(LOAD * float(np.mean(machine)), float(np.max(machine)), 1e-9)
    out = np.zeros(n)
    for value in sorted(set(float(v) for v in machine)):
        group = [i for i in range(n) if float(machine[i]) == value]
        bound = {}
        for first in group:
            rest = [i for i in group if i != first]
            if len(group) <= MAX_ALL:
                orders = itertools.permutations(rest)
            else:
                orders = [
                    sorted(rest, key=lambda i: (-tail[i], i)),
                    sorted(rest, key=lambda i: (hold[i], i)),
                    sorted(rest, key=lambda i: (hold[i] / max(tail[i], 1e-9), i)),
                ]
            bound[first] = min(ends((first,) + tuple(o), hold, tail, extra, 0.0) for o in orders)
        for first in group:
            # not first: another one is, or the machine waits
            idle = bound[first] + LATER * (1.0 + SUM_WEIGHT)
            other = min([bound[i] for i in group if i != first] + [idle])
            regret = bound[first] - other
            # a wait costs only as much as the tail matters for the whole
            weight = min(max(tail[first], value) / horizon, 1.5)
            number = regret * weight + HARM * block[first]
            if begun[first] > 0.5:
                number -= HOLD * (1.0 + wanted_by[first])
                out[first] = number
            else:
                enter = CROWD * over + HARM * block[first] - LATER * weight
                out[first] = np.inf if enter > 0.0 else number + CROWD * over
    return out
