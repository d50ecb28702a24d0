"""Writes the outcomes of a run as scalars for TensorBoard; the run itself knows nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ...evolve.store.progress import founders_best
from ...evolve.store.reader import Reader
from ..errors import MISSING, UserError

LOSS_NAME, UNVERIFIED_NAME = "training_loss_percent", "training_loss_percent_unverified"
"""Names of losses that were verified, and of those that a foreign evaluator reported."""
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
    rows: Iterable[Mapping[str, Any]], sink: Sink, first: float | None = None, loss_name: str = LOSS_NAME
) -> int:
    """Writes a run's rows (see `follow`) and returns the number of outcomes.

    The step is the number of told iterations. Scalars: `training_loss_percent/candidate` and `/best`,
    `count/candidates` and `count/rejections`.

    Args:
        rows: outcomes and events; events are passed over.
        sink: takes the scalars, and is closed.
        first: training fitness of the best start program, with which the curve of the best begins.
        loss_name: first part of the names of losses.
    """
    candidates = rejections = outcomes = 0
    best = None if first is None else -100 * first + 0.0
    try:
        for row in rows:
            if row["what"] != "outcome":
                continue
            outcomes += 1
            step, at = int(row["told"]), float(row["at"])
            candidates += row["candidate"] is not None
            rejections += row["rejection"] is not None
            if outcomes == 1 and best is not None:
                sink.add_scalar(f"{loss_name}/best", best, 0, at)
            sink.add_scalar("count/candidates", candidates, step, at)
            sink.add_scalar("count/rejections", rejections, step, at)
            if row["train_fitness"] is not None:
                loss = -100 * row["train_fitness"] + 0.0
                sink.add_scalar(f"{loss_name}/candidate", loss, step, at)
                if best is None or loss < best:
                    best = loss
                    sink.add_scalar(f"{loss_name}/best", best, step, at)
    finally:
        sink.close()
    return outcomes
