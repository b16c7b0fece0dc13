"""A server over a library for the tests of the HTTP doors, and a client of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from yinju import Library
from yinju.web.app import create_app
from yinju.web.connections import Patient
from yinju.web.guard import GuardOptions
from yinju.web.serve import _listen


@contextmanager
def served(library: Library, guard: GuardOptions | None = None, **options: Any) -> Iterator[httpx.Client]:
    """Serve this library and yield a client of it, whose `app` is the application."""
    with _listen("127.0.0.1", 0) as listener:
        app = create_app(library, guard or GuardOptions(burst=100_000, requests_per_second=100_000), **options)
        server = uvicorn.Server(uvicorn.Config(app, http=Patient, log_level="warning", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=30) as client:
                client.app = app  # type: ignore[attr-defined]
                yield client
        finally:
            server.should_exit = True
            thread.join(15)


def over(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    """Wait for the end of a job by its events, and return it."""
    told = client.get(f"/api/jobs/{job['id']}/events").text
    assert told.rstrip().rsplit("\n\n", 1)[-1].startswith(("event: report", "event: error"))
    return dict(client.get(f"/api/jobs/{job['id']}").json())
