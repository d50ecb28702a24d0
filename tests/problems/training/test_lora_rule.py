"""The rule form: the dispatcher's schedules are feasible whatever a rule says, and what the rule decides."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from gapsmith.evaluators.training import lora_microbatches, lora_microbatches_rule
from gapsmith.problems.base import Instance, VerdictStatus
from gapsmith.problems.training.lora_microbatches import judge
from gapsmith.problems.training.pipeline import EMPTY, places

SMALL = {
    "stages": 2,
    "capacity": 40,
    "tile": 10,
    "times": [4, 1, 8, 2],
    "samples": [[0, 0, 15], [0, 0, 5], [0, 1, 12], [1, 0, 21], [1, 0, 9]],
}


def drive(rule: Callable[..., float], public: dict[str, Any]) -> Any:
    """What the shipped dispatcher makes of a rule."""
    scope: dict[str, Any] = {}
    exec(lora_microbatches_rule.problem().driver, scope)
    return scope["drive"](rule, public)


def test_the_highest_sample_enters_until_none_fits() -> None:
    """By length: 21, 15 make a microbatch of 5 tiles too many, so 9 joins 21 before a new one opens."""
    assert drive(lambda tokens, **_: tokens, SMALL) == [[3, 4, 1], [0], [2]]


def test_a_negative_rating_closes_the_microbatch() -> None:
    """A rule that never wants a second sample gets microbatches of one."""
    microbatches = drive(lambda held, **_: -held, SMALL)
    assert [len(microbatch) for microbatch in microbatches] == [1] * 5


def test_no_rule_breaks_a_constraint() -> None:
    """Random ratings on generated instances give feasible schedules with few empty places."""
    stream = random.Random(1)
    for instance in lora_microbatches_rule.problem().instances("train", 1)[:8]:
        public = dict(instance.public)
        microbatches = drive(lambda **_: stream.uniform(-0.2, 1), public)
        assert judge(public, microbatches).status is VerdictStatus.VALID
        assert places(public, microbatches).count(EMPTY) < public["stages"] * len(microbatches)


def test_both_forms_have_the_same_instances() -> None:
    """A rule's gap can be read beside a scheduler's."""
    for name in ("train", "test", "long"):
        forms = [
            plugin.problem().instances(name, 1) for plugin in (lora_microbatches, lora_microbatches_rule)
        ]
        assert [i.digest for i in forms[0]] == [i.digest for i in forms[1]]


@pytest.mark.parametrize("name", sorted(lora_microbatches_rule.problem().baselines()))
def test_rules_are_feasible_and_above_the_bound(name: str) -> None:
    """Each shipped rule schedules every stratum."""
    problem = lora_microbatches_rule.problem()
    scope: dict[str, Any] = {}
    exec(problem.baselines()[name], scope)
    for instance in problem.instances("train", 1)[:8]:
        reference = lora_microbatches_rule.references.reference(instance, 1)  # type: ignore[union-attr]
        verdict = problem.verify(instance, drive(scope["priority"], dict(instance.public)))
        assert verdict.objective is not None
        assert verdict.objective >= reference.value


def test_the_dispatcher_needs_the_public_part_alone() -> None:
    """From what a candidate sees the dispatcher makes a schedule that the problem accepts."""
    instance = Instance("small", "train", "small", SMALL, 1, "by hand")
    microbatches = drive(lambda tokens, left, later, **_: tokens + left + later, dict(instance.public))
    assert lora_microbatches_rule.problem().verify(instance, microbatches).status is VerdictStatus.VALID
