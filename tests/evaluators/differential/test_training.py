"""Pipelines and training steps against enumerations of all microbatches."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from gapsmith.evaluators.training.packing_bound import lower_bound as step_bound
from gapsmith.evaluators.training.pipeline_bound import lower_bound


def _samples(stream: random.Random) -> dict[str, Any]:
    """Two adapters and short pipelines: filling and draining are most of the time."""
    samples = [[adapter, 0, stream.randint(1, 400)] for adapter in (0, 1) for _ in range(2)]
    samples.append([0, 1, stream.randint(1, 400)])
    times = [stream.randint(0, 9), stream.randint(1, 9), stream.randint(0, 9), stream.randint(1, 9)]
    return {
        "stages": stream.randint(2, 3),
        "capacity": 512,
        "tile": 128,
        "times": times,
        "samples": samples,
    }


def _ended(stages: int, forward: list[int], backward: list[int]) -> int:
    """End of the last backward pass: longest path through the passes in the order of each stage."""
    count = len(forward)
    end: dict[tuple[str, int, int], int] = {}
    orders = []
    for stage in range(stages):
        ahead = min(stages - stage - 1, count)
        order = [("f", k) for k in range(ahead)]
        for k in range(count):
            if ahead + k < count:
                order.append(("f", ahead + k))
            order.append(("b", k))
        orders.append(order)
    done = [0] * stages
    clock = [0] * stages
    while any(place < len(order) for place, order in zip(done, orders, strict=True)):
        for stage, order in enumerate(orders):
            if done[stage] == len(order):
                continue
            kind, k = order[done[stage]]
            source = (kind, stage - 1, k) if kind == "f" else (kind, stage + 1, k)
            if 0 <= source[1] < stages and source not in end:
                continue
            clock[stage] = max(clock[stage], end.get(source, 0)) + (forward if kind == "f" else backward)[k]
            end[kind, stage, k] = clock[stage]
            done[stage] += 1
    return clock[0]


def _partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    for rest in _partitions(items[1:]):
        yield [[items[0]], *rest]
        for place, block in enumerate(rest):
            yield [*rest[:place], [items[0], *block], *rest[place + 1 :]]


def _least_makespan(public: dict[str, Any]) -> tuple[int, list[list[int]]]:
    """Least makespan of all orders of all microbatches, and such microbatches."""
    best: tuple[int, list[list[int]]] = (10**9, [])
    samples, (f0, f1, b0, b1) = public["samples"], public["times"]
    for blocks in _partitions(list(range(len(samples)))):
        sizes = []
        for block in blocks:
            tiles = 0
            for adapter in {samples[s][0] for s in block}:
                tiles += -(-sum(samples[s][2] for s in block if samples[s][0] == adapter) // public["tile"])
            mixed = any(len({samples[s][1] for s in block if samples[s][0] == a}) > 1 for a in (0, 1))
            sizes.append(10**6 if mixed else tiles)
        if max(sizes) * public["tile"] > public["capacity"]:
            continue
        for order in permutations(range(len(blocks))):
            line, last = list[int](), dict[int, tuple[int, int]]()
            for number in order:
                place = len(line)
                for s in blocks[number]:
                    adapter, batch, _ = samples[s]
                    before = last.get(adapter, (batch, 0))
                    if before[0] > batch:
                        place = -1
                        break
                    if before[0] < batch:
                        place = max(place, before[1] + public["stages"])
                if place < 0:
                    break
                line += [0] * (place - len(line)) + [sizes[number]]
                last |= {samples[s][0]: (samples[s][1], place) for s in blocks[number]}
            else:
                forward, backward = (
                    [f0 * (k > 0) + f1 * k for k in line],
                    [b0 * (k > 0) + b1 * k for k in line],
                )
                end = _ended(public["stages"], forward, backward)
                best = min(best, (end, [blocks[number] for number in order]))
    return best


def _least_of_tiles(public: dict[str, Any]) -> int:
    """Least makespan of all rows of microbatches that hold the tiles of all batches, whatever the samples."""
    tokens: dict[tuple[int, int], int] = {}
    for adapter, batch, length in public["samples"]:
        tokens[adapter, batch] = tokens.get((adapter, batch), 0) + length
    tiles = sum(-(-total // public["tile"]) for total in tokens.values())
    most, (f0, f1, b0, b1) = public["capacity"] // public["tile"], public["times"]
    best = 10**9

    def extend(row: list[int], left: int, places: int) -> None:
        nonlocal best
        if not left:
            ticks = [f0 + f1 * k for k in row], [b0 + b1 * k for k in row]
            best = min(best, _ended(public["stages"], *ticks))
            return
        if left <= places * most:
            for k in range(1, min(most, left) + 1):
                extend([*row, k], left - k, places - 1)

    extend([], tiles, len(public["samples"]))
    return best


@pytest.mark.parametrize("name", ["lora-microbatches", "lora-microbatches-rule"])
def test_makespans_of_all_pipelines(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Five samples: the bound is at most the best row of tiles, and that at most the best microbatches."""
    gaps = []
    for _ in range(8):
        instance = drawn(_samples(stream))
        least, microbatches = _least_makespan(instance.public)
        assert objective(name, instance, microbatches) == least
        reference = prove(name, instance)
        assert lower_bound(instance.public) == reference.value
        assert reference.value <= _least_of_tiles(instance.public) <= least
        gaps.append(_least_of_tiles(instance.public) / reference.value - 1)
    assert min(gaps) < 0.03
    assert sum(gaps) / len(gaps) < 0.08


