"""Joint plans judged by a soft worst bound of tasks and joins vote; a family is planned alone if transfers are heavy."""

import numpy as np

BEAM = 60  # partial plans that are kept
BRANCH = 4  # most urgent tasks that are tried next in a partial plan
MEAN_WEIGHT = 0.25  # weight of the mean bound beside the soft worst bound
HEAT = 0.5  # softness of the worst bound, in mean times of the ready tasks
WORK = 0.1  # price of processor time, shared by the processors
TRANSFER_TAIL = 0.3  # share of the transfers that the optimistic tail leaves out
COMMIT = 0.3  # weight of the bound against the start when a task of the plan is picked
FAMILY_FROM = 2.0  # ccr from which the family of the largest least tail is planned alone
SHIP = 0.8  # share of the mean transfer by which a join is expected to wait
EAGER = 0.1  # weight of the mean end of a family beside the bound of its join
LEAVES = 2000  # most plans of a family that are tried
GUESS = 0.3  # share of the mean transfer, beyond what the tails show, that is expected into a join
VOTE = 0.1  # plans this many mean times worse than the best have a vote smaller by the factor e
JOIN = 0.6  # share of a mean transfer charged to a task away from home
CCR_MID = 2.0  # ccr at which that charge counts by half
MAX_TASKS = 14  # ready tasks that are planned


def columns(row, processor_end, critical_processor):
    """Processors are told apart by their end, the critical flag and their order among equals."""
    ids, seen, col = {}, {}, []
    for r, key in zip(row.tolist(), zip(processor_end.tolist(), critical_processor.tolist())):
        nth = seen[r, key] = seen.get((r, key), 0) + 1
        col.append(ids.setdefault((key, nth), len(ids)))
    return np.array(col)


def plan(members, state, length, tail, ends, judge):
    """Places the members one after another; each choice is judged by what the later ones do, who forget the earlier."""
    if len(members) == 1:
        i = members[0]
        ways = [(state[i][p] + length[i][p] + tail[i][p], p) for p in range(len(ends))]
        p = min(ways)[1]
        return [(i, p, state[i][p] + length[i][p])]
    found, least = None, None
    for i in members:
        rest = [j for j in members if j != i]
        for p in range(len(ends)):
            s = state[i][p]
            if s > 1e11:
                continue
            f = s + length[i][p]
            new = list(state)
            for j in rest:
                if state[j][p] < f and state[j][p] + length[j][p] > s:
                    new[j] = state[j][:p] + [max(f, ends[p])] + state[j][p + 1 :]
            done = [(i, p, f)] + plan(rest, new, length, tail, ends, judge)
            worth = judge(done)
            if least is None or worth < least - 1e-9:
                found, least = done, worth
    return found


