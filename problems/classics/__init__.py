"""Classic problems of the literature, each as a whole answer and as the rule of a fixed loop."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..shops.reading import MOST_OPERATIONS
from ..stratified import rounds
from .cvrp import Cvrp
from .flow_shop import FlowShop, FlowShopRule
from .multi_knapsack import MultiKnapsack
from .orienteering import Orienteering
from .tsp import Tsp
from .tsplib import MOST_NODES

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 200)]
MostNodes = Annotated[
    int, Parameter("nodes that an instance of a user's file may have; they cost time", "nodes", 2, MOST_NODES)
]
MostWeights = Annotated[
    int,
    Parameter("weights that an instance of a user's file may have; they cost time", "weights", 1, 1_000_000),
]
MostOperations = Annotated[
    int,
    Parameter("operations that a user's file may have; they cost time", "operations", 1, MOST_OPERATIONS),
]
Decimals = Annotated[
    int, Parameter("digits behind the point that Euclidean distances of a user's file keep", "digits", 0, 6)
]


def cvrp(
    train_per_stratum: Rounds = 6,
    valid_per_stratum: Rounds = 6,
    test_per_stratum: Rounds = 15,
    most_nodes: MostNodes = 1_001,
    decimals: Decimals = 0,
) -> Cvrp:
    """Candidates return routes from a depot; 4 strata, 20 and 30 customers."""
    return Cvrp(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_nodes, decimals)


def flow_shop(
    train_per_stratum: Rounds = 8,
    valid_per_stratum: Rounds = 8,
    test_per_stratum: Rounds = 20,
    most_operations: MostOperations = 20_000,
) -> FlowShop:
    """Candidates return an order of the jobs; 3 strata."""
    return FlowShop(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_operations)


def flow_shop_rule(
    train_per_stratum: Rounds = 8,
    valid_per_stratum: Rounds = 8,
    test_per_stratum: Rounds = 20,
    most_operations: MostOperations = 20_000,
) -> FlowShopRule:
    """Candidates rate the jobs left, and a fixed loop appends one; the same instances."""
    return FlowShopRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_operations)


def multi_knapsack(
    train_per_stratum: Rounds = 8,
    valid_per_stratum: Rounds = 8,
    test_per_stratum: Rounds = 20,
    most_weights: MostWeights = 100_000,
) -> MultiKnapsack:
    """Candidates choose items that fit in several rows; 3 strata of tightness."""
    return MultiKnapsack(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_weights)


def orienteering(
    train_per_stratum: Rounds = 8,
    valid_per_stratum: Rounds = 8,
    test_per_stratum: Rounds = 20,
    most_nodes: MostNodes = 500,
) -> Orienteering:
    """Candidates return a tour of limited length that collects prizes; 3 strata of size."""
    return Orienteering(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_nodes)


def tsp(
    train_per_stratum: Rounds = 6,
    valid_per_stratum: Rounds = 6,
    test_per_stratum: Rounds = 15,
    most_nodes: MostNodes = 2_000,
) -> Tsp:
    """Candidates return a tour; 4 strata, uniform and clustered nodes."""
    return Tsp(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_nodes)
