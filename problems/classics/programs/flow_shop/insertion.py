"""Makespans of all insertions of one job; stands at the end of every program that inserts jobs."""


def spans(order: list[int], job: int, times: list[list[int]]) -> list[int]:
    """Makespans with the job at each place of the order, from heads and tails (Taillard 1990)."""
    machines = range(len(times[job]))
    tails = [[0] * len(times[job])]
    for j in reversed(order):
        tail, end = tails[-1][:], 0
        for machine in reversed(machines):
            end = tail[machine] = max(end, tail[machine]) + times[j][machine]
        tails.append(tail)
    heads = [0] * len(times[job])
    makespans = []
    for place, tail in enumerate(reversed(tails)):
        end = span = 0
        for machine in machines:
            end = max(end, heads[machine]) + times[job][machine]
            span = max(span, end + tail[machine])
        makespans.append(span)
        if place < len(order):
            end = 0
            for machine in machines:
                end = heads[machine] = max(end, heads[machine]) + times[order[place]][machine]
    return makespans
