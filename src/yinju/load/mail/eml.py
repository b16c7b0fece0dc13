"""Mails as files (.eml) and mailboxes (.mbox), by the standard library's tolerant parser: each mail a section, its text once.

Of alternatives the plain text is read, the HTML where the plain text says nothing. Mails inside of mails are sections below them. Attachments
are named; files in them are documents of their own elsewhere.
"""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message

from yinju.errors import DocumentError
from yinju.load.builder import TextBuilder
from yinju.load.mail.headers import body_of, charset_of, file_name, header, moment
from yinju.load.mail.letter import Envelope, write_mail, write_plain
from yinju.load.office.package import beyond_limit
from yinju.load.parsed import Limits, Parsed, visible
from yinju.messages import say

_FROM_LINE = re.compile(rb"(?:\A|\r?\n\r?\n)From [^\r\n]*[0-9]{4}[^\r\n]*\r?\n")
_STUB = 4  # an HTML body this many times as long as the plain one: the plain one only says that there is another
_MOST_NAMED = 50  # attachments
_SCRAMBLED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")


@dataclass(slots=True)
class _Found:
    """What the parts of one mail are, in order."""

    bodies: list[Message] = field(default_factory=list)
    others: list[Message] = field(default_factory=list)  # alternatives that are not read
    mails: list[Message] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    images: int = 0
    scrambled: bool = False


@dataclass(slots=True)
class _Account:
    """What the mails of one file have in common."""

    builder: TextBuilder = field(default_factory=TextBuilder)
    attachments: int = 0
    images: int = 0
    unreadable: int = 0
    scrambled: bool = False
    written: int = 0  # bodies with text
    warnings: list[str] = field(default_factory=list)


