"""The knobs of the search and of its population, put together from those of their parts."""

from __future__ import annotations

from dataclasses import dataclass

from .islands import IslandSettings, PoolSettings
from .racing import RaceSettings
from .selection import InspirationSettings, SelectionSettings
from .tuning import TuneSettings
from .validation import ValidationSettings


@dataclass(frozen=True)
class SearchSettings(RaceSettings, TuneSettings, SelectionSettings, ValidationSettings, PoolSettings):
    """How the budget is spent."""


@dataclass(frozen=True)
class PopulationSettings(IslandSettings, InspirationSettings):
    """Islands, how they meet, and how many of their elites a proposer sees."""
