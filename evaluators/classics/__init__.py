"""Classic problems with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import classics
from ...problems.base import Sense
from ...problems.classics.cvrp import judge as judge_routes
from ...problems.classics.orienteering import judge as judge_prizes
from ...problems.classics.tsp import judge as judge_tour
from ..base import Plugin
from .flow_shop import FLOW_SHOP
from .multi_knapsack import MULTI_KNAPSACK
from .references import SolvedReferences, in_process

_CVRP = SolvedReferences("cvrp", "set partitioning 1", in_process("route_proof"), judge_routes)
_TSP = SolvedReferences("tsp", "branch and cut 1", in_process("tour_proof"), judge_tour)
_ORIENTEERING = SolvedReferences(
    "orienteering", "branch and cut 1", in_process("prize_proof"), judge_prizes, sense=Sense.MAXIMISE
)

cvrp = Plugin(classics.cvrp, _CVRP)
flow_shop = Plugin(classics.flow_shop, FLOW_SHOP)
flow_shop_rule = Plugin(classics.flow_shop_rule, FLOW_SHOP)
multi_knapsack = Plugin(classics.multi_knapsack, MULTI_KNAPSACK)
orienteering = Plugin(classics.orienteering, _ORIENTEERING)
tsp = Plugin(classics.tsp, _TSP)
