"""All views under an accessibility checker, in both themes and languages, wide and narrow: no serious fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import axe
from browser import copy_of_examples
from yinju import Library
from yinju.testing import FakeEmbedder

if TYPE_CHECKING:
    from browser import Visit

pytestmark = pytest.mark.browser
EXAMPLES = Path(__file__).parent.parent / "examples" / "questions.jsonl"
LOOKS = [("light", "zh", 1280), ("dark", "en", 390), ("dark", "zh", 1280), ("light", "en", 390)]


@pytest.fixture(scope="module")
def checker(request: pytest.FixtureRequest) -> str:
    assert request.config.cache is not None
    return axe.source(Path(request.config.cache.mkdir("axe")))


@pytest.fixture
def look(visit: Callable[..., Visit], checker: str) -> Callable[..., Visit]:
    """Return what opens a page with the checker in it: before the page's own scripts, which its policy does not keep out."""

    def opened(address: str, view: str, **how: object) -> Visit:
        seen = visit(address, view, **how)
        seen.page.add_init_script(checker)
        seen.page.reload()
        seen.page.wait_for_selector(f"main.view-{view} > *:not(.dim)")
        return seen

    return opened


@pytest.fixture
def address(tmp_path: Path, served: Callable[..., str]) -> Iterator[str]:
    folder = copy_of_examples(tmp_path / "help-centre")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        yield served(library)


@pytest.mark.parametrize(("theme", "language", "width"), LOOKS)
def test_ask(help_centre: str, look: Callable[..., Visit], theme: str, language: str, width: int) -> None:
    seen = look(help_centre, "ask", theme=theme, language=language, width=width)
    page = seen.page
    assert axe.faults(page) == []
    seen.ask("一年要付多少？在校生能便宜吗？" if language == "zh" else "How long is the battery under warranty?")
    page.locator(".mark").first.focus()
    assert axe.faults(page) == []
    page.locator(".actions button").nth(2).click()
    assert axe.faults(page) == []
    page.locator(".mark").first.click()
    page.wait_for_selector(".source mark")
    assert axe.faults(page) == []
    page.keyboard.press("Escape")
    seen.ask("Who painted the ceiling of the chapel?" if language == "en" else "谁画了教堂的天花板？")
    assert axe.faults(page) == []
    seen.shoot(f"access-ask-{theme}-{language}-{width}")


@pytest.mark.parametrize(("theme", "language", "width"), LOOKS)
def test_the_pages_of_a_pdf(address: str, look: Callable[..., Visit], theme: str, language: str, width: int) -> None:
    seen = look(address, "ask", theme=theme, language=language, width=width)
    seen.ask("How long does the Tern 3 survive rain?" if language == "en" else "外壳用什么干布擦拭？")
    seen.page.locator(".citations button, .nearest button").filter(has_text="care.pdf").first.click()
    seen.page.wait_for_selector(".page img")
    assert axe.faults(seen.page) == []
    seen.shoot(f"access-pdf-{theme}-{language}-{width}")


@pytest.mark.parametrize(("theme", "language", "width"), LOOKS)
def test_library_inspect_and_quality(
    address: str, look: Callable[..., Visit], theme: str, language: str, width: int
) -> None:
    seen = look(address, "library", theme=theme, language=language, width=width)
    page = seen.page
    page.locator(".name-cell button").first.wait_for()
    assert axe.faults(page) == []
    page.locator(".changes summary").click()
    assert axe.faults(page) == []
    page.locator(".changes button").first.click()
    assert axe.faults(page) == []
    page.keyboard.press("Escape")
    page.locator(".name-cell button").first.click()
    page.wait_for_selector(".account")
    assert axe.faults(page) == []
    seen = look(address, "inspect", theme=theme, language=language, width=width)
    page = seen.page
    page.locator("form input, form textarea").first.fill("年费多少元" if language == "zh" else "battery warranty")
    page.locator("form button[type=submit]").first.click()
    page.wait_for_selector(".ranked")
    assert axe.faults(page) == []
    seen = look(address, "quality", theme=theme, language=language, width=width)
    assert axe.faults(seen.page) == []
    page = seen.page
    for mode in ("lexical", "hybrid"):
        page.fill("#cases", "\n".join(EXAMPLES.read_text(encoding="utf-8").splitlines()[::12]))
        page.fill("#label", mode)
        page.select_option("#mode", mode)
        page.locator("form button.main").click()
        page.locator(".is-shown", has_text=mode).wait_for()
        page.wait_for_selector(".result:not([aria-busy=true]) .plots svg")
    assert axe.faults(page) == []
    page.locator("[data-run^=before]").first.click()
    page.wait_for_selector(".result:not([aria-busy=true]) .compared svg")
    assert axe.faults(page) == []
    seen.shoot(f"access-quality-{theme}-{language}-{width}", whole=True)
