"""Training systems with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import training
from ..base import Plugin
from .lora_microbatches import LoraMicrobatchesReferences
from .sequence_packing import SequencePackingReferences

lora_microbatches = Plugin(training.lora_microbatches, LoraMicrobatchesReferences())
lora_microbatches_rule = Plugin(training.lora_microbatches_rule, LoraMicrobatchesReferences())
sequence_packing = Plugin(training.sequence_packing, SequencePackingReferences())
