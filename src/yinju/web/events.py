"""Server-sent events: how they are written, and signs of life while nothing happens (proxies and browsers end silent streams)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

PING = ": still there\n\n"
PING_EVERY_S = 15.0


def event(name: str, data: Any) -> str:
    """Return one event; JSON holds no line end, so no text can end it early or begin another."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False, allow_nan=False)}\n\n"


def data_only(data: Any) -> str:
    """Return one event without a name, as OpenAI's API sends them."""
    return f"data: {json.dumps(data, ensure_ascii=False, allow_nan=False)}\n\n"


async def with_pings(events: AsyncIterator[str], every_s: float = PING_EVERY_S) -> AsyncIterator[str]:
    """Yield the events, and a comment whenever none came for so many seconds. Closing this closes the events."""
    waiting: asyncio.Task[str] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(_next(events))
            done, _ = await asyncio.wait({waiting}, timeout=every_s)
            if not done:
                yield PING
                continue
            finished, waiting = waiting, None
            try:
                text = finished.result()
            except StopAsyncIteration:
                return
            yield text
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await waiting
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()


async def _next(events: AsyncIterator[str]) -> str:
    return await anext(events)
