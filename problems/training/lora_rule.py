"""The rule form of multi-LoRA microbatches: a dispatcher fills microbatches with the sample rated highest."""

from __future__ import annotations

from collections.abc import Mapping

from ..base import Primitive
from ..programs import program
from ..rule_form import PURE, RuleForm, rule_text
from .lora_microbatches import LoraMicrobatches

_STATEMENT = """\
Several LoRA adapters are trained on one frozen model in one pipeline of `stages` stages; each adapter has
global batches that must be trained in order, each a set of samples. A dispatcher fills one microbatch of
`capacity` tiles (of `tile` tokens) after another. A sample may enter the open microbatch if it belongs to
its adapter's current batch, if its tiles fit, and if that batch has begun or the place is at least `stages`
places after the last one of the adapter's previous batch. The dispatcher calls `priority` for every such
sample and takes the one rated highest, until none fits or the highest rating is below 0 (the first sample
always enters). A place that no sample may enter stays empty. Arguments: tokens of the sample; tiles that it
adds (the tokens of an adapter in a microbatch are rounded up to whole tiles); room, the free tiles; left,
the tokens left in its batch, its own included; later, the tokens of its adapter's later batches; begun, 1
if its batch has begun; held, the samples in the open microbatch; place, the number of this microbatch's
place; remaining, the samples not yet in a microbatch. Minimise the ticks until the pipeline has run all
microbatches under 1F1B: a pass takes a fixed time and a time per tile. Few microbatches, little padding, no
empty places, and small microbatches at the very beginning and end, where the pipeline fills and drains, are
what costs little. One percent of gap is one percent of the GPU hours, 7 of the 720 hours of every GPU in a
month."""


_PRIMITIVES = (
    Primitive("tokens", "number", "tokens of the sample"),
    Primitive("tiles * tile - tokens", "number", "tokens that pad the sample, less what it uses of others"),
    Primitive("room - tiles", "number", "tiles left free in the microbatch", "tiles_left"),
    Primitive("capacity - room", "number", "tiles in the microbatch", "tiles_held"),
    Primitive("tiles / room", "number", "share of the free tiles that the sample takes"),
    Primitive("left", "number", "tokens left in the batch"),
    Primitive("later", "number", "tokens of the adapter's later batches"),
    Primitive("left / (capacity * tile)", "number", "microbatches that the batch still fills"),
    Primitive("later / (capacity * tile)", "number", "microbatches that the later batches fill"),
    Primitive("begun", "number", "1 if the batch has begun"),
    Primitive("held", "number", "samples in the microbatch"),
    Primitive("place - stages", "number", "places since the pipeline was full"),
    Primitive("remaining", "number", "samples not yet in a microbatch"),
)

_RULES = {
    "longest-first": (
        "First fit decreasing over all adapters: the longest sample that fits, whatever its adapter",
        "tokens",
    ),
    "shortest-first": ("The shortest sample that fits, whatever its adapter", "-tokens"),
    "adapter-with-least-left": (
        "One batch after the other: the batch with the fewest tokens left first, its longest sample",
        "tokens / (tokens + 1.0) - left",
    ),
}
"""Name → what a rule prefers, and its rating as an expression."""


class LoraMicrobatchesRule(RuleForm, LoraMicrobatches):
    """The same instances; a candidate rates samples, a fixed dispatcher fills microbatches by the ratings."""

    name = "lora-microbatches-rule"
    entry_point = "priority"
    signature = (
        "def priority(tokens: int, tiles: int, room: int, capacity: int, left: int, later: int, begun: int, "
        "held: int, place: int, remaining: int, stages: int, tile: int) -> float:"
    )
    statement = _STATEMENT + PURE
    anew = 128
    calls = (
        "The dispatcher calls it many times for one instance, once for each sample that it weighs; every "
        "number must follow from the arguments of its own call."
    )
    start_ids = ("longest-first",)
    expressions = _PRIMITIVES

    def baselines(self) -> Mapping[str, str]:
        """Rules that are one expression each."""
        lines = self.signature.replace("(", "(\n    ").replace(", ", ",\n    ").replace(")", ",\n)")
        says = "Rates a sample that fits the open microbatch; the highest enters."
        return {name: rule_text(lines, title, says, text) for name, (title, text) in _RULES.items()}

    @property
    def recorder(self) -> str:
        """What records and repeats the ratings that decide."""
        return f"{super().recorder}\n\n{program(__package__, self.name, 'decisions')}"
