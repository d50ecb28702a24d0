"""One thread with an event loop, for providers whose packages are asynchronous.

Callers wait in threads of their own, which costs next to nothing; sockets, time-outs and parsing of all calls
in flight share this one thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

from .base import ErrorKind, ModelError

T = TypeVar("T")


class Wire:
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
