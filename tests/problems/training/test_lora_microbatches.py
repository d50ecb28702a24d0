"""Multi-LoRA microbatches: verdicts, the simulated pipeline, programs, and the bound against brute force."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from gapsmith.evaluators.base import ProofKind, ReferenceKind
from gapsmith.evaluators.training import lora_microbatches as plugin
from gapsmith.evaluators.training.pipeline_bound import lower_bound
from gapsmith.problems.base import Instance, Problem, VerdictStatus
from gapsmith.problems.training.lora_microbatches import judge
from gapsmith.problems.training.pipeline import EMPTY, durations, places, simulate

TWO_JOBS = {
    "stages": 2,
    "capacity": 40,
    "tile": 10,
    "times": [4, 1, 8, 2],
    "samples": [[0, 0, 15], [0, 0, 5], [0, 1, 12], [1, 0, 21], [1, 0, 9]],
}


def small(**changes: Any) -> Instance:
    """Two adapters and five samples, or another public part."""
    return Instance("small", "train", "small", {**TWO_JOBS, **changes}, 1, "by hand")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([[0, 1], [3, 4], [2]], VerdictStatus.VALID),
        ([[0, 1], [2], [3, 4]], VerdictStatus.VALID),  # too soon: empty places are inserted
        ([[1, 4], [0], [3], [2]], VerdictStatus.VALID),
        ([[2], [0, 1], [3, 4]], VerdictStatus.INFEASIBLE),  # batches decrease
        ([[0, 1, 2], [3, 4]], VerdictStatus.INFEASIBLE),  # two batches of an adapter in one microbatch
        ([[0, 1], [3, 4]], VerdictStatus.INFEASIBLE),  # a sample left out
        ([[0, 1], [3, 4, 0], [2]], VerdictStatus.INFEASIBLE),  # a sample twice
        ([[0, 1, 3, 4], [2]], VerdictStatus.INFEASIBLE),  # 2 + 3 tiles of 10 in 40 tokens
        ([[0, 1], [3, 4], [], [2]], VerdictStatus.INVALID_ANSWER),
        ([[0, True], [3, 4], [2]], VerdictStatus.INVALID_ANSWER),
        ([[0, 1.0], [3, 4], [2]], VerdictStatus.INVALID_ANSWER),
        ([[0, -4], [3, 4], [2]], VerdictStatus.INVALID_ANSWER),
        ([[0, 5], [3, 4], [2]], VerdictStatus.INVALID_ANSWER),
        ([0, 1, 2, 3, 4], VerdictStatus.INVALID_ANSWER),
        ({"0": [0]}, VerdictStatus.INVALID_ANSWER),
        ([], VerdictStatus.INFEASIBLE),
        (None, VerdictStatus.INVALID_ANSWER),
    ],
)
def test_answers_are_judged(answer: Any, status: VerdictStatus) -> None:
    """Booleans, doubled samples, decreasing batches and empty lists get no makespan but a sentence."""
    verdict = plugin.problem().verify(small(), answer)
    assert verdict.status is status
    assert (verdict.objective is None) == bool(verdict.violations)


def test_pipelines_computed_by_hand() -> None:
    """Eight equal microbatches on four stages take 8 + 3 passes; an empty place takes no time."""
    assert simulate(4, *durations([4, 1, 8, 2], [10] * 8)).makespan == (8 + 3) * 42
    assert simulate(2, *durations([4, 1, 8, 2], [10, 0, 10])).makespan == 168
    assert simulate(1, *durations([4, 1, 8, 2], [3, 5])).makespan == 2 * 12 + 3 * 8


def test_empty_places_follow_the_distance_rule() -> None:
    """A batch waits `stages` places after its adapter's previous batch, empty places counted."""
    public = {**TWO_JOBS, "stages": 3}
    assert places(public, [[0, 1], [2], [3], [4]]) == [0, EMPTY, EMPTY, 1, 2, 3]
    assert places(public, [[0], [1], [3, 4], [2]]) == [0, 1, 2, EMPTY, 3]
    assert places(public, [[0, 1], [3], [4], [2]]) == [0, 1, 2, 3]


