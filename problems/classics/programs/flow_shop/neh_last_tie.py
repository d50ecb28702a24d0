"""Insertion heuristic of Nawaz, Enscore and Ham, each job at the last of its best places."""

from .insertion import spans


def sequence(times: list[list[int]]) -> list[int]:
    """Jobs by falling work."""
    order: list[int] = []
    for job in sorted(range(len(times)), key=lambda j: -sum(times[j])):
        makespans = spans(order, job, times)
        order.insert(len(order) - makespans[::-1].index(min(makespans)), job)
    return order
