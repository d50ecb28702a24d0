"""Earliest end first (Ibarra and Kim 1977, doi:10.1145/322003.322011), each end with its setup."""


def schedule(times: list[list[int]], setups: list[list[list[int]]]) -> list[list[int]]:
    """Again and again the job and machine whose end is earliest, behind the machine's last job."""
    plan: list[list[int]] = [[] for _ in times]
    ends = [0] * len(times)
    left = list(range(len(times[0])))
    while left:
        end, i, k = min(
            (ends[i] + row[k] + (setups[i][plan[i][-1]][k] if plan[i] else 0), i, k)
            for i, row in enumerate(times)
            for k in left
        )
        plan[i].append(k)
        ends[i] = end
        left.remove(k)
    return plan
