"""`openai/NAME`: chat completions through the official SDK, at OpenAI or any compatible server."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ...problems.base import Json
from .address import address_fault
from .base import ErrorKind, ModelError
from .chat import MOST_BYTES
from .chat_model import ChatModel, HangUp, Send
from .keys import Keys, check_key
from .settings import ModelSettings

KEY = "OPENAI_API_KEY"
ADDRESS = "OPENAI_BASE_URL"
NO_KEY_NEEDED = "none"
"""Sent to servers on this machine or network when there is no key; the SDK insists on one."""


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
        from openai import AsyncOpenAI

        from .bounded import BoundedClient

        bounded = BoundedClient(MOST_BYTES)
        client: Any = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=bounded)
        create = client.chat.completions.with_raw_response.create

        async def send(
            messages: list[dict[str, str]], timeout_seconds: float, sent: Mapping[str, Json]
        ) -> str:
            raw = await create(model=model, messages=messages, timeout=timeout_seconds, **sent)
            body: str = raw.http_response.text
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


def find_key(
    spec: str, base_url: str | None, named: str | None, usual: str, environment: Mapping[str, str]
) -> str:
    """The key for a server, from the environment variable `named`, or else the provider's `usual` one.

    Raises:
        ModelError: `KEY`, naming the variable, when it is not set and the server is not a local one, or when
            no header can carry what it holds.
    """
    variable = named or usual
    key = environment.get(variable, "").strip()
    if key:
        return check_key(spec, variable, key)
    if named is None and base_url is not None and is_local(base_url):
        return NO_KEY_NEEDED
    raise ModelError(
        ErrorKind.KEY,
        f"{spec}: the environment variable {variable} is not set; export {variable}=… with your key, "
        "or set base_url of the [[model]] table to a server of your own",
    )


def is_local(url: str) -> bool:
    """Whether an address is this machine's or a private network's, where servers need no key."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".local", ".internal", ".localhost"))
