"""The secret that hidden parts of instances are drawn with: one per installation, stored with each run."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...evaluators.cache import cache_folder
from ...problems.base import Keyed
from ..door.sources import blame
from ..errors import INVALID, UserError

if TYPE_CHECKING:
    from ..config import Config
    from ..door.plugins import LoadedProblem

_BYTES = 32
FILE = "secret"


def with_secret(config: Config, loaded: LoadedProblem) -> Config:
    """A configuration that names the secret its instances are drawn with, the installation's unless given.

    A problem that hides nothing has none, and its configuration stays as it is.
    """
    if config.evaluation.secret is not None or not isinstance(loaded.problem, Keyed):
        return config
    section = config.evaluation.model_copy(update={"secret": installation_secret()})
    return config.model_copy(update={"evaluation": section})


def keyed(loaded: LoadedProblem, secret: str | None) -> LoadedProblem:
    """The problem drawn with a secret; as it is if there is none, or nothing to hide."""
    if not secret or not isinstance(loaded.problem, Keyed):
        return loaded
    with blame(f"problem {loaded.name}: keyed(secret)"):
        return replace(loaded, problem=loaded.problem.keyed(secret))


def installed(loaded: LoadedProblem) -> LoadedProblem:
    """The problem as this installation draws it."""
    return keyed(loaded, installation_secret()) if isinstance(loaded.problem, Keyed) else loaded


def candidate_seed(config: Config) -> int:
    """Seed of the candidates' random streams; with a secret it does not tell which instance they are for."""
    seed, secret = config.evaluation.instance_seed, config.evaluation.secret
    if not secret:
        return seed
    return int.from_bytes(hashlib.sha256(f"{secret}\0candidates\0{seed}".encode()).digest()[:16], "big")


def installation_secret() -> str:
    """Hex text of the installation's secret, made on first use.

    Raises:
        UserError: the file that holds it was damaged.
    """
    return _kept(cache_folder() / FILE)


@cache
def _kept(path: Path) -> str:
    """The secret of a file; where none can be kept, one of this process alone."""
    try:
        if not path.exists():
            _make(path)
        text = path.read_text("ascii").strip()
    except OSError:
        return secrets.token_hex(_BYTES)
    except UnicodeDecodeError:
        text = ""
    if not re.fullmatch(f"[0-9a-f]{{{2 * _BYTES}}}", text):
        raise UserError(
            INVALID,
            f"{path}: damaged, expected {2 * _BYTES} hexadecimal digits",
            "delete it for a new secret; runs keep their own in campaign.toml",
        )
    return text


def _make(path: Path) -> None:
    """Writes a new secret that only this user can read; of several processes the first one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(_BYTES) + "\n")
        with suppress(FileExistsError):
            os.link(own, path)
    finally:
        own.unlink()
