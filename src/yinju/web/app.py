"""The server as one ASGI application: routes, errors and guard put together. Each group of routes is a file of this room."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request, Response
from starlette.routing import Route

from yinju import __version__
from yinju.mcp_server.http import HttpDoor
from yinju.messages import language, set_language
from yinju.sync.roots import real_path
from yinju.web import (
    asking,
    documents,
    errors,
    finding,
    inspecting,
    measuring,
    openai_api,
    pages,
    schema,
    static,
    syncing,
)
from yinju.web.guard import Guard, GuardOptions
from yinju.web.state import State

if TYPE_CHECKING:
    from yinju.library import Library

DESCRIPTION = "Documents in, evidence out. Errors are {error: {code, message, hint}}; the shapes are those of `--json` on the command line."

WAIT_FOR_JOBS_S = 4.0  # when the server stops; what runs was told before, see `serve`


def create_app(
    library: Library, guard: GuardOptions | None = None, *, read_only: bool = False, folders: Sequence[str] = ()
) -> FastAPI:
    """Return the application for a library that the caller opened, and closes after it.

    `read_only`: no route changes the library. `folders`: absolute paths that are brought up to date once the server is there.
    """
    state = State(library, read_only=read_only, folders=tuple(map(real_path, folders)))
    mcp = HttpDoor(lambda asker: state.seen_by(asker).library)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if state.folders and state.may_change:
            syncing.start(state, list(state.folders), kind="sync")
        async with mcp.running():
            yield
        state.jobs.close(WAIT_FOR_JOBS_S)
        state.work.close()

    app = FastAPI(
        title="Yinju", version=__version__, description=DESCRIPTION, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    app.state.yinju = state
    errors.install(app)
    for group in (finding, asking, pages, syncing, documents, inspecting, measuring, openai_api, static):
        app.include_router(group.router)
    app.router.routes.append(Route("/mcp", mcp, methods=["POST"], include_in_schema=False))
    _add_health(app)
    schema.install(app)
    app.middleware("http")(_in_the_language_of_the_reader)
    app.add_middleware(Guard, options=guard or GuardOptions())
    return app


def _add_health(app: FastAPI) -> None:
    @app.get("/health", tags=["server"], summary="Whether the server is there; never waits for anything")
    async def health() -> dict[str, Any]:
        return {"status": "ok", "version": __version__}


async def _in_the_language_of_the_reader(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Speak the language that the request prefers, where it is one of ours; else that of the server."""
    wanted = request.headers.get("accept-language", "")[:2].lower()
    set_language(wanted if wanted in ("zh", "en") else language())
    return await call_next(request)
