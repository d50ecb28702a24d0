"""Writes the outcomes of a run as scalars for TensorBoard; the run itself knows nothing of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from ..errors import MISSING, UserError


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
    sink: Sink = SummaryWriter(str(folder))
    return sink


def write_scalars(rows: Iterable[Mapping[str, Any]], sink: Sink) -> int:
    """Writes a run's rows (see `follow`) and returns the number of outcomes.

    The step is the number of told iterations. Scalars: `training_loss_percent/candidate` and `/best`,
    `count/candidates` and `count/rejections`.
    """
    candidates = rejections = outcomes = 0
    best: float | None = None
    try:
        for row in rows:
            if row["what"] != "outcome":
                continue
            outcomes += 1
            step, at = int(row["told"]), float(row["at"])
            candidates += row["candidate"] is not None
            rejections += row["rejection"] is not None
            sink.add_scalar("count/candidates", candidates, step, at)
            sink.add_scalar("count/rejections", rejections, step, at)
            if row["train_fitness"] is not None:
                loss = -100 * row["train_fitness"] + 0.0
                sink.add_scalar("training_loss_percent/candidate", loss, step, at)
                if best is None or loss < best:
                    best = loss
                    sink.add_scalar("training_loss_percent/best", best, step, at)
    finally:
        sink.close()
    return outcomes
