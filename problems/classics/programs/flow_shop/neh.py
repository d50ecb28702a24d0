"""Insertion heuristic (Nawaz, Enscore and Ham 1983, doi:10.1016/0305-0483(83)90088-9)."""

from .insertion import spans


def sequence(times: list[list[int]]) -> list[int]:
    """Jobs by falling work, each at its best place, the first of equal ones."""
    order: list[int] = []
    for job in sorted(range(len(times)), key=lambda j: -sum(times[j])):
        makespans = spans(order, job, times)
        order.insert(makespans.index(min(makespans)), job)
    return order
