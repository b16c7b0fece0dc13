"""As how much text a file counts before it is read: by its type, so that pictures and fonts are no passages."""

from __future__ import annotations

import pytest

from yinju.sync.amount import Amount, amount, bytes_of_text
from yinju.types import SourceFile


def file(source: str, size: int) -> SourceFile:
    return SourceFile(source, "/" + source, size, 0)


@pytest.mark.parametrize(
    ("source", "size", "text"),
    [
        ("说明.md", 10_000, 10_000), ("app.log", 10_000, 10_000), ("report.pdf", 1_000_000, 130_000), ("合同.docx", 1_000_000, 30_000),
        ("slides.pptx", 1_000_000, 10_000), ("价格.xlsx", 10_000, 4_400), ("扫描.png", 5_000_000, 3_000), ("icon.png", 900, 900),
        ("unknown", 10_000, 10_000),
    ],
)  # fmt: skip
def test_a_file_counts_as_text_by_its_type(source, size, text):
    assert bytes_of_text(file(source, size)) == pytest.approx(text)


def test_amounts_add_up_and_name_the_largest():
    found = amount([file("a.md", 8_500), file("b.pdf", 10_000_000), file("empty.md", 0), file("c.md", 10)])
    assert (found.files, found.largest) == (4, "b.pdf")
    assert found.passages == pytest.approx(10 + 1_300_000 / 850 + 0 + 1)
    assert found + Amount() == found
    assert (Amount() + found).largest == "b.pdf"
