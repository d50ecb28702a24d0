"""The four built-in total tardiness problems with their certified references."""

from __future__ import annotations

from ...problems.smtt import (
    total_tardiness,
    total_tardiness_rule,
    weighted_tardiness,
    weighted_tardiness_rule,
)
from ..base import Plugin
from .references import TardinessReferences

_references = TardinessReferences()

smtt = Plugin(total_tardiness, _references)
smtt_rule = Plugin(total_tardiness_rule, _references)
smwtt = Plugin(weighted_tardiness, _references)
smwtt_rule = Plugin(weighted_tardiness_rule, _references)
