"""Shortest processing time first."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Orders jobs by processing time, ties by due date."""
    return sorted(range(len(processing_times)), key=lambda j: (processing_times[j], due_dates[j]))
