"""Jobs arrive one by one; each is given to a machine at once, and no decision is taken back.

duration is that of the new job, loads[m] the minutes that machine m was given so far. The largest load at the
end counts.

    gapsmith problems check examples/online_machines.py
    gapsmith run examples/online_machines.py
"""

import gapsmith as gs

problem = gs.problem("online-machines", minimise="minutes", answer=gs.Choice("loads"))


@problem.instances(train=20, valid=20, test=40, strata={"anywhere": {"first": 0}, "late": {"first": 30}})
def sequence(rng, *, jobs: int = 40, first: int = 0):
    """Jobs of 1 to 20 minutes, up to four of 60 to 100, which come late in every other sequence."""
    durations = [rng.randint(1, 20) for _ in range(jobs)]
    for _ in range(4):
        durations[rng.randrange(min(first, jobs - 1), jobs)] = rng.randint(60, 100)
    return {"durations": durations, "machines": 4}


@problem.heuristic
def round_robin(duration, loads):
    """Any machine, by the sum of what was done: a weak rule to start from."""
    return sum(loads) % len(loads)


@problem.heuristic
def least_loaded(duration, loads):
    """The machine with the least load (Graham 1966)."""
    return min(range(len(loads)), key=lambda m: loads[m])


@problem.heuristic
def leave_room(duration, loads):
    """The fullest machine that stays below 1.3 times the mean load, else the least loaded one."""
    limit = 1.3 * (sum(loads) + duration) / len(loads)
    fitting = [m for m in range(len(loads)) if loads[m] + duration <= limit]
    if fitting:
        return max(fitting, key=lambda m: loads[m])
    return min(range(len(loads)), key=lambda m: loads[m])


@problem.online
def machines(durations, machines):
    """Asks for a machine for each job; returns the largest load."""
    loads = [0] * machines
    for duration in durations:
        loads[(yield duration, loads)] += duration
    return max(loads)


@problem.reference
def load_bound(durations, machines):
    """The mean load, the longest job, or two jobs of the longest five on one of four machines."""
    longest = sorted(durations, reverse=True)
    pair = sum(longest[machines - 1 : machines + 1])
    return gs.bound(max(-(-sum(durations) // machines), longest[0], pair))
