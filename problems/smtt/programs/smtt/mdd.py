"""Modified due date (Baker and Bertrand 1982)."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the smallest modified due date max(d, t + p)."""
    remaining = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    order = []
    time = 0
    while remaining:
        chosen = min(remaining, key=lambda j: max(due_dates[j], time + processing_times[j]))
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order
