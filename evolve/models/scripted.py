"""`scripted/FILE`: replies read from a file, whatever is asked."""

from __future__ import annotations

import json
from pathlib import Path

from ..base import Completion
from .base import ErrorKind, ModelError, Request
from .cassette import Cassette


class ScriptedModel:
    """Answers each question with the text that a file holds for it.

    Of a JSON list the i-th text answers iteration i, starting anew at its end. A cassette (`*.jsonl`) answers
    each iteration and round with what is recorded there, to whatever prompt it was given.
    """

    def __init__(self, spec: str) -> None:
        self._name = spec
        path = Path(spec.removeprefix("scripted/"))
        self._texts: list[str] = []
        self._recorded: dict[tuple[int, int], str] = {}
        try:
            if path.suffix == ".jsonl":
                for exchange in Cassette.load(path).exchanges:
                    if exchange.completion is not None:
                        self._recorded[exchange.iteration, exchange.round] = exchange.completion.text
                return
            texts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(ErrorKind.REQUEST, f"{spec}: cannot read {path} as JSON ({error})") from None
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise ModelError(ErrorKind.REQUEST, f"{spec}: {path} must hold a JSON list of at least one text")
        self._texts = texts

    @property
    def name(self) -> str:
        """The specification (`scripted/FILE`)."""
        return self._name

    def complete(self, request: Request) -> Completion:
        """The text for the request's iteration and round; see `Model`."""
        if self._texts:
            text = self._texts[(request.iteration - 1) % len(self._texts)]
        elif (recorded := self._recorded.get((request.iteration, request.round))) is not None:
            text = recorded
        else:
            where = f"iteration {request.iteration}, round {request.round}"
            raise ModelError(ErrorKind.FILTERED, f"{self._name}: holds no reply for {where}")
        tokens = len(request.prompt.system) + len(request.prompt.user)
        return Completion(text, self._name, tokens // 4, len(text) // 4, finish_reason="stop")
