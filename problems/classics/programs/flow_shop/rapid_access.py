"""Rapid access (Dannenbring 1977): Johnson's rule for two machines, made of weighted sums of all."""


def sequence(times: list[list[int]]) -> list[int]:
    """Johnson's order of the weighted sums: weights fall on the first machine, grow on the second."""
    machines = len(times[0])
    first = [sum((machines - k) * time for k, time in enumerate(row)) for row in times]
    second = [sum((k + 1) * time for k, time in enumerate(row)) for row in times]
    return johnson(first, second)


def johnson(first: list[int], second: list[int]) -> list[int]:
    """An optimal order of two machines (Johnson 1954)."""
    jobs = range(len(first))
    front = sorted((j for j in jobs if first[j] <= second[j]), key=lambda j: first[j])
    back = sorted((j for j in jobs if first[j] > second[j]), key=lambda j: -second[j])
    return front + back
