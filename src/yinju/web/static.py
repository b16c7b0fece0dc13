"""The page's own files. Only those that lie in the package are served, each by its exact name: no request becomes a path."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.exceptions import HTTPException

router = APIRouter(include_in_schema=False)
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@router.get("/")
async def index() -> Response:
    """Return the page."""
    return _file("index.html")


@router.get("/page/{name}")
async def part(name: str) -> Response:
    """Return one of its files."""
    return _file(name)


def _file(name: str) -> Response:
    found = _all().get(name)
    if found is None:
        raise HTTPException(404)
    content, kind = found
    return Response(content, media_type=kind, headers={"cache-control": "no-cache"})


@cache
def _all() -> dict[str, tuple[bytes, str]]:
    """Read every file of the page once: name to content and type."""
    folder = files("yinju.web") / "page"
    return {
        one.name: (one.read_bytes(), TYPES[one.name[one.name.rfind(".") :]])
        for one in folder.iterdir()
        if one.is_file() and one.name[one.name.rfind(".") :] in TYPES
    }
