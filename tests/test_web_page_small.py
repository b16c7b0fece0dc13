"""What a phone and long words do to the page: nothing covers an answer, nothing runs out of its pane, a page can be read at full size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser import care_pdf, copy_of_examples
from yinju import Library
from yinju.testing import FakeEmbedder
from yinju.types import Document

if TYPE_CHECKING:
    from browser import Visit

pytestmark = [pytest.mark.slow, pytest.mark.browser]
ASKED = {"en": "How long is the battery under warranty?", "zh": "一年要付多少？在校生能便宜吗？"}
REPORT = {"en": "0 skipped", "zh": "跳过 0"}


@pytest.fixture
def address(tmp_path: Path, served: Callable[..., str]) -> Iterator[str]:
    folder = copy_of_examples(tmp_path / "help-centre")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        yield served(library)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_after_esc_on_a_phone_the_answer_is_to_be_seen(
    address: str, visit: Callable[..., Visit], language: str
) -> None:
    seen = visit(address, "ask", language=language, width=390)
    seen.ask(ASKED[language])
    mark = seen.page.locator(".mark").first
    mark.focus()
    seen.page.keyboard.press("Enter")
    seen.page.locator(".source:not(.hidden)").wait_for()
    seen.page.keyboard.press("Escape")
    seen.page.locator(".source.hidden").wait_for(state="attached")
    assert mark.evaluate("node => node === document.activeElement")
    assert seen.page.locator(".tip.shown").count() == 0
    mark.blur()
    mark.focus()  # by the reader: then it shows
    assert seen.page.locator(".tip.shown").count() == 1


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "How often should the case be cleaned with a soft cloth?"), ("zh", "外壳多久清洁一次？")],
)
def test_a_tap_shows_a_page_at_full_size(
    served: Callable[..., str], visit: Callable[..., Visit], tmp_path: Path, language: str, question: str
) -> None:
    (tmp_path / "care.pdf").write_bytes(care_pdf())
    with Library.open(tmp_path / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(tmp_path)
        seen = visit(served(library), "ask", language=language, width=390)
        seen.ask(question)
        seen.page.locator(".citations .link, .nearest .link").first.click()
        figure = seen.page.locator(".page")
        figure.wait_for()
        narrow = figure.evaluate("node => node.offsetWidth")
        figure.click()
        assert figure.evaluate("node => node.offsetWidth") >= 1100 > narrow
        figure.click()
        assert figure.evaluate("node => node.offsetWidth") == narrow


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_token_stays_in_its_pane(served: Callable[..., str], visit: Callable[..., Visit], language: str) -> None:
    with Library.open(embedder=FakeEmbedder()) as library:
        token = "SGVsbG8" * 40
        text = f"# 设置 Settings\n\n{token} 电池 battery\n"
        library.add([Document.from_text(text, source="config.md")])
        seen = visit(served(library), "ask", language=language, width=1280)
        seen.ask("Which battery colour is best for sailing?" if language == "en" else "航海时哪种电池颜色最好？")
        seen.page.locator(".nearest li").first.wait_for()
        assert seen.page.evaluate(
            "[...document.querySelectorAll('.nearest li')].every((one) => one.scrollWidth <= one.clientWidth)"
        )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_upload_does_not_tell_again_of_older_files(address: str, visit: Callable[..., Visit], language: str) -> None:
    seen = visit(address, "library", language=language)
    choose = seen.page.locator("#add")
    choose.set_input_files([{"name": "broken.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4 and no more"}])
    seen.page.get_by_text("1 skipped" if language == "en" else "跳过 1").first.wait_for()
    choose.set_input_files([{"name": "new.md", "mimeType": "text/markdown", "buffer": b"# New\n\nText.\n"}])
    seen.page.get_by_text(REPORT[language]).first.wait_for()
