"""Job shops, with buffers and without: instances, verification, dispatching rules, readers."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .problem import BlockingJobShop, BlockingJobShopRule, JobShop, JobShopRule
from .reading import MOST_OPERATIONS
from .rules import Dispatching

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 200)]
MostOperations = Annotated[
    int,
    Parameter("operations that a user's file may have; they cost time", "operations", 1, MOST_OPERATIONS),
]
Loop = Annotated[
    Dispatching, Parameter("schedules that the loop builds: active (Giffler and Thompson) or non-delay")
]


def job_shop(
    train_per_stratum: Rounds = 4,
    valid_per_stratum: Rounds = 4,
    test_per_stratum: Rounds = 10,
    most_operations: MostOperations = 20_000,
) -> JobShop:
    """Candidates return start times; 5 strata."""
    return JobShop(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_operations)


def job_shop_rule(
    dispatching: Loop = "active",
    train_per_stratum: Rounds = 4,
    valid_per_stratum: Rounds = 4,
    test_per_stratum: Rounds = 10,
    most_operations: MostOperations = 20_000,
) -> JobShopRule:
    """Candidates are priority rules in a dispatch loop; the same instances."""
    sizes = rounds(train_per_stratum, valid_per_stratum, test_per_stratum)
    return JobShopRule(sizes, most_operations, dispatching)


def blocking_job_shop(
    train_per_stratum: Rounds = 7,
    valid_per_stratum: Rounds = 7,
    test_per_stratum: Rounds = 16,
    most_operations: MostOperations = 20_000,
) -> BlockingJobShop:
    """No buffers between the machines; candidates return start times; 3 strata."""
    return BlockingJobShop(rounds(train_per_stratum, valid_per_stratum, test_per_stratum), most_operations)


def blocking_job_shop_rule(
    train_per_stratum: Rounds = 7,
    valid_per_stratum: Rounds = 30,
    test_per_stratum: Rounds = 16,
    most_operations: MostOperations = 20_000,
) -> BlockingJobShopRule:
    """No buffers between the machines; candidates are priority rules in a loop over events."""
    sizes = rounds(train_per_stratum, valid_per_stratum, test_per_stratum)
    return BlockingJobShopRule(sizes, most_operations)
