"""Reads a user's folder of templates: all its texts at once, so that no other text can be included later."""

from __future__ import annotations

import os
from pathlib import Path

MOST_FILES = 200
MOST_BYTES = 2**22
"""Of all files together."""


def template_texts(folder: Path) -> dict[str, str]:
    """Path inside the folder → text of each file, subfolders included; hidden files and folders are left out.

    Raises:
        ValueError: a file cannot be read or is no UTF-8, or there are too many files or bytes.
    """
    texts: dict[str, str] = {}
    size = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(place, name)
            if name.startswith(".") or not path.is_file():  # a pipe would be waited for
                continue
            size += path.stat().st_size
            if len(texts) >= MOST_FILES or size > MOST_BYTES:
                raise ValueError(
                    f"[prompts] folder: {folder} holds more than {MOST_FILES} files or "
                    f"{MOST_BYTES >> 20} MiB, expected templates and nothing else"
                )
            try:
                texts[path.relative_to(folder).as_posix()] = path.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ValueError(f"[prompts] folder: {path}: {error}; expected a text in UTF-8") from error
    return texts
