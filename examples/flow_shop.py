"""Every job visits the machines 0, 1, 2, …; every machine takes the jobs in the same order, one at a time.

    gapsmith problems check examples/flow_shop.py
    gapsmith run examples/flow_shop.py --budget 60s

times[j][m] is the time of job j on machine m. Find the order in which the last job is done soonest.
"""

import gapsmith as gs

problem = gs.problem("flow-shop", minimise="time units", answer=gs.Permutation("times"))


@problem.instances(train=20, valid=20, test=40)
def shop(rng, *, jobs: int = 30, machines: int = 10):
    """Uniform times from 1 to 99, as in Taillard's instances."""
    return {"times": [[rng.randint(1, 99) for _ in range(machines)] for _ in range(jobs)]}


@problem.objective
def makespan(answer, times):
    """End of the last job."""
    ends = [0] * len(times[0])
    for j in answer:
        end = 0
        for machine, time in enumerate(times[j]):
            if ends[machine] > end:
                end = ends[machine]
            end += time
            ends[machine] = end
    return ends[-1]


@problem.heuristic
def neh(times):
    """Longest total time first, each job at the place of least makespan (Nawaz, Enscore and Ham 1983)."""
    jobs = sorted(range(len(times)), key=lambda j: -sum(times[j]))
    chosen = []
    for j in jobs:
        trials = [[*chosen[:place], j, *chosen[place:]] for place in range(len(chosen) + 1)]
        chosen = min(trials, key=lambda trial: makespan(trial, times))
    return chosen


@problem.heuristic
def palmer(times):
    """Jobs whose times grow from machine to machine first (slope index, Palmer 1965)."""
    machines = len(times[0])
    slope = [sum((2 * m - machines + 1) * time for m, time in enumerate(row)) for row in times]
    return sorted(range(len(times)), key=lambda j: -slope[j])


@problem.reference
def machine_bound(times):
    """Each machine's work, with the shortest ways to it and from it."""
    bounds = []
    for machine in range(len(times[0])):
        work = sum(row[machine] for row in times)
        before = min(sum(row[:machine]) for row in times)
        after = min(sum(row[machine + 1 :]) for row in times)
        bounds.append(before + work + after)
    return gs.bound(max(bounds))
