"""*Ask* in a real browser: answers with marks, their sources beside them, in both languages and at every width."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from browser import Visit

pytestmark = pytest.mark.browser

QUESTIONS = {
    "zh": ("一年要付多少？在校生能便宜吗？", "七折"),
    "en": ("How long is the battery under warranty?", "battery"),
}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_answer_is_followed_to_its_source(help_centre: str, visit: Callable[..., Visit], language: str) -> None:
    opened = visit(help_centre, language=language)
    question, said = QUESTIONS[language]
    opened.ask(question)
    page = opened.page
    assert said in page.inner_text(".said")
    page.hover(".mark >> nth=0")
    opened.shoot(f"ask-{language}-tip")
    page.click(".mark >> nth=0")
    page.wait_for_selector(".source mark")
    assert f"{language}/" in page.inner_text(".source h2")
    opened.shoot(f"ask-{language}-source")
