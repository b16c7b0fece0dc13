"""The body of a request, as far as anybody is willing to wait for it: not larger than allowed (chunked ones do not say how large they are), and not
slower. Only the time counts in which the server waits for the client, not what it takes to store what has come.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Message, Receive

LEAST_BYTES_PER_S = 4096  # what a client has to send in the long run, once its first seconds are over


class Body:
    """What an application receives. One that is too large or too slow ends as if the client had gone."""

    def __init__(self, receive: Receive, most_bytes: int, seconds: float) -> None:
        self._receive, self._left, self._seconds = receive, most_bytes, seconds
        self._whole = False
        self.is_late = False

    async def __call__(self) -> Message:
        """Return the next part, or that the client has gone."""
        if self._whole:
            return await self._receive()
        message = await self._next()
        if message["type"] == "http.request":
            length = len(message.get("body", b""))
            self._left -= length
            self._seconds += length / LEAST_BYTES_PER_S
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                return {"type": "http.disconnect"}
        return message

    async def _next(self) -> Message:
        if self.is_late:
            return {"type": "http.disconnect"}
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(self._seconds, 0.0)):
                return await self._receive()
        except TimeoutError:
            self.is_late = True
            return {"type": "http.disconnect"}
        finally:
            self._seconds -= time.monotonic() - began
