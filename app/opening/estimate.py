"""How long the references of a campaign will take, for a plan that must not wait for them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...evaluators.cache import Cache
from ...problems.base import Instance
from ..door.plugins import LoadedProblem
from ..numbers import duration
from ..words import SHORTER
from .draw import book_of, computed

if TYPE_CHECKING:
    from ..config import Config

LONG_SECONDS = 10.0
"""Wall seconds beyond which a plan does not compute references."""


def time_of_references(
    loaded: LoadedProblem, config: Config, missing: Sequence[Instance], cache: Cache
) -> tuple[str, bool]:
    """A sentence on how long the missing references will take to compute; and whether that is long.

    Computes one of them to measure the time; the cache keeps the result.
    """
    began = time.monotonic()
    middle = missing[len(missing) // 2]
    for _ in computed(loaded, config, [middle], cache):
        pass
    one = time.monotonic() - began
    workers = config.run.slots
    rest = one * (len(missing) - 1) / workers
    line = (
        f"references: {len(missing)} to compute before the search, about {duration(rest)} on {workers} "
        f"workers (the first took {one:.1f} s, each may take {config.evaluation.reference_seconds:g} s)"
    )
    long = rest > LONG_SECONDS
    return f"{line}; {SHORTER}" if long else line, long


def with_references(
    loaded: LoadedProblem, config: Config, splits: Mapping[str, Sequence[Instance]], cache: Cache
) -> dict[str, list[Instance]]:
    """The instances of each split whose references are available, or else the first one; all without
    references.
    """
    if loaded.references is None:
        return {name: list(some) for name, some in splits.items()}
    book, seconds = book_of(loaded, cache), config.evaluation.reference_seconds
    available = {n: [i for i in some if book.get(i, seconds) is not None] for n, some in splits.items()}
    return {name: available[name] or list(splits[name][:1]) for name in splits}
