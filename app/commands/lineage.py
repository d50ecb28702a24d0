"""`show --lineage`: the ancestors of a candidate; `lineage` is its earlier name."""

from __future__ import annotations

from pathlib import Path

from .options import Candidate, Json, Run, Runs
from .run_arguments import best_of, folders_of, opened
from .terminal import console, emit_json, errors


def lineage(run: Run, candidate: Candidate = "best", runs: Runs = None, json: Json = False) -> None:
    """Show a candidate's ancestry; the same as `show RUN CANDIDATE --lineage`."""
    with errors(json):
        show_lineage(run, candidate, runs, json)


def show_lineage(run: str, candidate: str, runs: Path | None, json: bool) -> None:
    """Prints a candidate's ancestry with loss and operator at each step."""
    from ..runs.figures import REPORTED, trust
    from ..views.history import ancestry, print_ancestry

    with opened(best_of(folders_of(run, runs))) as record:
        id = record.resolve(candidate)
        steps = ancestry(record, id)
        if json:
            emit_json({"run": record.name, "candidate": id, "steps": steps})
        else:
            print_ancestry(console(), steps, trust(record.reader) == REPORTED)
