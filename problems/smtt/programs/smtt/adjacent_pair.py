"""Earliest due date, then exchanges of neighbours until none helps (compare Wilkerson and Irwin 1971)."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """A sequence in which no exchange of two neighbours lowers the total tardiness."""
    order = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    k = 0
    start = 0
    while k < len(order) - 1:
        i, j = order[k], order[k + 1]
        end = start + processing_times[i] + processing_times[j]
        here = max(0, start + processing_times[i] - due_dates[i]) + max(0, end - due_dates[j])
        there = max(0, start + processing_times[j] - due_dates[j]) + max(0, end - due_dates[i])
        if there >= here:
            start += processing_times[i]
            k += 1
            continue
        order[k], order[k + 1] = j, i
        if k:  # the job that came forward may go on
            k -= 1
            start -= processing_times[order[k]]
    return order
