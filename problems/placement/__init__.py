"""GPU placement: which GPUs to rent, which models and experts go where."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .expert_placement import ExpertPlacement
from .gpu_fleet import GpuFleet, GpuFleetAggregate
from .model_placement import ModelPlacement

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 50)]


def model_placement(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 8
) -> ModelPlacement:
    """Models with weights and load on identical GPUs, the largest pressure minimised."""
    return ModelPlacement(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def gpu_fleet(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 5, test_per_stratum: Rounds = 8
) -> GpuFleet:
    """Slices of traffic on rented GPUs of several types, each slice on one GPU."""
    return GpuFleet(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def gpu_fleet_aggregate(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 5, test_per_stratum: Rounds = 8
) -> GpuFleetAggregate:
    """Slices of traffic on GPU types whose capacity is pooled: the published integer programme."""
    return GpuFleetAggregate(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def expert_placement(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 5, test_per_stratum: Rounds = 8
) -> ExpertPlacement:
    """Copies of a layer's experts in the slots of GPUs, the largest load minimised."""
    return ExpertPlacement(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
