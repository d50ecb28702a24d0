"""Multiple insertion (Kurz and Askin 2001, doi:10.1080/00207540110064938), for unrelated machines."""

from .insertion import places


def schedule(times: list[list[int]], setups: list[list[list[int]]]) -> list[list[int]]:
    """Jobs by falling mean of their times and setups, each where its machine then ends earliest."""
    machines = range(len(times))

    def mean(k: int) -> int:
        return sum(times[i][k] * len(times[i]) + sum(row[k] for row in setups[i]) for i in machines)

    plan: list[list[int]] = [[] for _ in machines]
    ends = [0 for _ in machines]
    for job in sorted(range(len(times[0])), key=mean, reverse=True):
        offers = places(job, plan, times, setups)
        i = min(machines, key=lambda i: ends[i] + offers[i][0])
        plan[i].insert(offers[i][1], job)
        ends[i] += offers[i][0]
    return plan
