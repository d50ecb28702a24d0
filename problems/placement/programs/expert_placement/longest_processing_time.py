"""Copies in proportion to the loads (largest remainders), then longest processing time first."""


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    """Experts on each GPU."""
    experts = range(len(loads))
    share = [load * gpus * slots / sum(loads) for load in loads]
    count = [max(1, int(share[e])) for e in experts]
    while sum(count) > gpus * slots:
        e = min((e for e in experts if count[e] > 1), key=lambda e: loads[e] / (count[e] - 1))
        count[e] -= 1
    for e in sorted(experts, key=lambda e: count[e] - share[e])[: gpus * slots - sum(count)]:
        count[e] += 1
    plan: list[list[int]] = [[] for _ in range(gpus)]
    load = [0.0] * gpus
    for e in sorted(experts, key=lambda e: -loads[e] / count[e]):
        for _ in range(count[e]):
            g = min((g for g in range(gpus) if len(plan[g]) < slots), key=lambda g: load[g])
            plan[g].append(e)
            load[g] += loads[e] / count[e]
    return plan
