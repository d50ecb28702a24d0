"""EPLB, global form: copies one by one to the expert with the largest load per copy, then greedy packing."""


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    """Experts on each GPU."""
    power = 1.0
    offset = 0.0
    experts = range(len(loads))
    count = [1 for _ in experts]
    for _ in range(gpus * slots - len(loads)):
        e = max(experts, key=lambda e: loads[e] ** power / (count[e] + offset))
        count[e] += 1

    def key(e: int) -> float:
        return loads[e] / count[e]

    plan: list[list[int]] = [[] for _ in range(gpus)]
    load = [0.0] * gpus
    for e in sorted(experts, key=key, reverse=True):
        for _ in range(count[e]):
            best = -1
            lowest = 0.0
            for g in range(gpus):
                if len(plan[g]) < slots:
                    score = load[g]
                    if best < 0 or score < lowest:
                        best = g
                        lowest = score
            plan[best].append(e)
            load[best] += loads[e] / count[e]
    return plan
