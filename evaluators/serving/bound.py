"""A lower bound on the sum of latencies: prices of memory, from a linear programme, evaluated exactly.

Let m_t >= 0 be a price of a token in round t, and let all workers share their memory. For every feasible
schedule the held tokens of round t are at most workers · memory, so

    sum of latencies  >=  sum_i min_t [ t + o_i - a_i + sum_{k=1..o_i} m_{t+k-1} (s_i + k) ]
                          - workers · memory · sum_t m_t,        t >= a_i.

That holds for any prices; those of the time-indexed linear programme make it strong. Behind the last priced
round a later start only costs more, so the minimum over all t is found among the rounds up to there: the
bound holds whatever horizon the programme had.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from ...problems.serving.laws import area
from ..toolbox import Note

UNIT = 10**6
"""Prices are whole multiples of one in so many rounds."""
_MOST_ENTRIES = 400_000
_COARSE = 4


def horizon(whole: Mapping[str, Any]) -> int:
    """Rounds that the programme covers: enough for a schedule that fills the memory to five eighths."""
    total = sum(area(s, o) for s, o in zip(whole["prompts"], whole["outputs"], strict=True))
    rounds = total * 8 // (5 * whole["workers"] * whole["memory"])
    return int(max(whole["arrivals"]) + rounds + max(whole["outputs"]) + 5)


def width(whole: Mapping[str, Any]) -> int:
    """Rounds that share a price, so that the programme keeps to a size: 1 for a few hundred requests."""
    rounds = 1
    while True:
        starts = horizon(whole) // rounds + 1
        entries = sum(starts * (output // rounds + 2) for output in whole["outputs"])
        if entries <= _MOST_ENTRIES:
            return rounds
        rounds *= 2


def best_prices(whole: Mapping[str, Any], seconds: float, note: Note = lambda noted: None) -> list[int]:
    """Prices of a strong bound: those of a coarse programme, or better ones if time allows.

    Notes none at first, which are valid too, then the coarse programme's.
    """
    started = time.monotonic()
    note([])
    step = width(whole)
    coarse = prices(whole, seconds, _COARSE * step)
    note(coarse)
    fine = prices(whole, max(0.01, seconds - (time.monotonic() - started)), step)
    return max((coarse, fine), key=lambda priced: evaluate(whole, priced))


def prices(whole: Mapping[str, Any], seconds: float, step: int) -> list[int]:
    """Price of a token in each round (rounds / `UNIT`), by HiGHS; any list of numbers >= 0 is valid.

    Args:
        whole: workers, memory, arrivals, prompts and outputs.
        seconds: wall seconds of the solver; without an optimum by then there are no prices.
        step: rounds that share a price; the programme's starts are as far apart.
    """
    import highspy

    spans = horizon(whole) // step + 1
    room = float(whole["workers"] * whole["memory"] * step)
    count = len(whole["arrivals"])
    model = highspy.Highs()
    infinity = highspy.kHighsInf
    for option, value in {
        "output_flag": False,
        "threads": 1,
        "random_seed": 0,
        "time_limit": seconds,
    }.items():
        model.setOptionValue(option, value)
    for _ in range(count):
        model.addRow(1.0, infinity, 0, [], [])
    for _ in range(spans):
        model.addRow(-infinity, room, 0, [], [])
    for number, (arrival, prompt, output) in enumerate(
        zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True)
    ):
        starts = np.arange(arrival, max(arrival, spans * step - output) + 1, step)
        rows, sums = _columns(starts, prompt, output, step)
        inside = rows < spans
        lengths = 1 + inside.sum(axis=1)
        indices = np.full(lengths.sum(), number, dtype=np.int32)
        values = np.ones(lengths.sum())
        begins = np.cumsum(lengths) - lengths
        held = np.ones(len(indices), dtype=bool)
        held[begins] = False
        indices[held], values[held] = count + rows[inside], sums[inside]
        costs = (starts + output - arrival).astype(float)
        none = np.zeros(len(starts))
        never = np.full(len(starts), infinity)
        model.addCols(len(starts), costs, none, never, len(indices), begins.astype(np.int32), indices, values)
    model.run()
    if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return []
    duals = np.array(model.getSolution().row_dual)[count:]
    whole_prices = np.maximum(np.floor(-duals * UNIT), 0).astype(int).tolist()
    return [price for price in whole_prices for _ in range(step)]


def _columns(starts: Any, prompt: int, output: int, step: int) -> tuple[Any, Any]:
    """For each start of a request the spans in which it holds tokens, ascending, and how many it adds up to.

    Spans behind its end have the number of a span that there is not.
    """
    tokens = prompt + np.arange(1, output + 1, dtype=float)
    spots = (starts[:, None] + np.arange(output)) // step
    first = spots[:, :1]
    last = spots[:, -1:]
    most = int((last - first).max()) + 1
    keys = spots - first + most * np.arange(len(starts))[:, None]
    sums = np.bincount(keys.ravel(), np.tile(tokens, len(starts)), most * len(starts))
    rows = first + np.arange(most)
    return np.where(rows <= last, rows, np.iinfo(np.int32).max), sums.reshape(rows.shape)


def evaluate(whole: Mapping[str, Any], priced: Sequence[int]) -> int:
    """The bound that these prices prove: exact in integers, rounded up, and at least the rounds of
    service.
    """
    sums = [0, *accumulate(priced)]
    moments = [0, *accumulate(price * moment for moment, price in enumerate(priced))]
    end = len(priced)
    total = -whole["workers"] * whole["memory"] * sums[-1]
    for arrival, prompt, output in zip(whole["arrivals"], whole["prompts"], whole["outputs"], strict=True):
        best = None
        for start in range(arrival, max(arrival, end) + 1):
            first = min(start, end)
            last = min(start + output, end)
            cost = UNIT * (start + output - arrival)
            cost += (prompt - start + 1) * (sums[last] - sums[first]) + moments[last] - moments[first]
            best = cost if best is None else min(best, cost)
        total += best or 0
    return int(max(-(-total // UNIT), sum(whole["outputs"])))
