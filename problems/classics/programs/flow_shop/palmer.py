"""Slope index: jobs whose times grow from machine to machine first (Palmer 1965)."""


def sequence(times: list[list[int]]) -> list[int]:
    """Largest slope first."""
    machines = len(times[0])
    slope = [sum((2 * k - machines + 1) * time for k, time in enumerate(row)) for row in times]
    return sorted(range(len(times)), key=lambda j: -slope[j])
