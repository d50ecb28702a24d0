"""Instances and references: fixed digests, CP-SAT against brute force, certificates and their tampering."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.certified import Certificate
from gapsmith.evaluators.memory import memory_mapping, memory_mapping_rule
from gapsmith.evaluators.memory.models import memory_model
from gapsmith.problems.memory import laws
from gapsmith.problems.memory.verification import judge, largest_load
from gapsmith.problems.strata import stream


def test_splits_are_disjoint_and_have_their_sizes() -> None:
    """Four laws; about 120 buffers each, none larger than the load."""
    problem = memory_mapping.problem(train_per_stratum=2)
    sets = {split: problem.instances(split, 3) for split in ("train", "valid", "test")}
    assert [len(instances) for instances in sets.values()] == [8, 16, 52]
    digests = [i.digest for instances in sets.values() for i in instances]
    assert len(set(digests)) == len(digests)
    for instance in sets["test"]:
        buffers = instance.public["buffers"]
        assert 90 <= len(buffers) <= 120
        assert max(size for *_, size in buffers) < largest_load(buffers)
    with pytest.raises(KeyError):
        problem.instances("minimalloc", 1)


@pytest.mark.parametrize("law", [laws.inference, laws.training])
def test_fetching_ahead_fills_memory_and_raises_no_load(law: Any) -> None:
    """The same network without the fill has the same largest load and a lower mean."""

    class Lazy:
        """A stream whose compiler fetches nothing ahead of time."""

        def __init__(self, key: str) -> None:
            self.inner = stream(key)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def randint(self, low: int, high: int) -> int:
            return 0 if (low, high) == (2, 39) else self.inner.randint(low, high)

    full = law(120, stream("fill")).public["buffers"]
    lazy = law(120, Lazy("fill")).public["buffers"]
    assert largest_load(full) == largest_load(lazy) or len(full) == 120
    assert sum((e - s) * size for s, e, size in full) > sum((e - s) * size for s, e, size in lazy)


def test_a_cut_rectangle_has_its_height_as_optimum() -> None:
    """The hidden offsets end at the height, for every height and share of dropped pieces."""
    plugin = memory_mapping
    instances = plugin.problem().instances("other-cuts", 1)
    for instance in instances:
        assert plugin.references is not None
        reference = plugin.references.reference(instance, 1)
        assert (reference.kind, reference.proof) == (ReferenceKind.OPTIMUM, ProofKind.CONSTRUCTION)
        assert f"height {reference.value} " in instance.stratum


def test_cpsat_agrees_with_all_orders(draws: Any) -> None:
    """Six buffers: stacking them in every order finds the least peak."""
    from ortools.sat.python import cp_model

    for buffers in draws(15, 6, seed=11):
        best, answer = min((stacked(buffers, order) for order in permutations(range(6))), key=lambda r: r[0])
        memory = memory_model(buffers, [sum(row[2] for row in buffers[:i]) for i in range(6)])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        assert solver.solve(memory.model) == cp_model.OPTIMAL
        offsets = [solver.value(offset) for offset in memory.offsets]
        assert judge({"buffers": buffers}, offsets).objective == solver.objective_value == best  # type: ignore[arg-type]
        assert judge({"buffers": buffers}, answer).objective == best  # type: ignore[arg-type]
        assert largest_load(buffers) <= best


def stacked(buffers: Any, order: Any) -> tuple[int, list[int]]:
    """Peak and offsets of buffers that stand on those before them in an order."""
    offsets = [0] * len(buffers)
    done: list[int] = []
    for i in order:
        start, end, _ = buffers[i]
        below = [offsets[j] + buffers[j][2] for j in done if buffers[j][0] < end and start < buffers[j][1]]
        offsets[i] = max(below, default=0)
        done.append(i)
    return max(offset + row[2] for offset, row in zip(offsets, buffers, strict=True)), offsets


def test_shipped_offsets_attain_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """All shipped answers are judged; one that was tampered with is an error, in both forms."""
    shipped = 0
    references: Any = memory_mapping_rule.references
    for split in ("train", "valid", "test"):
        for instance in memory_mapping.problem().instances(split, 1):
            reference = references.reference(instance, 1)
            assert reference.value == largest_load(instance.public["buffers"])
            if references.shipped(instance) is not None:
                shipped += 1
                assert (reference.kind, reference.proof) == (ReferenceKind.OPTIMUM, ProofKind.ARITHMETIC)
    assert shipped == 28
    instance = memory_mapping.problem().instances("train", 1)[0]
    count = len(instance.public["buffers"])
    flat = Certificate(references.reference(instance, 1), [0] * count)
    monkeypatch.setattr(type(references), "certificate", lambda self, instance: flat)
    with pytest.raises(ValueError, match=r"its offsets: got .* share time and memory"):
        references.reference(instance, 1)
    piled = Certificate(flat.reference, [10**6 * i for i in range(count)])
    monkeypatch.setattr(type(references), "certificate", lambda self, instance: piled)
    with pytest.raises(ValueError, match="expected the peak"):
        references.reference(instance, 1)
