"""From a proposed text to a candidate: described in the sandbox, named by its tokens, or rejected."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..prompts.unseen import find_unseen, name_of
from ..sandbox.base import MAX_SOURCE_BYTES, Description, Sandbox
from .base import Candidate, Origin, Proposal, Rejection, RejectionReason
from .memory import Memory

ID_CHARACTERS = 16
_EXCERPT_CHARACTERS = 300
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Admission:
    """Turns proposals into candidates.

    Attributes:
        sandbox: slot for the describe job.
        entry_point: name that the main file must define.
        modules: top-level names of the modules that a candidate may import.
        plain: whether ids leave out all docstrings, as those of runs that were begun before 0.3 do.
    """

    sandbox: Sandbox
    entry_point: str
    modules: Collection[str]
    plain: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[str, Description] = field(default_factory=dict)

    def admit(
        self,
        proposal: Proposal,
        parents: tuple[str, ...],
        island: int,
        iteration: int,
        memory: Memory,
    ) -> Candidate | Rejection:
        """The candidate of a proposal, or a rejection.

        Args:
            proposal: what was proposed.
            parents, island, iteration: of the candidate.
            memory: the candidates so far: an id is taken once, and a shape too, save by tuned numbers.
        """
        found = self._describe(proposal.files)
        if isinstance(found, tuple):
            reason, excerpt = found
            return self._reject(proposal, reason, excerpt)
        id, description = found.id, found.main
        if id in memory.candidates:
            return self._reject(proposal, RejectionReason.DUPLICATE, f"same tokens as candidate {id}")
        near = memory.shapes.get(description.shape_digest or "") if len(proposal.files) == 1 else None
        if near is not None and proposal.origin is not Origin.TUNE:
            excerpt = f"candidate {near} but for names and the last digits of numbers"
            return self._reject(proposal, RejectionReason.NEAR_DUPLICATE, excerpt)
        return Candidate(
            id=id,
            files=proposal.files,
            parents=parents,
            origin=proposal.origin,
            operator=proposal.operator,
            island=island,
            iteration=iteration,
            description=description,
        )

    def digest(self, description: Description) -> str | None:
        """The digest that names a text with this description; None of one that does not parse."""
        return description.plain_digest if self.plain else description.token_digest

    def fault(self, files: Mapping[str, str]) -> tuple[RejectionReason, str] | None:
        """Why files can be no candidate, None when they can. Thread-safe."""
        found = self._describe(files)
        return (found[0], found[1][:_EXCERPT_CHARACTERS]) if isinstance(found, tuple) else None

    def _describe(self, files: Mapping[str, str]) -> _Described | tuple[RejectionReason, str]:
        if sum(len(text.encode("utf-8", "surrogatepass")) for text in files.values()) > MAX_SOURCE_BYTES:
            return RejectionReason.TOO_LARGE, f"more than {MAX_SOURCE_BYTES} bytes of source"
        digests: dict[str, str] = {}
        main: Description | None = None
        for path, text in files.items():
            if unseen := find_unseen(text):
                return RejectionReason.UNSEEN_CHARACTER, _hidden(path, *unseen)
            description = self._description(text)
            if description.error is not None or description.token_digest is None:
                reason = RejectionReason.TOO_LARGE if description.too_large else RejectionReason.SYNTAX
                where = "" if description.error_line is None else f", line {description.error_line}"
                return reason, f"{path}{where}: {description.error}"
            if refused := self._forbidden(description, files):
                return RejectionReason.FORBIDDEN_IMPORT, f"{path}: import of {refused}"
            digests[path] = self.digest(description) or description.token_digest
            main = main or description
        if main is None or not main.entry_point:
            return RejectionReason.MISSING_ENTRY_POINT, f"no `{self.entry_point}` at the top level"
        return _Described(_identity(digests), main)

    def _description(self, text: str) -> Description:
        """A reply is looked at before its repair round and again when it is admitted: described once."""
        found = self._seen.get(text)  # without the lock: the loop must not wait for texts of others
        if found is not None:
            return found
        with self._lock:
            found = self._seen.get(text)
            if found is None:
                found = self.sandbox.describe(text, self.entry_point)
                if len(self._seen) >= _REMEMBERED:
                    del self._seen[next(iter(self._seen))]
                self._seen[text] = found
        return found

    def _forbidden(self, description: Description, files: Mapping[str, str]) -> str | None:
        own = {path.removesuffix(".py") for path in files}
        refused = [name for name in description.imports if name not in self.modules and name not in own]
        return ", ".join(refused) or None

    @staticmethod
    def _reject(proposal: Proposal, reason: RejectionReason, excerpt: str) -> Rejection:
        return Rejection(
            reason,
            excerpt[:_EXCERPT_CHARACTERS],
            proposal.origin,
            proposal.operator,
            proposal.prompt,
            proposal.completion,
        )


@dataclass(frozen=True, slots=True)
class _Described:
    id: str
    main: Description


def _hidden(path: str, character: str, line: int, column: int) -> str:
    return (
        f"{path}, line {line}, column {column}: {name_of(character)}, a character that cannot be seen; "
        "leave it out, or write it as an escape in a string"
    )


def _identity(digests: Mapping[str, str]) -> str:
    """The candidate's id: of one file its token digest, of several a digest over paths and token digests."""
    if len(digests) == 1:
        return next(iter(digests.values()))[:ID_CHARACTERS]
    parts = "\0".join(f"{path}\0{digest}" for path, digest in sorted(digests.items()))
    return hashlib.sha256(parts.encode()).hexdigest()[:ID_CHARACTERS]
