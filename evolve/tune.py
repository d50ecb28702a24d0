"""Numbers of a program tuned by an optimiser: the proposer finds the structure, CMA-ES finds the constants.

CMA-ES (Hansen and Ostermeier 2001, doi:10.1162/106365601750190398) as the package `cma` keeps it, on the
logarithms of the constants, so that a step is a factor.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .offline.kinds import ARRAY, NUMBER
from .offline.scope import Spot, analyse

MAX_CONSTANTS = 12
_STEP = 0.3  # of the first generation, natural logarithm: factors of about 0.7 to 1.35
_LARGEST = 12.0  # natural logarithm: a constant changes by a factor of e^12 at most


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of tuning.

    Attributes:
        text: the best text seen; the given one when nothing was better.
        loss: its loss.
        evaluations: calls of the loss that were made (count).
        constants: numbers that were tuned (count).
    """

    text: str
    loss: float
    evaluations: int
    constants: int


def constants(text: str) -> list[float]:
    """Values of the numbers of a text that can be tuned, in order, at most `MAX_CONSTANTS`, all positive.

    Tunable is what takes part in arithmetic or a comparison; not 0, not an index, size, range or exponent.
    """
    return [float(spot.node.value) for spot in _tunable(ast.parse(text))]


def substitute(text: str, values: Sequence[float]) -> str:
    """The text with other numbers (four significant digits) in place of its tunable ones.

    Args:
        text: source within the sandbox's caps.
        values: one positive number for each of `constants(text)`.
    """
    tree = ast.parse(text)
    for spot, value in zip(_tunable(tree), values, strict=True):
        short = float(f"{value:.4g}")
        spot.put(ast.Constant(int(short) if short.is_integer() and short < 1e15 else short))
    return ast.unparse(tree)


def tune(
    text: str, start_loss: float, loss: Callable[[str], float | None], evaluations: int, seed: int
) -> Tuned:
    """The best text over its numbers, after at most `evaluations` calls of the loss.

    Args:
        text: source within the sandbox's caps.
        start_loss: loss of the text as it is, smaller is better.
        loss: loss of a text, None when it has none (it failed).
        evaluations: calls of `loss` (count, ≥ 0).
        seed: ≥ 0, of the optimiser's own random stream.
    """
    import cma
    import numpy as np

    given = constants(text)
    best, known = Tuned(text, start_loss, 0, len(given)), {text: start_loss}
    if not given or evaluations <= 0:
        return best
    stream = np.random.default_rng(seed)
    # One dimension is not enough for a covariance: a second one that nothing reads stands in.
    origin = [math.log(value) for value in given] + [0.0] * (len(given) == 1)
    options = {"seed": math.nan, "randn": lambda *shape: stream.standard_normal(shape), "verbose": -9}
    strategy = cma.CMAEvolutionStrategy(origin, _STEP, options)
    spent = 0
    while spent < evaluations and not strategy.stop():
        points = strategy.ask()
        values: list[float | None] = []
        for point in points:
            logs = np.clip(point[: len(given)], np.array(origin[: len(given)]) - _LARGEST, _LARGEST)
            child = substitute(text, [math.exp(x) for x in logs])
            if child not in known:
                if spent >= evaluations:
                    return Tuned(best.text, best.loss, spent, len(given))
                spent += 1
                value = loss(child)
                known[child] = math.inf if value is None else value
                if value is not None and value < best.loss:
                    best = Tuned(child, value, spent, len(given))
            values.append(known[child] if math.isfinite(known[child]) else None)
        finite = [value for value in values if value is not None]
        if not finite:
            break
        # A failure ranks behind all of its generation; CMA-ES uses ranks alone.
        strategy.tell(points, [max(finite) + 1.0 if value is None else value for value in values])
    return Tuned(best.text, best.loss, spent, len(given))


def _tunable(tree: ast.Module) -> list[Spot]:
    found = []
    for spot in analyse(tree).spots:
        node = spot.node
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            continue
        exponent = isinstance(spot.owner, ast.BinOp) and isinstance(spot.owner.op, ast.Pow)
        arithmetic = isinstance(spot.owner, ast.BinOp | ast.Compare | ast.Call | ast.IfExp | ast.AugAssign)
        protecting = isinstance(spot.owner, ast.Call) and value == 1
        if (
            arithmetic
            and not exponent
            and not protecting
            and not spot.structural
            and spot.kind in (NUMBER, ARRAY)
        ):
            found.append(spot)
    return found[:MAX_CONSTANTS]
