"""Campbell, Dudek and Smith (1970): Johnson's rule for the first and the last k machines, best of all k."""


def sequence(times: list[list[int]]) -> list[int]:
    """The best of machines - 1 orders."""
    orders = [
        johnson([sum(row[:k]) for row in times], [sum(row[-k:]) for row in times])
        for k in range(1, max(2, len(times[0])))
    ]
    return min(orders, key=lambda order: makespan(order, times))


def johnson(first: list[int], second: list[int]) -> list[int]:
    """An optimal order of two machines (Johnson 1954)."""
    jobs = range(len(first))
    front = sorted((j for j in jobs if first[j] <= second[j]), key=lambda j: first[j])
    back = sorted((j for j in jobs if first[j] > second[j]), key=lambda j: -second[j])
    return front + back


def makespan(order: list[int], times: list[list[int]]) -> int:
    """End of the last job, time units."""
    ends = [0] * len(times[0])
    for j in order:
        end = 0
        for machine, time in enumerate(times[j]):
            end = ends[machine] = max(end, ends[machine]) + time
    return ends[-1]
