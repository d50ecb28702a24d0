"""Classic problems of the literature, each as a whole answer and as the rule of a fixed loop."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .cvrp import Cvrp, CvrpRule
from .flow_shop import FlowShop, FlowShopInsertionRule, FlowShopRule
from .multi_knapsack import MultiKnapsack, MultiKnapsackRule
from .orienteering import Orienteering, OrienteeringRule
from .tsp import Tsp, TspRule

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 200)]


def cvrp(train_per_stratum: Rounds = 6, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 15) -> Cvrp:
    """Candidates return routes from a depot; 4 strata, 20 and 30 customers."""
    return Cvrp(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def cvrp_rule(
    train_per_stratum: Rounds = 6, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 15
) -> CvrpRule:
    """Candidates select the next node of a route in a fixed loop; the same instances."""
    return CvrpRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def flow_shop(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> FlowShop:
    """Candidates return an order of the jobs; 3 strata."""
    return FlowShop(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def flow_shop_rule(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> FlowShopRule:
    """Candidates rate the jobs left, and a fixed loop appends one; the same instances."""
    return FlowShopRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def flow_shop_insertion_rule(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> FlowShopInsertionRule:
    """Candidates rate all jobs once, and a fixed loop inserts one after the other; the same instances."""
    return FlowShopInsertionRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def multi_knapsack(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> MultiKnapsack:
    """Candidates choose items that fit in several rows; 3 strata of tightness."""
    return MultiKnapsack(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def multi_knapsack_rule(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> MultiKnapsackRule:
    """Candidates rate the items once, and a fixed loop takes what fits; the same instances."""
    return MultiKnapsackRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def orienteering(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> Orienteering:
    """Candidates return a tour of limited length that collects prizes; 3 strata of size."""
    return Orienteering(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def orienteering_rule(
    train_per_stratum: Rounds = 8, valid_per_stratum: Rounds = 8, test_per_stratum: Rounds = 20
) -> OrienteeringRule:
    """Candidates select the next node in a fixed loop that comes back in time; the same instances."""
    return OrienteeringRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def tsp(train_per_stratum: Rounds = 6, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 15) -> Tsp:
    """Candidates return a tour; 4 strata, uniform and clustered nodes."""
    return Tsp(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def tsp_rule(
    train_per_stratum: Rounds = 6, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 15
) -> TspRule:
    """Candidates select the next node in a fixed loop; the same instances."""
    return TspRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
