"""What people and proposers read of the multidimensional knapsack: statements, programs, expressions."""

from __future__ import annotations

from ..base import Primitive

_ITEMS = """\
n items have profits; weights[i][j] is the weight of item j in row i, and in each row the weights of the
chosen items may add up to at most capacities[i]. All numbers are integers from 0. The profit of the chosen
items, each taken at most once, shall be as large as possible."""

CHOOSE = f"""{_ITEMS}
Return the list of the chosen items, numbers from 0 to n - 1, in any order; an empty list is feasible. The
problem is NP-hard, and CPU time is limited."""

RATE = f"""{_ITEMS}
A fixed loop calls priority(...) once with arrays of floats (weights has one line for each row) and goes
through the items from the LARGEST number down, of equal numbers the lower item first; it takes every item
that still fits. Return one number for each item, as an array; NaN counts as minus infinity. numpy is `np`."""

WHOLE_PROGRAMS = (
    "profit",
    "density",
    "relative-density",
    "bottleneck-density",
    "toyoda",
    "remaining-density",
    "lp-duals",
    "subgradient",
    "relative-density-exchanges",
    "subgradient-exchanges",
)
RULE_PROGRAMS = (
    "profit",
    "density",
    "relative-density",
    "bottleneck-density",
    "lp-duals",
    "subgradient",
)

CHOOSE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("len(profits)", "", "number of items"),
        ("len(capacities)", "", "number of rows"),
        ("profits[j]", "profit", "profit of item j"),
        ("sum(row[j] for row in weights)", "weight", "weight of item j, summed over the rows"),
        (
            "max(row[j] / (1 + b) for row, b in zip(weights, capacities))",
            "largest_share",
            "largest share of a capacity that item j takes",
        ),
        (
            "sum(row[j] / (1 + b) for row, b in zip(weights, capacities))",
            "shares",
            "shares of the capacities that item j takes, summed",
        ),
    )
)

RATE_PRIMITIVES = (
    Primitive("profits", "vector", "profits of the items"),
    Primitive("weights.sum(axis=0)", "vector", "weights of the items, summed over the rows", "weight"),
    Primitive(
        "(weights / (1 + capacities[:, None])).sum(axis=0)",
        "vector",
        "shares of the capacities that an item takes, summed",
        "shares",
    ),
    Primitive(
        "(weights / (1 + capacities[:, None])).max(axis=0)",
        "vector",
        "largest share of a capacity that an item takes",
        "largest_share",
    ),
    Primitive(
        "weights[(weights.sum(axis=1) / (1 + capacities)).argmax()]",
        "vector",
        "weights in the row that is shortest of capacity",
        "scarcest",
    ),
    Primitive("len(profits)", "number", "number of items", "items"),
    Primitive("capacities.sum() / (1 + weights.sum())", "number", "capacity over all weights", "tightness"),
)
