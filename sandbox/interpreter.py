"""How a Python process of the tool begins: nothing is imported from a folder that merely lies there.

Python takes modules from the working folder with `-m` and `-c`, and for each empty or relative entry of
`PYTHONPATH`; a downloaded folder may hold a `numpy.py`. So every process starts with `-P`, in the root
folder, and with absolute places alone. A process that needs the caller's folder enters it after its start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

START_FOLDER = "/"
"""Where a process starts: only the system's owner writes there."""
_PLACES = (
    *("PATH", "LD_LIBRARY_PATH", "PYTHONPATH"),
    *("PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX"),
)
"""Variables that hold places, with colons between them."""


def python(*words: str) -> list[str]:
    """The command that starts this interpreter with some words."""
    return [sys.executable, "-P", *words]


def environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment variables for such a process, by default this one's, without places that are relative."""
    safe = dict(os.environ if variables is None else variables)
    for name in _PLACES:
        places = [place for place in safe.pop(name, "").split(":") if os.path.isabs(place)]
        if places:
            safe[name] = ":".join(places)
    return safe | {"PYTHONSAFEPATH": "1"}


def module_places() -> list[str]:
    """This process's places of modules, for another process: those of relative entries are left out."""
    given = os.environ.get("PYTHONPATH")
    relative = [] if not given else [place for place in given.split(":") if not os.path.isabs(place)]
    strange = {os.path.abspath(place) for place in relative}
    return [str(place) for place in sys.path if os.path.isabs(str(place)) and str(place) not in strange]


def enter(folder: str, places: Sequence[str]) -> None:
    """Goes to the caller's folder, and adds the caller's places of modules behind this process's own."""
    os.chdir(folder)
    sys.path += [place for place in places if place not in sys.path]
