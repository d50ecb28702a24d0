"""GPU placement with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import placement
from ..base import Plugin
from .expert_placement import ExpertPlacementReferences
from .gpu_fleet import AggregateReferences, FleetReferences
from .model_placement import ModelPlacementReferences

expert_placement = Plugin(placement.expert_placement, ExpertPlacementReferences())
gpu_fleet = Plugin(placement.gpu_fleet, FleetReferences())
gpu_fleet_aggregate = Plugin(placement.gpu_fleet_aggregate, AggregateReferences())
model_placement = Plugin(placement.model_placement, ModelPlacementReferences())
