"""The knobs of the search and of its population, put together from those of their parts."""

from __future__ import annotations

from dataclasses import dataclass

from .designs import DesignSettings
from .islands import IslandSettings
from .pool import PoolSettings
from .racing import RaceSettings
from .selection import FreshSettings, InspirationSettings
from .stall import StallSettings
from .tune import TuneSettings
from .validation import ValidationSettings


@dataclass(frozen=True)
class SearchSettings(
    RaceSettings, TuneSettings, FreshSettings, DesignSettings, StallSettings, ValidationSettings, PoolSettings
):
    """How the budget is spent."""


@dataclass(frozen=True)
class PopulationSettings(IslandSettings, InspirationSettings):
    """Islands, how they meet, and how many of their elites a proposer sees."""
