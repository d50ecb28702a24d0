"""What every built-in problem keeps: references, programs, pictures, digests, decisions, hostile answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from gapsmith.app.config import parse
from gapsmith.app.plugins.built_ins import BUILT_INS
from gapsmith.app.plugins.loader import LoadedProblem, load_problem
from gapsmith.app.setup.instances import further, splits_of
from gapsmith.cli import app
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.certified import (
    FOLDER,
    Certificate,
    certificates,
    decode_certificates,
    encode_certificates,
)
from gapsmith.evaluators.consistency import consistent
from gapsmith.evaluators.numbers import better_than
from gapsmith.problems.base import SPLITS, Instance, Keyed, Sense
from typer.testing import CliRunner

FAMILIES = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json.gz"))
"""Those whose references ship."""
RECORDED = "0b17093a0e699d14eb93dac1fc99923878a90851e05c15fc91b81ae22b8cc554"
"""Digest of key, value, kind, bound, proof, solver and version of all references that ship."""
SHARES = {"cvrp": 0.88, "gpu-fleet": 0.5, "memory-mapping": 0.25}
SHARES |= dict.fromkeys(("kv-scheduling", "expert-placement", "sequence-packing"), 0.0)
"""Family → least share of its default instances whose optimum ships; 0.8 for others."""


@cache
def loaded_of(name: str) -> Any:
    """A built-in problem with its references."""
    return load_problem(name, {})


@cache
def pool_of(name: str) -> Sequence[Instance]:
    """What the default pool adds to a problem's training set."""
    config = parse({"campaign": {"problem": name}}, "test")
    return further(loaded_of(name), config, splits_of(loaded_of(name), config))


def public(names: Any = BUILT_INS) -> list[str]:
    """Problems whose instances no secret draws."""
    return [name for name in names if not isinstance(loaded_of(name).problem, Keyed)]


def with_file() -> list[str]:
    """Problems whose references ship, one of each family, whole forms first."""
    first: dict[str, str] = {}
    for name in BUILT_INS:  # no split of `smtt` ships: its proofs take milliseconds
        if name not in ("smtt", "smtt-rule") and loaded_of(name).references.family in FAMILIES:
            first.setdefault(loaded_of(name).references.family, name)
    return list(first.values())


def pooled() -> list[str]:
    """Problems for whose pool references ship."""
    quick = {"smtt", "smtt-rule", "memory-mapping", "memory-mapping-rule", "sequence-packing"}
    return [name for name in public() if name not in quick and loaded_of(name).references.family in FAMILIES]


def test_each_file_belongs_to_a_family() -> None:
    """And the families of all problems whose references take time have one."""
    assert {loaded_of(name).references.family for name in with_file()} == {*FAMILIES}


