"""Memory mapping with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import memory
from ..base import Plugin
from .references import MemoryReferences

memory_mapping = Plugin(memory.memory_mapping, MemoryReferences())
memory_mapping_rule = Plugin(memory.memory_mapping_rule, MemoryReferences())
