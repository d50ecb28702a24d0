"""EPLB, global form, then swaps of copies away from the fullest GPU while they help (local search)."""


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    """Experts on each GPU, at a local optimum of swaps."""
    experts = range(len(loads))
    count = [1 for _ in experts]
    for _ in range(gpus * slots - len(loads)):
        count[max(experts, key=lambda e: loads[e] / count[e])] += 1
    part = [loads[e] / count[e] for e in experts]
    plan: list[list[int]] = [[] for _ in range(gpus)]
    load = [0.0] * gpus
    for e in sorted(experts, key=lambda e: -part[e]):
        for _ in range(count[e]):
            g = min((g for g in range(gpus) if len(plan[g]) < slots), key=lambda g: load[g])
            plan[g].append(e)
            load[g] += part[e]
    while True:
        worst = max(range(gpus), key=lambda g: load[g])
        lowest = load[worst] - 1e-6
        change = None
        for i, e in enumerate(plan[worst]):
            for g in range(gpus):
                for j, f in enumerate(plan[g]):
                    less = part[e] - part[f]
                    if less > 0 and max(load[worst] - less, load[g] + less) < lowest:
                        lowest = max(load[worst] - less, load[g] + less)
                        change = (i, g, j, less)
        if change is None:
            return plan
        i, g, j, less = change
        plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
        load[worst] -= less
        load[g] += less
