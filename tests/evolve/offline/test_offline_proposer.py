"""The offline proposer through its port: pure, sound, and true to the program's interface."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys

import pytest
from gapsmith.evolve.offline import OPERATORS, Operator, change, rates
from gapsmith.evolve.offline.phases import operators_of
from gapsmith.evolve.syntax import checks
from gapsmith.evolve.syntax.analysis import analyse
from gapsmith.evolve.types import stream
from gapsmith.problems.base import Primitive
from gapsmith.problems.sequencing import SEQUENCING
from hypothesis import given, settings
from hypothesis import strategies as st

MDD = '''
def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Smallest modified due date first."""
    remaining = sorted(range(len(due_dates)), key=lambda j: (due_dates[j], processing_times[j]))
    order = []
    time = 0
    while remaining:
        chosen = min(remaining, key=lambda j: max(due_dates[j], time + processing_times[j]))
        remaining.remove(chosen)
        order.append(chosen)
        time += processing_times[chosen]
    return order
'''


def children(number: int) -> list[tuple[str, str]]:
    """Operator and text of the children of many seeds."""
    made = [change(MDD, "schedule", random.Random(seed), donor=MDD) for seed in range(number)]
    return [(one[0].name, one[1]) for one in made if one is not None]


@pytest.fixture(scope="module")
def many() -> list[tuple[str, str]]:
    """Children of 150 seeds."""
    return children(150)


def test_same_seed_same_child() -> None:
    """A proposal is a function of its arguments: the same stream makes the same text."""
    assert children(20) == children(20)


def test_child_is_independent_of_hash_seed() -> None:
    """String hashing must not reach a proposal: two interpreters with different hash seeds agree."""
    code = (
        "import random, sys; from gapsmith.evolve.offline import change; text = sys.stdin.read();"
        "print([change(text, 'schedule', random.Random(s), donor=text)[1] for s in range(25)])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=MDD,
            env={**os.environ, "PYTHONHASHSEED": seed},
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_global_random_state_is_left_alone() -> None:
    """No operator draws from the module-level generator."""
    random.seed(5)
    expected = random.Random(5).random()
    children(30)
    assert random.random() == expected


def test_children_keep_the_interface(many: list[tuple[str, str]]) -> None:
    """Every child parses, differs from its parent, keeps name, signature and imports."""
    parent = ast.unparse(ast.parse(MDD).body[0].args)  # type: ignore[attr-defined]
    for _, text in many:
        functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        entry = next(node for node in functions if node.name == "schedule")
        assert ast.unparse(entry.args) == parent
        assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(text)))
        assert text != ast.unparse(ast.parse(MDD))


def test_children_are_many_and_different(many: list[tuple[str, str]]) -> None:
    """Almost every seed makes a child, and most children are new."""
    assert len(many) > 145
    assert len({text for _, text in many}) > 110


RICH = """
def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    order = sorted(range(len(due_dates)), key=lambda j: (due_dates[j] - processing_times[j], due_dates[j]))
    late = 0
    for i in range(len(order)):
        j = order[i]
        late = late + processing_times[j]
        if late > due_dates[j] and i > 0:
            order[i] = order[i - 1]
            order[i - 1] = j
    return order
"""


TWO_PHASES = """
def improve(order, processing_times, due_dates):
    def cost(j, end):
        return max(0, end - due_dates[j])
    end = 0
    for j in order:
        end += processing_times[j]
    return order

def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    order = sorted(range(len(due_dates)), key=lambda j: due_dates[j])
    return improve(order, processing_times, due_dates)
"""
RULE = """
import numpy as np

def helper(base):
    return 2 * base

def schedule(time: float, processing_times: np.ndarray, due_dates: np.ndarray) -> np.ndarray:
    return helper(np.maximum(due_dates, time + processing_times))
"""


PAIRS = """
def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    wins = [0] * len(due_dates)
    for i in range(len(due_dates)):
        for k in range(len(due_dates)):
            if due_dates[i] < due_dates[k]:
                wins[i] += 1
    return sorted(range(len(due_dates)), key=lambda i: -wins[i])
"""


LIMITED = """
def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    order = sorted(range(len(due_dates)), key=lambda i: due_dates[i])
    for _ in range(8):
        first = order[:25]
        order = sorted(first, key=lambda i: processing_times[i]) + order[25:]
    return order
"""


def test_limits_change_by_a_factor_and_nothing_else_does() -> None:
    """Numbers of ranges and slices stay whole, at least 1, and every one of them is reached."""
    operator = next(o for o in OPERATORS if o.name == "limit")
    seen = set()
    for seed in range(60):
        made = change(LIMITED, "schedule", random.Random(seed), operators=[operator])
        assert made is not None
        pattern = r"range\((\d+)\):\s+first = order\[:(\d+)\].*order\[(\d+):\]"
        found = re.search(pattern, made[1], re.DOTALL)
        assert found is not None
        limits = tuple(int(text) for text in found.groups())
        assert limits != (8, 25, 25)
        assert min(limits) >= 1
        seen |= {
            place for place, (new, old) in enumerate(zip(limits, (8, 25, 25), strict=True)) if new != old
        }
    assert seen == {0, 1, 2}


ALL = [*OPERATORS, *operators_of(SEQUENCING)]


@pytest.mark.parametrize("operator", ALL, ids=lambda operator: operator.name)
def test_every_operator_is_reachable(operator: Operator) -> None:
    """Each operator alone makes a child of at least one of a few common programs."""
    made = (
        change(text, "schedule", random.Random(seed), donor=donor, operators=[operator], numpy=True)
        for seed in range(4)
        for text, donor in (
            (MDD, MDD),
            (RICH, MDD),
            (TWO_PHASES, TWO_PHASES.replace("end += ", "end -= ")),
            (PAIRS, MDD),
            (LIMITED, MDD),
            (RULE, RULE.replace("2 * base", "base - 3")),
        )
    )
    assert any(one is not None and one[0] is operator for one in made)


def test_two_keys_become_a_weighted_sum() -> None:
    """What comes second in a lexicographic key may count before the first is equal; its sign stays."""
    text = (
        "def evict(idle: list[int], uses: list[int]) -> int:\n"
        "    return min(range(len(uses)), key=lambda s: (uses[s], -idle[s]))\n"
    )
    operators = [one for one in OPERATORS if one.name == "tie-break"]
    made = [change(text, "evict", random.Random(seed), operators=operators) for seed in range(40)]
    keys = [one[1].split("key=")[1] for one in made if one is not None]
    assert any(re.fullmatch(r"lambda s: uses\[s\] - [0-9.e-]+ \* idle\[s\]\)", key.strip()) for key in keys)
    assert not any(
        re.fullmatch(r"lambda s: uses\[s\] \+ [0-9.e-]+ \* idle\[s\]\)", key.strip()) for key in keys
    )


def test_rates_follow_what_operators_brought() -> None:
    """An operator that improved often is drawn more, one that never did less; within bounds, order kept."""
    history = {OPERATORS[0].name: (50, 25), OPERATORS[1].name: (200, 0), "of another proposer": (9, 9)}
    adapted = rates(OPERATORS, history)
    assert [o.name for o in adapted] == [o.name for o in OPERATORS]
    factors = [new.weight / old.weight for new, old in zip(adapted, OPERATORS, strict=True)]
    assert factors[0] == pytest.approx(3.0)
    assert factors[1] == pytest.approx(0.4)
    assert factors[2:] == pytest.approx([1.0] * (len(OPERATORS) - 2))


def test_deep_parent_stays_within_caps() -> None:
    """A parent close to the cap of depth has children that keep it."""
    deep = "def schedule(a: float) -> float:\n    return " + "(1 + " * 90 + "a" + ")" * 90 + "\n"
    made = [change(deep, "schedule", random.Random(seed)) for seed in range(12)]
    assert any(made)
    for one in made:
        assert one is None or checks.size(ast.parse(one[1]))[1] <= 100


@pytest.mark.parametrize("name", ["coefficient", "offset", "threshold"])
def test_numbers_come_in_without_primitives(name: str) -> None:
    """Where a problem declares nothing, factors, offsets and thresholds are still written in."""
    operator = next(one for one in OPERATORS if one.name == name)
    made = [change(RICH, "schedule", random.Random(seed), operators=[operator]) for seed in range(6)]
    texts = [one[1] for one in made if one is not None]
    assert texts
    assert all(_numbers(text) > _numbers(RICH) for text in texts)


def _numbers(text: str) -> int:
    return sum(isinstance(node, ast.Constant) for node in ast.walk(ast.parse(text)))


def test_a_score_takes_its_helpers_along() -> None:
    """A key that calls a helper of the second parent brings it; helpers that nothing calls any more go."""
    operator = next(one for one in OPERATORS if one.name == "cross-key")
    plain = RULE.replace("helper(np.maximum(due_dates, time + processing_times))", "due_dates")
    plain = plain.replace("def helper(base):\n    return 2 * base\n", "")
    taken = change(plain, "schedule", random.Random(1), donor=RULE, operators=[operator])
    assert taken is not None
    assert "def helper" in taken[1]
    assert "helper(np" in taken[1]
    dropped = change(RULE, "schedule", random.Random(1), donor=plain, operators=[operator])
    assert dropped is not None
    assert "helper" not in dropped[1]


FLEET = """
def rent(prices: list[int], slices: list[int]) -> list[int]:
    answer = []
    for b in range(len(slices)):
        for t in range(len(prices)):
            if slices[b] * prices[t] > len(answer):
                answer.append(slices[b] + prices[t])
    return answer
"""


def test_indices_stay_with_their_lists() -> None:
    """Whatever is grown or renamed, no list is read at the index of another one."""
    made = [change(FLEET, "rent", random.Random(seed), donor=FLEET) for seed in range(120)]
    texts = [one[1] for one in made if one is not None]
    assert any(text.count("prices[t]") > 2 for text in texts)
    assert not any("prices[b]" in text or "slices[t]" in text for text in texts)


COUNTER = """
class Packer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.seen = 0

    def place(self, item):
        self.seen += 1
        self.seen -= 0
        return item
"""


def test_state_stays_set() -> None:
    """An attribute that is added to somewhere keeps the assignment that makes it."""
    delete = next(one for one in OPERATORS if one.name == "delete")
    made = [change(COUNTER, "Packer", random.Random(seed), operators=[delete]) for seed in range(20)]
    texts = [one[1] for one in made if one is not None]
    assert any("self.seen += 1" not in text for text in texts)
    assert all("self.seen = 0" in text for text in texts if "self.seen +=" in text or "self.seen -=" in text)


def test_primitives_are_written_only_where_their_names_are_bound() -> None:
    """A declared expression appears in children, never where a name of it is missing."""
    good = Primitive("due_dates[j] * 12345", "number", "a marked number")
    bad = Primitive("nowhere * 54321", "number", "reads an unknown name")
    made = [change(MDD, "schedule", random.Random(seed), primitives=(good, bad)) for seed in range(80)]
    texts = [one[1] for one in made if one is not None]
    assert any("12345" in text for text in texts)
    assert not any("54321" in text for text in texts)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(min_value=0, max_value=2**63))
def test_children_of_children_stay_sound(seed: int) -> None:
    """Ten generations from any seed keep the interface, bind every name and parse."""
    text = MDD
    for generation in range(10):
        made = change(text, "schedule", stream(seed, "test", generation), donor=TWO_PHASES)
        if made is not None:
            text = made[1]
    tree = ast.parse(text)
    assert checks.interface(tree, "schedule") == checks.interface(ast.parse(MDD), "schedule")
    assert not analyse(tree).unbound
    assert not checks.imports(tree)
