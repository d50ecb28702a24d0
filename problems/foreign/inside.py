"""What belongs to the folder of a task: links are not followed, for they lead to the user's other files."""

from __future__ import annotations

import stat
from pathlib import Path


def is_own_file(folder: Path, path: Path) -> bool:
    """Whether a path is a plain file in a folder, and neither a link nor `..` is on the way from there."""
    try:
        relative = path.relative_to(folder)
        plain = stat.S_ISREG(path.lstat().st_mode)  # a pipe would be waited for, a device has no end
        return plain and path.resolve() == folder.resolve() / relative
    except (OSError, ValueError, RuntimeError):  # not there, elsewhere, or a circle of links
        return False


def links_out(folder: Path) -> list[Path]:
    """Entries of a folder that are links to something outside of the folder, hidden ones aside."""
    real = folder.resolve()
    links = [entry for entry in sorted(folder.iterdir()) if entry.is_symlink() and entry.name[0] != "."]
    return [link for link in links if not _target(link).is_relative_to(real)]


def _target(link: Path) -> Path:
    try:
        return link.resolve()
    except (OSError, RuntimeError):  # a circle of links
        return Path("/")
