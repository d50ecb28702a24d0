"""The best move of one item, on arrays: the phase for orders of lists, and the text that ratings share.

All places of all items are rated at once by increments (Della Croce, Garaix, Grosso, Computers & Operations
Research 39 (2012) 1213-1217, doi:10.1016/j.cor.2010.10.025), so that a descent to a local optimum costs less
than one pass of the same moves in loops.
"""

from __future__ import annotations

from ..base import Origin
from .costs import added_cost, for_arrays
from .templates import add_phase, entry_of, fresh_name
from .work import Operator, Work

DESCENT = """
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
"""Body of a phase that moves items of the array `order`; places: `cost`, `weight`, `start`, `rounds`."""

_BEST_INSERTION = (
    '''
def {name}(order, {arguments}):
    """Makes the move of one item that lowers the added-up cost most, again and again."""
    order = np.array(order)
    {arrays}
'''
    + DESCENT.lstrip("\n")
    + """
    return order.tolist()
"""
)
_ROUNDS = (5, 15, 50, 200)


def best_insertion(work: Work) -> bool:
    """A phase that improves the returned order of indices by best moves."""
    shape, name = entry_of(work), fresh_name(work, "best_insertion")
    if shape is None or name is None or not work.numpy:
        return False
    _, last, vectors = shape
    weight, text = added_cost(work, vectors)
    cost = for_arrays(text)
    if cost is None:
        return False
    helper = _BEST_INSERTION.format(
        name=name,
        arguments=", ".join(vectors),
        arrays="\n    ".join(f"{vector} = np.array({vector})" for vector in vectors),
        cost=cost,
        weight=weight,
        start="",
        rounds=work.rng.choice(_ROUNDS),
    )
    add_phase(work, last, name, helper, vectors)
    return True


OPERATORS = (Operator("best-insertion-phase", Origin.TEMPLATE, 2.0, best_insertion),)
