"""On stdin and stdout of a process that a client started. Nothing but the protocol may reach stdout, whatever a library prints.

So both descriptors are taken away before anything else is loaded: what anyone prints, Python or native code or a child, goes to stderr, and whoever
reads stdin finds its end. Errors of opening the library are words to the agent while it asks, and the exit code when it has gone.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from yinju.mcp_server.opening import Opening

INTERRUPTED = 130  # exit code


@dataclass(frozen=True, slots=True)
class Wire:
    """The two streams of the protocol."""

    reads: TextIO
    writes: TextIO


def take() -> Wire:
    """Take stdin and stdout for the protocol alone, from now on until the process ends."""
    reads = os.fdopen(_private(0), "r", encoding="utf-8", errors="replace", newline="\n")
    writes = os.fdopen(_private(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return Wire(reads, writes)


def serve(wire: Wire, opening: Opening) -> None:
    """Serve until the client goes. Raises the error of opening the library, where it could not be opened."""
    import anyio

    def stop(_number: int, _frame: object) -> None:
        """End now: the thread that reads stdin would wait for a line that nobody sends any more."""
        opening.close()
        os._exit(INTERRUPTED)

    before = signal.signal(signal.SIGINT, stop)
    try:
        anyio.run(_serve, wire, opening)
    finally:
        signal.signal(signal.SIGINT, before)
        opening.close()
    if opening.failure is not None:
        raise opening.failure


async def _serve(wire: Wire, opening: Opening) -> None:
    import logging

    import anyio
    from mcp.server.stdio import stdio_server

    from yinju import logs
    from yinju.mcp_server.server import make_server

    logs.install(logging.ERROR)
    server = make_server(opening)
    async with stdio_server(anyio.wrap_file(wire.reads), anyio.wrap_file(wire.writes)) as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


def _private(number: int) -> int:
    """Return a copy of this descriptor that is none of the three that every program knows, and that no child inherits."""
    low = []
    while (copy := os.dup(number)) <= 2:
        low.append(copy)
    for one in low:
        os.close(one)
    return copy