def family(row, col, begin, length, ends, tail_pair, upward, next_, ship):
    """First placement of a plan for the parents of one join: the tasks of the largest least tail, all ready at once."""
    far = 1e12
    tail = np.full(begin.shape, far)
    tail[row, col] = tail_pair
    least = tail.min(axis=1)
    after, more = np.zeros(len(begin)), np.zeros(len(begin))
    after[row], more[row] = upward, next_
    lead = np.nonzero(least >= least.max() - 1e-6)[0]
    lead = lead[np.argsort(-after[lead], kind="stable")]
    tail = np.where(tail < far, tail, least[:, None])
    goal = tail[lead].max(axis=0).tolist()  # from the start of the join to the last end
    low = tail[lead].max(axis=1) - least[lead]
    high = np.maximum(after[lead] - least[lead], low)
    guess = np.clip(SHIP * ship + after[lead] - after[lead].mean(), low, high)
    carry = dict(zip(lead.tolist(), np.where(more[lead] > 0, guess, 0.0).tolist()))
    procs = len(ends)
    most, leaves = 0, 1
    while most < len(lead) and leaves * (most + 1) * procs <= LEAVES:
        most += 1
        leaves *= most * procs
    tails = tail.tolist()

    def judge(done):
        arrival = min(max(f + (carry[i] if p != q else 0.0) for i, p, f in done) + goal[q] for q in range(procs))
        own = max(f + tails[i][p] for i, p, f in done)
        return max(arrival, own) + EAGER * sum(f for _, _, f in done) / len(done)

    found = plan(lead[: max(1, most)].tolist(), begin.tolist(), length.tolist(), tails, ends.tolist(), judge)
    return found[0][0], found[0][1]


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
    far = 1e12
    names, row = np.unique(task, return_inverse=True)
    row = np.asarray(row).reshape(-1)
    col = columns(row, processor_end, critical_processor)
    tasks, procs = len(names), int(col.max()) + 1
    left_out = np.maximum(upward_rank - mean_duration - mean_optimistic_cost, 0.0)
    begin = np.full((tasks, procs), far)
    length = np.ones((tasks, procs))
    rest = np.ones((tasks, procs))  # from the start to the bound
    ends, rank = np.zeros(procs), np.zeros(tasks)
    begin[row, col] = start
    length[row, col] = duration
    rest[row, col] = duration + optimistic_cost + TRANSFER_TAIL * left_out
    ends[col] = processor_end
    rank[row] = upward_rank
    value = finish + optimistic_cost - 2.0 * upward_rank
    if ccr > FAMILY_FROM:
        unit = ccr * float(np.mean(mean_duration))
        i, p = family(
            row, col, begin, length, ends, optimistic_cost, upward_rank - mean_duration, successors, unit
        )
        return np.where((row == i) & (col == p), value.min() - 1.0, value)
    keep = np.sort(np.argsort(-rank, kind="stable")[: max(1, int(MAX_TASKS))])
    begin, length, rest = begin[keep], length[keep], rest[keep]
    width = len(keep)
    mark = np.sqrt(np.arange(2.0, width + 2.0))

    # every processor is tried as the home; a task with successors pays for a place elsewhere
    heavy = ccr * ccr / (ccr * ccr + CCR_MID * CCR_MID)
    charge = np.zeros(tasks)
    charge[row] = JOIN * heavy * np.minimum(left_out, ccr * float(np.mean(mean_duration))) * (successors > 0)
    away = 1.0 - np.eye(procs)
    rests = rest[None] + charge[keep][None, :, None] * away[:, None, :]  # home, task, processor

    # ready tasks of equal least tail share their critical successor: its tail, and the transfers into it
    tail, extra, leaves = np.full((tasks, procs), far), np.zeros(tasks), np.zeros(tasks)
    tail[row, col] = optimistic_cost
    extra[row], leaves[row] = TRANSFER_TAIL * left_out, successors
    tail, extra, leaves = tail[keep], extra[keep], leaves[keep]
    least = tail.min(axis=1)
    tail = np.where(tail < far, tail, least[:, None])
    seen = tail.max(axis=1) - least
    carry = seen + GUESS * np.maximum(ccr * float(np.mean(mean_duration)) - seen, 0.0)
    joins, known = [], set()
    for i in range(width):
        if leaves[i] > 0 and i not in known:
            same = [j for j in range(width) if leaves[j] > 0 and abs(least[j] - least[i]) < 1e-6]
            known.update(same)
            if len(same) > 1:
                joins.append((np.array(same), tail[same].max(axis=0) + extra[same].min()))
    every, number = np.arange(width), np.arange(procs)[None, None, :]

    state = np.repeat(begin[None], procs, axis=0)
    home = np.arange(procs)
    open_ = np.ones((procs, width), dtype=bool)
    bound = np.zeros((procs, width))
    when = np.zeros((procs, width))
    where = np.zeros((procs, width), dtype=int)
    work = np.zeros(procs)
    for step in range(width):
        best = (state + rests[home]).min(axis=2)
        next_ = np.argsort(np.where(open_, -best, far), axis=1, kind="stable")
        next_ = next_[:, : min(max(1, int(BRANCH)), width - step)]
        size, many = next_.shape
        parent = np.repeat(np.arange(size), many * procs)
        chosen = np.repeat(next_.reshape(-1), procs)
        proc = np.tile(np.arange(procs), size * many)
        can = state[parent, chosen, proc] < 0.5 * far
        parent, chosen, proc = parent[can], chosen[can], proc[can]
        here = np.arange(len(parent))
        state, open_, bound, home = state[parent], open_[parent], bound[parent], home[parent]
        when, where, work = when[parent], where[parent], work[parent]
        s = state[here, chosen, proc]
        f = s + length[chosen, proc]
        bound[here, chosen] = s + rests[home, chosen, proc]
        when[here, chosen] = s
        where[here, chosen] = proc
        open_[here, chosen] = False
        work = work + length[chosen, proc]
        other = state[here, :, proc]
        overlap = (other < f[:, None]) & (other + length[:, proc].T > s[:, None])
        state[here, :, proc] = np.where(overlap, np.maximum(f, ends[proc])[:, None], other)
        hope = np.where(open_, (state + rests[home]).min(axis=2), bound)
        heat = HEAT * float(np.mean(mean_duration)) + 1e-9
        top = hope.max(axis=1)
        mass = np.exp((hope - top[:, None]) / heat).sum(axis=1)
        ending = when + length[every[None, :], where]
        for same, goal in joins:
            come = ending[:, same, None] + carry[same][None, :, None] * (where[:, same, None] != number)
            come = np.where(open_[:, same, None], 0.0, come)
            behind = (come.max(axis=1) + goal[None, :]).min(axis=1)
            higher = np.maximum(top, behind)
            mass = mass * np.exp((top - higher) / heat) + np.exp((behind - higher) / heat)
            top = higher
        worst = top + heat * np.log(mass)
        worth = worst + MEAN_WEIGHT * hope.mean(axis=1) + WORK * work / procs
        # the same partial plan in another order is kept once
        sign = np.where(open_, 0.0, mark * (when + 1.0) + mark[::-1] * (where + 1.0) * 0.37).sum(axis=1)
        sign = sign + 1000003.0 * home
        _, once = np.unique(np.round(sign, 6), return_index=True)
        once = np.sort(once)
        pick = once[np.argsort(worth[once], kind="stable")[: max(1, int(BEAM))]]
        state, open_, bound, home = state[pick], open_[pick], bound[pick], home[pick]
        when, where, work = when[pick], where[pick], work[pick]

    # every plan votes for one of its tasks that start there as they would now; better plans weigh more
    worth = worth[pick]
    now = begin[every[None, :], where]
    key = np.where(np.abs(when - now) < 1e-9, when - COMMIT * bound, far)
    first = key.argmin(axis=1)
    weight = np.exp(-np.minimum((worth - worth.min()) / (VOTE * float(np.mean(mean_duration)) + 1e-9), 50.0))
    votes = np.zeros((tasks, procs))
    np.add.at(votes, (keep[first], where[np.arange(len(first)), first]), weight)
    mine = votes[row, col]
    return np.where(mine >= mine.max() - 1e-12, value - 1e9, value)
