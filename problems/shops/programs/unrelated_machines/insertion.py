"""The cheapest places of a job; stands at the end of every program that inserts jobs."""


def places(
    job: int, plan: list[list[int]], times: list[list[int]], setups: list[list[list[int]]]
) -> list[tuple[int, int]]:
    """For each machine the least time that the job adds to it, and where."""
    found = []
    for time, between, jobs in zip(times, setups, plan, strict=True):
        last = len(jobs)
        growths = [
            (between[jobs[place - 1]][job] if place else 0)
            + (between[job][jobs[place]] if place < last else 0)
            - (between[jobs[place - 1]][jobs[place]] if 0 < place < last else 0)
            for place in range(last + 1)
        ]
        least = min(growths)
        found.append((time[job] + least, growths.index(least)))
    return found
