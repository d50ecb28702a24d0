"""Shipped references of pools: complete for what ships, certified, and the same when computed again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import pytest
from gapsmith.app.config import parse
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.loader import LoadedProblem, load_problem
from gapsmith.app.setup.instances import further, splits_of
from gapsmith.cli import app
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.consistency import consistent
from gapsmith.evaluators.pooled import FOLDER, encode_pool, family, pooled
from gapsmith.problems.base import Instance, Keyed
from typer.testing import CliRunner

SHIPPED = sorted(file.name.split(".")[0] for file in files("gapsmith.evaluators").joinpath(FOLDER).iterdir())
PROBLEMS = [
    name
    for name in BUILT_INS
    if family(name) in SHIPPED and not isinstance(load_problem(name, {}).problem, Keyed)
]
"""Those whose instances no secret draws."""


@cache
def drawn(problem: str) -> tuple[LoadedProblem, Sequence[Instance]]:
    """A built-in problem, and what the default pool adds to its training set."""
    config, loaded = parse({"campaign": {"problem": problem}}, "test"), load_problem(problem, {})
    return loaded, further(loaded, config, splits_of(loaded, config))


def test_a_family_is_a_problem_with_its_rule_forms() -> None:
    """Forms that share their instances share a file."""
    assert (
        family("flow-shop-insertion-rule") == family("flow-shop-rule") == family("flow-shop") == "flow-shop"
    )
    assert family("online-bin-packing") == "online-bin-packing"


def test_each_file_belongs_to_a_built_in_problem() -> None:
    """And there are some."""
    assert SHIPPED
    assert {family(problem) for problem in PROBLEMS} == {*SHIPPED}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_pool_that_ships_is_whole(problem: str) -> None:
    """A default campaign waits for no solver: each instance of the default pool has a certified reference."""
    _, instances = drawn(problem)
    found = [pooled(problem, instance) for instance in instances]
    missing = [i.id for i, reference in zip(instances, found, strict=True) if reference is None]
    assert not missing, f"run benchmarks/pool_references.py {problem}"
    assert all(reference is not None and reference.kind.proven for reference in found)


@pytest.mark.quick("gpu-fleet-aggregate")
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_sample_is_proved_again(problem: str) -> None:
    """Two instances of each pool, solved anew: equal optima, and no bound beyond the other's optimum."""
    loaded, instances = drawn(problem)
    for instance in (instances[1], instances[-1]):
        shipped, anew = pooled(problem, instance), loaded.reference(instance, 30.0)
        assert shipped is not None
        assert anew is not None
        assert consistent(loaded.problem, shipped, anew), (instance.id, shipped, anew)


def test_what_does_not_ship_is_none() -> None:
    """An instance of no pool, and a problem without a file."""
    loaded, _ = drawn("bin-packing")
    first = loaded.instances("train", 12345)[0]
    assert pooled("bin-packing", first) is None
    assert pooled("no-such-problem", first) is None


def test_equal_references_give_equal_bytes() -> None:
    """In whatever order they were computed."""
    one, two = Reference.optimum(3), Reference.proven_bound(5)
    assert encode_pool({"aa": one, "bb": two}) == encode_pool({"bb": two, "aa": one})
    assert two.kind is ReferenceKind.BOUND


def test_references_of_a_pool_can_be_shown_and_verified() -> None:
    """Without a campaign: what ships is listed, and a sample is proved again."""
    environment = {"COLUMNS": "100", "TERM": "dumb"}
    words = ["gpu-fleet-aggregate", "--split", "pool", "--json"]
    shown = CliRunner().invoke(app, ["references", "show", *words], env=environment)
    rows = json.loads(shown.stdout)["references"]
    assert len(rows) == len(drawn("gpu-fleet-aggregate")[1])
    assert all(row["kind"] == "optimum" for row in rows)
    checked = CliRunner().invoke(app, ["references", "verify", *words, "--sample", "2"], env=environment)
    document = json.loads(checked.stdout)
    assert (document["checked"], document["agree"]) == (2, 2)
