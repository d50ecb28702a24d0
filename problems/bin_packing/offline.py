"""Offline bin packing: all sizes are known, every item gets a bin, fewer bins are better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Moves, Primitive, Sense, Verdict
from ..programs import ShipsPrograms, program
from .collection import Collection
from .drawing import draw_bins
from .explaining import explain_packing
from .laws import ItemDraw
from .reading import FORMAT, read_items
from .sets import MIXED_OFFLINE
from .verification import judge_packing

_STATEMENT = """\
Offline one-dimensional bin packing. Item j has the integer size sizes[j], from 1 to capacity; every bin
holds items of total size at most capacity. All sizes are known at once. Return a list with one bin index
per item (0 to len(sizes) - 1; indices need not be in any order, only the number of different ones counts).
Minimise the
number of bins used. A bin whose load exceeds the capacity makes the whole answer infeasible."""


class BinPacking(ShipsPrograms):
    """Minimise the number of bins (bins) that hold all items."""

    name = "bin-packing"
    version = "1"
    sense = Sense.MINIMISE
    unit = "bins"
    strata = (
        "u: sizes uniform in 20 to 100 and bins of 150; t: triplets of items that fill a bin exactly; "
        "the number is the count of items."
    )
    entry_point = "pack"
    signature = "def pack(sizes: list[int], capacity: int) -> list[int]:"
    statement = _STATEMENT
    instance_format = FORMAT
    package = __package__
    folder = "offline"
    start_ids = ("first-fit-decreasing-by-bin",)
    baseline_ids = (
        "first-fit",
        "best-fit",
        "worst-fit-decreasing",
        "first-fit-decreasing",
        "best-fit-decreasing",
        "modified-first-fit-decreasing",
        "minimum-bin-slack",
        "local-search",
    )

    def __init__(self, law: str, per_stratum: Mapping[str, int]) -> None:
        """Takes what the splits hold.

        Args:
            law: of the sizes, a name of `sets.LAWS`, or `mixed`.
            per_stratum: split → instances of each law, ≥ 1.
        """
        self._collection = Collection(law, MIXED_OFFLINE, per_stratum, offline_instance, ordered=False)

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        return self._collection.sets()

    def instances(self, set: str, seed: int) -> Sequence[Instance]:
        """The instances of a set; the historic sets are the same for every seed."""
        return self._collection.instances(set, seed)

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the names of the start program."""
        return (
            Primitive("item", "number", "size of the item under consideration"),
            Primitive("residual", "number", "free space of the bin"),
            Primitive("residual - item", "number", "free space that would remain", "remaining_space"),
            Primitive("capacity - residual", "number", "fill of the bin", "fill"),
            Primitive("capacity", "number", "capacity of a bin"),
            Primitive("item_counts[item]", "number", "items of this size left"),
            Primitive(
                "item_counts[residual - item]", "number", "items left that would fill the rest exactly"
            ),
            Primitive(
                "(residual - item) / max(1, item_counts[residual - item])",
                "number",
                "free space that would remain, per item left that would fill it",
            ),
            Primitive("sum(item_counts)", "number", "items left", "items_left"),
            Primitive("len(sizes)", "number", "items in all"),
            Primitive("sum(sizes) / len(sizes)", "number", "mean size", "mean_size"),
            Primitive("max(sizes)", "number", "largest size", "largest_size"),
            Primitive("item == residual", "boolean", "the item fills the bin exactly"),
            Primitive("2 * item > residual", "boolean", "the item is larger than half of the free space"),
        )

    def moves(self) -> Moves:
        """Moves and exchanges of items between bins, and the number of bins."""
        source = program(__package__, "offline", "moves")
        return Moves(source, guide=("fill",), term="(fill > 0)")

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """Number of bins of a packing, in integers."""
        return judge_packing(instance.public["sizes"], instance.public["capacity"], answer)

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Bins as bars, items stacked inside."""
        return draw_bins(instance.id, instance.public["sizes"], instance.public["capacity"], answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Gaps that waste most, and what the emptiest bins hold."""
        return explain_packing(instance.public["sizes"], instance.public["capacity"], answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """Instances of a user's file.

        Raises:
            InstanceFileError: with the row, what was got and what was expected.
        """
        return [
            offline_instance(entry.id, path.name, entry.stratum, entry.draw, entry.source)
            for entry in read_items(path)
        ]


def offline_instance(id: str, set: str, stratum: str, draw: ItemDraw, source: str) -> Instance:
    """An instance whose candidate sees all sizes (units of size) and the capacity."""
    public: dict[str, Any] = {"sizes": draw.sizes, "capacity": draw.capacity}
    hidden = None if draw.witness is None else {"packing": draw.witness}
    return Instance(id, set, stratum, public, 1, source, hidden)
