"""What every built-in problem keeps: references, programs, pictures, digests, decisions, hostile answers."""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
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
from gapsmith.problems.base import (
    SPLITS,
    Drawable,
    Driven,
    Explains,
    Instance,
    Interactive,
    Keyed,
    Sense,
    canonical_json,
)
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from typer.testing import CliRunner

FAMILIES = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.json.gz"))
"""Those whose references ship."""
RECORDED = "9139237ed3a1d762cc9f12f63fcfafe5dc1ae4ec43f0728e21be12d21bf7013f"
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


def but(*slow: str) -> list[Any]:
    """All built-ins; those named, by their endings too, only in the slow suite."""
    return [pytest.param(n, marks=pytest.mark.slow) if n.endswith(slow) else n for n in BUILT_INS]


def public() -> list[str]:
    """Problems whose instances no secret draws."""
    return [name for name in BUILT_INS if not isinstance(loaded_of(name).problem, Keyed)]


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


@pytest.mark.quick("bin-packing")
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
    checked = CliRunner().invoke(app, ["references", "verify", *words, "--sample", "1"], env=environment)
    document = json.loads(checked.stdout)
    assert (document["checked"], document["agree"]) == (1, 1)


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
        assert all(one.answer for one in decode_certificates(data).values())
        second = json.loads(CliRunner().invoke(app, words).stdout)
        assert (second["stored"], second["computed"]) == (2, 0)
        assert (tmp_path / "gpu-fleet-aggregate.json.gz").read_bytes() == data
    finally:
        certificates.cache_clear()
    knapsack = str(Path(__file__).parents[2] / "examples" / "knapsack.py")
    refused = CliRunner().invoke(app, ["references", "compute", knapsack, "--ship"])
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
    again = Certificate(Reference.proven_bound(7, source="again"), [[0]])
    assert references.better(bounded, again) is bounded
    assert loaded_of("tsp").references.better(bounded, again) is again
    with pytest.raises(ValueError, match="optima differ"):
        references.better(bare, Certificate(Reference.optimum(8)))


# Programs, what is shown of their answers, and answers that are none.


@cache
def smallest(name: str) -> Instance:
    """The training instance with the shortest text."""
    train = loaded_of(name).problem.instances("train", 1)
    return min(train, key=lambda instance: len(canonical_json(dict(instance.public))))


def answer_in(slot: Any, name: str, text: str) -> Any:
    """What a program answers in the sandbox on the smallest training instance."""
    problem, instance = loaded_of(name).problem, smallest(name)
    program = Program({"heuristic.py": text}, problem.entry_point, getattr(problem, "driver", None))
    dialogue = problem.dialogue(instance) if isinstance(problem, Interactive) else None
    execution = slot.execute(program, canonical_json(dict(instance.public)).encode(), Limits(), 0, dialogue)
    assert execution.status is ExecutionStatus.OK, execution.error
    return execution.answer


@pytest.fixture(scope="module")
def first_answer(slots: Callable[..., Any]) -> Callable[[str], Any]:
    """The answer of a problem's first start program."""

    @cache
    def answer(name: str) -> Any:
        with slots() as slot:
            return answer_in(slot, name, next(iter(loaded_of(name).problem.start_programs().values())))

    return answer


@pytest.mark.parametrize(
    "name",
    but("churn", "tsp", "smtt", "known-n", "memory-mapping", "flow-shop", "kv-scheduling-rule"),
)
def test_every_program_answers_in_the_sandbox(name: str, slots: Callable[..., Any]) -> None:
    """Start programs and baselines give valid answers under the default limits, none beyond the reference."""
    loaded = loaded_of(name)
    reference = loaded.references.reference(smallest(name), 1.0)
    with slots() as slot:
        for id, text in {**loaded.problem.start_programs(), **loaded.problem.baselines()}.items():
            verdict = loaded.problem.verify(smallest(name), answer_in(slot, name, text))
            assert verdict.objective is not None, (id, verdict.violations)
            minimise = loaded.problem.sense is Sense.MINIMISE
            assert not better_than(verdict.objective, reference.value, minimise, 0), id


@pytest.mark.parametrize("name", but("churn", "tsp", "known-n"))
def test_answers_are_drawn_and_explained(name: str, first_answer: Callable[[str], Any]) -> None:
    """A picture with shapes at finite places, and words."""
    problem, instance = loaded_of(name).problem, smallest(name)
    if isinstance(problem, Drawable):
        drawing = problem.draw(instance, first_answer(name))
        assert drawing.shapes
        assert drawing.title
        assert all(np.isfinite([shape.x, shape.y]).all() for shape in drawing.shapes)
    if isinstance(problem, Explains):
        assert problem.explain(instance, first_answer(name)).strip()


def mutants(answer: Any) -> Iterator[Any]:
    """Answers that are nearly one: the first places hold something else, are missing, or are there twice."""
    strange = (None, True, -1, 10**30, 1.5, "0", [], {})
    yield from strange
    yield [[[[]]]]
    if isinstance(answer, list):
        yield answer * 2
        yield answer[1:]
        yield answer[::-1]
        for place in range(min(3, len(answer))):
            yield [*answer[:place], *answer[place + 1 :]]
            for inner in mutants(answer[place]) if isinstance(answer[place], list) else strange:
                yield [*answer[:place], inner, *answer[place + 1 :]]


