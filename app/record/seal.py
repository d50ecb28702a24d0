"""A run's signature: it shows that this user began the run, and which source texts the run began with."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ...evaluators.cache import cache_folder
from ...evolve.store.reader import Reader
from ...problems.base import canonical_json
from ...prompts.folder import template_texts
from ..door.plugins import source_of
from ..errors import INVALID, UserError
from ..keyfile import kept
from ..words import FOREIGN

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
    stored, config, problem = reader.record(SEAL), reader.record("config"), reader.record("problem")
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
    try:
        texts = template_texts(Path(folder))
    except ValueError as error:
        raise UserError(INVALID, str(error), "name a folder that holds templates alone") from error
    return _digest(texts) if texts else None


def _sources(config: Mapping[str, Any]) -> dict[str, str | None]:
    """Digests of the source texts that a stored configuration names, as they are now."""
    source = source_of(config["campaign"]["problem"])
    folder = config.get("prompts", {}).get("folder")
    return {
        "plug-in": None if source is None else source.digest,
        "templates": None if folder is None else templates_digest(folder),
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
        kept(path)
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
    return bytes.fromhex(kept(cache_folder() / KEY))
