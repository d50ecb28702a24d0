"""A model behind an asynchronous chat package: one thread for all calls, one attempt per call."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from ...problems.base import Json
from ..base import Completion, Prompt
from .base import ModelError, Request
from .chat import Parameters, parse_reply, sort_error
from .keys import NO_KEYS, Keys
from .settings import ModelSettings
from .wire import Wire

HangUp: TypeAlias = Callable[[], Awaitable[None]]
"""Closes a package's connections."""

Send: TypeAlias = Callable[[list[dict[str, str]], float, Mapping[str, Json]], Awaitable[str]]
"""Sends chat messages with a time-out (seconds) and parameters; returns the response's body (JSON text)."""


class ChatModel:
    """A model whose package takes long to import: that starts with construction, in the background.

    Args:
        settings: its `[[model]]` table.
        connect: imports the package and returns what sends, and what hangs up or None; runs in a thread, and
            the first call raises its error.
        limit: name of the parameter that limits the reply.
        keys: what is hidden in the sentences of errors and notes.
    """

    def __init__(
        self,
        settings: ModelSettings,
        connect: Callable[[], tuple[Send, HangUp | None]],
        limit: str = "max_tokens",
        keys: Keys = NO_KEYS,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._parameters = Parameters(settings.sent, limit, keys)
        self._wire = Wire(settings.spec)
        self._line = self._wire.start(asyncio.to_thread(connect))

    @property
    def name(self) -> str:
        """The specification."""
        return self._settings.spec

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What is sent beside the prompt at present."""
        return self._parameters.for_request(self._settings.max_output_tokens)

    @property
    def notes(self) -> list[str]:
        """A sentence for each parameter that the provider refused."""
        return self._parameters.notes

    def complete(self, request: Request) -> Completion:
        """The reply of one attempt; see `Model`."""
        return self._wire.run(self._complete(request))

    def close(self) -> None:
        """Ends connections and the thread."""
        connected = self._line.done() and not self._line.cancelled() and self._line.exception() is None
        self._wire.close(self._line.result()[1] if connected else None)

    async def _complete(self, request: Request) -> Completion:
        send, _ = await asyncio.shield(asyncio.wrap_future(self._line))
        while True:
            sent = self._parameters.for_request(request.max_output_tokens)
            started = time.monotonic()
            try:
                async with asyncio.timeout(request.timeout_seconds):
                    body = await send(messages(request.prompt), request.timeout_seconds, sent)
            except ModelError:
                raise
            except Exception as error:
                if (own := _own(error)) is not None:
                    raise own from None
                if self._parameters.drop(error, sent):
                    continue
                # Without its cause: the log writes chains of errors out, and there no key is hidden.
                raise sort_error(error, self.name, self._keys) from None
            return parse_reply(body, self.name, time.monotonic() - started, self._keys)


def _own(error: BaseException | None) -> ModelError | None:
    """What our connection raised, of an error that a package put around it."""
    for _ in range(20):
        if error is None or isinstance(error, ModelError):
            return error
        error = error.__cause__ or error.__context__
    return None


def messages(prompt: Prompt) -> list[dict[str, str]]:
    """A prompt as chat messages."""
    return [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
