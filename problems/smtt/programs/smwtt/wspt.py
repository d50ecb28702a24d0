"""Weighted shortest processing time first (Smith 1956, doi:10.1002/nav.3800030106)."""


def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:
    """Orders jobs by the ratio of length to weight, ties by due date."""
    return sorted(range(len(due_dates)), key=lambda j: (processing_times[j] / weights[j], due_dates[j]))
