"""Panneerselvam 2006: a ratio rule, listed for completeness."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Repeatedly takes the job with the largest (remaining work - due date) / processing time."""
    remaining = list(range(len(due_dates)))
    order = []
    work = sum(processing_times)
    while remaining:
        chosen = max(remaining, key=lambda j: (work - due_dates[j]) / processing_times[j])
        remaining.remove(chosen)
        order.append(chosen)
        work -= processing_times[chosen]
    return order
