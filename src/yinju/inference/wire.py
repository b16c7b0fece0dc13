"""Read what an endpoint says beside its numbers: complaints, "not so fast", how long to wait."""

from __future__ import annotations

import json
import math
import re
import time
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

_LONGEST_COMPLAINT = 200  # characters of the server's own words that are shown
SENT = re.compile(
    r"\b(basic|bearer) +[\w+/=.~-]{4,}", re.IGNORECASE
)  # what was sent to prove who asks, said back by a server
_READ = 1 << 16  # bytes of an answer that are looked at for words
_BUSY = re.compile(
    r"rate.?limit|too many requests|throttl|overload|\bqps\b|\b[rt]pm\b|try again|限流|频率|频繁|繁忙", re.IGNORECASE
)
# As MiniMax, Baidu and Zhipu number it, and HTTP's own number.
_BUSY_CODES = frozenset(("429", "1002", "1039", "1302", "1305", "18", "336501", "336502"))
_TOO_MUCH = (
    "batch",
    "too many",
    "too large",
    "too long",
    "larger than",
    "maximum",
    "exceed",
    "at most",
    "limit",
    "最大",
    "超过",
    "过长",
)


def login(url: str) -> tuple[str, tuple[str, str] | None]:
    """Return the address without the user and password that may stand in it, and both apart: clients write addresses into logs.

    A URL that is none is returned as it is.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, None
    before, sign, host = parts.netloc.rpartition("@")
    if not sign:
        return url, None
    user, _, password = before.partition(":")
    return urlunsplit(parts._replace(netloc=host)), (unquote(user), unquote(password))


def complaint(answer: bytes, hide: str | None = None) -> str:
    """Return the server's own words about an error, short, on one line, without the key; empty where there are none (such as a page)."""
    try:
        body: Any = json.loads(answer[:_READ])
    except (ValueError, RecursionError):
        return ""
    error = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(error, dict):
        error = next((error[key] for key in ("message", "detail", "msg") if isinstance(error.get(key), str)), "")
    words = " ".join("".join(c if c.isprintable() else " " for c in error).split()) if isinstance(error, str) else ""
    words = words.replace(hide, "***") if hide else words
    return SENT.sub(r"\1 ***", words)[:_LONGEST_COMPLAINT]


def says_too_much(answer: bytes) -> bool:
    """Return whether the server complains about a size: of a batch, or of a text."""
    said = complaint(answer).lower()
    return any(word in said for word in _TOO_MUCH)


def is_busy(answer: bytes) -> bool:
    """Return whether an answer with status 200 holds, instead of results, the words or codes with which services say: not so fast."""
    try:
        body: Any = json.loads(answer[:_READ])
    except (ValueError, RecursionError):
        return False
    if not isinstance(body, dict) or body.get("data") or body.get("results") or body.get("output"):
        return False
    parts = [body, *(value for value in body.values() if isinstance(value, dict))]
    items = [item for part in parts for item in part.items()]
    return any("code" in key.lower() and str(value) in _BUSY_CODES for key, value in items) or any(
        isinstance(value, str) and _BUSY.search(value) for _key, value in items
    )


def retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header (a number or a date), or None."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        import email.utils

        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def is_page(answer: bytes) -> bool:
    """Return whether the answer is a web page, as a login or a proxy gives, and no data."""
    start = answer[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype", b"<html", b"<?xml", b"<head"))
