"""What results depend on beside the code: versions of Python, the system and the packages that matter."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version

from ..evolve.settings import SEARCH_VERSION, mechanisms_left
from ..evolve.store.reader import Reader
from .errors import USAGE, UserError

_PACKAGES = ("gapsmith", "numpy", "ortools", "highspy", "pulp", "openai")


def versions() -> dict[str, str | None]:
    """Versions of Gapsmith, Python, the system and the packages that results depend on; None if absent."""
    packages: dict[str, str | None] = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for name in _PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return packages


def refuse_other_version(recorded: Mapping[str, str | None], name: str) -> None:
    """Refuses to go on with a run that another version of Gapsmith began: it took other decisions.

    Args:
        recorded: versions as stored with the run; empty for a new one.
        name: of the run.

    Raises:
        UserError: the versions differ.
    """
    began = recorded.get("gapsmith")
    here = versions()["gapsmith"]
    if began not in (None, here):
        raise UserError(
            USAGE,
            f"{name}: begun with Gapsmith {began}, expected {here}: what the search decides differs",
            f"start a new campaign from its elites: `gapsmith run PROBLEM --start {name}`",
        )


def refuse_earlier_search(reader: Reader, name: str) -> None:
    """Refuses to go on with, or to replay, a run whose models would be shown other programs now.

    Offline campaigns take the same course as ever.

    Args:
        reader: of the run.
        name: of the run.

    Raises:
        UserError: an earlier version of the search made it.
    """
    config = reader.record("config") or {}
    models = config.get("model") or ()
    guided = any(table.get("spec") != "offline" for table in models) or reader.record("bench") is not None
    other = (reader.record("search_version") or 1) != SEARCH_VERSION or mechanisms_left(config)
    if guided and other:
        raise UserError(
            USAGE,
            f"{name}: made by an earlier version of the search: it can be read, but neither gone on with nor "
            "replayed",
            f"start a new campaign from its elites: `gapsmith run PROBLEM --start {name}`",
        )
