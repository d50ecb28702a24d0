"""Online bin packing: items arrive one by one, each decision is final, the next item is not yet known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Dialogue, Drawing, Instance, InstanceFileError, Json, Primitive, Sense, Verdict
from ..programs import program, programs
from .collection import Collection
from .dialogue import ItemArrivals
from .drawing import draw_bins
from .explaining import explain_arrivals
from .laws import ItemDraw
from .reading import FORMAT, read_items
from .sets import MIXED_ONLINE
from .verification import judge_transcript

MAX_CAPACITY = 10_000
"""The rule sees the number of bins of every gap at each step: a list this long is copied each time."""

_STATEMENT = """\
Online one-dimensional bin packing. Items arrive one at a time; item sizes are integers from 1 to capacity
and every bin holds items of total size at most capacity. {knowledge} For each item `place` is called with
its size, `residuals` (free space of every bin opened so far, full ones included, in order of opening) and
`gap_counts` (gap_counts[g] = number of opened bins with free space g, for g from 0 to capacity). Return the
index of a bin with residuals[index] >= item, or len(residuals) to open a new bin. The decision is final;
both lists are copies, changing them changes nothing. The object may keep state of its own between calls.
Minimise the number of bins opened. Placing an item where it does not fit makes the whole run infeasible.
Gaps are measured against the offline optimum of the same items, a lower bound for any
online rule, which does not know what comes: 0 is not in general attainable."""

_BASELINES = (
    "next-fit",
    "first-fit",
    "best-fit",
    "worst-fit",
    "almost-worst-fit",
    "harmonic-6",
    "harmonic-12",
    "sum-of-squares",
    "funsearch-or",
    "funsearch-weibull",
)


class OnlineBinPacking:
    """Minimise the number of bins (bins) opened for a sequence of items."""

    version = "1"
    sense = Sense.MINIMISE
    unit = "bins"
    entry_point = "Packer"
    instance_format = FORMAT
    calls = (
        "For each instance one object is made, and its `place` is called once for each item in the order of "
        "arrival; the object may keep state from one of these calls to the next."
    )

    def __init__(self, law: str, per_stratum: Mapping[str, int], known_items: bool, secret: str = "") -> None:
        """Takes what the splits hold and what a candidate is told.

        Args:
            law: of the sizes, a name of `sets.LAWS`, or `mixed`.
            per_stratum: split → instances of each law, ≥ 1.
            known_items: whether the number of items is told at the start.
            secret: keys the sequences; empty for the public draw, which a candidate can draw again.
        """
        self.known_items = known_items
        self._chosen = (law, per_stratum)
        self.name = "online-bin-packing-known-n" if known_items else "online-bin-packing"
        start = "capacity: int, items: int" if known_items else "capacity: int"
        self.signature = (
            "class Packer:  # one object per sequence; it may keep state between calls\n"
            f"    def __init__(self, {start}) -> None: ...\n"
            "    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int: ..."
        )
        knowledge = (
            "The number of items is told at the start."
            if known_items
            else "The number of items is not known."
        )
        self.statement = _STATEMENT.format(knowledge=knowledge)
        self.driver = program(__package__, "online", "driver")
        self._collection = Collection(law, MIXED_ONLINE, per_stratum, self._instance, secret, ordered=True)

    def keyed(self, secret: str) -> OnlineBinPacking:
        """The same problem with other items: whoever knew the set of items could pack them optimally."""
        return OnlineBinPacking(*self._chosen, self.known_items, secret)

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        return self._collection.sets()

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The instances of a set; the historic sets are the same for every seed and secret."""
        return self._collection.instances(set, seed)

    def start_programs(self) -> Mapping[str, str]:
        """Best fit over the gaps of open bins, written so that the score of a gap can be changed."""
        return programs(__package__, "online", ("best-fit",))

    def baselines(self) -> Mapping[str, str]:
        """Textbook rules and two published ones; where the number of items is known, a rule that uses it."""
        more = ("fill-weighted-squares",) if self.known_items else ()
        return programs(__package__, "online", _BASELINES + more)

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the names of the start program's `place`."""
        known = (
            Primitive("self.items - self.seen", "number", "items left", "items_left"),
            Primitive("(self.items - self.seen) * self.total / self.seen", "number", "volume still expected"),
        )
        return (
            Primitive("item", "number", "size of the arriving item"),
            Primitive(
                "gap", "number", "free space of the bin under consideration; the capacity for a new bin"
            ),
            Primitive("gap - item", "number", "free space that would remain", "remaining_gap"),
            Primitive("self.capacity", "number", "capacity of a bin"),
            Primitive("self.capacity - gap", "number", "fill of the bin before the item", "fill"),
            Primitive("gap_counts[gap]", "number", "open bins with this free space"),
            Primitive("gap_counts[gap - item]", "number", "open bins with the free space that would remain"),
            Primitive(
                "gap_counts[gap - item] - gap_counts[gap]",
                "number",
                "growth of the sum of squared counts, halved",
            ),
            Primitive("len(residuals)", "number", "bins opened so far"),
            Primitive("self.seen", "number", "items seen, this one included"),
            Primitive("self.total / self.seen", "number", "mean size seen", "mean_size"),
            Primitive("gap == item", "boolean", "the item fills the bin exactly"),
            Primitive("gap == self.capacity", "boolean", "this is a new bin"),
            *(known if self.known_items else ()),
        )

    def dialogue(self, instance: Instance) -> Dialogue:
        """A stepper that reveals one item after each decision."""
        return ItemArrivals(_hidden(instance)["sizes"], instance.public["capacity"])

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Number of bins of a transcript of decisions, replayed in integers."""
        return judge_transcript(_hidden(instance)["sizes"], instance.public["capacity"], answer)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Bins as bars, in order of opening, items stacked in order of arrival."""
        return draw_bins(instance.id, _hidden(instance)["sizes"], instance.public["capacity"], answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Sizes seen, gaps left open, and bins that wait at the end; of the items that have arrived alone."""
        arrived: Any = answer
        sizes = _hidden(instance)["sizes"][: len(arrived)]
        return explain_arrivals(sizes, instance.public["capacity"], answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Instances of a user's file; items arrive in the file's order.

        Raises:
            InstanceFileError: with the row, what was got and what was expected.
        """
        entries = read_items(path)
        for entry in entries:
            if entry.draw.capacity > MAX_CAPACITY:
                raise InstanceFileError(
                    f"{path.name} {entry.place}, capacity: got {entry.draw.capacity} (in integer units), "
                    f"expected at most {MAX_CAPACITY} for online packing; measure sizes in a coarser unit"
                )
        return [self._instance(e.id, path.name, e.stratum, e.draw, e.source) for e in entries]

    def _instance(self, id: str, set: str, stratum: str, draw: ItemDraw, source: str) -> Instance:
        public: dict[str, Any] = {"capacity": draw.capacity}
        if self.known_items:
            public["items"] = len(draw.sizes)
        hidden: dict[str, Any] = {"sizes": draw.sizes}
        if draw.witness is not None:
            hidden["packing"] = draw.witness
        return Instance(id, set, stratum, public, 1, source, hidden)


def _hidden(instance: Instance) -> Mapping[str, Any]:
    if instance.hidden is None:
        raise ValueError(f"instance {instance.id}: got no hidden part, expected the sequence of sizes")
    return instance.hidden
