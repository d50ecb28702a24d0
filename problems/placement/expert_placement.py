"""Expert placement: how often each expert of a layer is copied, and which GPU holds which."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..base import Drawing, Instance, Json, Moves, Primitive, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault
from ..programs import ShipsPrograms, program
from ..strata import Cell, Draw, draw_set, draw_splits, split_sentences, stream
from .explaining import explain_experts

DEFAULT_CELLS = (
    (64, 16, 5, 10, 8, 2),
    (64, 16, 5, 20, 8, 2),
    (48, 16, 4, 10, 8, 2),
    (64, 32, 3, 10, 8, 4),
    (96, 32, 4, 10, 8, 4),
    (128, 32, 5, 10, 8, 4),
)
"""Experts, GPUs, slots per GPU, spread of the loads in tenths, expert groups, nodes: strata of the splits."""
_TOKENS = 1_000_000
_DRIFT = 0.2
_LARGEST_SHARE = 0.4
_STATEMENT = """\
In a mixture-of-experts layer each token goes to a few experts. Expert e receives loads[e] tokens per step
(whole numbers). Each of the `gpus` GPUs has room for `slots` experts. An expert may be held several
times, on the same or on different GPUs; its tokens are then split evenly over its copies. Every expert is
held at least once. Return one list per GPU with the numbers (0 to len(loads) - 1) of the experts it
holds, at most `slots` of them. The load of a GPU is the sum, over the copies it holds, of the expert's
tokens divided by its number of copies. Minimise the largest load of any GPU. The experts form `groups`
equal groups of neighbours and the GPUs `nodes` equal groups of neighbours; the published hierarchical
rule keeps a group on one node, the objective does not ask for it. The layer waits for its fullest GPU:
one percent of gap is one percent more expert time in every step, 0.2 milliseconds of 20, or on 32 GPUs
the work of a third of a GPU."""
_LAW = "log-normal expert loads"
_SENTENCES = {
    "next-step": "the test set's layers judged on the loads of the following step, which stay hidden",
    "nine-slots": "6 layers of 256 experts on 32 GPUs with 9 slots: every decent rule is close",
}


_PRIMITIVES = (
    Primitive("loads[e]", "number", "tokens of expert e per step"),
    Primitive("loads[e] / count[e]", "number", "tokens of each copy of expert e"),
    Primitive("loads[e] / (count[e] + 1)", "number", "tokens of each copy of expert e with one copy more"),
    Primitive(
        "loads[e] / count[e] - loads[e] / (count[e] + 1)", "number", "what one copy more takes off each copy"
    ),
    Primitive("sum(loads) / gpus", "number", "mean load of a GPU, a lower bound of the largest"),
    Primitive("sum(loads) / (gpus * slots)", "number", "mean load of a copy if all slots are used"),
    Primitive("load[g]", "number", "tokens on GPU g so far"),
    Primitive("slots - len(plan[g])", "number", "free slots of GPU g"),
    Primitive("load[g] + loads[e] / count[e]", "number", "tokens on GPU g after a copy of expert e"),
    Primitive("gpus * slots - len(loads)", "number", "slots left for second copies"),
)


class ExpertPlacement(ShipsPrograms):
    """Minimise the largest load of any GPU (tokens per step) over copies and places of the experts."""

    name = "expert-placement"
    version = "1"
    sense = Sense.MINIMISE
    unit = "tokens per step"
    strata = (
        "experts and gpus are counts, slots the expert copies that a GPU holds, spread how unequal "
        "the loads of the experts are (the larger, the more unequal)."
    )
    entry_point = "place"
    signature = (
        "def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:"
    )
    statement = _STATEMENT
    package = __package__
    start_ids = ("eplb-few-swaps", "eplb-global")
    baseline_ids = ("longest-processing-time", "eplb-hierarchical", "eplb-global", "eplb-swaps")
    expressions = _PRIMITIVES

    def __init__(self, rounds: Mapping[str, int], secret: str = "") -> None:
        """Takes split → instances per stratum (each ≥ 1), and what keys the hidden loads of `next-step`."""
        self.rounds = dict(rounds)
        self._secret = secret

    def keyed(self, secret: str) -> ExpertPlacement:
        """The same problem with other hidden loads of the following step."""
        return ExpertPlacement(self.rounds, secret)

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        return {**split_sentences(_cells(), self.rounds), **_SENTENCES}

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The instances of a set in stratified order; the splits of one seed are disjoint."""
        if set == "nine-slots":
            return draw_set(self.name, set, seed, _cells([(256, 32, 9, 10, 8, 4)]), 6, _LAW)
        split = "test" if set == "next-step" else set
        drawn = draw_splits(self.name, seed, _cells(), self.rounds, _LAW)[split]
        return [_next_step(i, self._secret) for i in drawn] if set == "next-step" else drawn

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The largest load as an exact fraction, on the judged step's loads."""
        hidden = instance.hidden or {}
        return judge(instance.public, hidden.get("loads", instance.public["loads"]), answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """The fullest and the emptiest GPUs with their experts, by the loads that the candidate knew."""
        loads, plan = instance.public["loads"], answer
        held: Any = plan
        return explain_experts(loads, instance.public["slots"], held, copies(len(loads), held))

    def moves(self) -> Moves:
        """Moves and exchanges between GPUs, and the largest load."""
        return Moves(program(__package__, self.name, "moves"), guide=("load",), term="load", total="largest")

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """GPUs as columns of their copies' loads, tokens upwards; experts share a colour."""
        loads = (instance.hidden or {}).get("loads", instance.public["loads"])
        plan: Any = answer
        counts = copies(len(loads), plan)
        shapes = []
        for gpu, held in enumerate(plan):
            height = 0.0
            for expert in sorted(held, key=lambda e: -loads[e] / counts[e]):
                size = loads[expert] / counts[expert]
                shapes.append(Shape("rectangle", gpu, height, 0.9, size, str(expert), f"expert {expert}"))
                height += size
        largest = float(max(gpu_loads(loads, plan)))
        title = f"{instance.id}: {largest:.1f} {self.unit} on the fullest GPU"
        mean = sum(loads) / instance.public["gpus"]
        shapes.append(Shape("line", 0, mean, instance.public["gpus"], 0, "mean load", "mean"))
        return Drawing(title, "GPU", "load (tokens per step)", tuple(shapes))


def copies(experts: int, plan: Sequence[Sequence[int]]) -> list[int]:
    """How often each expert is held."""
    counts = [0] * experts
    for held in plan:
        for expert in held:
            counts[expert] += 1
    return counts


def gpu_loads(loads: Sequence[int], plan: Sequence[Sequence[int]]) -> list[Fraction]:
    """Load of each GPU in tokens per step, exact."""
    counts = copies(len(loads), plan)
    return [sum((Fraction(loads[e], counts[e]) for e in held), Fraction(0)) for held in plan]


def judge(public: Mapping[str, Any], loads: Sequence[int], answer: Json) -> Verdict:
    """Valid with the largest load iff no GPU holds too many and every expert is held."""
    gpus, slots, experts = public["gpus"], public["slots"], len(loads)
    fault = list_fault(answer, "answer", gpus, "a list with one list of experts for each GPU")
    if fault:
        return Verdict.invalid(fault)
    plan: Any = answer
    for gpu, held in enumerate(plan):
        fault = list_fault(held, f"answer[{gpu}]", None, "a list of expert numbers")
        for place, expert in enumerate(held if fault is None else ()):
            where = f"answer[{gpu}][{place}]"
            fault = fault or integer_fault(expert, where, 0, experts - 1, "the number of an expert")
        if fault:
            return Verdict.invalid(fault)
        if len(held) > slots:
            return Verdict.infeasible(f"answer[{gpu}]: got {len(held)} experts, a GPU has {slots} slots")
    missing = [expert for expert, count in enumerate(copies(experts, plan)) if count == 0]
    if missing:
        return Verdict.infeasible(f"expert {missing[0]}: on no GPU, expected at least one copy")
    largest = max(gpu_loads(loads, plan))
    return Verdict.valid(largest.numerator if largest.denominator == 1 else largest)


def _cells(shapes: Sequence[tuple[int, ...]] = DEFAULT_CELLS) -> list[Cell]:
    return [
        Cell(
            f"experts={e} gpus={g} slots={s} spread={spread / 10:.1f}", partial(_draw, e, g, s, spread, n, m)
        )
        for e, g, s, spread, n, m in shapes
    ]


def _draw(
    experts: int, gpus: int, slots: int, spread: int, groups: int, nodes: int, stream: random.Random
) -> Draw:
    """One layer: log-normal loads of this spread (tenths), about a million tokens in all, each at least 1.

    Draws where one expert has more than 40 % of all tokens are repeated.
    """
    while True:
        loads = _tokens([stream.lognormvariate(0, spread / 10) for _ in range(experts)])
        if max(loads) <= _LARGEST_SHARE * sum(loads):
            break
    public = {"loads": loads, "gpus": gpus, "slots": slots, "groups": groups, "nodes": nodes}
    return Draw(public, Fraction(sum(loads), gpus))


def _next_step(instance: Instance, secret: str) -> Instance:
    """The same layer judged one step later: each load changes by a log-normal factor of spread 0.2.

    Without a secret the change follows from the public part, so a candidate can compute it.
    """
    public = random.Random(int(instance.digest[:16], 16))
    drift = stream(f"next-step/{instance.digest}/{secret}") if secret else public
    loads = instance.public["loads"]
    later = _tokens([load * drift.lognormvariate(0, _DRIFT) for load in loads])
    return Instance(
        id=instance.id.replace("test", "next-step"),
        split="next-step",
        stratum=instance.stratum,
        public=instance.public,
        scale=Fraction(sum(later), instance.public["gpus"]),
        source=f"{instance.source}, loads of the next step",
        hidden={"loads": later},
    )


def _tokens(shares: Sequence[float]) -> list[int]:
    factor = _TOKENS / sum(shares)
    return [max(1, round(share * factor)) for share in shares]
