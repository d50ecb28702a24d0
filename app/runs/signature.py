"""A run's signature and its key: that this user began the run, and with which source texts."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from ...evaluators.cache import cache_folder
from ...evolve.store.reader import Reader
from ...problems.base import canonical_json
from ..errors import INVALID, UserError
from ..formatting import FOREIGN

# Random texts that only this user can read: made on first use, kept in a file.

_BYTES = 32


@cache
def stored_key(path: Path) -> str:
    """The 64 hexadecimal digits of a file; where no file can be kept, digits of this process alone.

    Raises:
        UserError: the file was damaged, or is not this user's alone.
    """
    try:
        if not path.exists():
            _make(path)
        # What others put there may be a link, a pipe or a device: nothing is followed or waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            state = os.fstat(descriptor)
            text = file.read(4 * _BYTES).decode("ascii").strip() if stat.S_ISREG(state.st_mode) else ""
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


KEY = "signing-key"
SEAL: Final = "seal"
"""Key of the run's own record: its signature, and the digests that the signature covers."""


def seal(config: Mapping[str, Any], problem: Mapping[str, Any], before: object = None) -> dict[str, Any]:
    """A signature over a configuration, a problem and the source texts that both name, to be stored.

    Args:
        config: as it is stored.
        problem: the run's own record of its problem, as it is stored; its driver is written into programs.
        before: the run's earlier seal, whose name for the run stays.

    Raises:
        UserError: the user's key is open to others.
    """
    name = before.get("run") if isinstance(before, dict) else None
    signed = {"run": name or secrets.token_hex(16), "problem": _digest(problem), **_sources(config)}
    return {**signed, "signature": _signature(config, signed)}


def is_own(reader: Reader) -> bool:
    """Whether this user's signature holds for what is stored; a run without one is foreign."""
    stored = reader.record(SEAL)
    config = reader.record("config")
    problem = reader.record("problem")
    if not isinstance(stored, dict) or not isinstance(stored.get("signature"), str):
        return False
    signed = {key: value for key, value in stored.items() if key != "signature"}
    try:
        holds = hmac.compare_digest(stored["signature"].encode(), _signature(config, signed).encode())
        return holds and signed.get("problem") == _digest(problem)
    except (UserError, ValueError, TypeError, RecursionError):  # a key that is open to others, or no JSON
        return False


def templates_digest(folder: str) -> str | None:
    """Digest of every text that a template of the folder can include; None without any."""
    from ...prompts.folder import template_texts

    try:
        texts = template_texts(Path(folder))
    except ValueError as error:
        raise UserError(INVALID, str(error), "name a folder that holds templates alone") from error
    return _digest(texts) if texts else None


def _sources(config: Mapping[str, Any]) -> dict[str, str | None]:
    """Digests of the source texts that a stored configuration names, as they are now."""
    from ..plugins.loader import source_of, source_of_selection  # heavy, and reading a run needs no plug-in

    source = source_of(config["campaign"]["problem"])
    folder = config.get("prompts", {}).get("folder")
    selection = source_of_selection(config.get("search", {}).get("selection"))
    return {
        "plug-in": None if source is None else source.digest,
        "templates": None if folder is None else templates_digest(folder),
        **({} if selection is None else {"selection": selection.digest}),
    }


def _digest(document: object) -> str:
    return hashlib.sha256(canonical_json(document).encode(errors="surrogatepass")).hexdigest()


def _signature(config: object, signed: object) -> str:
    text = canonical_json({"config": config, "signed": signed})
    return hmac.new(_key(), text.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def without_key() -> str | None:
    """Why no run can be signed here so that a later command knows it; None where a key is kept."""
    path = cache_folder() / KEY
    try:
        stored_key(path)
        if path.exists():
            return None
    except (UserError, OSError):  # a damaged key is told where a run is signed
        return None
    return (
        f"no signing key can be kept in {path.parent}, for it cannot be written: later commands will call "
        "this user's own runs foreign, and references are computed anew; GAPSMITH_CACHE names another folder"
    )


def foreign_words() -> str:
    """What is said of a foreign run, and where no run can be signed here, that this may be the reason."""
    why = without_key()
    return FOREIGN if why is None else f"{FOREIGN} ({why})"


def _key() -> bytes:
    """The user's key; made on first use.

    Raises:
        UserError: others may read or change it, so that a signature proves nothing.
    """
    return bytes.fromhex(stored_key(cache_folder() / KEY))
