"""One small document of our own per format and language, and the `Document` that it must become: look at the difference when one changes.

After a change on purpose: `YINJU_WRITE_GOLDEN=1 pytest tests/test_load_golden.py`, then read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from yinju.load import Loaded, load

FOLDER = Path(__file__).parent / "golden"
SOURCES = (
    "guide.zh.md",
    "guide.en.md",
    "manual.zh.txt",
    "manual.gb.zh.txt",
    "manual.en.txt",
    "page.zh.html",
    "page.en.html",
    "orders.zh.json",
    "orders.en.jsonl",
    "store.zh.py",
    "store.en.js",
    "handbook.zh.doc",
    "handbook.en.doc",
    "handbook.zh.rtf",
    "handbook.en.rtf",
    "prices.zh.xls",
    "prices.en.xls",
    "slides.zh.ppt",
    "slides.en.ppt",
    "contract.zh.docx",
    "contract.en.docx",
    "prices.zh.xlsx",
    "prices.en.xlsx",
    "deck.zh.pptx",
    "deck.en.pptx",
    "minutes.zh.odt",
    "minutes.en.odt",
    "stock.zh.ods",
    "stock.en.ods",
    "talk.zh.odp",
    "talk.en.odp",
)


def readable(loaded: Loaded) -> dict[str, Any]:
    document, receipt = loaded.document, loaded.receipt
    return {
        "title": document.title,
        "type": document.type,
        "language": document.language,
        "preset": document.preset,
        "metadata": document.metadata,
        "text": document.text.split("\n"),
        "anchors": [list(anchor) for anchor in document.anchors],
        "marks": [
            {
                "kind": mark.kind,
                "level": mark.level,
                "label": mark.label,
                "span": list(mark.span),
                "lines": list(document.lines(mark.span) or ()),
                "text": mark.span.of(document.text),
            }
            for mark in document.marks
        ],
        "found": receipt.found,
        "characters": receipt.characters,
        "dropped": {item.what: item.characters for item in receipt.dropped},
        "warnings": list(receipt.warnings),
    }


@pytest.mark.parametrize("name", SOURCES)
def test_golden(name: str) -> None:
    made = readable(load((FOLDER / name).read_bytes(), name))
    expected = FOLDER / f"{name}.document.json"
    if os.environ.get("YINJU_WRITE_GOLDEN"):
        expected.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert made == json.loads(expected.read_text(encoding="utf-8"))
