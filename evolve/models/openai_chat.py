"""`openai/NAME`: chat completions through the official SDK, at OpenAI or any compatible server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...problems.base import Json
from .address import address_fault
from .base import ErrorKind, ModelError
from .chat import MOST_BYTES
from .chat_model import ChatModel, HangUp, Send
from .keys import Keys, find_key
from .settings import ModelSettings

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"


def openai_model(settings: ModelSettings, environment: Mapping[str, str]) -> ChatModel:
    """A model behind the openai SDK, whose own retries are off, so that nothing is retried twice.

    Raises:
        ModelError: `KEY` when the environment holds no key and the server is not a local one, `REQUEST` when
            its `OPENAI_BASE_URL` is no address.
    """
    model = settings.spec.removeprefix("openai/")
    base_url = settings.base_url or _usual_address(settings.spec, environment)
    key = find_key(settings.spec, base_url, settings.api_key_env, KEY, environment)

    def connect() -> tuple[Send, HangUp]:
        import anyio
        from openai import AsyncOpenAI, Timeout

        from .bounded import BoundedClient

        bounded = BoundedClient(MOST_BYTES, settings.spec)
        anyio.run(anyio.sleep, 0)  # loads what the first request would wait for
        client: Any = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=bounded)

        async def send(
            messages: list[dict[str, str]], timeout_seconds: float, sent: Mapping[str, Json]
        ) -> str:
            # Not by `chat.completions.create`, which looks through all types of the protocol at each request.
            question = {"model": model, "messages": messages, **sent}
            # A connection that is not made in half of the time is given up as one: nothing was billed then.
            options = {"timeout": Timeout(timeout_seconds, connect=timeout_seconds / 2)}
            body: str = await client.post("/chat/completions", cast_to=str, body=question, options=options)
            return body

        return send, client.close

    limit = "max_tokens" if base_url else "max_completion_tokens"
    return ChatModel(settings, connect, limit, Keys([key]))


def _usual_address(spec: str, environment: Mapping[str, str]) -> str | None:
    url = environment.get(ADDRESS, "").strip()
    fault = address_fault(url) if url else None
    if fault is not None:
        raise ModelError(ErrorKind.REQUEST, f"{spec}: the environment variable {ADDRESS}: {fault}")
    return url or None
