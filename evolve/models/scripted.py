"""`scripted/FILE`: replies read from a file, for tests of a campaign without a server."""

from __future__ import annotations

import json
from pathlib import Path

from ..base import Completion
from .base import ErrorKind, ModelError, Request


class ScriptedModel:
    """Answers the question of iteration i with the i-th text of a JSON list, starting again at its end."""

    def __init__(self, spec: str) -> None:
        self._name = spec
        path = Path(spec.removeprefix("scripted/"))
        try:
            texts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(ErrorKind.REQUEST, f"{spec}: cannot read {path} as JSON ({error})") from None
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise ModelError(ErrorKind.REQUEST, f"{spec}: {path} must hold a JSON list of at least one text")
        self._texts: list[str] = texts

    @property
    def name(self) -> str:
        """The specification (`scripted/FILE`)."""
        return self._name

    def complete(self, request: Request) -> Completion:
        """The text for the request's iteration; see `Model`."""
        text = self._texts[(request.iteration - 1) % len(self._texts)]
        tokens = len(request.prompt.system) + len(request.prompt.user)
        return Completion(text, self._name, tokens // 4, len(text) // 4, finish_reason="stop")
