"""Connections that are closed when the head of a request does not come: who sends it byte by byte, or nothing at all, would else hold one for good.

uvicorn gives up on a connection that is silent between two requests, and forgets about it as soon as one byte comes. So the time is counted
here, from the first moment or byte in which a head is waited for until it is whole, however many bytes come meanwhile. Bodies are the affair of
`guard`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport

HEAD_S = 20.0


class Patient(H11Protocol):
    """uvicorn's own reading of HTTP, with an end to its patience."""

    head_s = HEAD_S
    _head: TimerHandle | None = None  # runs while the head of a request is waited for

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came, and see what is waited for now."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering:
            self._rest()
        elif self._head is None:
            self._head = self.loop.call_later(self.head_s, self._give_up)

    def _rest(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        self._head = None
        if self.cycle is None or self.cycle.response_complete:
            self.timeout_keep_alive_handler()
