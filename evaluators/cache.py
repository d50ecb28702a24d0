"""The cache of references and baseline results by digest, shared by all campaigns of a user."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import pwd
import stat
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ..problems.base import Instance, Problem, canonical_json
from .base import Reference, ReferenceKind, References, decode_reference, encode_reference

_log = logging.getLogger("gapsmith.cache")


def cache_folder() -> Path:
    """`GAPSMITH_CACHE` if set, else `gapsmith` in the XDG cache folder (by default `~/.cache`).

    A path that is relative would be another folder wherever a command is given, and somebody else may have
    filled the one there with proofs and a key: such a path does not count.
    """
    for name, below in (("GAPSMITH_CACHE", "."), ("XDG_CACHE_HOME", "gapsmith"), ("HOME", ".cache/gapsmith")):
        place = os.environ.get(name, "")
        if os.path.isabs(place):
            return Path(place, below)
        if place:
            _tell(f"{name}={place}: got a relative path, expected a path from the root; it is not used")
    return Path(pwd.getpwuid(os.geteuid()).pw_dir, ".cache", "gapsmith")


@cache
def _tell(words: str) -> None:
    """Warns of something once."""
    _log.warning(words)


def check_own(folder: Path) -> None:
    """Refuses a folder that others could have filled, or whose files others can change.

    Raises:
        OSError: it is not there, is a link, belongs to another user, or others may write there.
    """
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError("no folder, or a link to one")
    if state.st_uid != os.geteuid():
        raise PermissionError(f"belongs to user {state.st_uid}, expected {os.geteuid()}")
    if state.st_mode & 0o022:
        raise PermissionError(f"others may change it: mode {stat.S_IMODE(state.st_mode):o}, expected 700")


class Cache:
    """A small key-value store of JSON documents, one file each; safe for several processes at once.

    A cache that cannot be read or written costs only time; `note` then holds the reason.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Uses `folder`, or the user's cache folder."""
        self._folder = (folder or cache_folder()) / "results"
        self.note: str | None = None

    def get(self, kind: str, key: str) -> Any:
        """The stored document; None if there is none or the cache cannot be read."""
        try:
            self._check()
            return json.loads(self._path(kind, key).read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self._complain(error)
            return None

    def put(self, kind: str, key: str, value: Any) -> None:
        """Stores a JSON document, replacing an older one."""
        path = self._path(kind, key)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(0o700, parents=True, exist_ok=True)  # whatever the umask
            self._check()
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            draft.write_text(canonical_json(value), "utf-8")
            draft.replace(path)  # readers see the old document or the new one
        except OSError as error:
            self._complain(error)

    def _check(self) -> None:
        """Refuses a folder that others could have filled: what lies in it is taken for proven.

        Raises:
            OSError: it is not there, is a link, belongs to another user, or has another mode than 0700.
        """
        try:
            check_own(self._folder)
            mode = stat.S_IMODE(self._folder.lstat().st_mode)
            if mode != 0o700:
                raise PermissionError(f"others may read it: mode {mode:o}, expected 700")
        except FileNotFoundError:
            raise
        except OSError as error:
            _tell(
                f"cache {self._folder}: {error}; what lies there is not trusted, and references are computed "
                "anew: make it yours alone (chmod 700), or move it with GAPSMITH_CACHE"
            )
            raise

    def _path(self, kind: str, key: str) -> Path:
        """The file of an entry; digests of keys are spread over 256 folders."""
        name = hashlib.sha256(key.encode()).hexdigest()
        return self._folder / kind / name[:2] / f"{name}.json"

    def _complain(self, error: Exception) -> None:
        self.note = f"cache {self._folder}: {error}; going on without it (GAPSMITH_CACHE moves it)"


class ReferenceCache:
    """References of one problem by instance digest.

    A proven optimum serves every later request; another reference serves requests with the same or a shorter
    time limit.
    """

    def __init__(self, cache: Cache, problem: Problem, references: References, origin: str) -> None:
        """Takes the problem, its references, and the digest of its source and parameters (`origin`)."""
        self._cache = cache
        self._references = references
        self._prefix = [problem.name, problem.version, references.version, origin]

    def get(self, instance: Instance, seconds: float) -> Reference | None:
        """The stored reference if it is an optimum or its time limit was at least `seconds`, else None."""
        document = self._cache.get("reference", self._key(instance))
        try:
            reference = None if document is None else decode_reference(document["reference"])
            served = reference is not None and (
                reference.kind is ReferenceKind.OPTIMUM or document["limit"] >= seconds
            )
        except (AttributeError, LookupError, TypeError, ValueError):  # damaged, or of an old version
            return None
        return reference if served else None

    def get_or_compute(
        self, instance: Instance, seconds: float, compute: Callable[[], Reference] | None = None
    ) -> Reference:
        """The stored reference; without one, computes it in about `seconds` of wall time and stores it."""
        reference = self.get(instance, seconds)
        if reference is not None:
            return reference
        reference = compute() if compute else self._references.reference(instance, seconds)
        document = {"limit": seconds, "reference": encode_reference(reference)}
        self._cache.put("reference", self._key(instance), document)
        return reference

    def _key(self, instance: Instance) -> str:
        return hashlib.sha256(canonical_json([*self._prefix, instance.digest]).encode()).hexdigest()
