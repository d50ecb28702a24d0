"""Sequence packing: the microbatches of a training step, their groups of devices, the groups' sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Primitive, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault
from ..programs import ShipsMoves
from ..stratified import StratifiedProblem
from . import packing_files
from . import packing_laws as laws
from .explaining import explain_step

_STATEMENT = """\
A language model is trained on `devices` devices on sequences of very different lengths (lengths[k] tokens). A
training step is cut into microbatches that run one after another. In a microbatch the devices form groups; a
group of `degree` devices shares each of its sequences (sequence parallelism), one sequence after another.
degrees lists the sizes that a group may have (powers of two). times[k][j] is what sequence k adds to the time
of a group of degrees[j] devices, in units of 10 microseconds; 0 means that it does not fit there at all.
Return a list of microbatches, each a non-empty list of groups [degree, sequences] with a non-empty list of
sequence numbers. Every sequence is in exactly one group; the tokens of a group's sequences are at most
degree * capacity; the degrees of a microbatch add up to at most `devices`. A microbatch takes `overhead`
plus the time of its slowest group, the sum of its sequences' times. Minimise the total over the microbatches.
All devices wait for the slowest group: one percent of gap is one percent of the GPU hours, on 32 GPUs the
work of a third of a GPU, 230 GPU hours a month."""
_OTHER_SHAPES: Mapping[str, tuple[Mapping[str, laws.PackingShape], int]] = {
    "long-tail": (laws.LONG_TAIL, 8),
    "small": (laws.SMALL, 12),
}
_SENTENCES = {
    "long-tail": "16 steps on 64 devices, sequences of up to 131,072 tokens: part of the gap is the bound's",
    "small": "12 steps of 14 sequences on 8 devices: optima are proven by CP-SAT",
}


_PRIMITIVES = (
    Primitive("lengths[k]", "number", "tokens of sequence k", "tokens"),
    Primitive("times[k][0]", "number", "time of sequence k on one device, 0 if it does not fit"),
    Primitive("degrees[j] * times[k][j]", "number", "device time of sequence k at degree j", "device_time"),
    Primitive("degrees[j] * capacity", "number", "tokens that a group of degree j holds", "group_tokens"),
    Primitive("devices * capacity", "number", "tokens that a microbatch holds", "microbatch_tokens"),
    Primitive("devices // degrees[j]", "number", "groups of degree j on all devices", "group_count"),
    Primitive("sum(lengths)", "number", "tokens of the step", "all_tokens"),
    Primitive("max(lengths)", "number", "tokens of the longest sequence", "longest"),
    Primitive("lengths[k] / capacity", "number", "devices that sequence k fills with tokens"),
    Primitive("overhead", "number", "fixed time of a microbatch"),
)


class SequencePacking(ShipsMoves, StratifiedProblem):
    """Minimise the time of a training step (units of 10 µs) over microbatches, groups and their sequences."""

    name = stream = "sequence-packing"
    law = "log-uniform lengths in the bins of a corpus, 7B cost model"
    cells = laws.cells()
    other_sets = _SENTENCES
    version = "1"
    sense = Sense.MINIMISE
    unit = "units of 10 µs"
    strata = "the corpus that the sequence lengths imitate, and the longest sequence in thousands of tokens."
    entry_point = "plan"
    signature = (
        "def plan(devices: int, capacity: int, overhead: int, degrees: list[int], lengths: list[int], "
        "times: list[list[int]]) -> list[list[tuple[int, list[int]]]]:"
    )
    statement = _STATEMENT
    instance_format = packing_files.FORMAT
    package = __package__
    start_ids = ("homogeneous-longest-first", "flexsp-greedy")
    baseline_ids = (
        "static-arrival",
        "static-longest-first",
        "static-best-fit",
        "homogeneous-best-fit",
        "homogeneous-longest-first",
        "adaptive-best-fit",
        "adaptive-longest-first",
        "least-degree",
        "flexsp-greedy",
    )
    expressions = _PRIMITIVES

    def other(self, set: str, seed: int) -> list[Instance]:
        """Steps of other shapes."""
        shapes, rounds = _OTHER_SHAPES[set]
        return self.draw_other(set, seed, laws.cells(shapes), rounds)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The time of the step in units of 10 µs, exact."""
        return judge(instance.public, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Overhead, waiting devices, and the microbatches that wait most."""
        step: Any = answer
        return explain_step(instance.public, answer, [group_times(instance.public, m) for m in step])

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Instances of a file with one training step a line."""
        return packing_files.read(path)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Devices as rows over time: the groups of each microbatch, and how long they wait."""
        return chart(instance, answer)


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Judges a list of microbatches; the objective is in units of 10 µs."""
    fault = list_fault(answer, "answer", None, "a list of microbatches, each a list of groups")
    if fault:
        return Verdict.invalid(fault)
    step: Any = answer
    for m, microbatch in enumerate(step):
        fault = list_fault(microbatch, f"answer[{m}]", None, "a microbatch: a list of groups")
        if fault is None and not microbatch:
            fault = f"answer[{m}]: got an empty list, expected groups"
        for g, group in enumerate(microbatch if fault is None else ()):
            fault = fault or _form_fault(public, group, f"answer[{m}][{g}]")
        if fault:
            return Verdict.invalid(fault)
    fault = _once_fault(public, step)
    faults = (_limit_fault(public, microbatch, f"answer[{m}]") for m, microbatch in enumerate(step))
    fault = fault or next((reason for reason in faults if reason), None)
    if fault:
        return Verdict.infeasible(fault)
    return Verdict.valid(
        sum(public["overhead"] + max(group_times(public, microbatch)) for microbatch in step)
    )


def group_times(public: Mapping[str, Any], microbatch: Sequence[Any]) -> list[int]:
    """Time of each group of a feasible microbatch, units of 10 µs."""
    column = {degree: j for j, degree in enumerate(public["degrees"])}
    return [sum(public["times"][k][column[degree]] for k in members) for degree, members in microbatch]


def _form_fault(public: Mapping[str, Any], group: Any, where: str) -> str | None:
    """Why a value is no group: a listed degree and a non-empty list of sequence numbers."""
    if fault := list_fault(group, where, 2, "a group: [degree, list of sequences]"):
        return fault
    degree, members = group
    if fault := integer_fault(degree, f"{where}[0]", 1, public["devices"], "the degree of a group"):
        return fault
    if degree not in public["degrees"]:
        return f"{where}[0]: got {degree}, expected a degree of {', '.join(map(str, public['degrees']))}"
    if fault := list_fault(members, f"{where}[1]", None, "a list of sequence numbers"):
        return fault
    if not members:
        return f"{where}[1]: got an empty list, expected the group's sequences"
    last = len(public["lengths"]) - 1
    faults = (
        integer_fault(k, f"{where}[1][{place}]", 0, last, "the number of a sequence")
        for place, k in enumerate(members)
    )
    return next((fault for fault in faults if fault), None)


def _once_fault(public: Mapping[str, Any], step: Sequence[Any]) -> str | None:
    """Why the sequences are not each in exactly one group."""
    counts = [0] * len(public["lengths"])
    for microbatch in step:
        for _, members in microbatch:
            for k in members:
                counts[k] += 1
    wrong = next((k for k, count in enumerate(counts) if count != 1), None)
    return None if wrong is None else f"sequence {wrong}: is in {counts[wrong]} groups, expected one"


def _limit_fault(public: Mapping[str, Any], microbatch: Sequence[Any], where: str) -> str | None:
    """Why a microbatch takes more devices or memory than there are."""
    used = sum(degree for degree, _ in microbatch)
    if used > public["devices"]:
        return f"{where}: groups of {used} devices in all, expected at most {public['devices']}"
    for g, (degree, members) in enumerate(microbatch):
        column = public["degrees"].index(degree)
        alone = next((k for k in members if public["times"][k][column] == 0), None)
        if alone is not None:
            return f"{where}[{g}]: sequence {alone} does not fit a group of {degree} (its time there is 0)"
        tokens, room = sum(public["lengths"][k] for k in members), degree * public["capacity"]
        if tokens > room:
            return f"{where}[{g}]: {tokens} tokens on {degree} devices, which hold {room}"
    return None


def chart(instance: Instance, answer: Json) -> Drawing:
    """A feasible answer: a block per sequence, as high as its group has devices, and blocks of waiting."""
    public = instance.public
    step: Any = answer
    shapes, clock = [], 0.0
    for m, microbatch in enumerate(step):
        slowest = max(group_times(public, microbatch)) / 100_000
        shapes.append(
            Shape("rectangle", clock, 0, public["overhead"] / 100_000, public["devices"], "", "overhead")
        )
        clock += public["overhead"] / 100_000
        shapes.append(Shape("label", clock, public["devices"], text=f"microbatch {m}"))
        row = 0
        for degree, members in sorted(microbatch, key=lambda group: -group[0]):
            start, column = clock, public["degrees"].index(degree)
            for k in sorted(members, key=lambda k: -public["lengths"][k]):
                width = public["times"][k][column] / 100_000
                shapes.append(Shape("rectangle", start, row, width, degree, str(k), f"degree {degree}"))
                start += width
            if start < clock + slowest:
                shapes.append(Shape("rectangle", start, row, clock + slowest - start, degree, "", "waiting"))
            row += degree
        if row < public["devices"]:
            shapes.append(Shape("rectangle", clock, row, slowest, public["devices"] - row, "", "waiting"))
        clock += slowest
    objective = judge(public, answer).objective
    title = f"{instance.id}: {len(step)} microbatches, {objective} units of 10 µs"
    return Drawing(title, "time (seconds)", "device", tuple(shapes))
