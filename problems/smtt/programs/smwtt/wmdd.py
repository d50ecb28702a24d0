"""Weighted modified due date (Kanet and Li 2004, doi:10.1023/B:JOSH.0000031423.39762.d3)."""


def schedule(processing_times: list[int], due_dates: list[int], weights: list[int]) -> list[int]:
    """Repeatedly takes the job with the smallest max(p, d - t) / w."""
    remaining = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    order = []
    time = 0
    while remaining:
        chosen = min(remaining, key=lambda j: max(processing_times[j], due_dates[j] - time) / weights[j])
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order
