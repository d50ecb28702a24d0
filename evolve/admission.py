"""Turns a proposed text into a candidate: the sandbox examines the text, its tokens name it; else a
rejection.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from ..sandbox.base import MAX_SOURCE_BYTES, Description, Sandbox
from ..sandbox.unseen import find_unseen, name_of
from .syntax.checks import unseeded
from .types import Examination, Proposal, Rejection, RejectionReason

ID_CHARACTERS = 16
_EXCERPT_CHARACTERS = 300

Fault = tuple[RejectionReason, str]
"""Why files can be no candidate: a reason and an excerpt."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Examines proposals; thread-safe.

    Attributes:
        sandbox: slot for the describe job.
        entry_point: name that the main file must define.
        modules: top-level names of the modules that a candidate may import; empty for all.
        lock: lock of the sandbox slot, which serves one caller at a time.
        seeded: whether random numbers without a seed are refused, because candidates must be functions.
        plain: whether ids ignore all docstrings, as in runs begun before 0.3.
    """

    sandbox: Sandbox
    entry_point: str
    modules: Collection[str]
    plain: bool = False
    seeded: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def examined(self, proposal: Proposal) -> Proposal | Rejection:
        """The proposal with the description of its files, or its rejection; examines each text once."""
        if proposal.examined is not None:
            return proposal
        examined = self.examine(proposal.files)
        if isinstance(examined, Examination):
            return replace(proposal, examined=examined)
        return rejected(proposal, *examined)

    def digest(self, description: Description) -> str | None:
        """The digest that names a text with this description; None for a text that does not parse."""
        return description.plain_digest if self.plain else description.token_digest

    def examine(self, files: Mapping[str, str]) -> Examination | Fault:
        """The sandbox's description of the files, or the rejection if they cannot be a candidate."""
        if sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values()) > MAX_SOURCE_BYTES:
            return RejectionReason.TOO_LARGE, f"more than {MAX_SOURCE_BYTES} bytes of source"
        digests: dict[str, str] = {}
        main: Description | None = None
        for path, text in files.items():
            if unseen := find_unseen(text):
                return _fault(RejectionReason.UNSEEN_CHARACTER, _hidden(path, *unseen))
            with self.lock:  # a slot serves one caller at a time
                description = self.sandbox.describe(text, self.entry_point)
            if description.error is not None or description.token_digest is None:
                reason = RejectionReason.TOO_LARGE if description.too_large else RejectionReason.SYNTAX
                where = "" if description.error_line is None else f", line {description.error_line}"
                return _fault(reason, f"{path}{where}: {description.error}")
            if refused := self._forbidden(description, files):
                return _fault(RejectionReason.FORBIDDEN_IMPORT, f"{path}: import of {refused}")
            if self.seeded and (drawn := unseeded(text)):
                return _fault(RejectionReason.UNSEEDED, f"{path}: {drawn}")
            digests[path] = self.digest(description) or description.token_digest
            main = main or description
        if main is None or not main.entry_point:
            return _fault(RejectionReason.MISSING_ENTRY_POINT, f"no `{self.entry_point}` at the top level")
        return Examination(_identity(digests), main)

    def _forbidden(self, description: Description, files: Mapping[str, str]) -> str | None:
        own = {path.removesuffix(".py") for path in files}
        if not self.modules:
            return None
        refused = [name for name in description.imports if name not in self.modules and name not in own]
        return ", ".join(refused) or None


def rejected(proposal: Proposal, reason: RejectionReason, excerpt: str) -> Rejection:
    """The rejection of a proposal."""
    return Rejection(
        reason,
        excerpt[:_EXCERPT_CHARACTERS],
        proposal.origin,
        proposal.operator,
        proposal.prompt,
        proposal.completion,
    )


def _fault(reason: RejectionReason, excerpt: str) -> Fault:
    return reason, excerpt[:_EXCERPT_CHARACTERS]


def _hidden(path: str, character: str, line: int, column: int) -> str:
    return (
        f"{path}, line {line}, column {column}: {name_of(character)}, a character that cannot be seen; "
        "leave it out, or write it as an escape in a string"
    )


def _identity(digests: Mapping[str, str]) -> str:
    """The candidate's id: the token digest of a single file; for several files a digest of paths and token
    digests.
    """
    if len(digests) == 1:
        return next(iter(digests.values()))[:ID_CHARACTERS]
    parts = "\0".join(f"{path}\0{digest}" for path, digest in sorted(digests.items()))
    return hashlib.sha256(parts.encode()).hexdigest()[:ID_CHARACTERS]
