"""Taillard's instances: digests, first values, best known makespans, an optimum proved again."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.shops import job_shop
from gapsmith.problems.shops import taillard

DIGEST = "2491afb088867623619d1e12c91ab0af8cb72da1d6f88f6c8b5ac1617696ae95"


def test_the_80_instances_come_out_again() -> None:
    """ta01 begins as printed in 1993, and the digest of all 80 digests stays."""
    instances = taillard.instances()
    first = instances[0].public
    assert first["times"][0][:4] == [94, 66, 10, 53]
    assert [machine + 1 for machine in first["routes"][0][:4]] == [7, 13, 5, 8]
    assert [i.id for i in instances] == [f"ta{number:02d}" for number in range(1, 81)]
    for instance in instances:
        jobs, machines = map(int, instance.stratum.split("x"))
        assert (len(instance.public["routes"]), instance.public["machines"]) == (jobs, machines)
        assert all(sorted(route) == list(range(machines)) for route in instance.public["routes"])
    text = "".join(instance.digest for instance in instances)
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST


def test_sets_are_groups_of_ten() -> None:
    """Eight groups by size, which are the 80 together; an unknown set is a KeyError."""
    groups = [name for name in taillard.sets() if name != "taillard"]
    assert [len(taillard.instances(name)) for name in groups] == [10] * 8
    with pytest.raises(KeyError):
        taillard.instances("taillard-9x9")


def test_references_are_best_known_values_with_the_bound_of_the_literature() -> None:
    """No value is below its bound or below the scale, and none is called an optimum."""
    references: Any = job_shop.references
    for instance in taillard.instances():
        reference = references.shipped(instance)
        assert reference.kind is ReferenceKind.BEST_KNOWN
        assert instance.scale <= reference.bound <= reference.value
    assert references.shipped(taillard.instances()[0]).value == 1231


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_optimum_of_ta01_is_proved(solve: Any) -> None:
    """No schedule of ta01 ends by 1230, and one ends by 1231: about two CPU minutes with eight workers."""
    public = taillard.public(1)
    assert solve(public, blocking=False, workers=8, deadline=1230)[0] == "INFEASIBLE"
    assert solve(public, blocking=False, workers=8, deadline=1231)[1] == 1231
