"""Memory mapping in compilers of machine-learning programs: buffers with lives get offsets."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .problem import MemoryMapping, MemoryMappingRule

Rounds = Annotated[int, Parameter("instances of each law in this split", "instances", 1, 200)]


def memory_mapping(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 4, test_per_stratum: Rounds = 13
) -> MemoryMapping:
    """Candidates return the offsets of all buffers; 4 laws."""
    return MemoryMapping(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def memory_mapping_rule(
    train_per_stratum: Rounds = 4, valid_per_stratum: Rounds = 4, test_per_stratum: Rounds = 13
) -> MemoryMappingRule:
    """Candidates rate unplaced buffers in a loop that stacks them; the same instances."""
    return MemoryMappingRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
