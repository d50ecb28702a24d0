"""`list`: the runs in a folder."""

from __future__ import annotations

from .options import Json, Runs
from .terminal import console, emit_json, errors


def list_(runs: Runs = None, json: Json = False) -> None:
    """List the runs with problem, model, iterations, best gap and status."""
    with errors(json):
        import sys

        from ..formatting import one_line
        from ..runs.folders import all_runs, begun_before, preparing_runs, runs_folder
        from ..runs.record import run_row
        from ..views.overview import runs_table
        from ..views.tables import NARROW

        folder = runs_folder(runs)
        rows = [
            run_row(run) for run in sorted([*all_runs(folder), *preparing_runs(folder)], key=begun_before)
        ]
        if json:
            emit_json(rows)
            return
        out = console()
        if not rows:
            out.print(f"no runs in {folder}; start one with `gapsmith run smtt`", markup=False)
            return
        narrow = out.width < NARROW  # the table becomes lines, which have room for all columns
        table, left_out = runs_table(rows, sys.maxsize if narrow else out.width)
        out.print(table, soft_wrap=False)
        if left_out:
            out.print(f"left out of a narrow table: {', '.join(left_out)}; --json has them", markup=False)
        for row in rows:
            if "note" in row:
                out.print(one_line(f"{row['run']}: {row['note']}", 1000), markup=False, style="red")
