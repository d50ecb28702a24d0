"""Start programs and baselines are founders: a campaign begins with them, and chooses among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from gapsmith.app.analysis.replay import replay
from gapsmith.app.runs.record import open_record
from gapsmith.app.runs.trust import recorded_config

Run = Callable[..., tuple[dict[str, Any], Path]]


def _starts(folder: Path) -> list[str]:
    """Names of the programs that a run began with."""
    with open_record(folder) as record:
        return [record.candidate(id).operator for id in record.reader.record("starts")]


def test_baselines_are_founders_and_the_champion_is_no_worse_on_validation(campaign: Run) -> None:
    """They are validated without new executions, take part in the choice, and a replay keeps to them."""
    found, folder = campaign("all", budget={"iterations": 6})
    assert _starts(folder) == ["heaviest", "shortest"]
    valid = {name: entry["valid"]["fitness"] for name, entry in found["baselines"].items()}
    assert found["best"]["splits"]["valid"]["fitness"] >= valid["shortest"]
    document = replay(folder)
    assert (document["differences"], document["iterations"]) == ([], 6)


def test_discovery_from_scratch_begins_with_start_programs_alone(campaign: Run) -> None:
    """`search.founders` says so; recorded configurations of before that key mean the same."""
    _, folder = campaign("start", budget={"iterations": 2}, search={"founders": "start"})
    assert _starts(folder) == ["heaviest"]
    old = SimpleNamespace(name="old", config={"search": {"fresh_until": 0}})
    assert recorded_config(old).search.founders == "start"  # type: ignore[arg-type]


def test_a_champion_that_is_a_founder_is_no_improvement(campaign: Run) -> None:
    """The headline, and the program that runs alone, say so."""
    found, folder = campaign("none", budget={"iterations": 1})
    assert found["best"]["iteration"] == 0
    assert found["headline"]["verdict"] == "no_improvement"
    assert found["headline"]["text"].startswith("no improvement found; best baseline: shortest")
    assert "# no improvement found; best baseline: shortest" in (folder / "best.py").read_text()


def test_best_of_n_changes_the_best_founder(campaign: Run, problem: str, tmp_path: Path) -> None:
    """Every candidate's parent is the baseline where it is better in training than the start program."""
    mine = tmp_path / "mine.py"
    mine.write_text(Path(problem).read_text().replace("2 - 3 * weights[j]", "weights[j]"))
    section = {"problem": str(mine), "control": "best-of-n"}
    _, folder = campaign("control", campaign=section, budget={"iterations": 4})
    with open_record(folder) as record:
        best = record.reader.record("starts")[1]
        assert {step.parents for step in record.reader.iterations()} == {(best,)}


@pytest.mark.parametrize("divisor", ["0", "(sum(times) % 2)"], ids=["everywhere", "on some instances"])
def test_a_baseline_that_fails_in_training_is_no_founder(
    campaign: Run, problem: str, tmp_path: Path, divisor: str
) -> None:
    """A note says which one failed, where and why; the campaign goes on without it."""
    mine = tmp_path / "mine.py"
    text = Path(problem).read_text()
    mine.write_text(text.replace("key=lambda j: times[j])", f"key=lambda j: times[j] / {divisor})"))
    found, folder = campaign("fails", campaign={"problem": str(mine)}, budget={"iterations": 1})
    assert _starts(folder) == ["heaviest"]
    (note,) = found["notes"]
    assert note.startswith("baseline shortest is no founder: raised on train-")


@pytest.mark.parametrize("control", ["none", "random"])
def test_a_resumed_campaign_keeps_its_founders(campaign: Run, control: str) -> None:
    """A run that is gone on with takes the course of one that was not stopped."""
    sections = {"campaign": {"control": control}}
    campaign("parts", budget={"iterations": 3}, **sections)
    parts, again = campaign("parts", budget={"iterations": 8}, **sections)
    whole, folder = campaign("whole", budget={"iterations": 8}, **sections)
    assert _starts(again) == _starts(folder)
    assert parts["best"]["candidate"] == whole["best"]["candidate"]


@pytest.mark.slow
def test_a_start_program_without_changes_gives_way_to_other_founders(
    campaign: Run, problem: str, tmp_path: Path
) -> None:
    """Jobs in the order of the instance: alone it brings next to nothing, and a note says why early."""
    mine = tmp_path / "mine.py"
    text = Path(problem).read_text()
    begun = "sorted(range(len(times)), key=lambda j: 2 - 3 * weights[j])"
    mine.write_text(text.replace(begun, "list(range(len(times)))"))
    section = {"problem": str(mine)}
    alone, _ = campaign("alone", campaign=section, budget={"iterations": 60}, search={"founders": "start"})
    among, _ = campaign("among", campaign=section, budget={"iterations": 60})
    assert alone["evaluations"] <= 4 < 10 <= among["evaluations"]
    (note,) = alone["notes"]
    assert "the last 40 proposals from program" in note
