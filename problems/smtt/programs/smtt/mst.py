"""Minimum slack time first."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Orders jobs by slack d - p, ties by processing time."""
    slack = [d - p for d, p in zip(due_dates, processing_times, strict=True)]
    return sorted(range(len(slack)), key=lambda j: (slack[j], processing_times[j]))
