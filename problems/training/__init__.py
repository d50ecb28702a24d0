"""Systems that train large models: microbatches of many adapters, and sequences on groups of devices."""

from __future__ import annotations

from typing import Annotated

from ..base import Parameter
from ..stratified import rounds
from .lora_microbatches import LoraMicrobatches
from .lora_rule import LoraMicrobatchesRule
from .sequence_packing import SequencePacking

Rounds = Annotated[int, Parameter("instances of each stratum in this split", "instances", 1, 50)]


def lora_microbatches(
    train_per_stratum: Rounds = 2, valid_per_stratum: Rounds = 3, test_per_stratum: Rounds = 5
) -> LoraMicrobatches:
    """LoRA adapters on one frozen model in one pipeline, the makespan of their microbatches minimised."""
    return LoraMicrobatches(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def lora_microbatches_rule(
    train_per_stratum: Rounds = 2, valid_per_stratum: Rounds = 3, test_per_stratum: Rounds = 5
) -> LoraMicrobatchesRule:
    """The same jobs; a rule rates samples and a fixed dispatcher fills the microbatches."""
    return LoraMicrobatchesRule(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))


def sequence_packing(
    train_per_stratum: Rounds = 2, valid_per_stratum: Rounds = 4, test_per_stratum: Rounds = 8
) -> SequencePacking:
    """Sequences of a training step in microbatches and groups of devices, the time of the step minimised."""
    return SequencePacking(rounds(train_per_stratum, valid_per_stratum, test_per_stratum))
