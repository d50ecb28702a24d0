"""Names that the shell completes: problems, runs, candidates, demonstrations."""

from __future__ import annotations

from typing import Any


def problems(incomplete: str) -> list[str]:
    """Built-in problems whose names begin so; installed ones would have to be loaded."""
    from ..plugins.built_ins import BUILT_INS

    return [name for name in BUILT_INS if name.startswith(incomplete)]


def runs(ctx: Any, incomplete: str) -> list[str]:
    """Runs in the folder of the runs whose names begin so, the latest first."""
    from ..errors import UserError
    from ..runs.folders import all_runs, preparing_runs, runs_folder

    try:
        folder = runs_folder(ctx.params.get("runs"))
        names = [run.name for run in [*all_runs(folder), *preparing_runs(folder)]]
    except (UserError, OSError):
        return []
    return [name for name in ["latest", *reversed(names)] if name.startswith(incomplete)]


def candidates(ctx: Any, incomplete: str) -> list[str]:
    """Validated candidates of the run that was named before, the best first, with `best` and `start`."""
    from ...evolve.store.reader import Reader
    from ...evolve.store.schema import StoreError
    from ..errors import UserError
    from ..runs.folders import find_run, runs_folder

    names = ["best", "start"]
    try:
        reader = Reader.open(find_run(str(ctx.params.get("run")), runs_folder(ctx.params.get("runs"))))
    except (UserError, StoreError, OSError):
        return [name for name in names if name.startswith(incomplete)]
    try:
        names += [id for id, _ in reader.best("valid")]
    except StoreError:
        names = names[:2]
    finally:
        reader.close()
    return [name for name in names if name.startswith(incomplete)]