def relaxed(stages: int, forward: Sequence[int], backward: Sequence[int]) -> int:
    """The makespan by repeated relaxation of the published recurrences, in no particular order."""
    length = len(forward)
    start = {(kind, s, t): 0 for kind in "FB" for s in range(stages) for t in range(length)}

    def end(kind: str, s: int, t: int) -> int:
        if t < 0 or s < 0:
            return 0
        return start[kind, s, t] + (forward if kind == "F" else backward)[t]

    changed = True
    while changed:
        changed = False
        for kind, s, t in start:
            if kind == "F":
                least = max(end("F", s, t - 1), end("F", s - 1, t), end("B", s, t - (stages - s)))
            else:
                arrival = end("F", s, t) if s == stages - 1 else end("B", s + 1, t)
                warm = end("F", s, min(length - 1, t + stages - s - 1))
                least = max(end("B", s, t - 1), arrival, warm)
            if least > start[kind, s, t]:
                start[kind, s, t], changed = least, True
    return end("B", 0, length - 1)


def test_simulator_agrees_with_relaxed_recurrences() -> None:
    """On 300 random lines with empty places both give the same makespan."""
    stream = random.Random(1)
    for _ in range(300):
        stages, length = stream.randint(1, 5), stream.randint(1, 9)
        tiles = [stream.choice((0, *range(1, 9))) for _ in range(length)]
        passes = durations([stream.randint(0, 5) for _ in range(4)], tiles)
        assert simulate(stages, *passes).makespan == relaxed(stages, *passes)


def random_public(stream: random.Random, samples: int) -> dict[str, Any]:
    """A small instance: one to three adapters of one to three batches, times with f below and above b."""
    tile = stream.choice((1, 4, 10))
    most = stream.randint(2, 8)
    drawn = sorted([stream.randrange(3), stream.randrange(3)] for _ in range(samples))
    return {
        "stages": stream.randint(1, 5),
        "capacity": most * tile + stream.randrange(tile),
        "tile": tile,
        "times": [stream.randint(1, 6), stream.randint(0, 3), stream.randint(0, 9), stream.randint(0, 4)],
        "samples": [[*pair, stream.randint(1, most * tile)] for pair in drawn],
    }


def random_answer(stream: random.Random, public: dict[str, Any]) -> list[list[int]]:
    """A feasible answer: samples in random order within batches, each to the last microbatch or a new one."""
    samples = public["samples"]
    keys = {}
    for adapter in {sample[0] for sample in samples}:
        moments = sorted(stream.random() for _ in range(4))
        keys |= {(adapter, batch): (moments[batch], moments[batch + 1]) for batch in range(3)}
    order = sorted(range(len(samples)), key=lambda i: stream.uniform(*keys[tuple(samples[i][:2])]))
    answer: list[list[int]] = []
    for i in order:
        if answer and stream.random() < 0.8 and judge_alone(public, [*answer[-1], i]):
            answer[-1].append(i)
        else:
            answer.append([i])
    return answer


