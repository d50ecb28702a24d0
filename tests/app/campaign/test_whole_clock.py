"""One clock from references to test: the default budget, and problems that cannot be measured in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.config import Config, parse, read, resolve_budget
from gapsmith.app.errors import UserError
from gapsmith.app.runs.record import open_record
from gapsmith.app.setup import timing
from gapsmith.evolve.budget import DEFAULT_ITERATIONS, DEFAULT_SECONDS

Run = Callable[..., tuple[dict[str, Any], Path]]


def config(seconds: float | None = None) -> Config:
    """A configuration with a budget of wall seconds or none."""
    budget = {} if seconds is None else {"seconds": seconds}
    return parse({"campaign": {"problem": "smtt"}, "budget": budget}, "test")


def test_the_default_is_a_minute_or_twice_what_was_prepared() -> None:
    """With a model it is a number of iterations; a budget that was named stays."""
    assert resolve_budget(config()).budget.seconds == DEFAULT_SECONDS
    assert resolve_budget(config(), 100.2).budget.seconds == 201.0
    named = config(5.0)
    assert resolve_budget(named, 100.0) is named
    model = parse({"model": [{"spec": "openai/some"}]}, "test")
    assert resolve_budget(model).budget.iterations == DEFAULT_ITERATIONS
    assert resolve_budget(model).budget.seconds is None


def test_a_default_budget_is_signed_and_stored(
    campaign: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is settled after the preparation and written once more; a copy of the file starts another run."""
    monkeypatch.setattr("gapsmith.app.config.DEFAULT_SECONDS", 0.5)
    found, folder = campaign("default", budget={})
    assert found["stop_reason"] == "seconds"
    with open_record(folder) as record:
        assert not record.foreign
        seconds = record.reader.record("config")["budget"]["seconds"]
        assert seconds >= 0.5
        assert (record.reader.record("reserved_seconds") or 0) > 0
    assert f"seconds = {seconds}" in (folder / "campaign.toml").read_text()
    elsewhere = tmp_path / "mine.toml"
    elsewhere.write_bytes((folder / "campaign.toml").read_bytes())
    assert parse(read(elsewhere), "mine.toml").budget.seconds == seconds


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic clock of the preparation, to be set."""
    time = [0.0]
    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=lambda: time[0]))
    return time


def test_a_problem_that_cannot_be_measured_in_time_is_refused_at_once(now: list[float]) -> None:
    """By the pace of its references; the error says what would be enough, and what can be measured."""
    notify = timing.in_time(lambda what, done, total: None, config(60.0), 0.0)
    notify("references", 0, 100)
    now[0] = 2.0
    notify("references", 1, 100)  # too early to tell
    now[0] = 4.0
    with pytest.raises(UserError) as error:
        notify("references", 4, 100)
    assert "smtt cannot be measured in 1 min 00 s here: references 4/100 after 4 s" in error.value.message
    assert "`--budget 2.5m` is enough" in (error.value.hint or "")
    assert all(name in (error.value.hint or "") for name in timing.QUICK)


def test_a_preparation_that_fits_and_one_without_a_clock_go_on(now: list[float]) -> None:
    """Also one that is late but done: the search is then the shorter."""
    heard: list[tuple[str, int, int]] = []
    for one in (config(60.0), config()):
        notify = timing.in_time(lambda *step: heard.append(step), one, 0.0)
        now[0] = 0.0
        notify("references", 0, 10)
        now[0] = 20.0 if one.budget.limited else 2000.0
        notify("references", 5, 10)
        now[0] = 55.0
        notify("references", 10, 10)
    assert heard == 2 * [("references", 0, 10), ("references", 5, 10), ("references", 10, 10)]
