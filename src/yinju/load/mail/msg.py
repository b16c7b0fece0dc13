"""Outlook messages (.msg): properties in the streams of a compound file. The plain text is read, else the HTML, else the compressed RTF.

Source: [MS-OXMSG], [MS-OXPROPS]. Messages inside of the message are sections below it, so deep as they go; attachments are named.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.legacy.ole import Compound, codec_of
from yinju.load.mail.headers import body_of, moment
from yinju.load.mail.letter import Envelope, write_mail, write_plain
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say

Place = tuple[str, ...]
_SUBJECT, _SENDER, _ADDRESS, _TO, _CC = "0037", ("0042", "0C1A"), ("5D01", "5D02", "0C1F", "0065"), "0E04", "0E03"
_BODY, _HTML, _RTF, _HEADERS = "1000", "1013", "1009", "007D"
_SENT, _RECEIVED = 0x0039, 0x0E06
_CODE_PAGES = (0x3FDE, 0x3FFD)  # of the body, of texts of one byte
_MOST_MESSAGES = 200
_MOST_RTF = 50_000_000  # bytes
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Store:
    """The streams of one message, and what its list of properties says."""

    file: Compound
    place: Place
    codec: str
    numbers: dict[int, int]

    def text(self, *properties: str) -> str:
        """Return the first of these properties that is there, as text."""
        for name in properties:
            if raw := self.file.optional(*self.place, f"__substg1.0_{name}001F"):
                return raw.decode("utf-16-le", "replace").rstrip("\0")
            if raw := self.file.optional(*self.place, f"__substg1.0_{name}001E"):
                return _eight_bit(raw, self.codec)
        return ""

    def line(self, *properties: str) -> str:
        """Return such a text in one line."""
        return " ".join(self.text(*properties).replace("\0", " ").split())


def load_msg(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return a message of Outlook. Raises DocumentError: damaged, limit, no-text."""
    file = Compound(data)
    builder, warnings = TextBuilder(), list[str]()
    outer: Envelope | None = None
    attachments = images = 0
    for number, (place, depth) in enumerate(messages(file)):
        if number >= _MOST_MESSAGES:
            warnings.append("messages-left-out")
            break
        store = _open(file, place)
        names = list(_attachments(file, place, store.codec))
        attachments += len(names)
        envelope = _envelope(store, names)
        kind, body = _body(store)
        facts: list[int] = []
        sample = body[:2000] if isinstance(body, str) else ""
        write_mail(
            builder,
            envelope,
            depth,
            lambda kind=kind, body=body, facts=facts: facts.append(_write(builder, kind, body, limits)),  # type: ignore[misc]
            sample,
        )
        images += sum(facts)
        outer = outer or envelope
    assert outer is not None
    if not builder.position:
        raise DocumentError(
            say("the message is empty", "邮件没有内容"), say("nothing to do", "无需处理"), code="no-text"
        )
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        title=outer.subject or None,
        metadata=outer.metadata(),
        dropped=builder.dropped(),
        images=images,
        warnings=((f"attachments: {attachments}",) if attachments else ()) + tuple(warnings) + builder.warnings(),
    )


def messages(file: Compound) -> Iterator[tuple[Place, int]]:
    """Yield where the message and those inside of it stand, with their depth from 1."""
    yield (), 1
    places = {path[:-1] for path in file.names if path[-1].lower() == "__properties_version1.0" and len(path) > 1}
    inner = sorted(place for place in places if place[-1].lower() == "__substg1.0_3701000d")
    for place in inner:
        yield place, len(place) // 2 + 1


def _open(file: Compound, place: Place) -> _Store:
    raw = file.optional(*place, "__properties_version1.0")
    numbers: dict[int, int] = {}
    for start in range(24 if place else 32, len(raw) - 15, 16):
        identity, value = struct.unpack_from("<2xH4xQ", raw, start)
        numbers.setdefault(identity, value)
    page = next((numbers[name] & 0xFFFF for name in _CODE_PAGES[::-1] if name in numbers), 1252)
    return _Store(file, place, codec_of(page), numbers)


