"""Flow shops: verification, programs, the rule's loop, files, Taillard's instances, references."""

from __future__ import annotations

import hashlib
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.classics import flow_shop, flow_shop_rule
from gapsmith.evaluators.classics.flow_shop import lower_bound, shop_model, solve
from gapsmith.problems.base import Instance, InstanceFileError, VerdictStatus
from gapsmith.problems.classics import taillard
from gapsmith.problems.classics.flow_shop import as_job_shop, judge, starts
from gapsmith.problems.shops.verification import judge as judge_job_shop
from hypothesis import given, settings
from hypothesis import strategies as st

HAND = {"times": [[3, 2], [2, 4], [2, 6]]}
DIGEST = "af7d0510fec75f60"
WHOLE, RULE = flow_shop.problem(), flow_shop_rule.problem()


def makespan(public: Any, order: Any) -> int:
    """As the verification says."""
    value = judge(public, list(order)).objective
    assert isinstance(value, int)
    return value


def shops(count: int, jobs: int, machines: int, longest: int, seed: int) -> list[dict[str, Any]]:
    """Small shops with many ties."""
    stream = random.Random(seed)
    return [
        {"times": [[stream.randint(1, longest) for _ in range(machines)] for _ in range(jobs)]}
        for _ in range(count)
    ]


@pytest.mark.parametrize(("order", "value"), [([0, 1, 2], 15), ([2, 1, 0], 14), ([1, 2, 0], 14)])
def test_an_order_by_hand_has_its_makespan(order: Any, value: int) -> None:
    """Worked out on paper."""
    assert judge(HAND, order).objective == value


@pytest.mark.parametrize(
    "answer",
    [None, [], [0, 1], [0, 1, 2, 0], [0, 1, 1], [0, 1, 3], [-1, 0, 1], [0, 1, 2.0], [0, True, 2], {"0": 1}],
)
def test_what_is_no_order_is_invalid(answer: Any) -> None:
    """Length, type, range and repetition."""
    assert judge(HAND, answer).status is VerdictStatus.INVALID_ANSWER


def test_two_machines_are_solved_by_johnson(run: Any) -> None:
    """The programs that contain Johnson's rule find the least makespan of all orders."""
    for public in shops(30, 5, 2, 9, seed=1):
        best = min(makespan(public, order) for order in permutations(range(5)))
        for name in ("cds", "rapid-access"):
            order = run(WHOLE, WHOLE.baselines()[name], public)
            if name == "cds":
                assert makespan(public, order) == best
            assert makespan(public, order) >= best


def test_cpsat_agrees_with_all_orders() -> None:
    """Five jobs on three machines: the model's optimum is the least makespan, whatever order starts it."""
    from ortools.sat.python import cp_model

    for public in shops(15, 5, 3, 9, seed=2):
        values = {order: makespan(public, order) for order in permutations(range(5))}
        for known in (min(values, key=values.__getitem__), max(values, key=values.__getitem__)):
            shop = shop_model(public["times"], known)
            solver = cp_model.CpSolver()
            solver.parameters.num_workers = 1
            assert solver.solve(shop.model) == cp_model.OPTIMAL
            assert solver.objective_value == min(values.values())
            order = sorted(range(5), key=lambda j: solver.value(shop.starts[j]))
            assert makespan(public, order) == min(values.values())
        assert lower_bound(public["times"]) <= min(values.values())


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_symmetries(data: Any) -> None:
    """Reversed order on reversed machines, scaled times, and one shop as a job shop: the same makespan."""
    jobs, machines = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    times = [[data.draw(st.integers(1, 9)) for _ in range(machines)] for _ in range(jobs)]
    order, factor = data.draw(st.permutations(range(jobs))), data.draw(st.integers(2, 9))
    value = makespan({"times": times}, order)
    assert makespan({"times": [row[::-1] for row in times]}, order[::-1]) == value
    assert makespan({"times": [[factor * t for t in row] for row in times]}, order) == factor * value
    instance = Instance("i", "i", "i", {"times": times}, 1, "drawn")
    drawing = WHOLE.draw(instance, list(order))
    assert max(s.x + s.width for s in drawing.shapes) == value
    assert len(drawing.shapes) == jobs * machines


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_insertions_are_rated_exactly(data: Any) -> None:
    """The makespans from heads and tails are those of the orders."""
    jobs, machines = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 4))
    times = [[data.draw(st.integers(1, 9)) for _ in range(machines)] for _ in range(jobs)]
    scope: dict[str, Any] = {}
    exec(WHOLE.baselines()["neh"], scope)
    order, job = list(range(jobs - 1)), jobs - 1
    trials = [[*order[:place], job, *order[place:]] for place in range(jobs)]
    assert scope["spans"](order, job, times) == [makespan({"times": times}, trial) for trial in trials]


def test_columns_of_the_rule_by_hand() -> None:
    """The second call on three jobs and two machines, after job 2."""
    calls: list[dict[str, Any]] = []

    def rule(**columns: Any) -> Any:
        calls.append({k: v if isinstance(v, float) else v.tolist() for k, v in columns.items()})
        return -columns["work"]

    loop: dict[str, Any] = {}
    exec(RULE.driver, loop)
    assert loop["drive"](rule, HAND) == [2, 1, 0]
    assert calls[1] == {
        "end": [10, 12],
        "bound": [14, 14],
        "idle": [0, 0],
        "weighted_idle": [0, 0],
        "waiting": [3, 4],
        "advance": [5, 6],
        "slope": [-1, 2],
        "work": [5, 6],
        "first_machine": [3, 2],
        "last_machine": [2, 4],
        "bottleneck": [2, 4],
        "progress": pytest.approx(1 / 3),
        "machines": 2.0,
        "mean_processing": pytest.approx(19 / 6),
    }


