"""Cluster scheduling: jobs with two resources arrive one by one at a fleet that is partly full."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .churn import ClusterChurn
from .problem import ClusterScheduling

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 100)]


def cluster_scheduling(
    train_per_stratum: Rounds = 6, valid_per_stratum: Rounds = 6, test_per_stratum: Rounds = 13
) -> ClusterScheduling:
    """Fill a fleet from a snapshot, the placed weight maximised; 4 strata."""
    return ClusterScheduling(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def cluster_churn(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 4, test_per_stratum: Rounds = 6
) -> ClusterChurn:
    """Jobs arrive and end on a fixed fleet, the placed weight times minutes maximised; 4 strata."""
    return ClusterChurn(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
