"""A chat server on this machine that speaks the OpenAI protocol and fails in every way that real ones do: for tests of whatever asks one.

It plays one script for each request (the last one is used again). Scripts are made by `reply` (a whole response), `streaming` (server-sent
events, with pauses, resets and rubbish between them) and `raw` (bytes on the socket); `event` writes one event.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Handler = BaseHTTPRequestHandler
Script = Callable[[Handler], None]


class ChatServer:
    """Remembers `requests` (bodies) and `headers`; `gone` is set when a client has hung up while a script was writing."""

    def __init__(self, *scripts: Script, models: Sequence[str] = ("small",)) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.gone = threading.Event()
        self.open = 0  # requests that are being answered
        self._lock = threading.Lock()
        outer = self
        listed = json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in models]})

        class _Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(size))
                with outer._lock:
                    number = len(outer.requests)
                    outer.requests.append(body)
                    outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                    outer.open += 1
                try:
                    scripts[min(number, len(scripts) - 1)](self)
                except OSError:
                    outer.gone.set()
                finally:
                    with outer._lock:
                        outer.open -= 1
                self.close_connection = True

            def do_GET(self) -> None:
                reply(200, listed)(self)

            def log_message(self, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def serve(self) -> None:
        """Answer until `stop`."""
        self._http.serve_forever(poll_interval=0.02)

    def stop(self) -> None:
        """Answer nobody any more."""
        self._http.shutdown()
        self._http.server_close()


@contextmanager
def serving(*scripts: Script) -> Iterator[ChatServer]:
    """Run a server with these scripts on a thread of its own."""
    server = ChatServer(*scripts)
    thread = threading.Thread(target=server.serve, name="chat-server", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join(timeout=2.0)


def reply(status: int, body: str | bytes, media: str = "application/json", **headers: str) -> Script:
    """Answer with one whole response. Names of headers are written with `_` for `-`."""

    def script(handler: Handler) -> None:
        data = body.encode() if isinstance(body, str) else body
        handler.send_response(status)
        handler.send_header("content-type", media)
        for name, value in {"content_length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return script


def event(text: str | None = None, finish: str | None = None, **more: Any) -> str:
    """Return one event of a stream: some text, a reason to stop, or other parts of a delta."""
    delta = {} if text is None else {"content": text}
    return "data: " + json.dumps({"choices": [{"index": 0, "delta": delta | more, "finish_reason": finish}]}) + "\n\n"


def streaming(*items: str | bytes | float, reset: bool = False) -> Script:
    """Send each text; wait for each number of seconds; at last close the connection, or `reset` it."""

    def script(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.end_headers()
        for item in items:
            if isinstance(item, float):
                pause(handler, item)
            else:
                handler.wfile.write(item.encode() if isinstance(item, str) else item)
                handler.wfile.flush()
        if reset:
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()

    return script


def pause(handler: Handler, seconds: float) -> None:
    """Wait, but no longer than the client does. Raises ConnectionError as soon as it has hung up."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        handler.connection.settimeout(min(left, 0.05))
        with suppress(TimeoutError):
            if handler.connection.recv(1, socket.MSG_PEEK) == b"":
                raise ConnectionAbortedError("the client has gone")
            time.sleep(min(left, 0.05))
    handler.connection.settimeout(None)


def silent(seconds: float) -> Script:
    """Accept a request and answer nothing for so long."""
    return lambda handler: pause(handler, seconds)


def raw(*items: bytes | float) -> Script:
    """Write these bytes to the socket, with these pauses: no HTTP but what they are."""

    def script(handler: Handler) -> None:
        for item in items:
            if isinstance(item, float):
                pause(handler, item)
            else:
                handler.wfile.write(item)
                handler.wfile.flush()

    return script


def said(text: str, *, piece: int = 4, pause_s: float = 0.0) -> Script:
    """Stream a whole answer in pieces of so many characters, with a pause after each."""
    pieces = [event(text[start : start + piece]) for start in range(0, len(text), piece)]
    items: list[str | bytes | float] = []
    for each in pieces:
        items += [each, pause_s] if pause_s else [each]
    return streaming(*items, event(finish="stop"), "data: [DONE]\n\n")
