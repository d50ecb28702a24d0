"""Net-benefit relocation, after the idea of Holsenback and Russell 1992 (doi:10.1057/jors.1992.7)."""

import numpy as np


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """From due-date order: from the last late place on, moves there the job whose move gains most."""
    order = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    place = len(order) - 1
    while place > 0:
        p = np.array([processing_times[j] for j in order[: place + 1]])
        d = np.array([due_dates[j] for j in order[: place + 1]])
        end = p.cumsum()
        late = np.maximum(end - d, 0)
        if late[place] == 0:
            place -= 1
            continue
        # What moving job i (row) to the place saves on each later job q (column), minus what it costs job i.
        saved = np.triu(np.minimum(late[None, :], p[:, None]), 1).sum(axis=1)
        benefit = saved - (np.maximum(end[place] - d, 0) - late)
        best = int(benefit[:place].argmax())
        if benefit[best] > 0:
            order.insert(place, order.pop(best))
        else:
            place -= 1
    return order
