"""The shipped references: complete, proven as far as promised, never beaten, the same when computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.references import table
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.placement import expert_placement, gpu_fleet, gpu_fleet_aggregate, model_placement

PLUGINS = [gpu_fleet, gpu_fleet_aggregate, model_placement, expert_placement]
PACKAGE = "gapsmith.evaluators.placement"
SPLITS = ("train", "valid", "test")


def name_of(plugin: Any) -> str:
    """The problem's name."""
    return str(plugin.problem().name)


@pytest.mark.parametrize(
    ("plugin", "share"), [(gpu_fleet, 0.5), (gpu_fleet_aggregate, 0.95), (model_placement, 5 / 6)]
)
def test_most_of_the_test_references_are_optima(plugin: Any, share: float) -> None:
    """Half of the whole fleets, nearly all pooled ones, all models but those of the open stratum."""
    problem = plugin.problem()
    references = [(i, plugin.references.reference(i, 1)) for i in problem.instances("test", 1)]
    optima = [i for i, reference in references if reference.kind is ReferenceKind.OPTIMUM]
    assert len(optima) >= share * len(references)
    if plugin is model_placement:
        assert all(i in optima for i, _ in references if "open" not in i.stratum)


def test_optima_come_out_again() -> None:
    """Computed anew, the optima of the strata that close quickly are those in the file."""
    for instance in model_placement.problem().instances("test", 1)[:6]:
        if "open" in instance.stratum:
            continue
        references: Any = model_placement.references
        reference, again = references.reference(instance, 1), references.compute(instance, 60)
        assert (again.kind, again.value) == (reference.kind, reference.value)


@pytest.mark.slow
@pytest.mark.parametrize("plugin", [gpu_fleet, gpu_fleet_aggregate, model_placement], ids=name_of)
def test_a_second_solver_agrees(plugin: Any) -> None:
    """Wherever the second solver finishes within 20 s it finds the shipped value."""
    finished = 0
    for instance in plugin.problem().instances("test", 1)[:6]:
        reference = plugin.references.reference(instance, 1)
        again = plugin.references.reprove(instance, reference, 20)
        if again.kind is reference.kind is ReferenceKind.OPTIMUM:
            finished += 1
            assert again.value == reference.value
        else:
            assert again.value <= reference.value or reference.kind is ReferenceKind.BOUND
    assert finished >= 2


def test_shipped_references_are_shown_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an empty cache `references show` lists what ships, and nothing is computed for it."""
    monkeypatch.setenv("GAPSMITH_CACHE", str(tmp_path))
    loaded = load_problem("gpu-fleet", {})
    instances = loaded.problem.instances("test", 1)
    rows = table(loaded, instances)
    assert [row["kind"] for row in rows].count(None) == 0
    assert [row["instance"] for row in rows] == [instance.id for instance in instances]
