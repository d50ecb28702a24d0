"""Bin packing with certified optima: the built-in problems' plug-ins."""

from __future__ import annotations

from ...problems.bin_packing import bin_packing as _offline
from ...problems.bin_packing import online_bin_packing as _online
from ...problems.bin_packing import online_bin_packing_known_n as _online_known_n
from ..base import Plugin
from .references import BinPackingReferences

bin_packing = Plugin(_offline, BinPackingReferences())
online_bin_packing = Plugin(_online, BinPackingReferences())
online_bin_packing_known_n = Plugin(_online_known_n, BinPackingReferences())