def test_a_bound_of_the_rule_is_a_bound() -> None:
    """No order that goes on with a job ends before the column `bound` says."""
    loop: dict[str, Any] = {}
    exec(RULE.driver, loop)
    for public in shops(10, 5, 3, 9, seed=3):
        times = np.array(public["times"], dtype=float)
        _, columns = loop["rated"](times, np.zeros(3), 0, 5)
        for job in range(5):
            least = min(makespan(public, order) for order in permutations(range(5)) if order[0] == job)
            assert columns["bound"][job] <= least


def test_a_rule_may_answer_anything_of_the_right_length() -> None:
    """NaN, infinity and changed arrays give orders; a wrong shape is named."""

    def vandal(**columns: Any) -> Any:
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column[:] = np.nan
        return columns["work"]

    loop: dict[str, Any] = {}
    exec(RULE.driver, loop)
    assert loop["drive"](vandal, HAND) == [0, 1, 2]
    with pytest.raises(ValueError, match="expected"):
        loop["drive"](lambda **columns: 1.0, HAND)


def test_primitives_have_their_kinds() -> None:
    """Expressions of the whole form can be computed from the arguments."""
    for primitive in WHOLE.primitives():
        assert isinstance(eval(primitive.text, {"times": HAND["times"], "j": 1}), int)


@pytest.mark.slow
def test_a_solver_that_runs_out_of_time_gives_a_bound() -> None:
    """Taillard's ta021 in half a second: a bound below the best known value, and a valid order."""
    public = taillard.instances("taillard-20x20")[0].public
    made = solve(public, 0.5, None)
    assert lower_bound(public["times"]) <= made.bound <= 2297 <= made.value
    assert made.reference("tried").kind is ReferenceKind.BOUND


def test_taillards_instances_come_out_again(run: Any) -> None:
    """The digest of all digests stays, and the insertion heuristic has its published distance of 3.3 %."""
    instances = taillard.instances("taillard")
    text = "".join(instance.digest for instance in instances)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DIGEST
    references: Any = flow_shop.references
    values = [references.shipped(instance).value for instance in instances[:10]]
    spans = [makespan(i.public, run(WHOLE, WHOLE.baselines()["neh"], i.public)) for i in instances[:10]]
    assert sum(s / v - 1 for s, v in zip(spans, values, strict=True)) / 10 == pytest.approx(0.033, abs=1e-3)
    with pytest.raises(KeyError):
        WHOLE.instances("taillard-9x9", 1)


def test_a_published_makespan_is_below_the_bound() -> None:
    """The five shops of EoH's task: the page says that no mean makespan is below 1164.6."""
    stream = np.random.RandomState(2024)
    bounds = [lower_bound(stream.randint(1, 100, (20, 5)).tolist()) for _ in range(5)]
    assert sum(bounds) / 5 == 1164.6


def read(folder: Path, text: str) -> list[Any]:
    """The instances of a file with this text."""
    path = folder / "my.txt"
    path.write_text(text, "utf-8")
    return list(WHOLE.read_instances(path))


ONE = "number of jobs, number of machines, seed, bounds :\n 3 2 873654221 1278 1232\nprocessing times :\n"


def test_taillards_layout(tmp_path: Path) -> None:
    """One line for each machine; several instances in a file are numbered."""
    (instance,) = read(tmp_path, ONE + " 3 2 2\n 2 4 6\n")
    assert (instance.id, instance.stratum, dict(instance.public)) == ("my", "3x2", HAND)
    pair = read(tmp_path, (ONE + "3 2 2\n2 4 6\n") * 2)
    assert [i.id for i in pair] == ["my-1", "my-2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got no numbers"),
        ("3\n1 2 3\n", "line 1: got 1 number, expected a line that begins"),
        ("3 0\n", "line 1 column 2: got 0"),
        ("3 2\n1 2 3\n", "line 1: got 1 lines of times after the line 3 2, expected 2"),
        ("3 2\n1 2 3\n1 2\n", "line 3: got 2 numbers, expected 3"),
        ("3 2\n1 2 3\n1 2.5 3\n", "line 3 column 2: got '2.5'"),
        ("3 2\n1 2 3\n1 0 3\n", "line 3 column 2: got 0, expected a processing time"),
        ("3 2\n1 2 3\n1 99999999999 3\n", "line 3 column 2: got 99999999999"),
        ("1000 1000\n", "got 1000 x 1000, expected at most 200,000 operations"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    """What was got, what was expected, where."""
    with pytest.raises(InstanceFileError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


def test_explanations_name_machines_and_the_critical_chain() -> None:
    """Words for whoever writes the next candidate."""
    instance = Instance("i", "i", "i", HAND, 1, "by hand")
    text = WHOLE.explain(instance, [2, 1, 0])
    assert "3 jobs on 2 machines end at 14" in text
    assert "Critical chain" in text
    with pytest.raises(ValueError, match="instance i"):
        WHOLE.explain(instance, [0])


def test_a_flow_shop_is_a_job_shop() -> None:
    """The schedule that is drawn is feasible with the same makespan."""
    for public in shops(10, 5, 3, 9, seed=4):
        order = list(range(5))
        begins: Any = starts(public["times"], order)
        assert judge_job_shop(as_job_shop(public), begins).objective == makespan(public, order)
