"""Models of plug-ins: what they do wrong is told as theirs, and ends in a run that can be resumed."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence

from ...problems.base import Json
from ..base import Completion
from .base import Closable, ErrorKind, Model, ModelError, Parameterised, Request
from .chat import clip
from .keys import Keys


class PluginModel:
    """A plug-in's model that raises nothing but `ModelError`.

    Args:
        model: as the plug-in made it.
        keys: what is hidden in the text of an exception.
    """

    def __init__(self, model: Model, keys: Keys) -> None:
        self._model = model
        self._keys = keys

    @property
    def name(self) -> str:
        """The name that it gives itself."""
        return self._model.name

    @property
    def parameters(self) -> Mapping[str, Json]:
        """See `Parameterised`."""
        return self._model.parameters if isinstance(self._model, Parameterised) else {}

    @property
    def notes(self) -> Sequence[str]:
        """See `Parameterised`."""
        return self._model.notes if isinstance(self._model, Parameterised) else ()

    def complete(self, request: Request) -> Completion:
        """The reply of one attempt; see `Model`."""
        try:
            return self._model.complete(request)
        except ModelError as error:
            kind: object = error.kind
            sentence: object = error.sentence
            if isinstance(kind, ErrorKind) and isinstance(sentence, str):
                raise
            raise self._fault(error, f"kind {kind!r}, sentence {sentence!r}") from None
        except (Exception, SystemExit) as error:
            raise self._fault(error, str(error)) from None  # the log writes chains out, and hides no key

    def close(self) -> None:
        """See `Closable`."""
        if isinstance(self._model, Closable):
            self._model.close()

    def _fault(self, error: BaseException, said: str) -> ModelError:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return ModelError(
            ErrorKind.REQUEST,
            f"{self.name}: the plug-in raised {type(error).__name__}: {clip(self._keys.hide(said))} "
            f"({last.filename}, line {last.lineno}); expected a Completion, or a ModelError of a known kind; "
            "mend the plug-in, then resume",
            unknown_outcome=True,
        )
