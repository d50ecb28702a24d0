"""Earliest due date first (Jackson 1955)."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Orders jobs by due date, ties by processing time."""
    return sorted(range(len(processing_times)), key=lambda j: (due_dates[j], processing_times[j]))
