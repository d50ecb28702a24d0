"""Writes outcomes and evaluations of a run as scalars for TensorBoard; the run itself knows nothing of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ...evolve.store.progress import founders_best
from ...evolve.store.reader import Reader
from ..errors import MISSING, UserError

UNVERIFIED = "_unverified"
"""Last part of the names of losses that a foreign evaluator reported."""
_SPLITS = {"train": "training", "valid": "validation", "test": "test"}
_COUNTS = ("candidates", "rejections", "model_calls", "tokens")
"""Names of counts; the last two are written once a model was called."""
_FLUSH_SECONDS = 5
"""Longest time that a scalar waits before it is on disk, so that a board shows a running campaign."""


class Sink(Protocol):
    """What takes the scalars: a `SummaryWriter` of tensorboardX."""

    def add_scalar(self, tag: str, value: float, step: int, walltime: float) -> object:
        """Takes one value of a curve."""

    def close(self) -> None:
        """Ends the writing."""


def open_sink(folder: Path) -> Sink:
    """A writer of event files into a folder.

    Raises:
        UserError: tensorboardX is not installed.
    """
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise UserError(
            MISSING,
            "--to tensorboard: tensorboardX is missing",
            "install it: `pip install gapsmith[tensorboard]`",
        ) from error
    sink: Sink = SummaryWriter(str(folder), flush_secs=_FLUSH_SECONDS)
    return sink


def first_fitness(reader: Reader) -> float | None:
    """Training fitness of the best start program; None until one was evaluated."""
    return max((fitness for *_, fitness in founders_best(reader)), default=None)


def write_scalars(
    rows: Iterable[Mapping[str, Any]], sink: Sink, first: float | None = None, suffix: str = ""
) -> int:
    """Writes a run's rows (see `follow`) and returns the number of outcomes.

    The step is the number of told iterations. Scalars: `training_loss_percent/candidate` and `/best`, the
    same of `validation_loss_percent`, `test_loss_percent/candidate`, `count/candidates`, `count/rejections`,
    once a model was called `count/model_calls` and `count/tokens`, and `cost_usd` while all prices are known.

    Args:
        rows: outcomes, evaluations and events; events are passed over.
        sink: takes the scalars, and is closed.
        first: training fitness of the best start program, with which the curve of the best begins.
        suffix: last part of the names of losses, for those that are only reported.
    """
    curves = _Curves(sink, suffix)
    sums: Counter[str] = Counter()
    cost: float | None = 0.0
    step = outcomes = 0
    try:
        for row in rows:
            if row["what"] == "evaluation":
                curves.add(row["split"], row["fitness"], step, float(row["at"]))
            if row["what"] != "outcome":
                continue
            outcomes += 1
            step, at = int(row["told"]), float(row["at"])
            if outcomes == 1:
                curves.add_best("train", first, 0, at)
            sums["candidates"] += row["candidate"] is not None
            sums["rejections"] += row["rejection"] is not None
            sums["model_calls"] += row["model_calls"]
            sums["tokens"] += row["tokens"]
            for name in _COUNTS[: None if sums["model_calls"] else 2]:
                sink.add_scalar(f"count/{name}", sums[name], step, at)
            cost = None if cost is None or row["cost_usd"] is None else cost + row["cost_usd"]
            if sums["model_calls"] and cost is not None:
                sink.add_scalar("cost_usd", cost, step, at)
            curves.add("train", row["train_fitness"], step, at)
    finally:
        sink.close()
    return outcomes


class _Curves:
    """Losses of candidates on each split, and the best so far on those that steer the search."""

    def __init__(self, sink: Sink, suffix: str) -> None:
        self._sink, self._suffix = sink, suffix
        self._best: dict[str, float] = {}

    def add(self, split: str, fitness: float | None, step: int, at: float) -> None:
        """Writes a candidate's loss, and the best one if that changed; without fitness nothing."""
        if fitness is not None:
            self._write(split, "candidate", fitness, step, at)
            self.add_best(split, fitness, step, at)

    def add_best(self, split: str, fitness: float | None, step: int, at: float) -> None:
        """Writes the best loss on training or validation if it changed."""
        if split == "test" or fitness is None or fitness <= self._best.get(split, -math.inf):
            return
        self._best[split] = fitness
        self._write(split, "best", fitness, step, at)

    def _write(self, split: str, curve: str, fitness: float, step: int, at: float) -> None:
        loss = -100 * fitness + 0.0
        self._sink.add_scalar(f"{_SPLITS[split]}_loss_percent{self._suffix}/{curve}", loss, step, at)
