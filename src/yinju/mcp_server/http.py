"""Over HTTP, for a server that holds the library open already: one address, no sessions, each request stands alone.

Who may ask, and who it is that asks, is the guard's affair, which stands before this: each request sees the library of its own
token, and since there are no sessions there is none that another token could take over.
The protocol's library is loaded by the first client that comes: most servers have none.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from yinju.library import Library
    from yinju.tokens import Asker

MOST_BYTES = 1024 * 1024  # of a message


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """A library that somebody else opened, and closes. `seen_by` gives what an asker sees of it."""

    seen_by: Callable[[Asker], Library]

    def begin(self) -> None:
        """Do nothing: it is open."""

    def library(self, asker: Asker | None) -> Library:
        """Return what the asker sees of it. Raises RuntimeError where nobody settled who that is."""
        if asker is None:
            raise RuntimeError("no guard stands before this door")
        return self.seen_by(asker)

    def note(self) -> str:
        """Return nothing to add."""
        return ""


class HttpDoor:
    """An ASGI application; answers only within `running`."""

    def __init__(self, seen_by: Callable[[Asker], Library]) -> None:
        self._seen_by = seen_by
        self._wanted: asyncio.Event | None = None
        self._ready: asyncio.Future[Any] | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve until the block is left; what is under way then is cancelled."""
        self._wanted, self._ready = asyncio.Event(), asyncio.get_running_loop().create_future()
        keeper = asyncio.create_task(self._keep(self._wanted, self._ready))
        try:
            yield
        finally:
            keeper.cancel()
            await asyncio.wait((keeper,))
            self._wanted = self._ready = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises RuntimeError outside `running`."""
        if self._wanted is None or self._ready is None:
            raise RuntimeError("the server is not running")
        self._wanted.set()
        manager = await asyncio.shield(self._ready)
        await manager.handle_request(scope, receive, send)

    async def _keep(self, wanted: asyncio.Event, ready: asyncio.Future[Any]) -> None:
        """Hold the manager of sessions from the first request on: what enters its block has to leave it."""
        await wanted.wait()
        try:
            manager = await asyncio.get_running_loop().run_in_executor(None, self._manager)
        except ImportError as error:
            ready.set_exception(error)
            return
        async with manager.run():
            ready.set_result(manager)
            await asyncio.Event().wait()

    def _manager(self) -> Any:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        from yinju.mcp_server.server import make_server

        return StreamableHTTPSessionManager(
            make_server(OpenLibrary(self._seen_by)), stateless=True, max_request_body_size=MOST_BYTES
        )
