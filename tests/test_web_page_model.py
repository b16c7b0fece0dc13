"""The whole way of a new user on the page, with the real local model: drop a PDF, ask, click the mark, see the words on the page itself."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser import care_pdf
from yinju import Library

if TYPE_CHECKING:
    from browser import Visit

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.model]
DROP = """content => {
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(content), letter => letter.charCodeAt(0))], 'care.pdf', { type: 'application/pdf' }));
  document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
# what is asked in other words than those of the document, and where it stands
ASKED = {
    "en": ("What should the case be cleaned with?", "page 1", "Ask"),
    "zh": ("外壳该拿什么来清洁？", "第 3 页", "提问"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_dropped_pdf_answers_and_shows_its_words(
    tmp_path: Path, served: Callable[..., str], visit: Callable[..., Visit], language: str
) -> None:
    question, place, ask = ASKED[language]
    with Library.open(tmp_path / ".yinju") as library:
        assert library.embedder is not None
        opened = visit(served(library), "library", language=language)
        page = opened.page
        page.wait_for_selector(".drop")
        page.evaluate(DROP, base64.b64encode(care_pdf()).decode())
        page.locator(".files").get_by_text("care.pdf").first.wait_for()
        page.get_by_role("link", name=ask, exact=True).click()
        page.wait_for_selector("#question")
        opened.ask(question)
        assert place in page.inner_text(".citations")
        page.click(".mark >> nth=0")
        page.wait_for_selector(".page img")
        rectangles = page.locator(".page rect")
        assert rectangles.count() >= 1
        opened.shoot(f"model-{language}")
        box, picture = rectangles.first.bounding_box(), page.locator(".page img").bounding_box()
        assert box
        assert picture
        assert (
            picture["y"] <= box["y"] <= picture["y"] + picture["height"] / 3
        )  # the lines stand in the upper third of the page
        assert 20 < box["width"] < picture["width"]
        assert box["height"] < picture["height"] / 20
