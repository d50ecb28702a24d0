"""Connections that read a response no further than its limit: a server may send without end.

Importing this module imports the openai package.
"""

from __future__ import annotations

from typing import Any

from openai import DefaultAsyncHttpxClient

_DESCRIBES_BODY = ("content-encoding", "content-length", "transfer-encoding")


class BoundedClient(DefaultAsyncHttpxClient):
    """The SDK's own client, with bodies cut one byte beyond a limit; also those of errors.

    Args:
        most: bytes of a body, as they are after decompression.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """The response to a request, read and closed; see `httpx.AsyncClient.send`."""
        response = await super().send(request, stream=True, **options)
        try:
            body = await self._read(response)
        finally:
            await response.aclose()
        headers = [
            (name, text) for name, text in response.headers.multi_items() if name not in _DESCRIBES_BODY
        ]
        return type(response)(response.status_code, headers=headers, content=body, request=request)

    async def _read(self, response: Any) -> bytes:
        parts: list[bytes] = []
        room = self._most + 1
        async for part in response.aiter_bytes():
            parts.append(part[:room])
            room -= len(parts[-1])
            if room == 0:
                break
        return b"".join(parts)
