"""Classic problems with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import classics
from ..base import Plugin
from .cvrp import CVRP
from .flow_shop import FLOW_SHOP
from .multi_knapsack import MULTI_KNAPSACK
from .orienteering import ORIENTEERING
from .tsp import TSP

cvrp = Plugin(classics.cvrp, CVRP)
cvrp_rule = Plugin(classics.cvrp_rule, CVRP)
flow_shop = Plugin(classics.flow_shop, FLOW_SHOP)
flow_shop_rule = Plugin(classics.flow_shop_rule, FLOW_SHOP)
flow_shop_insertion_rule = Plugin(classics.flow_shop_insertion_rule, FLOW_SHOP)
multi_knapsack = Plugin(classics.multi_knapsack, MULTI_KNAPSACK)
multi_knapsack_rule = Plugin(classics.multi_knapsack_rule, MULTI_KNAPSACK)
orienteering = Plugin(classics.orienteering, ORIENTEERING)
orienteering_rule = Plugin(classics.orienteering_rule, ORIENTEERING)
tsp = Plugin(classics.tsp, TSP)
tsp_rule = Plugin(classics.tsp_rule, TSP)
