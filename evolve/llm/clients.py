"""The clients of openai and litellm on one event loop; apart, as only a chosen provider is imported."""

from __future__ import annotations

import asyncio
import codecs
import concurrent.futures
import importlib.util
import json
import os
import re
import threading
import time
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeAlias, TypeVar

from openai import DefaultAsyncHttpxClient

from ...problems.base import Json
from ..types import Completion
from .base import ErrorKind, MissingExtra, ModelError, Request
from .chat import INSIDE, MOST_BYTES, parse_reply, server_fault, sort_error
from .keys import (
    NO_KEY_NEEDED,
    NO_KEYS,
    SecretKeys,
    address_fault,
    check_key,
    find_key,
    is_local,
    proxy_options,
    write_plainly,
)
from .parameters import PATH, ChatQuestion, Parameters, as_chat, is_stream, joined, question
from .reply_text import ReplyEnding, ending
from .server_answer import fault_of
from .settings import ModelSettings

# One thread with an event loop, for providers whose packages are asynchronous.
#
# Callers wait in threads of their own, which costs next to nothing; sockets, time-outs and parsing of all
# calls in flight share this one thread.

T = TypeVar("T")


class EventLoopThread:
    """An event loop in a daemon thread, started at construction."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"model {name}", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Starts work on the loop and returns at once."""
        if self._loop.is_closed() or not self._thread.is_alive():
            work.close()
            raise ModelError(ErrorKind.CLOSED, "the model was closed: the campaign is ending")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs work on the loop and waits for it.

        Raises:
            ModelError: `CLOSED` when the wire is closed meanwhile.
        """
        try:
            return self.start(work).result()
        except (concurrent.futures.CancelledError, asyncio.CancelledError):
            raise ModelError(
                ErrorKind.CLOSED, "the campaign is ending: the call was given up", unknown_outcome=True
            ) from None

    def close(self, last: Callable[[], Awaitable[None]] | None = None) -> None:
        """Cancels what runs, does a last thing on the loop and ends the thread; safe to call twice."""
        if self._loop.is_closed() or not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result(timeout=10)
        if last is not None:
            with suppress(Exception):  # connections that cannot be closed properly end with the process
                asyncio.run_coroutine_threadsafe(_await(last), self._loop).result(timeout=10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    async def _cancel(self) -> None:
        tasks = [task for task in asyncio.all_tasks(self._loop) if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _await(work: Callable[[], Awaitable[None]]) -> None:
    await work()


HangUp: TypeAlias = Callable[[], Awaitable[None]]
"""Closes a package's connections."""

Send: TypeAlias = Callable[[ChatQuestion, float], Awaitable[str]]
"""Sends a question with a time-out (seconds); returns the body of a chat completion (JSON text)."""


