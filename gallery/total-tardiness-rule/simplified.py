"""Modified due date with slack discounted by overload and narrowness of the due dates."""
from numpy import maximum
PUSH = 0.95
POWER = 0.85
CAP = 0.8
WIDTH = 1.7

def priority(time, processing_times, due_dates):
    end = processing_times + time
    slack = maximum(due_dates - end, 0.0)
    work = processing_times.dot(slack > 0.0).item()
    over = time + work - due_dates.item(len(due_dates) - 1)
    near = work
    if over > 0.0 and near > 0.0:
        slack *= 1.0 - PUSH * (over / work) ** POWER * near / work
    slack += end
    return slack
