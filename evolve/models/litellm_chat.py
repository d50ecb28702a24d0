"""`litellm/PROVIDER/NAME`: every provider that the litellm package knows; an extra.

Importing litellm takes seconds and reaches for the network, for its price map and for keys in an `.env` file
of the working directory, unless it is told not to.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from typing import Any

from ...problems.base import Json
from .base import ErrorKind, MissingExtra, ModelError
from .chat import MOST_BYTES
from .chat_model import ChatModel, Send
from .keys import NO_KEY_NEEDED, Keys, check_key, find_key, is_local
from .settings import ModelSettings


def litellm_model(settings: ModelSettings, environment: Mapping[str, str]) -> ChatModel:
    """A model behind litellm, whose own retries are off.

    Raises:
        MissingExtra: litellm is not installed.
        ModelError: `KEY` when the variable named in the settings is not set, or no header can carry a key.
    """
    if importlib.util.find_spec("litellm") is None:
        raise MissingExtra("litellm", "pip install 'gapsmith[litellm]'")
    model = settings.spec.removeprefix("litellm/")
    key: str | None = None
    if settings.api_key_env is not None:
        key = find_key(settings.spec, settings.base_url, settings.api_key_env, "", environment)
    elif settings.base_url is not None and is_local(settings.base_url):
        key = NO_KEY_NEEDED
    else:
        usual = f"{model.split('/')[0].upper()}_API_KEY"
        check_key(settings.spec, usual, environment.get(usual, ""))  # litellm sends it unstripped

    def connect() -> tuple[Send, None]:
        litellm = _import(settings.spec)
        if key is None:
            _require_key(litellm, settings.spec, model)

        async def send(
            messages: list[dict[str, str]], timeout_seconds: float, sent: Mapping[str, Json]
        ) -> str:
            reply = await litellm.acompletion(
                model=model,
                messages=messages,
                timeout=timeout_seconds,
                base_url=settings.base_url,
                api_key=key,
                num_retries=0,
                max_retries=0,
                **sent,
            )
            # Not model_dump_json, which fails on half a character, as a server leaves that cuts at its limit.
            return json.dumps(reply.model_dump(mode="json"))

        return send, None  # litellm keeps its connections to itself

    keys = Keys.of(environment) if key is None else Keys([key])
    return ChatModel(settings, connect, keys=keys)


def _import(spec: str) -> Any:
    """The package, with connections that are bounded and follow nowhere where it lets them be chosen."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    from .bounded import BoundedClient

    litellm.disable_aiohttp_transport = True  # which would undo codings and follow redirections by itself
    litellm.aclient_session = BoundedClient(MOST_BYTES, spec)
    return litellm


def _require_key(litellm: Any, spec: str, model: str) -> None:
    """Refuses a model whose provider's key is not in the environment, before anything is sent."""
    missing = litellm.validate_environment(model)["missing_keys"]
    if missing:
        raise ModelError(
            ErrorKind.KEY,
            f"{spec}: the environment variable {missing[0]} is not set; export {missing[0]}=… with your key",
        )
