"""A server with several askers for the tests of permissions: in this process, so that hundreds of requests take seconds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from yinju import Library, tokens
from yinju.tokens import Tokens
from yinju.web.app import create_app
from yinju.web.guard import GuardOptions

OWNER = "an-owner's-token-of-some-length"
MCP = "2025-06-18"
MODERN = "2026-07-28"


class Door:
    """A server and everybody's tokens. `as_` names the asker: None is the owner."""

    def __init__(self, client: TestClient, app: Any, file: Path, known: dict[str, str]) -> None:
        self.client, self.app, self.file, self.known = client, app, file, known

    def ask(self, as_: str | None, method: str, path: str, **given: Any) -> Any:
        """Return the response to one request."""
        token = OWNER if as_ is None else self.known[as_]
        headers = {"authorization": f"Bearer {token}", "accept-language": "en"} | given.pop("headers", {})
        return self.client.request(method, path, headers=headers, **given)

    def mcp(self, as_: str | None, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> Any:
        """Return the response to one message of the Model Context Protocol."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        accept = {"accept": "application/json, text/event-stream", "mcp-protocol-version": MCP} | headers
        return self.ask(as_, "POST", "/mcp", json=body, headers=accept)

    def tool(self, as_: str | None, name: str, **arguments: Any) -> str:
        """Return what a tool tells."""
        result = message(self.mcp(as_, "tools/call", {"name": name, "arguments": arguments}))["result"]
        return "\n".join(one["text"] for one in result["content"])


def message(response: Any) -> dict[str, Any]:
    """Return the one message in a response of `/mcp`."""
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        text = next(line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: "))
    return dict(json.loads(text))


@contextmanager
def doors(library: Library, folder: Path, people: Mapping[str, tuple[str, ...]], **options: Any) -> Iterator[Door]:
    """Serve this library to the owner and to these people: name -> groups."""
    file = folder / "tokens.json"
    known = {name: tokens.add(file, name, groups) for name, groups in people.items()}
    guard = GuardOptions(token=OWNER, tokens=Tokens(file), burst=1_000_000, requests_per_second=1_000_000)
    app = create_app(library, guard, **options)
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as client:
        yield Door(client, app, file, known)


def routes(app: Any) -> set[tuple[str, str]]:
    """Return method and path of every route that the application answers, also of those that /openapi.json leaves out."""
    return set(_walked(app.routes))


def _walked(found: Any) -> Iterator[tuple[str, str]]:
    for route in found:
        inner = getattr(route, "original_router", None) or (route if hasattr(route, "routes") else None)
        if inner is not None:
            yield from _walked(inner.routes)
        else:
            assert route.methods, f"{route} is no route that this knows how to ask"
            yield from ((method, route.path) for method in route.methods if method != "HEAD")
