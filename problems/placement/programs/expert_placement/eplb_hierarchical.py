"""EPLB, hierarchical form: expert groups to nodes, copies within each node, copies to the node's GPUs."""


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    """Experts on each GPU; one node when the groups do not divide over the nodes (the global form)."""
    if groups % nodes or len(loads) % groups or gpus % nodes:
        groups = nodes = 1
    size = len(loads) // groups
    weight = [float(sum(loads[g * size : (g + 1) * size])) for g in range(groups)]
    plan: list[list[int]] = []
    for chosen in pack(weight, nodes, groups // nodes):
        experts = [e for group in chosen for e in range(group * size, (group + 1) * size)]
        count = dict.fromkeys(experts, 1)
        for _ in range(gpus // nodes * slots - len(experts)):
            count[max(experts, key=lambda e: loads[e] / count[e])] += 1
        copies = [e for e in experts for _ in range(count[e])]
        for held in pack([loads[e] / count[e] for e in copies], gpus // nodes, slots):
            plan.append([copies[i] for i in held])
    return plan


def pack(weight: list[float], bins: int, room: int) -> list[list[int]]:
    """Items by falling weight, each into the lightest bin with room; bins hold equally many."""
    held: list[list[int]] = [[] for _ in range(bins)]
    total = [0.0] * bins
    for i in sorted(range(len(weight)), key=lambda i: -weight[i]):
        b = min((b for b in range(bins) if len(held[b]) < room), key=lambda b: total[b])
        held[b].append(i)
        total[b] += weight[i]
    return held
