"""Random texts that only this user can read: made on first use, kept in a file."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from .errors import INVALID, UserError

_BYTES = 32


@cache
def kept(path: Path) -> str:
    """The 64 hexadecimal digits of a file; where no file can be kept, digits of this process alone.

    Raises:
        UserError: the file was damaged, or is not this user's alone.
    """
    try:
        if not path.exists():
            _make(path)
        text = path.read_text("ascii").strip()
        state = path.stat()
    except OSError:
        return secrets.token_hex(_BYTES)
    except UnicodeDecodeError:
        text = ""
    else:
        if state.st_uid != os.geteuid() or state.st_mode & 0o077:
            raise UserError(
                INVALID,
                f"{path}: others can read or change this key, expected a file of this user with mode 0600",
                "delete it: a new one is made, and earlier runs are foreign until you sign them anew",
            )
    if not re.fullmatch(f"[0-9a-f]{{{2 * _BYTES}}}", text):
        raise UserError(
            INVALID,
            f"{path}: damaged, expected {2 * _BYTES} hexadecimal digits",
            "delete it for a new one; runs keep the secret of their instances in campaign.toml, and runs "
            "that the old key signed are foreign until `resume --trust-run` signs them anew",
        )
    return text


def _make(path: Path) -> None:
    """Writes new digits that only this user can read; of several processes the first one wins."""
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    own = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
        with suppress(FileExistsError):
            os.link(own, path)
    finally:
        own.unlink()