def _step(stream: random.Random, sequences: int) -> dict[str, Any]:
    """Four devices in groups of one, two or four; long sequences fit large groups alone."""
    lengths = [stream.choice((stream.randint(1, 60), stream.randint(60, 300))) for _ in range(sequences)]
    times = []
    for length in lengths:
        work = length * length // 20 + 10 * length
        row = [-(-work // degree) + 40 * (degree - 1) for degree in (1, 2, 4)]
        fits = zip((1, 2, 4), row, strict=True)
        times.append([time if length <= 100 * degree else 0 for degree, time in fits])
    return {
        "devices": 4,
        "capacity": 100,
        "overhead": 800,
        "degrees": [1, 2, 4],
        "lengths": lengths,
        "times": times,
    }


def _least_step(public: dict[str, Any]) -> tuple[int, list[Any]]:
    """Least time of a step and a plan: the best groups of each set of sequences, then the best sets."""
    count = len(public["lengths"])

    def parts(members: int) -> Iterator[int]:
        first = members & -members
        others = rest = members ^ first
        while True:
            yield first | others
            if not others:
                return
            others = (others - 1) & rest

    @cache
    def group(members: int, column: int) -> int | None:
        inside = [k for k in range(count) if members >> k & 1]
        if sum(public["lengths"][k] for k in inside) > public["degrees"][column] * public["capacity"]:
            return None
        times = [public["times"][k][column] for k in inside]
        return sum(times) if all(times) else None

    @cache
    def microbatch(members: int, devices: int) -> tuple[int, tuple[Any, ...]] | None:
        if not members:
            return 0, ()
        found = []
        for part in parts(members):
            for column, degree in enumerate(public["degrees"]):
                time = group(part, column) if degree <= devices else None
                rest = None if time is None else microbatch(members ^ part, devices - degree)
                if time is not None and rest is not None:
                    found.append((max(time, rest[0]), ((degree, part), *rest[1])))
        return min(found, default=None)

    @cache
    def step(members: int) -> tuple[int, tuple[Any, ...]]:
        if not members:
            return 0, ()
        found = []
        for part in parts(members):
            if (one := microbatch(part, public["devices"])) is not None:
                rest = step(members ^ part)
                found.append((public["overhead"] + one[0] + rest[0], (one[1], *rest[1])))
        return min(found)

    total, plan = step((1 << count) - 1)
    groups = [[[d, [k for k in range(count) if part >> k & 1]] for d, part in one] for one in plan]
    return total, groups


def _span(public: dict[str, Any]) -> int:
    """The least span, tried one by one, that gives the sequences their device time, and the overhead."""
    span = 1
    while True:
        pairs = [list(zip(public["degrees"], row, strict=True)) for row in public["times"]]
        work = [min((d * t for d, t in row if 0 < t <= span), default=None) for row in pairs]
        if None not in work and sum(w for w in work if w) <= public["devices"] * span:
            break
        span += 1
    tokens, room = sum(public["lengths"]), public["devices"] * public["capacity"]
    return span + public["overhead"] * ((tokens + room - 1) // room)


@pytest.mark.parametrize("name", ["sequence-packing"])
def test_times_of_all_steps(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Seven sequences: the optimum is the best plan, by CP-SAT and by HiGHS; the arithmetic bound below."""
    instance = drawn(_step(stream, 7))
    least, plan = _least_step(instance.public)
    assert objective(name, instance, plan) == least
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("optimum", least)
    assert step_bound(instance.public) == _span(instance.public) <= least


@pytest.mark.parametrize("name", ["sequence-packing"])
def test_times_of_long_steps(name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any) -> None:
    """30 sequences: the reference is the arithmetic bound."""
    instance = drawn(_step(stream, 30))
    reference = prove(name, instance)
    assert (reference.kind, reference.value) == ("bound", _span(instance.public))
