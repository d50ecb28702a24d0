"""GPU fleets, whole GPUs and pooled: instances, files, verdicts, programs and references."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, Reference, ReferenceKind
from gapsmith.evaluators.placement import gpu_fleet, gpu_fleet_aggregate
from gapsmith.evaluators.placement.gpu_fleet import closed_form_bound
from gapsmith.problems.base import Instance, InstanceFileError, Problem, VerdictStatus
from gapsmith.problems.placement.gpus import MARKET_LIST, PAPER_LIST, throughput
from gapsmith.problems.strata import stream

TOY = {
    "gpu_info": {
        "A10G": {"cost": 1.01, "tputs": [[2, 1], [5, 2]]},
        "A100-80GB": {"cost": 3.67, "tputs": [[20, 20], [40, 20]]},
    },
    "workload_distribution": [[0.2, 0.1], [0.5, 0.2]],
    "total_request_rate": 30.0,
    "slice_factor": 1,
}
SMALL = {
    "prices": [10_000, 25_000],
    "loads": [[400_000, 100_000], [None, 300_000]],
    "slices": [3, 2],
    "capacity": 1_000_000,
}
INVALID, INFEASIBLE = VerdictStatus.INVALID_ANSWER, VerdictStatus.INFEASIBLE


def small(**changes: Any) -> Instance:
    """Two types and two buckets, or another public part."""
    return Instance("small", "train", "small", {**SMALL, **changes}, 1, "by hand")


def saved(folder: Path, document: Any) -> Path:
    """A file with a JSON document."""
    path = folder / "my.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


@pytest.mark.parametrize(
    ("prices", "loads", "slices", "least"),
    [
        ([1_000, 8], [[500_001, 1_000_001]], [1], Fraction(16, 10_000)),
        ([66_123, 86_088], [[10**6, 2_000_001], [2_000_001, 2_000_002]], [3, 1], Fraction(396_738, 10_000)),
        ([83_790, 37_941], [[10**6, 2_000_001], [1_000_001, None]], [2, 1], Fraction(335_160, 10_000)),
        ([9, 11], [[10**12, 10**12 - 10**6 + 1], [10**12 - 1, None]], [2, 1], 2_700),
    ],
)
def test_a_load_a_millionth_above_whole_gpus_makes_no_false_optimum(
    prices: list[int], loads: list[list[int | None]], slices: list[int], least: Fraction | int
) -> None:
    """Solvers take 2.000001 for 2 by default: what they then call optimal is dearer than the best split."""
    instance = small(prices=prices, loads=loads, slices=slices)
    reference = gpu_fleet_aggregate.references.reference(instance, 20)  # type: ignore[union-attr]
    splits = itertools.product(*(_shares(count, len(prices)) for count in slices))
    judged = [gpu_fleet_aggregate.problem().verify(instance, [list(row) for row in s]) for s in splits]
    assert min(v.objective for v in judged if v.objective is not None) == least
    assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, least)


def test_loads_that_floats_cannot_tell_apart_are_counted_in_integers() -> None:
    """One GPU less a billionth is not one GPU: HiGHS, which takes it for one, ends at a fleet for 20."""
    instance = small(prices=[9, 20], loads=[[10**9 + 1, 5 * 10**8]], slices=[1], capacity=10**9)
    references: Any = gpu_fleet_aggregate.references
    reference = references.reference(instance, 20)
    again = references.reprove(instance, reference, 20)
    assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, Fraction(18, 10_000))
    assert (reference.solver, again.kind, again.proof) == (
        "cp-sat",
        ReferenceKind.BOUND,
        ProofKind.ARITHMETIC,
    )


def test_sums_beyond_64_bits_leave_a_bound() -> None:
    """What neither solver can count keeps the closed form as its bound, and is no error."""
    instance = small(
        prices=[10**10, 10**10 - 1], loads=[[10**12, 10**12 - 7]] * 40, slices=[1000] * 40, capacity=10**6
    )
    reference = gpu_fleet_aggregate.references.reference(instance, 5)  # type: ignore[union-attr]
    assert (reference.kind, reference.proof) == (ReferenceKind.BOUND, ProofKind.ARITHMETIC)
    assert reference.value == Fraction(closed_form_bound(instance.public), 10_000)


def _shares(count: int, types: int) -> list[tuple[int, ...]]:
    return [row for row in itertools.product(range(count + 1), repeat=types) if sum(row) == count]


def test_the_published_toy_costs_6_70(tmp_path: Path) -> None:
    """The example of the published tool: three A10G and one A100, by HiGHS and by CBC."""
    problem = gpu_fleet_aggregate.problem()
    (instance,) = problem.read_instances(saved(tmp_path, TOY))
    reference = gpu_fleet_aggregate.references.reference(instance, 20)  # type: ignore[union-attr]
    again = gpu_fleet_aggregate.references.reprove(instance, reference, 20)  # type: ignore[union-attr]
    assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, Fraction("6.70"))
    assert (again.kind, again.value, again.solver) == (ReferenceKind.OPTIMUM, Fraction("6.70"), "cbc")
    split = [[1, 0], [0, 1], [0, 1], [0, 1]]
    assert instance.hidden is not None
    assert instance.hidden["gpus"] == ["A10G", "A100-80GB"]
    assert problem.verify(instance, split).objective == Fraction("6.70")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([[0, [0, 0]], [1, [0, 1, 1]]], VerdictStatus.VALID),
        ([[0, [0, 0, 0]], [1, [1, 1]]], INFEASIBLE),  # 1.2 GPUs of load on one
        ([[0, [0, 0]], [0, [0, 1]], [1, [1]]], INFEASIBLE),  # a type that cannot serve the bucket
        ([[1, [0, 0, 0, 1]]], INFEASIBLE),  # a slice dropped
        ([[1, [0, 0, 0, 1, 1, 1]]], INFEASIBLE),  # a slice doubled
        ([[2, [0]]], INVALID),
        ([[True, [0, 0, 0, 1, 1]]], INVALID),
        ([[1, [0, 0, 0, 1, True]]], INVALID),
        ([[1, [0, 0, 0, 1, 1.0]]], INVALID),
        ([[1, [0, 0, 0, -1, 1]]], INVALID),
        ([[-1, [0, 0, 0, 1, 1]]], INVALID),
        ([[1, [0, 0, 0, 1, 1], 5]], INVALID),
        ([[1, {"0": 3, "1": 2}]], INVALID),
        ([1, 1], INVALID),
        ({}, INVALID),
        (None, INVALID),
    ],
)
def test_fleets_are_judged(answer: Any, status: VerdictStatus) -> None:
    """A slice on a type that cannot serve it, a full GPU, dropped slices and odd counts get no price."""
    verdict = gpu_fleet.problem().verify(small(), answer)
    assert verdict.status is status
    if status is VerdictStatus.VALID:
        assert verdict.objective == Fraction("3.5")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([[0, 3], [0, 2]], VerdictStatus.VALID),
        ([[3, 0], [0, 2]], VerdictStatus.VALID),
        ([[3, 0], [2, 0]], INFEASIBLE),
        ([[2, 0], [0, 2]], INFEASIBLE),
        ([[2, 2], [0, 2]], INFEASIBLE),
        ([[4, -1], [0, 2]], INVALID),
        ([[1.5, 1.5], [0, 2]], INVALID),
        ([[True, 2], [0, 2]], INVALID),
        ([[0, 3]], INVALID),
        ([[0, 3, 0], [0, 2, 0]], INVALID),
        (5, INVALID),
    ],
)
def test_splits_are_judged(answer: Any, status: VerdictStatus) -> None:
    """Counts are whole, not negative, add up, and avoid types that cannot serve."""
    verdict = gpu_fleet_aggregate.problem().verify(small(), answer)
    assert verdict.status is status
    if status is VerdictStatus.VALID:  # 1.2 GPUs of the first type are two
        assert verdict.objective == (Fraction("2.5") if answer[0][0] == 0 else Fraction("4.5"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"total_request_rate": -1}, "total_request_rate: got -1"),
        ({"slice_factor": 1.5}, "slice_factor: got 1.5"),
        ({"slice_factor": True}, "slice_factor: got true"),
        ({"workload_distribution": [[0.2, 0.1], [0.5]]}, "workload_distribution: got 2 rows"),
        ({"workload_distribution": [[20, 10], [50, 20]]}, "shares that add up to 100, expected 1 within"),
        (
            {"workload_distribution": [[0.19, 0.1], [0.5, 0.2]]},
            "shares that add up to 0.99, expected 1 within",
        ),
        ({"workload_distribution": [[0.2000011, 0.1], [0.5, 0.2]]}, "add up to 1.0000011, expected 1 within"),
        ({"slice_factor": 0}, "slice_factor: got 0, expected an integer of 1 to 1000"),
        ({"slice_factor": 1001.0}, "slice_factor: got 1001, expected an integer of 1 to 1000"),
        ({"slice_factor": "4"}, 'slice_factor: got "4", expected an integer of 1 to 1000'),
        ({"slice_factor": 4.0000001}, "slice_factor: got 4.0000001, expected an integer"),
        (
            {"total_request_rate": 1e30},
            "A10G.tputs[0][0]: got 2, with which a slice of 2e+29 requests per second",
        ),
        (
            {"gpu_info": {"A": {"cost": 1, "tputs": [[1, 1], [1e-30, 1]]}}},
            "gpu_info.A.tputs[1][0]: got 1e-30, with which a slice of 15 requests per second takes 1.5e+31 "
            "GPUs, expected at most 1,000,000 (0: cannot serve the range)",
        ),
        (
            {"gpu_info": {"A": {"cost": 1e18, "tputs": [[1, 1], [1, 1]]}}},
            "gpu_info.A.cost: got 1e+18, expected 0.0001 to 1,000,000 dollars per hour",
        ),
        (
            {"gpu_info": {"A": {"cost": 1e-5, "tputs": [[1, 1], [1, 1]]}}},
            "A.cost: got 1e-05, expected 0.0001",
        ),
        ({"gpu_info": {"A\x1b": {"cost": 1, "tputs": [[1, 1], [1, 1]]}}}, r"gpu_info: got 'A\x1b', expected"),
        ({"gpu_info": {"A": {"cost": 1, "tputs": [[1, 1], [1, -2]]}}}, "gpu_info.A.tputs[1][1]: got -2"),
        ({"gpu_info": {"A": {"cost": 1, "tputs": [[1, 1], [1, 0]]}}}, "[1][1]: no GPU type serves"),
        ({"gpu_info": {"A": {"cost": 1, "tputs": [[1, 1]]}}}, "gpu_info.A.tputs: got 1 rows"),
        ({"gpu_info": {"A": {"cost": "1", "tputs": [[1, 1], [1, 1]]}}}, 'gpu_info.A.cost: got "1"'),
        ({"gpu_info": {"A": {"price": 1, "tputs": [[1, 1], [1, 1]]}}}, "cost is missing"),
        ({"gpu_info": {}}, "gpu_info: got {}"),
        ({"speed": 3}, "speed is not known"),
    ],
)
def test_a_faulty_file_names_the_place(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    """Each fault of a user's file is one sentence with place, what was got and what was expected."""
    path = saved(tmp_path, {**TOY, **change})
    with pytest.raises(InstanceFileError) as caught:
        gpu_fleet_aggregate.problem().read_instances(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            '"slice_factor"',
            '"total_request_rate": 1, "slice_factor"',
            ": got the key 'total_request_rate' twice",
        ),
        (
            '"slice_factor": 1',
            '"slice_factor": ' + "9" * 5000,
            "slice_factor: got an integer of 5,000 digits",
        ),
        ("30.0", "1e999999999", "total_request_rate: got 1E+999999999, expected requests"),
        ("30.0", "1e99999999999999999999", "expected a smaller exponent"),
        ("{", "[" * 100_000, "nested too deep"),
        ("{", "{\n x", " line 2 column 2: got no JSON"),
        ("{", '{"x": NaN, ', ": got NaN, expected a number"),
    ],
)
def test_json_that_python_would_guess_at_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    """Keys given twice, huge numbers and deep nesting end in one sentence."""
    path = tmp_path / "my.json"
    path.write_text(json.dumps(TOY).replace(old, new, 1), "utf-8")
    with pytest.raises(InstanceFileError) as caught:
        gpu_fleet_aggregate.problem().read_instances(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_shares_and_factors_may_be_rounded_as_files_are(tmp_path: Path) -> None:
    """Shares add up to 1 within a millionth and are not scaled; a factor of 4.0 is one of 4."""
    thirds = {**TOY, "workload_distribution": [[0.333333, 0.333333], [0.333333, 0]], "slice_factor": 4.0}
    for problem in (gpu_fleet.problem(), gpu_fleet_aggregate.problem()):
        (instance,) = problem.read_instances(saved(tmp_path, thirds))
        assert instance.public["slices"] == [4, 4, 4]
    assert instance.public["loads"][0] == [1_249_998, 124_999]


def test_whole_gpus_take_a_limited_number_of_slices(tmp_path: Path) -> None:
    """Slices are placed one by one: 20,000 are read, more ask for a smaller factor or the pooled form."""
    wide = {"A": {"cost": 1, "tputs": [[9] * 20]}}
    document = {**TOY, "gpu_info": wide, "workload_distribution": [[0.05] * 20], "slice_factor": 1000}
    (instance,) = gpu_fleet.problem().read_instances(saved(tmp_path, document))
    assert sum(instance.public["slices"]) == 20_000
    document["workload_distribution"] = [[0.04] * 25]
    document["gpu_info"] = {"A": {"cost": 1, "tputs": [[9] * 25]}}
    with pytest.raises(
        InstanceFileError, match="slice_factor: got 1000 for 25 ranges, expected at most 20,000"
    ):
        gpu_fleet.problem().read_instances(saved(tmp_path, document))
    assert gpu_fleet_aggregate.problem().read_instances(saved(tmp_path, document))


def test_a_fleet_of_very_many_gpus_is_judged_at_once() -> None:
    """The price of a type is its number times its price: nothing is counted one by one."""
    loads = [[10**40, 100_000], [None, 300_000]]
    problem, instance = gpu_fleet_aggregate.problem(), small(loads=loads)
    assert problem.verify(instance, [[3, 0], [0, 2]]).objective == 3 * 10**34 + Fraction("2.5")
    assert "dollars per hour" in problem.draw(instance, [[3, 0], [0, 2]]).title


def test_a_list_of_workloads_and_slices_too_large_for_a_gpu(tmp_path: Path) -> None:
    """Several instances in one file are numbered; the per-GPU form asks for smaller slices by name."""
    fine = {**TOY, "slice_factor": 4}
    read = gpu_fleet.problem().read_instances(saved(tmp_path, [fine, {**fine, "total_request_rate": 10}]))
    assert [instance.id for instance in read] == ["my-000", "my-001"]
    assert read[0].public["loads"][0] == [750_000, 75_000]
    slow = {"A10G": {"cost": 1.01, "tputs": [[2, 1], [5, 2]]}}
    with pytest.raises(InstanceFileError, match="raise slice_factor"):
        gpu_fleet.problem().read_instances(saved(tmp_path, {**TOY, "gpu_info": slow}))


@pytest.mark.parametrize("plugin", [gpu_fleet, gpu_fleet_aggregate], ids=lambda p: p.problem().name)
def test_sets_and_programs(plugin: Any, answer_of: Callable[..., Any]) -> None:
    """Splits are disjoint and repeat; every program is feasible everywhere, none below the closed form."""
    problem: Problem = plugin.problem()
    splits = {name: problem.instances(name, 1) for name in ("train", "valid", "test")}
    digests = [i.digest for instances in splits.values() for i in instances]
    assert len(digests) == len(set(digests))
    assert [i.digest for i in splits["train"]] == [i.digest for i in problem.instances("train", 1)]
    others = [problem.instances(name, 2)[0] for name in ("tiny-rate", "high-rate")]
    for instance in [*splits["train"][:6], *others]:
        unit = Fraction(_divisor(instance.public["prices"]), 10_000)
        floor = closed_form_bound(instance.public) * unit
        for source in {**problem.start_programs(), **problem.baselines()}.values():
            answer = answer_of(problem, source, instance)
            verdict = problem.verify(instance, answer)
            assert verdict.objective is not None, verdict.violations
            assert verdict.objective >= floor


@pytest.mark.slow
def test_references_agree_with_brute_force() -> None:
    """On tiny workloads both references are the optimum over all splits and packings."""
    for number in range(3):
        source = stream(f"fleets {number}")
        public = {
            "prices": [source.randint(5, 9) * 1_000, source.randint(12, 20) * 1_000],
            "loads": [[source.randint(2, 9) * 100_000, source.randint(1, 4) * 100_000] for _ in range(3)],
            "slices": [2, 1, 1],
            "capacity": 1_000_000,
        }
        pooled = gpu_fleet_aggregate.references.reference(small(**public), 10)  # type: ignore[union-attr]
        packed = gpu_fleet.references.reference(small(**public), 10)  # type: ignore[union-attr]
        assert pooled.kind is packed.kind is ReferenceKind.OPTIMUM
        assert pooled.value == _best_split(public)
        assert packed.value == _best_packing(public)


@pytest.mark.slow
def test_highs_and_cp_sat_agree_on_a_default_instance() -> None:
    """The packing's optimum is the same from CP-SAT and from a mixed-integer programme."""
    instance = gpu_fleet.problem().instances("train", 1)[1]
    reference = gpu_fleet.references.compute(instance, 20)  # type: ignore[union-attr]
    again = gpu_fleet.references.reprove(instance, reference, 20)  # type: ignore[union-attr]
    assert reference.kind is again.kind is ReferenceKind.OPTIMUM
    assert reference.value == again.value


@pytest.mark.slow
def test_a_time_limit_leaves_a_bound() -> None:
    """With hardly any time the reference is proven all the same: below the optimum, or the optimum itself."""
    instance = gpu_fleet.problem().instances("high-rate", 1)[1]
    hurried: Reference = gpu_fleet.references.compute(instance, 0.01)  # type: ignore[union-attr]
    proven: Reference = gpu_fleet.references.compute(instance, 20)  # type: ignore[union-attr]
    assert hurried.proof in (ProofKind.ARITHMETIC, ProofKind.SOLVER)
    assert hurried.bound is not None
    assert proven.bound is not None
    # How far a solver gets in that time depends on the machine; what it claims must hold on all of them.
    assert hurried.bound <= proven.bound
    assert hurried.kind is ReferenceKind.BOUND or hurried.value == proven.value


def test_throughput_falls_with_length_and_is_zero_where_the_target_cannot_be_met() -> None:
    """Longer requests are served more slowly; an L4 misses 40 ms even alone, an H100 does not."""
    h100 = PAPER_LIST[3]
    for gpu in (*PAPER_LIST, *MARKET_LIST):
        assert throughput(gpu, 100, 100, 0.12) > throughput(gpu, 1_000, 400, 0.12)
    assert throughput(PAPER_LIST[0], 100, 50, 0.04) == 0
    assert throughput(h100, 100, 50, 0.04) > 0
    assert len({gpu.name for gpu in (*PAPER_LIST, *MARKET_LIST)}) >= 8


def test_answers_can_be_drawn() -> None:
    """One rectangle per slice, and per bucket and type; labels name the GPUs."""
    fleet = gpu_fleet.problem().draw(small(), [[0, [0, 0]], [1, [0, 1, 1]]])
    assert sum(shape.kind == "rectangle" for shape in fleet.shapes) == 5
    assert "3.50" in fleet.title
    split = gpu_fleet_aggregate.problem().draw(small(), [[3, 0], [0, 2]])
    assert sum(shape.kind == "rectangle" for shape in split.shapes) == 2
    assert any(shape.text.startswith("2 x") for shape in split.shapes)


def _divisor(prices: list[int]) -> int:
    import math

    return math.gcd(*prices)


def _best_split(public: dict[str, Any]) -> Fraction:
    """Cheapest of all matrices of counts."""
    rows = [[[n, count - n] for n in range(count + 1)] for count in public["slices"]]
    problem = gpu_fleet_aggregate.problem()
    verdicts = (problem.verify(small(**public), list(split)) for split in itertools.product(*rows))
    return min(Fraction(v.objective) for v in verdicts if v.objective is not None)


def _best_packing(public: dict[str, Any]) -> Fraction:
    """Cheapest of all assignments of slices to one of the first GPUs of each type."""
    slices = [b for b, count in enumerate(public["slices"]) for _ in range(count)]
    gpus = [(t, n) for t in range(2) for n in range(len(slices))]
    best = None
    for places in itertools.product(gpus, repeat=len(slices)):
        fleet: dict[tuple[int, int], list[int]] = {}
        for bucket, place in zip(slices, places, strict=True):
            fleet.setdefault(place, []).append(bucket)
        answer = [[t, contents] for (t, _), contents in fleet.items()]
        objective = gpu_fleet.problem().verify(small(**public), answer).objective
        if objective is not None and (best is None or objective < best):
            best = objective
    assert best is not None
    return Fraction(best)
