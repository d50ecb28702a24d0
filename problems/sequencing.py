"""Whole phases of sequencing for the offline proposer: jobs follow one another, and costs add up along them.

The cost itself stays open: a vector that accumulates and an expression over each item and its end, which
selection chooses. Insertion and exchange moves with increments follow Della Croce, Garaix and Grosso,
Computers & Operations Research 39 (2012) 1213-1217, doi:10.1016/j.cor.2010.10.025; two phases (construct,
then improve) follow GRASP (Feo and Resende 1995, doi:10.1007/BF01096763). A rating by a whole plan follows
rollout (Bertsekas, Tsitsiklis and Wu 1997, doi:10.1023/A:1009635226865).
"""

from __future__ import annotations

from .base import CostShape, Phase

_INSERTION = '''
def {name}(order, {arguments}):
    """Moves single items along an order as long as the added-up cost falls."""
    def cost(j, end):
        return {cost}
    order = list(order)
    for _ in range({rounds}):
        changed = False
        for i in range(len(order)):
            j = order[i]
            start = sum({weight}[k] for k in order[:i])
            base = cost(j, start + {weight}[j])
            least = -1e-09
            place = i
            change = 0
            end = start
            for k in range(i + 1, min(len(order), i + {window})):
                other = order[k]
                end += {weight}[other]
                change += cost(other, end) - cost(other, end + {weight}[j])
                gain = change + cost(j, end + {weight}[j]) - base
                if gain < least:
                    least = gain
                    place = k
            change = 0
            end = start
            for k in range(i - 1, max(-1, i - {window}), -1):
                other = order[k]
                change += cost(other, end + {weight}[j]) - cost(other, end)
                end -= {weight}[other]
                gain = change + cost(j, end + {weight}[j]) - base
                if gain < least:
                    least = gain
                    place = k
            if place != i:
                order.insert(place, order.pop(i))
                changed = True
        if not changed:
            break
    return order
'''

_EXCHANGE = '''
def {name}(order, {arguments}):
    """Exchanges pairs of items of an order as long as the added-up cost falls."""
    def cost(j, end):
        return {cost}
    order = list(order)
    for _ in range({rounds}):
        changed = False
        start = 0
        for i in range(len(order)):
            for k in range(i + 1, min(len(order), i + {window})):
                trial = [order[k]] + order[i + 1:k] + [order[i]]
                change = 0
                end = start
                for other in order[i:k + 1]:
                    end += {weight}[other]
                    change -= cost(other, end)
                end = start
                for other in trial:
                    end += {weight}[other]
                    change += cost(other, end)
                if change < -1e-09:
                    order[i:k + 1] = trial
                    changed = True
            start += {weight}[order[i]]
        if not changed:
            break
    return order
'''

_BEST_OF = '''
def {name}(orders, {arguments}):
    """The order of least added-up cost."""
    def cost(j, end):
        return {cost}
    def total(order):
        end = 0
        value = 0
        for j in order:
            end += {weight}[j]
            value += cost(j, end)
        return value
    return min(orders, key=total)
'''

_DESCENT = """\
    def cost(jobs: np.ndarray, ends: np.ndarray) -> np.ndarray:
        return {cost}
    n = len(order)
    below = np.tri(n, n, -1, dtype=bool)
    diagonal = np.arange(n)
    for _ in range({rounds}):
        weight = {weight}[order]
        end = {start}np.cumsum(weight)
        now = cost(order, end)
        passed = cost(order[None, :], end[None, :] + np.where(below, weight[:, None], -weight[:, None])) - now
        passed[diagonal, diagonal] = 0
        total = np.cumsum(passed, axis=1)
        own = total[diagonal, diagonal][:, None]
        shift = np.where(below, own - total + passed, total - own)
        ends = np.where(below, (end - weight)[None, :] + weight[:, None], end[None, :])
        change = shift + cost(order[:, None], ends) - now[:, None]
        change[diagonal, diagonal] = 0
        best = int(np.argmin(change))
        if change.flat[best] >= -1e-09:
            break
        item = order[best // n]
        order = np.insert(np.delete(order, best // n), best % n, item)
"""
"""Best moves of one item, again and again; all places of all items are rated at once by increments."""

_BEST_INSERTION = (
    '''
def {name}(order, {arguments}):
    """Makes the move of one item that lowers the added-up cost most, again and again."""
    order = np.array(order)
    {arrays}
'''
    + _DESCENT
    + """
    return order.tolist()
"""
)

_RANKING = (
    '''
def {name}(base, {arguments}):
    """Places of the items after moving single ones while the added-up cost of the first ones' order falls."""
    places = np.argsort(base, kind="stable")
    order = places[:{window}]
'''
    + _DESCENT
    + """
    rating = np.empty(len(places))
    rating[places] = np.arange(len(places))
    rating[order] = diagonal
    return rating
"""
)

_COSTS = (
    CostShape(0.45, "max(0, end - {other}[j])"),
    CostShape(0.1, "abs(end - {other}[j])"),
    CostShape(0.15, "max(0, end - {other}[j]) * {factor}[j]"),
    CostShape(0.1, "end * {other}[j]"),
    CostShape(0.2, ""),
)
_COSTS_OF_MANY = (
    CostShape(0.55, "np.maximum(0, ends - {other}[jobs])"),
    CostShape(0.1, "np.abs(ends - {other}[jobs])"),
    CostShape(0.2, "np.maximum(0, ends - {other}[jobs]) * {factor}[jobs]"),
    CostShape(0.07, "ends * {other}[jobs]"),
    CostShape(0.08, "np.maximum({number}, ends - {number} * {other}[jobs])"),
)

SEQUENCING = (
    Phase(
        "insertion-phase",
        "insertion_descent",
        _INSERTION,
        "order",
        2.0,
        _COSTS,
        {"rounds": (1, 2, 3, 5), "window": (6, 12, 30, 1000)},
    ),
    Phase(
        "exchange-phase",
        "exchange_descent",
        _EXCHANGE,
        "order",
        1.0,
        _COSTS,
        {"rounds": (1, 2, 3, 5), "window": (2, 3, 5, 8)},
    ),
    Phase("best-of", "best_of", _BEST_OF, "orders", 0.5, _COSTS),
    Phase(
        "best-insertion-phase",
        "best_insertion",
        _BEST_INSERTION,
        "order as array",
        2.0,
        _COSTS,
        {"rounds": (5, 15, 50, 200)},
    ),
    # Only the first item counts when ratings are asked again: a larger window is cost, not gain.
    Phase(
        "ranking-descent",
        "descent",
        _RANKING,
        "rating",
        2.5,
        _COSTS_OF_MANY,
        {"rounds": (3, 8, 20), "window": (25, 50, 80)},
    ),
)
"""What both forms hand over; a phase for the other form finds no place in a program."""
