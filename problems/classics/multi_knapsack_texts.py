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
