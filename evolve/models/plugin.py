"""Models of plug-ins: what they do wrong is told as theirs, and ends in a run that can be resumed."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...problems.base import Json
from ..base import Completion
from .base import Closable, ErrorKind, Model, ModelError, Parameterised, Request
from .chat import clip
from .keys import Keys
from .settings import ModelSettings


def make_model(load: Callable[[], Any], settings: ModelSettings, keys: Keys) -> PluginModel:
    """What a plug-in makes of a `[[model]]` table.

    Args:
        load: gives the plug-in's factory.
        settings: the table.
        keys: what is hidden in the text of an exception.

    Raises:
        ModelError: it raised, or made something else than a model; its own `ModelError` passes.
        ModuleNotFoundError: a package is missing, which is told with the command that installs it.
    """
    try:
        model = load()(settings)
        fit = isinstance(getattr(model, "name", None), str) and callable(getattr(model, "complete", None))
    except (ModelError, ModuleNotFoundError):
        raise
    except (Exception, SystemExit) as error:
        said = f"{settings.spec}: {_raised(error, str(error), keys)}; mend the plug-in"
        raise ModelError(ErrorKind.REQUEST, said) from None  # the log writes chains out, and hides no key
    if not fit:
        raise ModelError(
            ErrorKind.REQUEST,
            f"{settings.spec}: the plug-in made {type(model).__name__}, expected a model with a name (text) "
            "and complete(request); mend the plug-in",
        )
    return PluginModel(model, keys)


def _raised(error: BaseException, said: str, keys: Keys) -> str:
    """What a plug-in raised, and where, without keys."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    words = clip(keys.hide(said))
    return f"the plug-in raised {type(error).__name__}: {words} ({last.filename}, line {last.lineno})"


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
        return ModelError(
            ErrorKind.REQUEST,
            f"{self.name}: {_raised(error, said, self._keys)}; expected a Completion, or a ModelError of a "
            "known kind; mend the plug-in, then resume",
            unknown_outcome=True,
        )
