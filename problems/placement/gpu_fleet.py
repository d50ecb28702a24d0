"""GPU fleets: which types to rent, how many, and which slices of the traffic go where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Moves, Primitive, Sense, Shape, Verdict
from ..faults import integer_fault, list_fault
from ..programs import program
from ..stratified import StratifiedProblem
from . import fleet_files
from . import fleet_laws as laws
from .explaining import explain_fleet, explain_split

_TASK = """\
A language-model service rents GPUs by the hour. Its traffic falls into buckets of similar prompt and reply
lengths; bucket b comes in slices[b] equal slices. prices[t] is the price of one GPU of type t per hour, in
ten-thousandths of a dollar. loads[b][t] says how much of a GPU of type t one slice of bucket b takes while
the latency target is met, in units of which a GPU has `capacity` (1000000); None means that the
type cannot serve the bucket. All inputs are integers (or None)."""

_PER_GPU = """
Return the GPUs to rent, a list of [type, slices] pairs with one pair for each GPU: `slices` is the list of
the bucket numbers of its slices, a bucket as often as slices of it are placed there. Every slice is placed
exactly once; the loads on a GPU add up to at most `capacity`. Minimise the total price: bin packing with
bin types, where an item's size depends on the type of its bin.
One percent of gap is one percent of the hourly bill: a fleet of 50 dollars pays half a dollar an hour,
some 4400 dollars a year, for nothing."""

_AGGREGATE = """
Return a matrix of integers: entry [b][t] is the number of slices of bucket b that GPUs of type t serve. Every
bucket's entries add up to slices[b]. As many GPUs of type t are rented as the loads on that type need:
their sum divided by `capacity`, rounded up (a slice may straddle two GPUs of a type). Minimise the total
price. One percent of gap is one percent of the hourly bill: a fleet of 50 dollars an hour pays half a dollar
an hour, some 4400 dollars a year, for nothing."""

_OTHER_SHAPES = {
    "tiny-rate": (((1, "mixed"), (1, "documents")), 6),
    "high-rate": (((64, "mixed"), (64, "documents")), 2),
}
_SENTENCES = {
    "tiny-rate": "12 workloads of 1 request per second: a handful of GPUs, mostly rounding",
    "high-rate": "4 workloads of 64 requests per second: dozens of GPUs, every decent rule is close",
}


class _Fleet(StratifiedProblem):
    """What both forms share: instances, files and prices."""

    version = "1"
    sense = Sense.MINIMISE
    unit = "dollars per hour"
    strata = (
        "rate is the number of requests per second of the whole fleet; the word is the traffic: short "
        "chats, long documents, or both mixed."
    )
    entry_point = "rent"
    instance_format = fleet_files.FORMAT
    law = "log-normal request lengths, roofline throughput model"
    other_sets = _SENTENCES
    name: str
    per_gpu: bool
    package = __package__

    def other(self, set: str, seed: int) -> list[Instance]:
        """Workloads of very low and very high rates."""
        shapes, rounds = _OTHER_SHAPES[set]
        return self.draw_other(set, seed, laws.cells(self.per_gpu, shapes), rounds)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Instances of a file in the published tool's input form."""
        return fleet_files.read(path, self.per_gpu)


_PRIMITIVES = (
    Primitive("prices[t]", "number", "price of a GPU of type t, ten-thousandths of a dollar per hour"),
    Primitive("loads[b][t]", "number", "load of one slice of bucket b on type t (None: cannot serve)"),
    Primitive(
        "loads[b][t] * prices[t]", "number", "price of the capacity that a slice of bucket b takes on type t"
    ),
    Primitive(
        "loads[b][t] * prices[t] / capacity", "number", "the same in ten-thousandths of a dollar per hour"
    ),
    Primitive("slices[b]", "number", "slices of bucket b"),
    Primitive("capacity - loads[b][t]", "number", "what a slice of bucket b leaves of a GPU of type t"),
    Primitive("capacity % loads[b][t]", "number", "waste of a GPU of type t full of slices of bucket b"),
    Primitive("loads[b][t] is not None", "boolean", "whether type t can serve bucket b"),
    Primitive("min(prices)", "number", "price of the cheapest type"),
)


