"""Tests of the answers that ship with optima, and of the words that say who stands behind a proof."""

from __future__ import annotations

import json
from itertools import accumulate, chain
from typing import Any

import pytest
from gapsmith.app.config import Config
from gapsmith.app.formatting import standings
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.setup.instances import further
from gapsmith.cli import app
from gapsmith.evaluators.base import ProofKind
from gapsmith.evaluators.certified import certificates
from gapsmith.evaluators.memory.references import MemoryReferences
from gapsmith.problems.base import SPLITS, Instance
from typer.testing import CliRunner


def _stacked(self: MemoryReferences, instance: Instance) -> list[int]:
    """Offsets of all buffers in one pile: an answer, but not the best."""
    sizes = [size for _, _, size in instance.public["buffers"]]
    return [0, *accumulate(sizes)][:-1]


def test_an_answer_that_misses_its_optimum_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """`references verify` judges shipped answers, and ends with exit code 5 where one is worse."""
    words = ["references", "verify", "memory-mapping", "--instances", "test", "--sample", "6", "--json"]
    sound = CliRunner().invoke(app, words)
    document = json.loads(sound.stdout)
    assert (sound.exit_code, document["differences"]) == (0, [])
    assert document["answers_checked"] > 0
    monkeypatch.setattr(MemoryReferences, "attained", _stacked)
    said = CliRunner().invoke(app, words)
    assert said.exit_code == 5
    rows = json.loads(said.stdout)["differences"]
    assert rows
    assert all(row["what"].endswith("its answer") for row in rows)
    assert all(int(row["now"]) > int(row["recorded"]) for row in rows)


WHOLE = {
    "blocking-job-shop": "blocking-job-shop",
    "cvrp": "cvrp",
    "job-shop": "job-shop",
    "sequence-packing": "sequence-packing",
    "task-graph": "task-graph",
    "total-tardiness": "smwtt",
}
"""Families of certificates whose optima all ship with answers → a problem that has their instances."""


@pytest.mark.parametrize("family", WHOLE)
def test_every_optimum_of_these_families_has_its_answer(family: str) -> None:
    """No optimum stands on a solver's word alone."""
    optima = [one for one in certificates(family).values() if one.optimal]
    assert optima
    assert all(one.answer is not None for one in optima)


@pytest.mark.quick("cvrp", "job-shop", "smwtt")
@pytest.mark.parametrize("name", WHOLE.values())
def test_answers_of_pools_attain_their_optima(name: str) -> None:
    """The problem's own verification gives each answer the value that ships, also beyond the three splits."""
    loaded: Any = load_problem(name)
    splits = {split: loaded.instances(split, 1) for split in SPLITS}
    sets = [loaded.instances(one, 1) for one in loaded.problem.sets() if one not in SPLITS]
    references = loaded.references
    instances = [*further(loaded, Config(), splits), *chain(*sets)]
    optima = [one for one in instances if (found := references.certificate(one)) and found.optimal]
    assert optima
    for one in optima:
        objective = loaded.problem.verify(one, references.attained(one)).objective
        assert objective == references.certificate(one).reference.value, one.id


def test_every_kind_of_proof_has_somebody_behind_it() -> None:
    """What anybody can check, what a solver says and what the literature says are three counts."""
    assert standings({kind.value: 2 for kind in ProofKind}) == (
        "6 proved by construction or dual bound, 2 certified by a solver, 2 from the literature"
    )
    assert standings({"solver": 1, "dual": 0}) == "1 certified by a solver"
    assert standings({}) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("job-shop", "certified by a solver"),
        ("kv-scheduling", "proved by construction or dual bound"),
    ],
)
def test_tables_of_references_say_who_proved_them(name: str, words: str) -> None:
    """`references show` and `problems show` count proofs by who stands behind them."""
    shown = CliRunner().invoke(app, ["references", "show", name, "--split", "test", "--sample", "3"])
    assert f"proofs: 3 {words}" in shown.stdout
    details = CliRunner().invoke(app, ["problems", "show", name])
    line = next(line for line in details.stdout.splitlines() if line.strip().startswith("proofs:"))
    assert line.endswith(words)