@pytest.mark.parametrize("name", but("churn", "known-n", "kv-scheduling-rule"))
def test_hostile_answers_are_judged(name: str, first_answer: Callable[[str], Any]) -> None:
    """The verification raises at nothing, says why, keeps nothing, and lets nothing beyond the reference."""
    loaded, instance = loaded_of(name), smallest(name)
    value = loaded.references.reference(instance, 1.0).value
    refused = 0
    for mutant in mutants(first_answer(name)):
        given = copy.deepcopy(mutant)
        verdict = loaded.problem.verify(instance, mutant)
        assert mutant == given
        assert (verdict.objective is None) == bool(verdict.violations), mutant
        refused += verdict.objective is None
        if verdict.objective is not None:
            assert not better_than(verdict.objective, value, loaded.problem.sense is Sense.MINIMISE, 0), (
                mutant
            )
    assert refused >= 9


# Instances.

DIGESTS = {
    "smtt": "7854a1370f47beba",
    "smtt-rule": "5f57221da7d7d060",
    "smwtt": "1a3dec479a3cedb8",
    "smwtt-rule": "1a3dec479a3cedb8",
    "bin-packing": "f23ada585d3b524b",
    "online-bin-packing": "0627d09845a4d65b",
    "online-bin-packing-known-n": "472212dd5f3a6baf",
    "gpu-fleet": "4625bc3834d11a4a",
    "gpu-fleet-aggregate": "a067d160ed26cd39",
    "model-placement": "967e64c928c9722c",
    "expert-placement": "0ab84016f0bff34e",
    "job-shop": "c5fd3936a87e287d",
    "job-shop-rule": "c5fd3936a87e287d",
    "blocking-job-shop": "4f8a90d6c5028002",
    "blocking-job-shop-rule": "ecf4931e490d61f2",
    "unrelated-machines": "438d755032e7e63f",
    "cvrp": "ab3abc2747b1fe3a",
    "flow-shop": "b4cf8d18fd637cfb",
    "flow-shop-rule": "b4cf8d18fd637cfb",
    "multi-knapsack": "b686be8d54494bdb",
    "orienteering": "8b13380c82008979",
    "tsp": "a60420c57784a5a9",
    "task-graph": "693ed22d3a4dcec7",
    "task-graph-rule": "693ed22d3a4dcec7",
    "kv-scheduling": "d6cc4b81d16d8351",
    "kv-scheduling-rule": "4313e7a5fc1e24bd",
    "lora-microbatches": "3dd35082360fd134",
    "lora-microbatches-rule": "3dd35082360fd134",
    "sequence-packing": "fe2c0be6060878bf",
    "memory-mapping": "5234f753d5134467",
    "memory-mapping-rule": "5234f753d5134467",
    "cluster-scheduling": "bc707ff2f335b4eb",
    "cluster-churn": "98c3c0fae0966941",
}
"""Problem → digest of the digests of all its sets at seed 1."""


def digest_of(name: str) -> str:
    """Sixteen hex digits of the digests of all instances of a problem's sets at seed 1."""
    problem = load_problem(name, {}).problem
    digests = [i.digest for label in sorted(problem.sets()) for i in problem.instances(label, 1)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", but("-rule", "tsp", "churn", "known-n"))
def test_instances_stay_what_they_are(name: str) -> None:
    """All sets of seed 1; the splits are disjoint, and an unknown set is an error."""
    assert digest_of(name) == DIGESTS[name]
    problem = loaded_of(name).problem
    splits = [{instance.digest for instance in problem.instances(split, 1)} for split in SPLITS]
    assert len(set.union(*splits)) == sum(map(len, splits))
    with pytest.raises(KeyError):
        problem.instances("no such set", 1)


@pytest.mark.slow
def test_instances_are_the_same_in_another_process() -> None:
    """Whatever the seed of Python's hashes."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_contract as t\n"
    code += "print(*map(t.digest_of, t.BUILT_INS))"
    said = subprocess.run(
        [sys.executable, "-c", code, os.path.dirname(__file__)],
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert dict(zip(BUILT_INS, said.stdout.split(), strict=True)) == DIGESTS


# Expressions of the offline proposer.


def loops() -> list[str]:
    """Problems whose candidate is a rule in a loop that needs no dialogue."""
    forms = [name for name in BUILT_INS if isinstance(loaded_of(name).problem, Driven)]
    return [name for name in forms if not isinstance(loaded_of(name).problem, Interactive)]


def calls_of(name: str) -> list[dict[str, Any]]:
    """The arguments by name of all calls of a rule form's first start program."""
    problem = loaded_of(name).problem
    program: dict[str, Any] = {}
    loop: dict[str, Any] = {}
    exec(next(iter(problem.start_programs().values())), program)
    exec(problem.driver, loop)
    rule = program[problem.entry_point]
    calls: list[dict[str, Any]] = []

    def spy(*arguments: Any, **named: Any) -> Any:
        bound = inspect.signature(rule).bind(*arguments, **named).arguments
        calls.append(copy.deepcopy(dict(bound)))
        return rule(*arguments, **named)

    loop["drive"](spy, copy.deepcopy(dict(smallest(name).public)))
    return calls


@pytest.mark.parametrize("name", loops())
def test_primitives_have_the_kind_that_they_say(name: str) -> None:
    """At a rule's first call and at its last: a vector has a number for each thing, a number is one."""
    calls = calls_of(name)
    primitives = loaded_of(name).problem.primitives()
    assert primitives
    for scope in (calls[0], calls[-1]):
        vectors = {np.shape(value)[:1] for value in scope.values() if np.ndim(value)}
        for primitive in primitives:
            value = eval(primitive.text, {"np": np, **scope})
            assert np.shape(value) in (vectors if primitive.kind == "vector" else {()}), primitive.text
