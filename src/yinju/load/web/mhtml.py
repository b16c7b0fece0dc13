"""Web archives (MHTML, .mht): a page with its pictures in one mail-like file, as browsers and Word save it. The page in it is read as HTML.

Other pages in the archive are frames of the first (advertising, mostly) and left out, but where the first is a frame set without any text.
"""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from email.message import Message

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.parsed import Limits, Parsed, visible
from yinju.load.web.html import html_blocks, read_page
from yinju.load.web.tree import Page, inner_text, parse_html
from yinju.messages import say
from yinju.types import Dropped

_PAGES = ("html", "xhtml+xml")  # what stands behind the slash


def load_mhtml(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the main text of the archive's page. Raises DocumentError: binary, damaged, limit, too-deep."""
    try:
        message = email.message_from_bytes(data, policy=email.policy.compat32)
    except RecursionError:
        raise DocumentError(
            say("its parts are nested too deep", "部件嵌套过深"),
            say("open it in a browser and save it again", "请在浏览器中打开并重新保存"),
            code="too-deep",
        ) from None
    parts = [part for part in message.walk() if part.get_content_subtype() in _PAGES and _content(part).strip()]
    if not parts:
        raise DocumentError(
            say("no page in the web archive", "网页归档中没有页面"),
            say("open it in a browser and save it again", "请在浏览器中打开并重新保存"),
            code="damaged",
        )
    root = _root(message, parts)
    frames = [part for part in parts if part is not root]
    parsed = read_page(_page(root), limits)
    if not visible(parsed.text):
        parsed, frames = _frame_set(root, frames, parsed, limits), []
    metadata = dict(parsed.metadata)
    address = " ".join(str(message.get("Snapshot-Content-Location") or root.get("Content-Location") or "").split())
    if address.startswith(("http://", "https://")):
        metadata.setdefault("url", address[:1000])
    left = Dropped("frames", sum(_all_text(part) for part in frames))
    return replace(parsed, metadata=metadata, dropped=parsed.dropped + ((left,) if left.characters else ()))


def _frame_set(root: Message, frames: list[Message], empty: Parsed, limits: Limits) -> Parsed:
    """A frame set has no text of its own: its frames are the page."""
    builder, images, title = TextBuilder(), 0, empty.title
    for part in frames:
        facts = html_blocks(builder, _content(part), _charset(part), limits=limits)
        images, title = images + facts.images, title or facts.title
    builder.drop("frame set", _all_text(root))
    return replace(
        empty,
        text=builder.text(),
        marks=builder.sorted_marks(),
        title=title,
        images=images,
        dropped=builder.dropped(),
        warnings=builder.warnings(),
    )


def _root(message: Message, parts: list[Message]) -> Message:
    """The page is the part that the archive names as its start, else the one from its own address, else the first."""
    start = str(message.get_param("start") or "").strip("<> ")
    address = str(message.get("Snapshot-Content-Location") or "").strip()
    for part in parts:
        if start and str(part.get("Content-ID", "")).strip("<> ") == start:
            return part
    return next(
        (part for part in parts if address and str(part.get("Content-Location", "")).strip() == address), parts[0]
    )


def _content(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _charset(part: Message) -> str | None:
    return part.get_content_charset()


def _page(part: Message) -> Page:
    return parse_html(_content(part), _charset(part))


def _all_text(part: Message) -> int:
    root = _page(part).tree.root
    return visible(inner_text(root)) if root is not None else 0