def test_shipped_references_are_what_they_were() -> None:
    """No value, kind, bound or proof of any family changes by accident: whoever adds some records them."""
    rows = []
    for family in FAMILIES:
        for key, one in certificates(family).items():
            reference = one.reference
            facts = (reference.value, reference.kind.value, reference.bound, reference.proof)
            rows.append([family, key, *map(str, facts), reference.solver, reference.version])
    text = json.dumps(sorted(rows), separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == RECORDED


def test_equal_certificates_give_equal_bytes() -> None:
    """In whatever order they were computed; and a file holds what was written."""
    one = Certificate(Reference.optimum(3), [1, 2])
    two = Certificate(Reference.proven_bound(5), evidence={"rule": "L1"})
    data = encode_certificates({"aa": one, "bb": two})
    assert data == encode_certificates({"bb": two, "aa": one})
    assert decode_certificates(data) == {"aa": one, "bb": two}
    assert (one.closed, two.closed, Certificate(Reference.optimum(3)).closed) == (True, False, False)


@pytest.mark.quick("multi-knapsack", "job-shop", "model-placement", "cvrp", "gpu-fleet", "task-graph")
@pytest.mark.parametrize("name", with_file())
def test_every_default_instance_ships(name: str) -> None:
    """A default campaign waits for no solver; the verification gives each answer the value that ships."""
    loaded = loaded_of(name)
    minimise = loaded.problem.sense is Sense.MINIMISE
    optima = []
    for instance in [i for split in SPLITS for i in loaded.problem.instances(split, 1)]:
        reference = loaded.references.shipped(instance)
        if reference is None:  # computed at once from the instance, such as the load of memory
            reference = loaded.references.reference(instance, 1e-3)
        assert reference.kind.proven, f"{instance.id}: gapsmith references compute {name} --ship"
        certificate = loaded.references.certificate(instance)
        answer = loaded.references.attained(instance) or (certificate and certificate.answer)
        if answer is not None:
            objective = loaded.problem.verify(instance, json.loads(json.dumps(answer))).objective
            assert not better_than(objective, reference.value, minimise, 0), instance.id
            assert objective == reference.value or reference.kind is ReferenceKind.BOUND, instance.id
        optima.append(reference.kind is ReferenceKind.OPTIMUM)
    assert sum(optima) >= SHARES.get(loaded.references.family, 0.8) * len(optima)


@pytest.mark.quick("gpu-fleet-aggregate", "bin-packing", "smwtt")
@pytest.mark.parametrize("name", pooled())
def test_a_pool_that_ships_is_whole(name: str) -> None:
    """Each instance of the default pool has a certified reference; rule forms share those of the whole."""
    found = {instance.id: loaded_of(name).references.shipped(instance) for instance in pool_of(name)}
    missing = [id for id, reference in found.items() if reference is None]
    assert not missing, f"gapsmith references compute {name} --split pool --ship"
    assert all(reference is not None and reference.kind.proven for reference in found.values())


@pytest.mark.quick("gpu-fleet-aggregate")
@pytest.mark.parametrize("name", public())
def test_a_sample_is_proved_again(name: str) -> None:
    """Two training and two pool instances: equal optima, and no bound beyond the other's optimum."""
    loaded: LoadedProblem = loaded_of(name)
    references: Any = loaded.references
    train = loaded.problem.instances("train", 1)
    for instance in (train[1], train[-1], pool_of(name)[1], pool_of(name)[-1]):
        shipped = references.shipped(instance) or references.reference(instance, 30.0)
        anew = references.reprove(instance, shipped, 30.0)
        assert consistent(loaded.problem, shipped, anew), (instance.id, shipped, anew)


def test_what_does_not_ship_is_computed() -> None:
    """An instance of another seed has no certificate, and gets a reference."""
    references = loaded_of("kv-scheduling").references
    instance = loaded_of("kv-scheduling").problem.instances("train", 12345)[0]
    assert references.shipped(instance) is None
    assert references.attained(instance) is None
    assert references.reference(instance, 10.0).kind.proven


def test_references_of_a_pool_can_be_shown_and_verified() -> None:
    """Without a campaign: what ships is listed, and a sample is proved again."""
    environment = {"COLUMNS": "100", "TERM": "dumb"}
    words = ["gpu-fleet-aggregate", "--split", "pool", "--json"]
    shown = CliRunner().invoke(app, ["references", "show", *words], env=environment)
    rows = json.loads(shown.stdout)["references"]
    assert len(rows) == len(pool_of("gpu-fleet-aggregate"))
    assert all(row["kind"] == "optimum" for row in rows)
    checked = CliRunner().invoke(app, ["references", "verify", *words, "--sample", "2"], env=environment)
    document = json.loads(checked.stdout)
    assert (document["checked"], document["agree"]) == (2, 2)


def test_certificates_are_built_by_one_command(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--ship` writes what is missing with its answer, keeps what is closed, and refuses what cannot ship."""
    for module in ("evaluators.certified", "app.setup.references"):
        monkeypatch.setattr(f"gapsmith.{module}.FOLDER", tmp_path)
    certificates.cache_clear()
    words = ["references", "compute", "gpu-fleet-aggregate", "--sample", "2", "--ship", "--json"]
    try:
        first = json.loads(CliRunner().invoke(app, words).stdout)
        assert (first["computed"], first["shipped"]) == (2, 2)
        data = (tmp_path / "gpu-fleet-aggregate.json.gz").read_bytes()
        assert all(one.closed for one in decode_certificates(data).values())
        second = json.loads(CliRunner().invoke(app, words).stdout)
        assert (second["stored"], second["computed"]) == (2, 0)
        assert (tmp_path / "gpu-fleet-aggregate.json.gz").read_bytes() == data
    finally:
        certificates.cache_clear()
    refused = CliRunner().invoke(app, ["references", "compute", "kv-scheduling-rule", "--ship"])
    assert refused.exit_code == 2


def test_an_optimum_is_never_replaced_by_a_bound() -> None:
    """The stronger certificate is kept; an optimum without its answer takes that of a second one."""
    references = loaded_of("job-shop").references
    bare = Certificate(Reference.optimum(7))
    answered = Certificate(Reference.optimum(7, source="again"), [[0]])
    bounded = Certificate(Reference.proven_bound(7))
    assert references.better(bare, bounded) is bare
    assert references.better(bare, answered) == Certificate(bare.reference, [[0]])
    assert references.better(Certificate(Reference.proven_bound(5)), bounded) is bounded
    with pytest.raises(ValueError, match="optima differ"):
        references.better(bare, Certificate(Reference.optimum(8)))