def judge_alone(public: dict[str, Any], microbatch: list[int]) -> bool:
    """Whether samples may share a microbatch."""
    batches: dict[int, int] = {}
    tokens: dict[int, int] = {}
    for i in microbatch:
        adapter, batch, length = public["samples"][i]
        if batches.setdefault(adapter, batch) != batch:
            return False
        tokens[adapter] = tokens.get(adapter, 0) + length
    return sum(-(-t // public["tile"]) for t in tokens.values()) * public["tile"] <= public["capacity"]


@pytest.mark.parametrize(("key", "instances"), [(2, 200), pytest.param(5, 1_000, marks=pytest.mark.slow)])
def test_random_schedules_stay_above_the_bound(key: int, instances: int) -> None:
    """Ten schedules an instance: 1 to 5 stages, f below and above b, empty places."""
    stream = random.Random(key)
    closest = 0
    for _ in range(instances):
        public = random_public(stream, stream.randint(1, 14))
        bound = lower_bound(public)
        for _ in range(10):
            verdict = judge(public, random_answer(stream, public))
            assert verdict.objective is not None, verdict.violations
            assert verdict.objective >= bound
            closest += verdict.objective == bound
    assert closest > instances / 10


def orderings(items: list[int]) -> Iterator[list[list[int]]]:
    """Every list of non-empty sets that partition the items."""
    if not items:
        yield []
        return
    for size in range(1, len(items) + 1):
        for first in itertools.combinations(items, size):
            rest = [i for i in items if i not in first]
            for others in orderings(rest):
                yield [list(first), *others]


def test_bound_is_at_most_the_exhaustive_optimum() -> None:
    """On 40 tiny instances no answer of all is below the bound, and on some the bound is attained."""
    stream = random.Random(3)
    attained = 0
    for _ in range(40):
        public = random_public(stream, stream.randint(2, 5))
        verdicts = (judge(public, answer) for answer in orderings(list(range(len(public["samples"])))))
        optimum = min(v.objective for v in verdicts if v.objective is not None)
        assert lower_bound(public) <= optimum
        attained += lower_bound(public) == optimum
    assert attained > 3


def test_more_work_never_lowers_the_bound() -> None:
    """One token more in any sample, or one stage more, leaves the bound where it is or raises it."""
    stream = random.Random(4)
    for _ in range(60):
        public = random_public(stream, 8)
        bound = lower_bound(public)
        assert lower_bound({**public, "stages": public["stages"] + 1}) >= bound
        samples = [list(sample) for sample in public["samples"]]
        chosen = stream.choice(samples)
        if chosen[2] < public["capacity"] // public["tile"] * public["tile"]:
            chosen[2] += 1
            assert lower_bound({**public, "samples": samples}) >= bound


@pytest.mark.parametrize("name", ["train", "long", "tile64", "even"])
def test_programs_are_feasible_and_above_the_bound(name: str, answer_of: Callable[..., Any]) -> None:
    """On every stratum each start program and baseline schedules all samples."""
    problem: Problem = plugin.problem()
    for instance in problem.instances(name, 1)[:8]:
        reference = plugin.references.reference(instance, 1)  # type: ignore[union-attr]
        assert (reference.kind, reference.proof) == (ReferenceKind.BOUND, ProofKind.ARITHMETIC)
        makespans = {}
        for rule, source in {**problem.start_programs(), **problem.baselines()}.items():
            verdict = problem.verify(instance, answer_of(problem, source, instance))
            assert verdict.objective is not None, (rule, verdict.violations)
            assert verdict.objective >= reference.value
            makespans[rule] = verdict.objective
        assert makespans["lorafusion"] < makespans["one-after-another"]


def test_strata_and_splits() -> None:
    """Eight strata of the published sizes; splits of one seed share no instance."""
    problem = plugin.problem()
    splits = {name: problem.instances(name, 1) for name in ("train", "valid", "test")}
    assert [len(split) for split in splits.values()] == [16, 24, 40]
    assert len({i.digest for split in splits.values() for i in split}) == 80
    sizes = {i.stratum: (len(i.public["samples"]), i.public["stages"]) for i in splits["train"]}
    assert sizes == {
        "xsum": (256, 4),
        "cnndm": (256, 4),
        "wikisum": (256, 4),
        "het": (256, 4),
        "synthetic": (256, 4),
        "pair": (192, 4),
        "small": (128, 4),
        "deep": (256, 8),
    }


def test_the_chart_shows_every_pass_and_the_idle_time(answer_of: Callable[..., Any]) -> None:
    """Each microbatch has two bars on each stage; passes and bubbles fill each stage's time."""
    problem = plugin.problem()
    instance = small()
    drawing = problem.draw(instance, [[0, 1], [2], [3, 4]])
    bars = [shape for shape in drawing.shapes if shape.kind == "rectangle"]
    assert sum(shape.text.startswith(("F", "B")) for shape in bars) == 2 * 2 * 3
    makespan = problem.verify(instance, [[0, 1], [2], [3, 4]]).objective
    for row in (0, 1):
        assert sum(shape.width for shape in bars if shape.y == row) == makespan