class GpuFleet(_Fleet):
    """Rent whole GPUs and pack every slice of the traffic into one of them; minimise dollars per hour."""

    name = stream = "gpu-fleet"
    per_gpu = True
    cells = laws.cells(per_gpu)
    signature = (
        "def rent(prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int) "
        "-> list[tuple[int, list[int]]]:"
    )
    statement = _TASK + _PER_GPU
    start_ids = ("weighted-first-fit", "cheapest-type")
    baseline_ids = (
        "best-single-type",
        "cheapest-type",
        "cost-aware-first-fit",
        "cost-aware-best-fit",
        "best-subset",
        "best-subset-closing",
    )
    expressions = _PRIMITIVES

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Dollars per hour of the GPUs, exact, iff every slice is served and no GPU is too full."""
        return judge_fleet(instance.public, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """GPUs of each type, and what the emptiest hold."""
        fleet: Any = answer
        return explain_fleet(instance.public, fleet, _names(instance))

    def moves(self) -> Moves:
        """Moves and exchanges of slices, other types of GPUs, and the price."""
        source = program(__package__, self.name, "moves")
        return Moves(source, guide=("price", "share"), term="price * (share > 0)")

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """GPUs as columns filled by their slices, percent upwards; types share a colour."""
        public, names = instance.public, _names(instance)
        fleet: Any = answer
        shapes = []
        for place, (kind, contents) in enumerate(sorted(fleet, key=lambda gpu: gpu[0])):
            height = 0.0
            for bucket in sorted(contents):
                size = 100 * public["loads"][bucket][kind] / public["capacity"]
                shapes.append(Shape("rectangle", place, height, 0.9, size, str(bucket), names[kind]))
                height += size
            shapes.append(Shape("label", place, 101, text=names[kind]))
        verdict = judge_fleet(public, answer)
        title = f"{instance.id}: {float(verdict.objective or 0):.2f} dollars per hour"
        return Drawing(title, "GPU", "share of its throughput (percent)", tuple(shapes))


class GpuFleetAggregate(_Fleet):
    """Split the traffic over GPU types, each type's capacity pooled; minimise dollars per hour."""

    name = stream = "gpu-fleet-aggregate"
    per_gpu = False
    cells = laws.cells(per_gpu)
    signature = (
        "def rent(prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int) "
        "-> list[list[int]]:"
    )
    statement = _TASK + _AGGREGATE
    start_ids = ("rounding-aware", "cheapest-type")
    baseline_ids = (
        "best-single-type",
        "cheapest-type",
        "rounding-aware",
        "best-subset",
        "best-subset-closing",
    )
    expressions = _PRIMITIVES

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The price of the GPUs that the loads need, in dollars per hour, exact."""
        return judge_split(instance.public, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """GPUs of each type, what they serve, and what is unused."""
        split: Any = answer
        return explain_split(instance.public, split, fleet_counts(instance.public, split), _names(instance))

    def moves(self) -> Moves:
        """Moves and exchanges of slices between types, and the price."""
        source = program(__package__, self.name, "moves")
        return Moves(source, guide=("price", "gpus"), term="price * -(-gpus // 1)")

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Types as columns of their buckets' loads, GPUs upwards, with the number rented."""
        public, names = instance.public, _names(instance)
        split: Any = answer
        counts = fleet_counts(public, split)
        shapes = []
        for kind, name in enumerate(names):
            height = 0.0
            for bucket, row in enumerate(split):
                size = row[kind] * (public["loads"][bucket][kind] or 0) / public["capacity"]
                if size:
                    shapes.append(Shape("rectangle", kind, height, 0.9, size, str(bucket), name))
                height += size
            shapes.append(Shape("label", kind, height, text=f"{counts[kind]} x {name}"))
        verdict = judge_split(public, answer)
        title = f"{instance.id}: {float(verdict.objective or 0):.2f} dollars per hour"
        return Drawing(title, "GPU type", "load (GPUs)", tuple(shapes))


