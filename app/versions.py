"""What results depend on beside the code: versions of Python, the system and the packages that matter."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("gapsmith", "numpy", "ortools", "highspy", "pulp", "openai")


def versions() -> dict[str, str | None]:
    """Versions of Gapsmith, Python, the system and the packages that results depend on; None if absent."""
    found: dict[str, str | None] = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
