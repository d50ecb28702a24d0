"""Rollout over the ready set: place a pair, place the other ready tasks greedily, judge by the bounds."""

import numpy as np

MEAN_WEIGHT = 0.5  # weight of the mean bound beside the worst bound
SUFFER = 0.3  # weight of the regret in the order of the rollout
TRANSFER_TAIL = 0.3  # share of the transfers that the optimistic tail leaves out
RANK_TIE = 0.1  # of the placed task: longer paths first
MAX_TASKS = 16  # ready tasks that are rolled out
FAR = 1e12


def score(
    start: np.ndarray,
    finish: np.ndarray,
    data_ready: np.ndarray,
    local_input: np.ndarray,
    processor_end: np.ndarray,
    least_finish: np.ndarray,
    second_finish: np.ndarray,
    duration: np.ndarray,
    optimistic_cost: np.ndarray,
    mean_optimistic_cost: np.ndarray,
    upward_rank: np.ndarray,
    downward_rank: np.ndarray,
    least_duration: np.ndarray,
    mean_duration: np.ndarray,
    successors: np.ndarray,
    on_critical_path: np.ndarray,
    critical_processor: np.ndarray,
    task: np.ndarray,
    progress: float,
    ccr: float,
    makespan: float,
) -> np.ndarray:
    """The smallest number is placed next."""
    n = len(task)
    names, row = np.unique(task, return_inverse=True)
    row = np.asarray(row).reshape(-1)
    # processors are told apart by their end, the critical flag and their order among equals
    ids = {}
    seen = {}
    col = np.zeros(n, dtype=int)
    for k in range(n):
        key = (float(processor_end[k]), float(critical_processor[k]))
        at = (int(row[k]), key)
        nth = seen.get(at, 0)
        seen[at] = nth + 1
        col[k] = ids.setdefault((key, nth), len(ids))
    tasks, procs = len(names), len(ids)
    extra = np.maximum(upward_rank - mean_duration - mean_optimistic_cost, 0.0)
    tail_pair = optimistic_cost + TRANSFER_TAIL * extra
    begin = np.full((tasks, procs), FAR)
    length = np.ones((tasks, procs))
    tail = np.zeros((tasks, procs))
    ends = np.zeros(procs)
    rank = np.zeros(tasks)
    begin[row, col] = start
    length[row, col] = duration
    tail[row, col] = tail_pair
    ends[col] = processor_end
    rank[row] = upward_rank
    keep = np.argsort(-rank, kind="stable")[:MAX_TASKS]
    place = np.full(tasks, -1)
    place[keep] = np.arange(len(keep))
    begin, length, tail = begin[keep], length[keep], tail[keep]
    used = np.nonzero(place[row] >= 0)[0]
    first_task, first_proc = place[row[used]], col[used]
    count, width = len(used), len(keep)
    here = np.arange(count)
    state = np.repeat(begin[None, :, :], count, axis=0)
    open_ = np.ones((count, width), dtype=bool)
    bound = np.zeros((count, width))
    chosen, proc = first_task, first_proc
    for step in range(width):
        if step > 0:
            value = state + length[None, :, :] + tail[None, :, :]
            best = value.min(axis=2)
            if procs > 1:
                second = np.partition(value, 1, axis=2)[:, :, 1]
                second = np.minimum(second, 2.0 * best + 1.0)
            else:
                second = best
            urgency = np.where(open_, best + SUFFER * (second - best), -FAR)
            chosen = urgency.argmax(axis=1)
            proc = value[here, chosen].argmin(axis=1)
        s = state[here, chosen, proc]
        f = s + length[chosen, proc]
        bound[here, chosen] = f + tail[chosen, proc]
        open_[here, chosen] = False
        column = state[here, :, proc]  # count x width
        over = (column < f[:, None]) & (column + length[:, proc].T > s[:, None])
        late = np.maximum(f, ends[proc])[:, None]
        state[here, :, proc] = np.where(over, np.maximum(column, late), column)
    result = np.full(n, FAR)
    result[used] = bound.max(axis=1) + MEAN_WEIGHT * bound.mean(axis=1) - RANK_TIE * upward_rank[used]
    return result