class ChatModel:
    """A model whose package takes long to import: that starts with construction, in the background.

    Args:
        settings: its `[[model]]` table.
        connect: imports the package and returns what sends, and what hangs up or None; runs in a thread, and
            the first call raises its error.
        limit: name of the parameter that limits the reply.
        keys: what is hidden in the sentences of errors and notes.
        responses: whether the Responses API can be asked where chat completions are refused.
    """

    def __init__(
        self,
        settings: ModelSettings,
        connect: Callable[[], tuple[Send, HangUp | None]],
        limit: str = "max_tokens",
        keys: SecretKeys = NO_KEYS,
        *,
        responses: bool = False,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._parameters = Parameters(
            settings.sent,
            limit,
            keys,
            stream=settings.stream,
            system_role=settings.system_role,
            responses=responses,
            cache=settings.cache,
        )
        self._wire = EventLoopThread(settings.spec)
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
            asked = self._parameters.question(request.prompt, request.max_output_tokens, request.talk)
            started = time.monotonic()
            try:
                async with asyncio.timeout(request.timeout_seconds):
                    body = await send(asked, request.timeout_seconds)
            except ModelError:
                raise
            except Exception as error:
                if (own := _own(error)) is not None:
                    raise own from None
                fault = server_fault(error)
                if fault is not None and self._parameters.change(fault, asked):
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


# Connections that read a response no further than its limit, undo one coding at most, and follow nowhere.
#
# Importing this module imports the openai package.

_TYPE = b"content-type"
_DESCRIBES_BODY = (_TYPE, b"content-encoding", b"content-length", b"transfer-encoding")
_PLAIN = ("", "identity")
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
"""Codings that are undone although nobody asked for them: some gateways compress whatever they pass on."""


class BoundedClient(DefaultAsyncHttpxClient):
    """The SDK's own client, with bodies cut one byte beyond a limit; also those of errors.

    An error inside of an answer that calls itself good gets the status that belongs to it, and a reply that
    comes as a stream of events is put together, so that packages see neither.

    Args:
        most: bytes of a body, as they are after decompression.
        name: the model's specification, for errors.
        options: for the client, such as its proxy.
        few_words: whether finish reasons of replies that were cut are written as `length`, for a package that
            takes words it does not know for a good end.
    """

    def __init__(
        self, most: int, name: str, options: Mapping[str, Any] | None = None, *, few_words: bool = False
    ) -> None:
        super().__init__(follow_redirects=False, **(options or {}))
        self._few_words = few_words
        self._most = most
        self._name = name

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """The response to a request, read and closed; see `httpx.AsyncClient.send`.

        Raises:
            ModelError: the server answers with a redirection, which would take prompts to another place or
                another place's contents into the record, or in a coding that was not asked for.
        """
        request.headers["accept-encoding"] = "identity"
        response = await super().send(request, stream=True, **{**options, "follow_redirects": False})
        try:
            self._check(response)
            body = await self._read(response)
        finally:
            await response.aclose()
        # As bytes, for a gateway's own headers need not be ASCII.
        headers = [(name, text) for name, text in response.headers.raw if name.lower() not in _DESCRIBES_BODY]
        # Without its charset: JSON is UTF-8, and some codecs of Python's take hours for a megabyte.
        kind = response.headers.get("content-type", "").partition(";")[0]
        headers.append((_TYPE, kind.encode(errors="replace")))
        return _plain_response(response, headers, body, request, self._few_words)

    async def _read(self, response: Any) -> bytes:
        """The body; what is compressed is undone no further than the limit."""
        window = _WINDOWS.get(_coding(response))
        undo = None if window is None else zlib.decompressobj(window)
        body = bytearray()
        async for part in response.aiter_raw():
            room = self._most + 1 - len(body)
            try:
                body += part[:room] if undo is None else undo.decompress(part, room)
            except zlib.error as error:
                raise ModelError(
                    ErrorKind.GARBAGE,
                    f"{self._name}: the server's answer is no {_coding(response)}: {error}",
                    unknown_outcome=True,
                ) from None
            if len(body) > self._most or (undo is not None and undo.eof):
                break
        return bytes(body)

    def _check(self, response: Any) -> None:
        if 300 <= response.status_code < 400:
            raise ModelError(
                ErrorKind.REQUEST,
                f"{self._name}: the server redirects ({response.status_code}), and redirections are not "
                "followed; set base_url of the [[model]] table to the server's own address, then resume",
            )
        coding = _coding(response)
        if coding not in _PLAIN and coding not in _WINDOWS:
            raise ModelError(
                ErrorKind.GARBAGE,
                f"{self._name}: the server's answer has the Content-Encoding {coding[:40]!r}, expected "
                "identity; switch compression off at the server",
                unknown_outcome=True,
            )


def _plain_response(
    response: Any, headers: list[tuple[bytes, bytes]], body: bytes, request: Any, few_words: bool
) -> Any:
    """The response as packages are to see it."""
    status: int = response.status_code
    extensions: dict[str, bool] = {}
    body = body.removeprefix(codecs.BOM_UTF8)
    text = body.decode(errors="replace")
    if status < 300 and len(body) <= MOST_BYTES:
        if is_stream(text):
            text = joined(text)
            body = text.encode()
            headers = [(name, value) for name, value in headers if name != _TYPE]
            headers.append((_TYPE, b"application/json"))
        if few_words:
            text = _FINISH.sub(_few_words, text)
            body = text.encode()
        if (fault := fault_of(status, text)) is not None:
            status = fault.status
            extensions[INSIDE] = True
    return type(response)(status, headers=headers, content=body, request=request, extensions=extensions)


_FINISH = re.compile(r'"finish_reason"\s*:\s*"(?P<word>[^"\\]{1,40})"')
"""In a JSON text nothing but the key itself: inside of a string its quotes have backslashes."""


def _few_words(found: re.Match[str]) -> str:
    """A finish reason as `length` where it is one of a reply that was cut."""
    return '"finish_reason": "length"' if ending(found["word"]) is ReplyEnding.CUT else found[0]


def _coding(response: Any) -> str:
    return str(response.headers.get("content-encoding", "")).strip().lower()


# `openai/NAME`: chat completions through the official SDK, at OpenAI or any compatible server.

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
    options = proxy_options(settings.spec, base_url)

    def connect() -> tuple[Send, HangUp]:
        import anyio
        from openai import AsyncOpenAI, Timeout

        bounded = BoundedClient(MOST_BYTES, settings.spec, options)
        anyio.run(anyio.sleep, 0)  # loads what the first request would wait for
        client: Any = AsyncOpenAI(api_key=key, base_url=base_url, max_retries=0, http_client=bounded)

        async def send(asked: ChatQuestion, timeout_seconds: float) -> str:
            # Not by `chat.completions.create`, which looks through all types of the protocol at each request.
            chat = {"model": model, "messages": asked.messages, **asked.sent}
            # A connection that is not made in half of the time is given up as one: nothing was billed then.
            options = {"timeout": Timeout(timeout_seconds, connect=timeout_seconds / 2)}
            path = PATH if asked.responses else "/chat/completions"
            sent = question(model, asked.messages, asked.sent) if asked.responses else chat
            body: str = await client.post(path, cast_to=str, body=sent, options=options)
            return as_chat(body) if asked.responses else body

        return send, client.close

    limit = "max_tokens" if base_url else "max_completion_tokens"
    return ChatModel(settings, connect, limit, SecretKeys([key]), responses=True)


def _usual_address(spec: str, environment: Mapping[str, str]) -> str | None:
    url = environment.get(ADDRESS, "").strip()
    fault = address_fault(url) if url else None
    if fault is not None:
        raise ModelError(ErrorKind.REQUEST, f"{spec}: the environment variable {ADDRESS}: {fault}")
    return url or None


# `litellm/PROVIDER/NAME`: every provider that the litellm package knows; an extra.
#
# Importing litellm takes seconds and reaches for the network, for its price map and for keys in an `.env`
# file of the working directory, unless it is told not to.


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

    options = proxy_options(settings.spec, settings.base_url)

    def connect() -> tuple[Send, None]:
        litellm = _import(settings.spec, options)
        if key is None:
            _require_key(litellm, settings.spec, model)

        async def send(asked: ChatQuestion, timeout_seconds: float) -> str:
            # A stream is asked for behind the package's back: the connection puts it together.
            streamed = {name: asked.sent[name] for name in asked.sent if name.startswith("stream")}
            reply = await litellm.acompletion(
                model=model,
                messages=asked.messages,
                timeout=timeout_seconds,
                base_url=settings.base_url,
                api_key=key,
                num_retries=0,
                max_retries=0,
                **{name: value for name, value in asked.sent.items() if name not in streamed},
                **({"extra_body": streamed} if streamed else {}),
            )
            # Not model_dump_json, which fails on half a character, as a server leaves that cuts at its limit.
            return json.dumps(reply.model_dump(mode="json"))

        return send, None  # litellm keeps its connections to itself

    keys = SecretKeys.of(environment) if key is None else SecretKeys([key])
    return ChatModel(settings, connect, keys=keys)


def _import(spec: str, options: Mapping[str, Any] | None = None) -> Any:
    """The package, with connections that are bounded and follow nowhere where it lets them be chosen."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
    write_plainly()
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False

    litellm.disable_aiohttp_transport = True  # which would undo codings and follow redirections by itself
    litellm.aclient_session = BoundedClient(MOST_BYTES, spec, options, few_words=True)
    return litellm


def _require_key(litellm: Any, spec: str, model: str) -> None:
    """Refuses a model whose provider's key is not in the environment, before anything is sent."""
    missing = litellm.validate_environment(model)["missing_keys"]
    if missing:
        raise ModelError(
            ErrorKind.KEY,
            f"{spec}: the environment variable {missing[0]} is not set; export {missing[0]}=… with your key",
        )
