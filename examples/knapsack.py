"""Item i is worth values[i] coins and weighs weights[i]; the most value of at most `capacity` is wanted.

gapsmith problems check examples/knapsack.py
gapsmith run examples/knapsack.py
"""

import gapsmith as gs

problem = gs.problem("knapsack", maximise="coins", answer=gs.Subset("values"))


@problem.instances(
    train=20, valid=20, test=40, strata={"share=30%": {"share": 30}, "share=50%": {"share": 50}}
)
def luggage(rng, *, items: int = 50, correlation: int = 30, share: int = 30):
    """Weakly correlated instances (Pisinger 2005, section 3); a share of the weight fits."""
    weights = [rng.randint(10, 100) for _ in range(items)]
    values = [max(1, weight + rng.randint(-correlation, correlation)) for weight in weights]
    return {"values": values, "weights": weights, "capacity": sum(weights) * share // 100}


@problem.heuristic
def by_value(values, weights, capacity):
    """The most valuable item first."""
    chosen = []
    room = capacity
    for item in sorted(range(len(values)), key=lambda i: -values[i]):
        if weights[item] <= room:
            room -= weights[item]
            chosen.append(item)
    return chosen


@problem.heuristic
def by_density(values, weights, capacity):
    """The most value per weight first."""
    chosen = []
    room = capacity
    for item in sorted(range(len(values)), key=lambda i: -values[i] / weights[i]):
        if weights[item] <= room:
            room -= weights[item]
            chosen.append(item)
    return chosen


@problem.objective
def worth(answer, values, weights, capacity):
    """The value of the chosen items."""
    gs.require(sum(weights[i] for i in answer) <= capacity, "the items weigh too much")
    return sum(values[i] for i in answer)


@problem.primitives
def expressions():
    """What may matter to a rule."""
    return [
        ("values[i] / weights[i]", "coins per unit of weight"),
        ("capacity / len(weights)", "room per item"),
    ]


@problem.reference
def dynamic_programme(values, weights, capacity):
    """The best value for each room, item by item."""
    best = [0] * (capacity + 1)
    for value, weight in zip(values, weights, strict=True):
        for room in range(capacity, weight - 1, -1):
            best[room] = max(best[room], best[room - weight] + value)
    return gs.optimum(best[-1])