def load_eml(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return one mail. Raises DocumentError: binary, encrypted, limit, no-text, too-deep."""
    account = _Account()
    message = _parsed(data)
    envelope = _write(message, 1, account, limits)
    return _finished(account, envelope.subject or None, envelope.metadata())


def load_mbox(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return all mails of a mailbox, one section each. Raises DocumentError as `load_eml` does."""
    account, count = _Account(), 0
    for part in split_mailbox(data):
        count += 1
        if count > limits.entries:
            raise beyond_limit("too many mails", "邮件过多")
        _write(_parsed(part), 1, account, limits)
    return _finished(account, None, {"mails": count})


def split_mailbox(data: bytes) -> Iterator[bytes]:
    """Yield the mails; each begins behind a line `From ...` with a year. A file without any is one mail."""
    starts = list(_FROM_LINE.finditer(data))
    if not starts or starts[0].start() > 0:
        yield data[: starts[0].start() + 1 if starts else len(data)]
    for match, following in zip(starts, [*starts, None][1:], strict=True):
        yield data[match.end() : following.start() + 1 if following else len(data)]


def _finished(account: _Account, title: str | None, metadata: Mapping[str, object]) -> Parsed:
    builder = account.builder
    if account.scrambled and not account.written:
        raise DocumentError(
            say("the mail is encrypted", "邮件已加密"),
            say("open it in the mail program and save its text", "请在邮件程序中打开并另存正文"),
            code="encrypted",
        )
    if account.unreadable and not account.written:
        raise DocumentError(
            say("the bytes are no text in any known encoding", "这些字节不是任何已知编码的文本"),
            say("export the mail again", "请重新导出该邮件"),
            code="binary",
        )
    warnings = [f"attachments: {account.attachments}"] if account.attachments else []
    if account.unreadable:
        warnings.append(f"unreadable-parts: {account.unreadable}")
    return Parsed(
        text=builder.text(),
        marks=builder.sorted_marks(),
        title=title,
        metadata=metadata,
        dropped=builder.dropped(),
        images=account.images,
        warnings=(*warnings, *dict.fromkeys(account.warnings), *builder.warnings()),
    )


def _parsed(data: bytes) -> Message:
    try:
        return email.message_from_bytes(data, policy=email.policy.compat32)
    except RecursionError as error:
        raise DocumentError(
            say("mails nested too deep", "邮件嵌套过深"),
            say("save the inner mail on its own", "请单独保存内层邮件"),
            code="too-deep",
        ) from error


def _write(message: Message, level: int, account: _Account, limits: Limits) -> Envelope:
    """Write a mail and the mails in it, the outermost first."""
    outer: Envelope | None = None
    waiting = [(message, level)]
    while waiting:
        current, depth = waiting.pop()
        found = _parts(current)
        account.attachments += len(found.attachments)
        account.images += found.images
        account.scrambled = account.scrambled or found.scrambled
        envelope = _envelope(current, found.attachments)
        sample = next((_sample(part) for part in found.bodies), "")
        write_mail(account.builder, envelope, depth, lambda found=found: _write_bodies(found, account, limits), sample)  # type: ignore[misc]
        waiting += [(mail, depth + 1) for mail in reversed(found.mails)]
        outer = outer or envelope
    assert outer is not None
    return outer


def _envelope(message: Message, attachments: list[str]) -> Envelope:
    date = header(message, "date")
    return Envelope(
        subject=header(message, "subject"),
        sender=header(message, "from") or header(message, "sender"),
        to=header(message, "to"),
        cc=header(message, "cc"),
        date=date,
        moment=moment(date),
        attachments=tuple(attachments[:_MOST_NAMED]),
    )


def _parts(message: Message) -> _Found:
    found = _Found()
    waiting: list[tuple[Message, bool]] = [(message, False)]
    while waiting:
        part, other = waiting.pop()
        kind = part.get_content_type()
        inner = part.get_payload() if part.is_multipart() else None
        if isinstance(inner, list):
            children = [child for child in inner if isinstance(child, Message)]
            if kind == "message/rfc822":
                found.mails += children
            elif kind.startswith("message/"):  # the status of a delivery: fields, no text
                found.attachments.append(file_name(part) or kind)
            else:
                chosen = _chosen(children) if kind == "multipart/alternative" else None
                waiting += [
                    (child, other or (chosen is not None and child is not chosen)) for child in reversed(children)
                ]
        elif is_body(part):
            (found.others if other else found.bodies).append(part)
        elif kind in _SCRAMBLED and "signed" not in str(part.get("content-type", "")).lower():
            found.scrambled = True
            found.attachments.append(file_name(part) or kind)
        elif not kind.startswith("multipart/"):
            found.images += kind.startswith("image/")
            name = file_name(part)
            if name or not (kind.startswith("image/") or other):
                found.attachments.append(name or kind)
    return found


def is_body(part: Message) -> bool:
    """Say whether a part is text that the mail shows, no attachment."""
    if part.get_content_type() not in ("text/plain", "text/html"):
        return False
    return not str(part.get("content-disposition", "")).strip().lower().startswith("attachment")


def _chosen(children: list[Message]) -> Message | None:
    """Return the alternative that is read: the first plain text, else the last with HTML inside (the richest stands last)."""
    plain = next((child for child in children if child.get_content_type() == "text/plain" and is_body(child)), None)
    rich = next((child for child in reversed(children) if _inner_html(child) is not None), None)
    if plain is None or rich is None:
        return plain or rich
    page = _inner_html(rich)
    assert page is not None
    said, shown = visible(_text(plain) or ""), _page_size(page)
    return rich if said == 0 or said * _STUB < shown else plain


def _inner_html(part: Message) -> Message | None:
    for _ in range(20):
        if part.get_content_type() == "text/html" and is_body(part):
            return part
        inner = part.get_payload() if part.is_multipart() else None
        children = [child for child in inner if isinstance(child, Message)] if isinstance(inner, list) else []
        if not children:
            return None
        part = next((child for child in children if child.get_content_type() == "text/html"), children[0])
    return None


def _content(part: Message) -> bytes:
    try:
        content = part.get_payload(decode=True)
    except (ValueError, TypeError, LookupError, AssertionError):
        return b""
    return content if isinstance(content, bytes) else b""


def _text(part: Message) -> str | None:
    """Return the text of a part, None where its bytes are no text."""
    try:
        return body_of(content, charset_of(part)) if (content := _content(part)) else ""
    except DocumentError:
        return None


def _sample(part: Message) -> str:
    text = (_text(part) or "")[:20_000]
    return re.sub(r"<[^>]*>", "", text) if part.get_content_type() == "text/html" else text[:2_000]


def _page_size(part: Message) -> int:
    from yinju.load.web.html import html_blocks

    scratch = TextBuilder()
    try:
        html_blocks(scratch, _text(part) or "")
    except DocumentError:
        return 0
    return visible(scratch.text())


def _write_bodies(found: _Found, account: _Account, limits: Limits) -> None:
    from yinju.load.web.html import html_blocks

    builder = account.builder
    for part in found.bodies:
        text = _text(part)
        before = builder.position
        if text is None:
            account.unreadable += 1
        elif part.get_content_type() == "text/html":
            facts = html_blocks(builder, text, limits=limits)
            account.images += facts.images
            account.warnings += facts.warnings
        else:
            write_plain(builder, text, flowed="flowed" in str(part.get_param("format", "")).lower())
        account.written += builder.position > before
    for part in found.others:
        text = _text(part)
        if text is None:
            account.unreadable += 1
        elif part.get_content_type() == "text/html":
            scratch = TextBuilder()
            html_blocks(scratch, text, limits=limits)
            builder.drop("other version of the text", visible(scratch.text()) + sum(scratch.account.values()))
        else:
            builder.drop("other version of the text", text)
