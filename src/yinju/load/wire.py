"""Documents and receipts as JSON: between worker and pool, and in the store. Plain data on both sides; never pickle.

Marks are lists `[kind, start, end, level, label]`: a long file has thousands. Lone surrogates (file names that are no UTF-8) survive as escapes.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from yinju.load.parsed import Loaded
from yinju.types import Document, Mark, Receipt, Span, as_plain


def to_json(loaded: Loaded) -> str:
    """Return the loaded file as JSON text that can be encoded as UTF-8."""
    return dump(
        {
            "document": _plain_document(loaded.document),
            "receipt": as_plain(loaded.receipt),
            "digest": loaded.digest,
            "size": loaded.size,
            "modified_ns": loaded.modified_ns,
        }
    )


def from_json(text: str) -> Loaded:
    """Return what `to_json` was given. Raises ValueError, KeyError or TypeError for anything else."""
    plain = json.loads(text)
    return Loaded(
        _document(plain["document"]),
        Receipt.from_plain(plain["receipt"]),
        plain["digest"],
        plain["size"],
        plain["modified_ns"],
    )


def document_to_json(document: Document) -> str:
    """Return the document as JSON text that can be encoded as UTF-8."""
    return dump(_plain_document(document))


def document_from_json(text: str) -> Document:
    """Return what `document_to_json` was given. Raises ValueError, KeyError or TypeError for anything else."""
    return _document(json.loads(text))


def receipt_to_json(receipt: Receipt) -> str:
    """Return the receipt as JSON text that can be encoded as UTF-8."""
    return dump(as_plain(receipt))


def receipt_from_json(text: str) -> Receipt:
    """Return what `receipt_to_json` was given. Raises ValueError, KeyError or TypeError for anything else."""
    return Receipt.from_plain(json.loads(text))


def dump(value: Any) -> str:
    """Return JSON without needless escapes, but with them where the text holds lone surrogates."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text


def _plain_document(document: Document) -> dict[str, Any]:
    return {
        "text": document.text,
        "source": document.source,
        "title": document.title,
        "type": document.type,
        "language": document.language,
        "metadata": dict(document.metadata),
        "marks": [[mark.kind, mark.span.start, mark.span.end, mark.level, mark.label] for mark in document.marks],
        "anchors": document.anchors,
        "preset": document.preset,
        "boxes": base64.b64encode(document.boxes).decode("ascii"),
    }


def _document(plain: dict[str, Any]) -> Document:
    marks = tuple(Mark(kind, Span(start, end), level, label) for kind, start, end, level, label in plain["marks"])
    anchors = tuple((offset, line) for offset, line in plain["anchors"])
    boxes = base64.b64decode(plain["boxes"])
    return Document(**{**plain, "marks": marks, "anchors": anchors, "boxes": boxes})
