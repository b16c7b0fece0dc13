"""An OCR engine without models, and pictures for it and for the real one."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from yinju.boxes import Box
from yinju.load.ocr import OcrLine, availability, engine

CHILD = (sys.executable, "-P", "-X", "utf8", str(Path(__file__).parent / "ocr_child.py"))
GOLDEN_ZH = Path(__file__).parent / "golden" / "scan.zh.png"


class Engine:
    """Gives the lines that it was told to, for one picture after the other, and keeps the pictures."""

    def __init__(self, pages: Sequence[Sequence[OcrLine]]) -> None:
        self.pages = list(pages)
        self.seen: list[Any] = []

    def read(self, picture: Any) -> list[OcrLine]:
        self.seen.append(picture)
        return list(self.pages[min(len(self.seen), len(self.pages)) - 1])


Install = Callable[..., Engine]


def install(monkeypatch: pytest.MonkeyPatch, *pages: Sequence[OcrLine]) -> Engine:
    """Have OCR here, by a fake that reads these pages."""
    made = Engine(pages or [[]])
    monkeypatch.delenv("YINJU_OCR", raising=False)
    monkeypatch.setattr(availability, "models", Path)
    monkeypatch.setattr(engine, "engine", lambda: made)
    return made


def line(
    text: str, left: float, top: float, right: float, bottom: float, confidence: float = 0.99, turn: int = 0
) -> OcrLine:
    return OcrLine(text, Box(left, top, right, bottom), confidence, turn)


def column(
    texts: Sequence[str], left: float = 0.1, right: float = 0.9, top: float = 0.1, step: float = 0.04
) -> list[OcrLine]:
    """Return lines below each other, each 0.03 high; all but the last as wide as the column."""
    rows = []
    for number, text in enumerate(texts):
        end = right if number + 1 < len(texts) else left + (right - left) / 3
        rows.append(line(text, left, top + step * number, end, top + step * number + 0.03))
    return rows


def picture(size: tuple[int, int] = (320, 240), colour: Any = "white", **saved: Any) -> bytes:
    return encoded(Image.new("RGB", size, colour), **saved)


def encoded(image: Image.Image, kind: str = "PNG", **saved: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format=kind, **saved)
    return stream.getvalue()


def drawn(lines: Sequence[str], size: tuple[int, int] = (900, 420)) -> Image.Image:
    """Return a picture with these lines in the font that comes with Pillow."""
    image = Image.new("RGB", size, "white")
    font = ImageFont.load_default(size=30)
    for number, text in enumerate(lines):
        ImageDraw.Draw(image).text((50, 40 + 46 * number), text, fill="black", font=font)
    return image
