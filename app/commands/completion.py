"""Names that the shell completes: problems, runs, candidates, demonstrations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_WORD = re.compile(r"\w[\w.+-]*+")
"""Names that every shell reads as themselves: zsh evaluates what is completed, bash inserts it as it is."""


def problems(incomplete: str) -> list[str]:
    """Built-in problems whose names begin so; installed ones would have to be loaded."""
    from ..plugins.built_ins import BUILT_INS

    return _words(BUILT_INS, incomplete)


def _words(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin so; one of a foreign folder or store that a shell could read otherwise is left out."""
    return [name for name in names if name.startswith(incomplete) and _WORD.fullmatch(name)]


def runs(ctx: Any, incomplete: str) -> list[str]:
    """Runs in the folder of the runs whose names begin so, the latest first."""
    from ..errors import UserError
    from ..runs.folders import all_runs, preparing_runs, runs_folder

    try:
        folder = runs_folder(ctx.params.get("runs"))
        names = [run.name for run in [*all_runs(folder), *preparing_runs(folder)]]
    except (UserError, OSError):
        return []
    return _words(["latest", *reversed(names)], incomplete)


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
        return _words(names, incomplete)
    try:
        names += [id for id, _ in reader.best("valid")]
    except StoreError:
        names = names[:2]
    finally:
        reader.close()
    return _words(names, incomplete)
