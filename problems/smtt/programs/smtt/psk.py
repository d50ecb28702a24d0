"""PSK (Panwalkar, Smith and Koulamas 1993, doi:10.1016/0377-2217(93)90140-8)."""


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """From the shortest job on, a later one takes over if it is due earlier and may be late."""
    waiting = sorted(range(len(due_dates)), key=lambda j: (processing_times[j], due_dates[j]))
    order = []
    time = 0
    while waiting:
        active = 0
        for k in range(1, len(waiting)):
            due = due_dates[waiting[active]]
            if due <= time + processing_times[waiting[active]]:
                break
            if due <= time + processing_times[waiting[k]]:
                break
            if due > due_dates[waiting[k]]:
                active = k
        job = waiting.pop(active)
        order.append(job)
        time += processing_times[job]
    return order
