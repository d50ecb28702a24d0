"""Modified due date with slack discounted by overload and narrowness of the due dates."""
from numpy import maximum

PUSH = 0.95  # discount of slack at full overload
POWER = 0.85  # its growth with the share of overload
CAP = 0.8    # largest discount
WIDTH = 1.7  # its fading with the width of the due dates


def priority(time, processing_times, due_dates):
    end = processing_times + time
    slack = maximum(due_dates - end, 0.0)
    work = processing_times.dot(slack > 0.0).item()
    n = len(due_dates)
    last = due_dates.item(n - 1)
    over = time + work - last
    near = work - WIDTH * (last - due_dates.item(n // 2))
    if over > 0.0 and near > 0.0:
        slack *= 1.0 - min(CAP, PUSH * (over / work) ** POWER * near / work)
    slack += end
    return slack
