"""Multi-LoRA microbatches: which samples share one, and in which order they enter the pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Primitive, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault
from ..programs import ShipsMoves
from ..stratified import StratifiedProblem
from . import lora_files
from . import lora_laws as laws
from .explaining import explain_pipeline
from .pipeline import EMPTY, durations, padded_tiles, passes

_STATEMENT = """\
Several LoRA adapters are trained on one frozen model in one pipeline of `stages` stages. samples[i] is
[adapter, batch, tokens] of sample i; the global batches of an adapter are numbered in the order in which
they must be trained. Return the microbatches in the order in which they enter the pipeline, each a non-empty
list of sample numbers; every sample is in exactly one microbatch. Samples of different adapters may share a
microbatch; two batches of one adapter may not, and along the list an adapter's batch numbers never decrease.
In a microbatch the tokens of each adapter are rounded up to whole tiles of `tile` tokens; its tiles k, added
up over the adapters, satisfy k * tile <= capacity.
times is [f0, f1, b0, b1]: on every stage the forward pass of a microbatch of k tiles takes f0 + f1 * k ticks
and its backward pass b0 + b1 * k. Minimise the ticks until the last backward pass leaves stage 0 under the
1F1B schedule (stage s does stages - s - 1 forward passes, then one backward, one forward, and so on).
A batch may start only `stages` places after the last place of its adapter's previous batch, because the
adapter's weights must be updated first; the fewest empty places (of no ticks) that this needs are inserted
for you, so an adapter that goes on too soon makes the pipeline wait. The GPUs wait for the last pass: one
percent of gap is one percent of the GPU hours, 7 of the 720 hours of every GPU in a month."""
_OTHER_CELLS: Mapping[str, Mapping[str, Any]] = {
    "long": {"batches": 12},
    "tile64": {"tile": 64},
    "even": {"times": laws.EVEN_TIMES},
}
_SENTENCES = {
    "long": "8 instances of 12 batches an adapter: filling and draining the pipeline matter less",
    "tile64": "8 instances padded to tiles of 64 tokens",
    "even": "8 instances whose backward passes take as long as forward passes",
}


_PRIMITIVES = (
    Primitive("samples[i][2]", "number", "tokens of sample i", "tokens"),
    Primitive("samples[i][1]", "number", "batch number of sample i", "batch"),
    Primitive("-(-samples[i][2] // tile)", "number", "tiles of sample i alone", "tiles"),
    Primitive("-samples[i][2] % tile", "number", "tokens that pad sample i alone", "padding"),
    Primitive("capacity // tile", "number", "tiles of a microbatch", "tile_capacity"),
    Primitive("stages - 1", "number", "places that fill the pipeline", "pipeline_fill"),
    Primitive("times[0] + times[2]", "number", "ticks of a microbatch whatever it holds", "fixed_ticks"),
    Primitive("times[1] + times[3]", "number", "ticks of a tile on one stage", "ticks_per_tile"),
    Primitive("samples[i][2] / capacity", "number", "share of a microbatch that sample i takes"),
)


class LoraMicrobatches(ShipsMoves, StratifiedProblem):
    """Minimise the makespan (ticks) of a pipeline that trains several LoRA adapters."""

    name = stream = "lora-microbatches"
    law = "log-normal sample lengths after public datasets"
    cells = laws.cells()
    other_sets = _SENTENCES
    version = "1"
    sense = Sense.MINIMISE
    unit = "ticks"
    entry_point = "schedule"
    signature = (
        "def schedule(stages: int, capacity: int, tile: int, times: list[int], samples: list[list[int]]) "
        "-> list[list[int]]:"
    )
    statement = _STATEMENT
    instance_format = lora_files.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("lorafusion", "all-adapters-first-fit")
    baseline_ids: Sequence[str] = (
        "one-after-another",
        "one-after-another-next-fit",
        "mlora-two",
        "mlora-four",
        "round-robin-next-fit",
        "round-robin-first-fit",
        "all-adapters-first-fit",
        "lorafusion-no-merge",
        "lorafusion",
    )
    expressions: Sequence[Primitive] = _PRIMITIVES

    def other(self, set: str, seed: int) -> list[Instance]:
        """One instance of each stratum in another form."""
        return self.draw_other(set, seed, laws.cells(**_OTHER_CELLS[set]), 1)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The makespan in ticks, exact, empty places included."""
        return judge(instance.public, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """How full microbatches are, padding, empty places and idle stages."""
        return explain_pipeline(instance.public, answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Instances of a file with one training job a line."""
        return lora_files.read(path)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Stages as rows over time: forward passes, backward passes and bubbles."""
        return chart(instance, answer)


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Judges a list of microbatches; the objective is the makespan in ticks."""
    fault = list_fault(answer, "answer", None, "a list of microbatches, each a list of sample numbers")
    if fault:
        return Verdict.invalid(fault)
    microbatches: Any = answer
    for number, microbatch in enumerate(microbatches):
        if fault := _form_fault(public, microbatch, f"answer[{number}]"):
            return Verdict.invalid(fault)
    fault = _once_fault(public, microbatches) or _order_fault(public, microbatches)
    if fault is None:
        faults = (_capacity_fault(public, m, f"answer[{n}]") for n, m in enumerate(microbatches))
        fault = next((reason for reason in faults if reason), None)
    if fault:
        return Verdict.infeasible(fault)
    return Verdict.valid(passes(public, microbatches)[1].makespan)


def _form_fault(public: Mapping[str, Any], microbatch: Any, where: str) -> str | None:
    """Why a value is no microbatch: a non-empty list of sample numbers."""
    if fault := list_fault(microbatch, where, None, "a microbatch: a list of sample numbers"):
        return fault
    if not microbatch:
        return f"{where}: got an empty list, expected samples (empty places are inserted for you)"
    last = len(public["samples"]) - 1
    faults = (
        integer_fault(sample, f"{where}[{place}]", 0, last, "the number of a sample")
        for place, sample in enumerate(microbatch)
    )
    return next((fault for fault in faults if fault), None)


def _once_fault(public: Mapping[str, Any], microbatches: Sequence[Sequence[int]]) -> str | None:
    """Why the samples are not each in exactly one microbatch."""
    counts = [0] * len(public["samples"])
    for microbatch in microbatches:
        for sample in microbatch:
            counts[sample] += 1
    wrong = next((sample for sample, count in enumerate(counts) if count != 1), None)
    return None if wrong is None else f"sample {wrong}: is in the answer {counts[wrong]} times, expected once"


def _order_fault(public: Mapping[str, Any], microbatches: Sequence[Sequence[int]]) -> str | None:
    """Why the batches of some adapter are not one after another."""
    current: dict[int, int] = {}
    for number, microbatch in enumerate(microbatches):
        here: dict[int, int] = {}
        for sample in microbatch:
            adapter, batch, _ = public["samples"][sample]
            if here.setdefault(adapter, batch) != batch:
                return f"answer[{number}]: has batches {here[adapter]} and {batch} of adapter {adapter}"
        for adapter, batch in here.items():
            if batch < current.get(adapter, batch):
                before = current[adapter]
                return f"answer[{number}]: batch {batch} of adapter {adapter} after its batch {before}"
        current |= here
    return None


def _capacity_fault(public: Mapping[str, Any], microbatch: Sequence[int], where: str) -> str | None:
    """Why a microbatch is too large."""
    tokens = padded_tiles(public, microbatch) * public["tile"]
    if tokens <= public["capacity"]:
        return None
    return f"{where}: {tokens} padded tokens in one microbatch, capacity {public['capacity']}"


def chart(instance: Instance, answer: Json) -> Drawing:
    """The pipeline of a feasible answer: stage 0 below, forward and backward passes, bubbles between."""
    public = instance.public
    microbatches: Any = answer
    line, run = passes(public, microbatches)
    tiles = [0 if number == EMPTY else padded_tiles(public, microbatches[number]) for number in line]
    forward, backward = durations(public["times"], tiles)
    shapes = []
    for stage in range(public["stages"]):
        spans: list[tuple[int, int]] = []
        for place, number in enumerate(line):
            if number == EMPTY:
                continue
            start, back = run.forward[stage][place], run.backward[stage][place]
            shapes.append(Shape("rectangle", start, stage, forward[place], 0.8, f"F{number}", "forward"))
            shapes.append(Shape("rectangle", back, stage, backward[place], 0.8, f"B{number}", "backward"))
            spans += [(start, start + forward[place]), (back, back + backward[place])]
        shapes += _bubbles(sorted(spans), stage, run.makespan)
    work = sum(forward) + sum(backward)
    share = 100 * (1 - work / run.makespan)
    empty = line.count(EMPTY)
    title = (
        f"{instance.id}: {len(microbatches)} microbatches, {empty} empty places, {run.makespan} ticks, "
        f"bubbles {share:.1f} % of the time"
    )
    return Drawing(title, "time (ticks)", "stage of the pipeline", tuple(shapes))


def _bubbles(spans: Sequence[tuple[int, int]], stage: int, makespan: int) -> list[Shape]:
    """Idle times of a stage."""
    shapes, clock = [], 0
    for start, end in [*spans, (makespan, makespan)]:
        if start > clock:
            shapes.append(Shape("rectangle", clock, stage, start - clock, 0.8, "", "bubble"))
        clock = end
    return shapes
