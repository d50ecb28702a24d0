"""Requests under memory with certified references; rows of the list of built-in problems point here."""

from __future__ import annotations

from ...problems import serving
from ..base import Plugin
from .references import KvSchedulingReferences

kv_scheduling = Plugin(serving.kv_scheduling, KvSchedulingReferences())
kv_scheduling_rule = Plugin(serving.kv_scheduling_rule, KvSchedulingReferences())
