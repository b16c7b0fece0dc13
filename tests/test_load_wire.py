from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.load import Loaded, load
from yinju.load.wire import document_from_json, document_to_json, from_json, receipt_from_json, receipt_to_json, to_json
from yinju.types import Document, Dropped, Mark, Receipt, Span


@pytest.mark.parametrize(
    "text", ["---\na: [1, 二]\n---\n# 标题\n\n| a |\n|---|\n| b |\n", "# Title\n\n```py\nx\n```\n"]
)
def test_a_loaded_file_survives(text: str) -> None:
    loaded = load(text.encode(), "目录/a.md", modified_ns=2**62)
    assert from_json(to_json(loaded)) == loaded


def test_names_that_are_no_unicode_survive() -> None:
    document = Document("x", "bad\udcff\n\u202e.md", anchors=((0, 1),), marks=(Mark("heading", Span(0, 1), 1, "x"),))
    text = document_to_json(document)
    assert document_from_json(text) == document
    text.encode("utf-8")


def test_receipts_survive() -> None:
    receipt = Receipt(3, 2, 8, (Dropped("running header", 5),), 4, 1, ("encoding: x",))
    assert receipt_from_json(receipt_to_json(receipt)) == receipt


@given(st.text(), st.text(), st.none() | st.text(), st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_any_document_survives(text: str, source: str, title: str | None, metadata: dict[str, object]) -> None:
    document = Document(text, source, title, metadata=metadata)
    assert document_from_json(document_to_json(document)) == document
    loaded = Loaded(document, Receipt(), "sha256:0", 0)
    assert from_json(to_json(loaded)) == loaded


def test_numbers_that_json_has_not_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        document_to_json(Document("x", "a", metadata={"n": float("nan")}))
