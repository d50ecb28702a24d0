"""Connections that read a response no further than its limit, undo one coding at most, and follow nowhere.

Importing this module imports the openai package.
"""

from __future__ import annotations

import zlib
from typing import Any

from openai import DefaultAsyncHttpxClient

from .base import ErrorKind, ModelError

_DESCRIBES_BODY = ("content-encoding", "content-length", "transfer-encoding")
_PLAIN = ("", "identity")
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
"""Codings that are undone although nobody asked for them: some gateways compress whatever they pass on."""


class BoundedClient(DefaultAsyncHttpxClient):
    """The SDK's own client, with bodies cut one byte beyond a limit; also those of errors.

    Args:
        most: bytes of a body, as they are after decompression.
        name: the model's specification, for errors.
    """

    def __init__(self, most: int, name: str) -> None:
        super().__init__(follow_redirects=False)
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
        headers = [
            (name, text) for name, text in response.headers.multi_items() if name not in _DESCRIBES_BODY
        ]
        return type(response)(response.status_code, headers=headers, content=body, request=request)

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


def _coding(response: Any) -> str:
    return str(response.headers.get("content-encoding", "")).strip().lower()
