"""A knob is declared at one field: the file, its checks, `config explain` and `config init` follow."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass

import pytest
from gapsmith.app import config, formatting
from gapsmith.app.config import SECTIONS
from gapsmith.app.errors import UserError
from gapsmith.evolve.budget import BudgetSettings
from gapsmith.evolve.islands import IslandSettings
from gapsmith.evolve.llm.settings import PromptSettings
from gapsmith.evolve.racing import RaceSettings
from gapsmith.evolve.selection import FreshSettings, InspirationSettings
from gapsmith.evolve.settings import knob
from gapsmith.evolve.tuning import TuneSettings
from gapsmith.evolve.validation import ChampionSettings, ValidationSettings
from gapsmith.sandbox.settings import SandboxSettings


@dataclass(frozen=True)
class PatientSettings(TuneSettings):
    """A component with one more knob."""

    tune_patience: int = knob(3, "points without a gain before tuning moves on (count, 1 to 9)", ge=1, le=9)


@dataclass(frozen=True)
class PatientSection(PatientSettings, config.SearchSection):
    """The section that the component belongs to."""


class PatientConfig(config.Config):
    """A configuration with that section."""

    search: PatientSection = PatientSection()


def test_a_knob_is_added_at_one_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """Value, default, range, explanation and starter file come from the field; nothing else changed."""
    monkeypatch.setattr(config, "Config", PatientConfig)
    assert config.parse({"search": {"tune_patience": 4}}, "test").search.tune_patience == 4
    assert config.parse({}, "test").search.tune_patience == 3
    for wrong in (0, 10, 2.5, "4", True):
        with pytest.raises(UserError, match=r"^test \[search\] tune_patience: got .*points without a gain"):
            config.parse({"search": {"tune_patience": wrong}}, "test")
    with pytest.raises(UserError, match="did you mean tune_patience"):
        config.parse({"search": {"tune_patienc": 4}}, "test")
    assert config.describe("search", "tune_patience") == (
        "search.tune_patience: points without a gain before tuning moves on (count, 1 to 9) (default 3)"
    )
    assert "# tune_patience = 3" in config.starter().splitlines()
    dumped = formatting.dump(config.parse({"search": {"tune_patience": 4}}, "test").model_dump(mode="json"))
    assert tomllib.loads(dumped)["search"]["tune_patience"] == 4


@pytest.mark.parametrize(
    ("section", "component"),
    [
        ("archive", IslandSettings),
        ("archive", InspirationSettings),
        ("search", RaceSettings),
        ("search", TuneSettings),
        ("search", FreshSettings),
        ("search", ValidationSettings),
        ("budget", BudgetSettings),
        ("evaluation", ChampionSettings),
        ("sandbox", SandboxSettings),
        ("prompts", PromptSettings),
    ],
)
def test_a_section_is_its_components(section: str, component: type) -> None:
    """A component takes the section itself: no value is copied on the way."""
    found = getattr(config.parse({}, "test"), section)
    assert isinstance(found, component)
    for field in dataclasses.fields(component):
        if field.name in config.constants(section):
            assert field.metadata["constant"]
        else:
            assert field.metadata["description"] in config.describe(section, field.name)


def test_a_constant_of_the_search_is_recorded_and_never_set() -> None:
    """A file may not hold it; a record of an earlier version may, with the value of then."""
    for section in SECTIONS:
        for key in config.constants(section):
            with pytest.raises(UserError, match=rf"\[{section}\] {key}: unknown key; it is a constant"):
                config.parse({section: {key: 3}}, "test")
            with pytest.raises(UserError, match="unknown key"):
                config.describe(section, key)
            assert f"# {key} = " not in config.starter()
            assert key not in config.Config().document()[section]
            assert key in config.Config().model_dump()[section]
    stored = config.parse({"archive": {"migration_every": 7}}, "test", recorded=True)
    assert stored.archive.migration_every == 7


def test_there_are_few_keys() -> None:
    """A key is one more thing to know: a new one takes the place of another."""
    assert sum(len(config.Config().document()[section]) for section in SECTIONS if section != "episode") <= 39


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_that_is_no_table_says_so(section: str) -> None:
    """A number where a table belongs."""
    with pytest.raises(UserError, match="expected a table"):
        config.parse({section: 3}, "test")
