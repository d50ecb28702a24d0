"""Model placement: which language model goes on which GPU, so that no key-value cache is under pressure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..base import Drawing, Instance, Json, Moves, Primitive, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault
from ..programs import program
from ..strata import Cell
from ..stratified import StratifiedProblem
from . import model_laws as laws
from .explaining import explain_models

_STATEMENT = """\
A cluster of identical GPUs serves many language models at once. Model i takes sizes[i] GB of a GPU for its
weights and has request load rates[i] (whole units; only ratios between them matter). What the weights of
a GPU's models leave of its `memory` GB is the space of their key-value caches. The pressure of a GPU is the
sum of the loads of its models divided by its free GB: the higher, the earlier requests wait.
Return for each model the number (0 to gpus - 1) of its GPU. The weights on every GPU must leave at least
one GB free. Minimise the largest pressure of any GPU. All inputs are integers.
For a fixed target t the question is plain bin packing: model i weighs rates[i] + t * sizes[i], a GPU holds
t * memory. One percent of gap means that the same fleet takes one percent less traffic before its fullest GPU
is as full as it is now: on 16 GPUs at 3 dollars an hour about half a dollar an hour."""

_MODELS = {
    "large": "6 instances of 16 GPUs and 64 models, fill 0.85: exact references are out of reach here",
    "decided": "6 instances where one large model alone decides: any decent rule is optimal",
    "community": "the 50 seeded instances of the community's benchmark, two models per GPU",
}


_PRIMITIVES = (
    Primitive("sizes[i]", "number", "GB of model i's weights"),
    Primitive("rates[i]", "number", "load of model i, load units"),
    Primitive(
        "rates[i] / (memory - sizes[i])", "number", "pressure of model i alone, load units per free GB"
    ),
    Primitive("rates[i] / sum(rates)", "number", "share of model i in all load"),
    Primitive("sizes[i] / sum(sizes)", "number", "share of model i in all weights"),
    Primitive(
        "sum(rates) / (gpus * memory - sum(sizes))",
        "number",
        "pressure if all could be even, load units per free GB",
    ),
    Primitive("max(sizes)", "number", "GB of the largest model"),
    Primitive("used[g]", "number", "GB of weights already on GPU g"),
    Primitive("load[g]", "number", "load already on GPU g, load units"),
    Primitive("memory - used[g] - sizes[i]", "number", "GB free on GPU g after model i"),
    Primitive(
        "(load[g] + rates[i]) / (memory - used[g] - sizes[i])", "number", "pressure of GPU g after model i"
    ),
    Primitive("load[g] / (memory - used[g])", "number", "pressure of GPU g now"),
    Primitive("used[g] + sizes[i] < memory", "boolean", "whether model i leaves GPU g a free GB"),
)


class ModelPlacement(StratifiedProblem):
    """Minimise the largest ratio of load to free memory over the GPUs (load units per free GB)."""

    name = stream = "model-placement"
    law = "log-normal sizes and rates"
    cells = laws.cells()
    other_sets = _MODELS
    version = "1"
    sense = Sense.MINIMISE
    unit = "load units per free GB"
    strata = (
        "gpus and models are counts; fill is the share of all GPU memory that the weights take; open: "
        "the optimum is not proven for every instance."
    )
    entry_point = "place"
    signature = "def place(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:"
    statement = _STATEMENT
    package = __package__
    start_ids = ("normalised-sum", "rate-descending")
    baseline_ids = (
        "rate-descending",
        "size-descending",
        "normalised-sum",
        "ratio-greedy",
        "bisection-best-fit",
        "move-swap-descent",
    )
    expressions = _PRIMITIVES

    def other(self, set: str, seed: int) -> list[Instance]:
        """Instances of the community, larger ones, and those that one model decides."""
        if set == "community":
            return laws.community()
        if set == "large":
            return self.draw_other(set, seed, laws.cells([(16, 64, 85)]), 6)
        return self.draw_other(set, seed, [Cell("one model decides", partial(laws.decided, 8, 24))], 6)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The largest pressure as an exact fraction; free memory must be at least 1 GB on every GPU."""
        return judge(instance.public, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """The fullest and the emptiest GPUs with their models."""
        placed: Any = answer
        return explain_models(instance.public, placed, pressures(instance.public, placed))

    def moves(self) -> Moves:
        """Moves and exchanges between GPUs, and the largest pressure."""
        return Moves(
            program(__package__, self.name, "moves"), guide=("pressure",), term="pressure", total="largest"
        )

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """GPUs as columns of model weights, GB upwards; the fullest cache's models stand out."""
        public = instance.public
        pressure = pressures(public, answer)  # type: ignore[arg-type]
        worst = max(pressure)
        height = [0] * public["gpus"]
        shapes = []
        for model, gpu in enumerate(answer):  # type: ignore[arg-type]
            size, group = public["sizes"][model], "busiest" if pressure[gpu] == worst else "model"  # type: ignore[index]
            shapes.append(Shape("rectangle", gpu, height[gpu], 0.9, size, f"{model}", group))  # type: ignore[arg-type,index]
            height[gpu] += size  # type: ignore[index]
        shapes += [
            Shape("label", g, public["memory"] + 1, text=f"{float(p):.1f}") for g, p in enumerate(pressure)
        ]
        return Drawing(
            f"{instance.id}: largest pressure {float(worst):.2f} {self.unit}",
            "GPU",
            "weights (GB)",
            tuple(shapes),
        )


def pressures(public: Mapping[str, Any], answer: Sequence[int]) -> list[Fraction]:
    """Load over free memory of each GPU (load units per free GB), exact; needs a free GB on every GPU."""
    free, load = [public["memory"]] * public["gpus"], [0] * public["gpus"]
    for model, gpu in enumerate(answer):
        free[gpu] -= public["sizes"][model]
        load[gpu] += public["rates"][model]
    return [Fraction(units, left) for units, left in zip(load, free, strict=True)]


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with the largest pressure iff each model has one existing GPU and each GPU a free GB."""
    models, gpus = len(public["sizes"]), public["gpus"]
    fault = list_fault(answer, "answer", models, "a list with one GPU number for each model")
    if fault:
        return Verdict.invalid(fault)
    assert isinstance(answer, list)
    placed: list[int] = []
    for model, gpu in enumerate(answer):
        fault = integer_fault(gpu, f"answer[{model}]", 0, gpus - 1, "the number of an existing GPU")
        if fault:
            return Verdict.invalid(fault)
        placed.append(gpu)  # type: ignore[arg-type]
    free = [public["memory"]] * gpus
    for model, gpu in enumerate(placed):
        free[gpu] -= public["sizes"][model]
    full = [
        f"GPU {g}: weights leave {left} GB of {public['memory']}, expected at least 1"
        for g, left in enumerate(free)
        if left < 1
    ]
    if full:
        return Verdict.infeasible(*full)
    return Verdict.valid(_plain(max(pressures(public, placed))))


def _plain(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
