"""Earliest due date first (Jackson 1955)."""


def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:
    """Orders jobs by due date, ties by the ratio of length to weight."""
    return sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j] / weights[j]))
