"""Files that verbs write: whole or not at all, never over another file unasked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..errors import USAGE, UserError, unwritable

if TYPE_CHECKING:
    pass


def check_new(path: Path, force: bool) -> None:
    """Refuses a file that exists, unless it may be replaced; said before long work, not after it.

    Raises:
        UserError: it exists, or is a folder.
    """
    if path.is_dir():
        raise UserError(USAGE, f"{path}: is a folder, expected a file to write")
    if path.exists() and not force:
        raise UserError(USAGE, f"{path}: exists already", "replace it with --force, or name another file")


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[TextIO]:
    """A text file that appears whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    import os

    check_new(path, force)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            yield stream
        draft.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_new(path: Path, content: str | bytes, force: bool) -> None:
    """Writes a file whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    with new_file(path, force) as stream:
        if isinstance(content, str):
            stream.write(content)
        else:
            stream.buffer.write(content)
