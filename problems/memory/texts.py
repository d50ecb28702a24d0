"""What people and proposers read: statements, the columns of the rule, and the field's expressions."""

from __future__ import annotations

from ..base import Primitive
from ..rule_form import parameters

_TASK = """\
A compiler maps the tensors of a machine-learning program to one memory. buffers[i] is [start, end, size] of
buffer i: alive at the steps start, start + 1, …, end - 1, and `size` units long. Each buffer gets an offset
and occupies the units offset, …, offset + size - 1 during its whole life; two buffers that share a step must
not share a unit. The buffers are listed in random order; all inputs are integers."""

_GOAL = """
The peak, the largest offset + size, shall be as small as possible (dynamic storage allocation, strongly
NP-hard). No peak is below the largest load, the largest sum of sizes that are alive at one step; gaps are
measured against that bound, or the optimum where it equals the bound. One percent of gap is one percent of
the memory: of 16 MiB on a chip, 160 KiB that hold no tensor which would otherwise be fetched again."""

PLACE = (
    _TASK
    + _GOAL
    + """
Return one offset >= 0 for each buffer, in the order of `buffers`. Search is allowed, as long as the limit of
CPU time is kept; bound it by iterations, so that its answer can be repeated."""
)

COLUMNS = {
    "start": "first step of its life",
    "end": "step at which its life ends",
    "size": "its size, units",
    "floor": "its floor: the highest top among the placed buffers that share a step with it, units",
    "load": "largest sum of the sizes of all buffers that are alive at a step of its life, units",
    "unplaced_load": "the same of unplaced buffers alone, its own size included, units",
    "stack": (
        "largest sum, over the steps of its life, of the highest top and of the unplaced sizes; "
        "without holes filled, the peak will not be below, units"
    ),
    "hole": "free space that it would close below its floor, units times steps",
    "others": "other unplaced buffers that share a step with it",
}
"""Arrays of the rule: one entry for each unplaced buffer."""

NUMBERS = {
    "peak": "largest load of the instance, the bound of its peak, units",
    "top": "highest top so far, units",
    "progress": "share of the buffers that are placed, 0 to 1",
}
"""Plain numbers of the rule."""

ARGUMENTS = parameters(COLUMNS, NUMBERS)

_LOOP = """
A fixed loop places the buffers one after another. It calls priority(...) with arrays that have one entry for
each unplaced buffer; the buffer with the smallest number is placed on its floor, so that no hole below it is
filled. When all are placed they sink: in the order of their offsets each goes to the lowest offset that is
free during its life, which moves none up. Return one number for each entry, as an array of the same length;
the SMALLEST goes next. Of equal numbers the buffer with the lowest index wins; NaN counts as infinity. The
last buffer is placed without a call. numpy is `np`. The arrays (floats):"""

RULE = (
    _TASK
    + _GOAL
    + _LOOP
    + "".join(f"\n- {name}: {meaning}" for name, meaning in COLUMNS.items())
    + "\nand plain numbers:"
    + "".join(f"\n- {name}: {meaning}" for name, meaning in NUMBERS.items())
)

RULE_CALLS = (
    "The loop calls it once for each placement of a buffer, with all unplaced buffers; every number must "
    "follow from the arguments of its own call."
)

RULE_PRIMITIVES = (
    *(Primitive(name, "vector", meaning) for name, meaning in COLUMNS.items()),
    *(Primitive(name, "number", meaning) for name, meaning in NUMBERS.items()),
    Primitive("end - start", "vector", "length of its life, steps", "life"),
    Primitive("size * (end - start)", "vector", "its size times the length of its life", "area"),
    Primitive("floor + size", "vector", "where it would end in memory, units", "buffer_top"),
    Primitive("stack / peak", "vector", "its stack in proportion to the bound", "relative_stack"),
    Primitive("hole / (end - start)", "vector", "mean height of the hole below its floor", "mean_hole"),
    Primitive("load - unplaced_load", "vector", "how far the load of its life is placed", "placed_load"),
    Primitive("floor - floor.min()", "vector", "its floor above the lowest floor, units", "rise"),
    Primitive("floor.min()", "number", "lowest floor of all unplaced buffers, units", "lowest_floor"),
    Primitive("len(size)", "number", "unplaced buffers", "unplaced"),
)

PLACE_PRIMITIVES = tuple(
    Primitive(text, "number", meaning, term)
    for text, term, meaning in (
        ("buffers[i][0]", "start", "first step of buffer i"),
        ("buffers[i][1]", "end", "step at which the life of buffer i ends"),
        ("buffers[i][2]", "size", "size of buffer i, units"),
        ("buffers[i][1] - buffers[i][0]", "life", "length of the life of buffer i, steps"),
        ("buffers[i][2] * (buffers[i][1] - buffers[i][0])", "area", "size times life of buffer i"),
        ("len(buffers)", "", "number of buffers"),
        ("max(row[2] for row in buffers)", "largest_size", "size of the largest buffer, units"),
    )
)
