"""The page asks for a token when it opens, and says so where the server does not take the one that was given: in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from yinju import Library
from yinju.testing import FakeEmbedder
from yinju.types import Document
from yinju.web.guard import GuardOptions

if TYPE_CHECKING:
    from browser import Visit

pytestmark = [pytest.mark.slow, pytest.mark.browser]
TOKEN = "the-owner's-token-0123456789"
SAID = {
    "en": ("This server asks for a token", "Go on", "This token is not accepted.", "What does the annual plan cost?", "168"),
    "zh": ("此服务器需要令牌", "继续", "此令牌无效。", "年费每年多少钱？", "168"),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_token_is_asked_for_at_once_until_one_is_right(
    served: Callable[..., str], visit: Callable[..., Visit], language: str
) -> None:
    title, go, refused, question, answer = SAID[language]
    with Library.open(embedder=FakeEmbedder()) as library:
        text = "# 方案\n\n年费方案每年 168 元。\n\n# Plans\n\nThe annual plan costs 168 yuan a year.\n"
        library.add([Document.from_text(text, source="plans.md")])
        guard = GuardOptions(burst=100_000, requests_per_second=100_000, token=TOKEN)
        opened = visit(served(library, guard=guard), "ask", language=language)
        opened.expected.append("401")
        page = opened.page
        dialog = page.get_by_role("dialog", name=title)
        dialog.wait_for()  # before anything was asked
        for wrong in ("nonsense-of-some-length", "令牌"):
            page.fill("#token", wrong)
            dialog.get_by_role("button", name=go).click()
            dialog.get_by_text(refused).wait_for()
            assert dialog.is_visible()
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        dialog.wait_for(state="detached")
        opened.ask(question)
        assert answer in page.locator(".answer").inner_text()
