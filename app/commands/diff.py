"""`show --diff`: two candidates, line by line; `diff` is its earlier name."""

from __future__ import annotations

from pathlib import Path

from .options import Candidate, Json, Run, Runs
from .run_arguments import folders_of, opened, single
from .terminal import console, emit_json, errors


def diff(
    run: Run, a: Candidate = "start", b: Candidate = "best", runs: Runs = None, json: Json = False
) -> None:
    """Compare the text of two candidates; the same as `show RUN B --diff A`."""
    with errors(json):
        show_diff(run, a, b, runs, json)


def show_diff(run: str, a: str, b: str, runs: Path | None, json: bool) -> None:
    """Prints how the text of candidate `b` differs from that of `a`."""
    from ..views.history import loss, print_diff, unified

    with opened(single(run, folders_of(run, runs))) as record:
        first = record.resolve(a)
        second = record.resolve(b)
        if json:
            losses = [loss(record, first), loss(record, second)]
            names = {"run": record.name, "a": first, "b": second}
            emit_json({**names, "diff": unified(record, first, second), "training_loss_percent": losses})
        else:
            print_diff(console(), record, first, second)
