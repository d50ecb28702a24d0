"""The sequence of the modified due date rule."""


def modified_due_date(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the smallest max(d, t + p)."""
    remaining = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    order = []
    time = 0
    while remaining:
        chosen = min(remaining, key=lambda j: max(due_dates[j], time + processing_times[j]))
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order
