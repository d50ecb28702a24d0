"""EDDC in the form that works: insertion by due date into a shortest-first order (arXiv 2510.24013).

The printed algorithm starts from due-date order, where its loop never runs; see docs/smtt.md.
"""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Sorts by due date, but a job passes only those that would finish before their own due date."""
    order = sorted(range(len(due_dates)), key=lambda j: (processing_times[j], due_dates[j]))
    for i in range(1, len(order)):
        end = sum(processing_times[j] for j in order[:i])
        for k in range(i, 0, -1):
            before, job = order[k - 1], order[k]
            if due_dates[job] >= due_dates[before]:
                break
            if due_dates[before] > end:
                order[k - 1], order[k] = job, before
            end -= processing_times[order[k - 1]]
    return order