def _eight_bit(raw: bytes, codec: str) -> str:
    """Text of one byte: many messages state a Western code page and hold Chinese."""
    raw = raw.rstrip(b"\0")
    try:
        return body_of(raw, codec)
    except DocumentError:
        return raw.decode(codec, "replace")


def _envelope(store: _Store, attachments: list[str]) -> Envelope:
    name, address = store.line(*_SENDER), store.line(*_ADDRESS)
    headers = store.text(_HEADERS)
    sent = _moment(store) or moment(
        next((line[5:] for line in headers.split("\n") if line.lower().startswith("date:")), "")
    )
    return Envelope(
        subject=store.line(_SUBJECT),
        sender=f"{name} <{address}>" if name and "@" in address and name != address else name or address,
        to=_recipients(store, 1) or store.line(_TO),
        cc=_recipients(store, 2) or store.line(_CC),
        moment=sent,
        attachments=tuple(attachments[:50]),
    )


def _moment(store: _Store) -> datetime | None:
    ticks = next((store.numbers[name] for name in (_SENT, _RECEIVED) if store.numbers.get(name)), 0)
    try:
        return (_EPOCH + timedelta(microseconds=ticks // 10)).replace(microsecond=0) if ticks else None
    except OverflowError:
        return None


def _recipients(store: _Store, kind: int) -> str:
    found = []
    for place in _storages(store.file, store.place, "__recip_version1.0_"):
        raw = store.file.optional(*place, "__properties_version1.0")
        kinds = [
            struct.unpack_from("<8xI", raw, start)[0]
            for start in range(8, len(raw) - 15, 16)
            if raw[start : start + 4] == b"\x03\x00\x15\x0c"
        ]
        inner = _Store(store.file, place, store.codec, {})
        name, address = inner.line("3001"), inner.line("39FE", "3003")
        if (kinds or [1])[0] & 0xF == kind and (name or address):
            found.append(f"{name} <{address}>" if name and "@" in address and name != address else name or address)
    return ", ".join(found[:200])


def _attachments(file: Compound, place: Place, codec: str) -> Iterator[str]:
    depth = len(place) + 2
    messages_in = {path[: depth - 1] for path in file.names if path[depth - 1 : depth] == ("__substg1.0_3701000D",)}
    for storage in _storages(file, place, "__attach_version1.0_"):
        if storage not in messages_in:
            yield _Store(file, storage, codec, {}).line("3707", "3704", "3001") or "?"


def _storages(file: Compound, place: Place, start: str) -> list[Place]:
    depth = len(place)
    found = {
        path[: depth + 1]
        for path in file.names
        if len(path) > depth + 1 and path[:depth] == place and path[depth].lower().startswith(start)
    }
    return sorted(found)


def _body(store: _Store) -> tuple[str, str | bytes]:
    """Return the text that is read, and whether it is `plain`, `html` or `rtf`; the first that is not blank."""
    if (plain := store.text(_BODY)).strip("\0 \t\r\n\xa0"):
        return "plain", plain
    html: str | bytes = store.file.optional(*store.place, f"__substg1.0_{_HTML}0102") or store.text(_HTML)
    if html.strip():
        return "html", html
    return "rtf", store.file.optional(*store.place, f"__substg1.0_{_RTF}0102")


def _write(builder: TextBuilder, kind: str, body: str | bytes, limits: Limits) -> int:
    """Write the body; return how many pictures were passed over."""
    if kind == "html":
        from yinju.load.web.html import html_blocks

        try:
            return html_blocks(builder, body, limits=limits).images
        except DocumentError as error:
            if error.code == "limit":
                raise
    elif isinstance(body, str):
        write_plain(builder, body)
    elif body:
        from yinju.load.legacy.rtf import read_rtf
        from yinju.load.mail.lzfu import expand

        return _append(builder, read_rtf(expand(body, _MOST_RTF)).blocks.builder)
    return 0


def _append(builder: TextBuilder, inner: TextBuilder) -> int:
    """Write what another builder holds, its structure left aside: it is the text of a mail."""
    if inner.position:
        builder.separate("\n\n")
        builder.write(inner.text())
    for what, count in inner.account.items():
        builder.drop(what, count)
    return 0
