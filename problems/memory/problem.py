"""Memory mapping, as offsets of all buffers and as a rule in a loop that stacks them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import Drawing, Instance, Json, Moves, Sense
from ..rule_form import PURE, RuleForm
from ..stratified import StratifiedProblem
from . import laws, memory_files, rules, texts
from .explaining import explain_offsets
from .packing import packing
from .verification import judge

_LARGER = {"large-200": 200, "large-400": 400}
_TRANSFER = ((1024, 0.0), (1024, 0.2), (1024, 0.3), (768, 0.1), (1500, 0.2))
_SENTENCES = {
    "large-200": "20 instances of about 200 buffers, 5 per law",
    "large-400": "20 instances of about 400 buffers, 5 per law",
    "other-cuts": "20 cut rectangles of other heights and with other shares of dropped pieces than `sliced`",
}


class MemoryMapping(StratifiedProblem):
    """Dynamic storage allocation: minimise the peak (units) of offsets."""

    name = stream = "memory-mapping"
    law = "random buffers"
    cells = laws.cells()
    other_sets = _SENTENCES
    version = "1"
    sense = Sense.MINIMISE
    unit = "units"
    entry_point = "place"
    signature = "def place(buffers: list[list[int]]) -> list[int]:"
    statement = texts.PLACE
    instance_format = memory_files.FORMAT
    package = __package__
    start_ids = ("size",)
    expressions = texts.PLACE_PRIMITIVES
    judge = staticmethod(judge)

    def other(self, set: str, seed: int) -> list[Instance]:
        """Larger instances, and rectangles cut in other ways."""
        if set in _LARGER:
            return self.draw_other(set, seed, laws.cells(_LARGER[set]), 5)
        return self.draw_other(set, seed, laws.sliced_cells(laws.BUFFERS, _TRANSFER), 4)

    def baselines(self) -> Mapping[str, str]:
        """First fit in seven orders, best fit, the best of them, and the three ratings of the loop."""
        return rules.place_programs()

    def moves(self) -> Moves | None:
        """Moves in the order of stacking, and the peak; None for the rule."""
        return Moves(rules.moves(), guide=("level",), term="level", total="largest")

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Buffers as rectangles over time and memory."""
        return packing(instance, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Where the peak is, what stands there, and where holes are."""
        return explain_offsets(instance.public, answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's buffers in MiniMalloc's form."""
        return memory_files.read(path)

    def answer_file(self, instance: Instance, answer: Json) -> str:
        """The answer in MiniMalloc's form: the buffers with a column `offset`."""
        return memory_files.write(instance, answer)


class MemoryMappingRule(RuleForm, MemoryMapping):
    """The same instances; a candidate rates unplaced buffers, and a fixed loop stacks them."""

    name = "memory-mapping-rule"
    entry_point = "priority"
    signature = f"def priority({texts.ARGUMENTS}) -> np.ndarray:"
    statement = texts.RULE + PURE
    calls = texts.RULE_CALLS
    start_ids = ("rest-area",)
    expressions = texts.RULE_PRIMITIVES

    @property
    def driver(self) -> str:
        """The loop."""
        return rules.driver()

    def baselines(self) -> Mapping[str, str]:
        """The lowest floor first, with three ties."""
        return rules.rule_programs(texts.ARGUMENTS)
