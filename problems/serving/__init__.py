"""Requests to a language model under memory: instances, verification, rules, readers."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .problem import KvScheduling, KvSchedulingRule

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 200)]


def kv_scheduling(
    train_per_stratum: Rounds = 3, valid_per_stratum: Rounds = 5, test_per_stratum: Rounds = 12
) -> KvScheduling:
    """All requests are known; candidates return workers and starts; 4 strata."""
    return KvScheduling(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def kv_scheduling_rule(
    train_per_stratum: Rounds = 3, valid_per_stratum: Rounds = 5, test_per_stratum: Rounds = 12
) -> KvSchedulingRule:
    """Requests arrive over time; candidates are priority rules in fixed rounds."""
    return KvSchedulingRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
