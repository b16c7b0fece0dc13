"""Pages of PDFs as pictures, and where on them a citation stands. A picture is made by a child process and kept for a while."""

from __future__ import annotations

from collections import OrderedDict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from yinju.types import Citation, Span, as_plain
from yinju.web.finding import Source
from yinju.web.state import Served, State

router = APIRouter(prefix="/api", tags=["find"])
KEPT = 16  # pictures, some 300 kB each
_Key = tuple[str, int, int, int]  # source, page, width, generation of the library


@router.get("/boxes")
async def boxes(
    source: Source,
    served: Served,
    start: Annotated[int, Query(ge=0, le=1_000_000_000)],
    end: Annotated[int, Query(ge=0, le=1_000_000_000)],
) -> dict[str, Any]:
    """Tell where a span of the text stands on its pages: a rectangle a line, in shares of the page (left, top, right, bottom)."""
    place = Citation(0, "", source, "", (), None, None, Span(start, max(start, end)), "", "unsupported")
    found = await served.work.run(lambda: served.library.boxes(place))
    return {"source": source, "boxes": [{"page": page, "box": as_plain(box)} for page, box in found]}


@router.get("/page", response_class=Response)
async def page(
    source: Source,
    served: Served,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    width: Annotated[int, Query(ge=100, le=2_000)] = 1_000,
) -> Response:
    """Show a page of a PDF as a PNG."""
    return Response(await _picture(served, source, page, width), media_type="image/png")


async def _picture(served: State, source: str, page: int, width: int) -> bytes:
    kept: OrderedDict[_Key, bytes] = served.pictures
    key = (source, page, width, await served.work.run(lambda: _generation(served, source)))
    if key not in kept:
        whole = served.whole or served.library  # where files lie only the owner's knows
        kept[key] = await served.work.run(lambda: whole.page_picture(source, page, width))
    kept.move_to_end(key)
    while len(kept) > KEPT:
        kept.popitem(last=False)
    return kept[key]


def _generation(served: State, source: str) -> int:
    """Return the library's generation. Raises SourceMissing where the asker sees no such source: pictures are kept for all."""
    if not served.asker.is_owner:
        served.library.document(source)
    return served.library.store.generation