def judge_fleet(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Judges a list of [type, slices] pairs; the objective is in dollars per hour."""
    fault = list_fault(answer, "answer", None, "a list of [type, slices] pairs, one for each GPU")
    if fault:
        return Verdict.invalid(fault)
    placed = [0] * len(public["slices"])
    rented = [0] * len(public["prices"])
    fleet: Any = answer
    for number, gpu in enumerate(fleet):
        fault = _gpu_fault(public, gpu, f"answer[{number}]")
        if fault:
            return Verdict.invalid(fault)
        kind, contents = gpu
        load = 0
        for bucket in contents:
            size = public["loads"][bucket][kind]
            if size is None:
                return Verdict.infeasible(f"answer[{number}]: type {kind} cannot serve bucket {bucket}")
            load += size
            placed[bucket] += 1
        if load > public["capacity"]:
            return Verdict.infeasible(
                f"answer[{number}]: load {load} on one GPU, capacity {public['capacity']}"
            )
        rented[kind] += 1
    for bucket, (got, wanted) in enumerate(zip(placed, public["slices"], strict=True)):
        if got != wanted:
            return Verdict.infeasible(f"bucket {bucket}: got {got} slices placed, expected {wanted}")
    return Verdict.valid(_dollars(public, rented))


def judge_split(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Judges a matrix of slices per bucket and type; the objective is in dollars per hour."""
    buckets, types = len(public["slices"]), len(public["prices"])
    fault = list_fault(answer, "answer", buckets, "a list with one row for each bucket")
    if fault:
        return Verdict.invalid(fault)
    split: Any = answer
    for bucket, row in enumerate(split):
        wanted = public["slices"][bucket]
        fault = list_fault(row, f"answer[{bucket}]", types, "a list with one count for each type")
        for kind, count in enumerate(row if fault is None else ()):
            fault = fault or integer_fault(
                count, f"answer[{bucket}][{kind}]", 0, wanted, "a number of slices"
            )
        if fault:
            return Verdict.invalid(fault)
        for kind, count in enumerate(row):
            if count and public["loads"][bucket][kind] is None:
                return Verdict.infeasible(f"answer[{bucket}]: type {kind} cannot serve bucket {bucket}")
        if sum(row) != wanted:
            return Verdict.infeasible(f"answer[{bucket}]: got {sum(row)} slices, expected {wanted}")
    return Verdict.valid(_dollars(public, fleet_counts(public, split)))


def fleet_counts(public: Mapping[str, Any], split: Sequence[Sequence[int]]) -> list[int]:
    """GPUs of each type that a matrix of slices needs, capacity pooled within a type."""
    counts = []
    for kind in range(len(public["prices"])):
        load = sum(row[kind] * (public["loads"][bucket][kind] or 0) for bucket, row in enumerate(split))
        counts.append(-(-load // public["capacity"]))
    return counts


def _gpu_fault(public: Mapping[str, Any], gpu: Any, where: str) -> str | None:
    """One sentence on why something is no [type, slices] pair, or None."""
    fault = list_fault(gpu, where, 2, "a pair [type, slices]")
    if fault:
        return fault
    kind, contents = gpu
    fault = integer_fault(kind, f"{where}[0]", 0, len(public["prices"]) - 1, "the number of a GPU type")
    fault = fault or list_fault(contents, f"{where}[1]", None, "a list of bucket numbers")
    if fault:
        return fault
    for place, bucket in enumerate(contents):
        most = len(public["slices"]) - 1
        fault = integer_fault(bucket, f"{where}[1][{place}]", 0, most, "the number of a bucket")
        if fault:
            return fault
    return None


def _dollars(public: Mapping[str, Any], rented: Sequence[int]) -> int | Fraction:
    """Price of so many GPUs of each type, dollars per hour, exact."""
    price = sum(price * count for price, count in zip(public["prices"], rented, strict=True))
    total = Fraction(price, laws.DOLLAR)
    return total.numerator if total.denominator == 1 else total


def _names(instance: Instance) -> list[str]:
    hidden = instance.hidden or {}
    return list(hidden.get("gpus") or [f"type {kind}" for kind in range(len(instance.public["prices"]))])
