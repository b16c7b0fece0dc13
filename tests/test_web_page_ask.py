"""*Ask* in a real browser: answers with marks, their sources beside them, in both languages, by keyboard and at every width."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser import PDF_TEXT, care_pdf
from yinju import Library
from yinju.caring import LibraryOptions
from yinju.errors import ModelError
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Document

if TYPE_CHECKING:
    from browser import Visit

pytestmark = pytest.mark.browser
Visiting = Callable[..., "Visit"]
Serving = Callable[..., str]

QUESTIONS = {
    "zh": ("一年要付多少？在校生能便宜吗？", "七折"),
    "en": ("How long is the battery under warranty?", "battery"),
}
PRICES = "# 价目\n\n| 方案 | 价格 |\n|---|---|\n" + "\n".join(f"| 方案{n} | {n} 元 |" for n in range(100, 190)) + "\n"
PLANS = "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n\n## 在校生\n\n在校生上传学生证后按七折结算。\n"


def opened(*scripts: object, folder: Path | None = None, **documents: str) -> Library:
    library = Library.open(folder, embedder=FakeEmbedder(), chat_model=ScriptedChatModel(*scripts) if scripts else None)
    library.options = LibraryOptions(
        refuse_below=0
    )  # what is asked here is there; the embedder of tests knows no meaning
    library.add(
        [Document.from_text(text, source=f"{name}.md") for name, text in ({"plans": PLANS} | documents).items()]
    )
    return library


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_answer_is_followed_to_its_source(help_centre: str, visit: Visiting, language: str) -> None:
    seen = visit(help_centre, language=language)
    question, said = QUESTIONS[language]
    seen.ask(question)
    page = seen.page
    assert said in page.inner_text(".said")
    page.hover(".mark >> nth=0")
    tip = page.locator(".tip.shown")
    assert ("已核实" if language == "zh" else "verified") in tip.inner_text()
    assert ("得分" if language == "zh" else "score") in tip.inner_text()
    seen.shoot(f"ask-{language}-tip")
    box = tip.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["y"] >= 0
    page.click(".mark >> nth=0")
    page.wait_for_selector(".source mark")
    assert page.locator(".tip.shown").count() == 0
    assert f"{language}/" in page.inner_text(".source h2")
    seen.shoot(f"ask-{language}-source")


@pytest.mark.parametrize("width", [1280, 390, 360])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_what_a_mark_shows_stays_inside_the_window(
    help_centre: str, visit: Visiting, language: str, width: int
) -> None:
    seen = visit(help_centre, language=language, width=width, height=700)
    seen.ask(QUESTIONS[language][0])
    for mark in seen.page.locator(".mark").all():
        mark.hover()
        box = seen.page.locator(".tip.shown").bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["y"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= 700
    seen.shoot(f"ask-{language}-{width}")
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    seen.page.mouse.move(1, 1)
    seen.page.locator(".mark").first.click()
    seen.page.wait_for_selector(".source mark")
    seen.shoot(f"ask-{language}-{width}-source")


@pytest.mark.parametrize(
    ("language", "question", "page_number", "other"),
    [
        ("en", "How long does the Tern 3 survive rain?", 2, PDF_TEXT[0][0]),
        ("zh", "外壳用什么擦拭？", 3, PDF_TEXT[1][0]),
    ],
)
def test_a_page_of_a_pdf_shows_the_words_and_its_neighbours(
    tmp_path: Path, served: Serving, visit: Visiting, language: str, question: str, page_number: int, other: str
) -> None:
    del other
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "care.pdf").write_bytes(care_pdf())
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        seen = visit(served(library), language=language)
        seen.ask(question)
        page = seen.page
        page.click(".mark >> nth=0")
        page.wait_for_selector(".page img")
        assert page.locator(".page rect").count() >= 1
        seen.shoot(f"ask-{language}-pdf")
        number = page.locator(".source [role=status]")
        assert str(page_number) in number.inner_text()
        page.get_by_role("button", name="上一页" if language == "zh" else "Previous page").click()
        seen.until(
            "text => document.querySelector('.source [role=status]').textContent.includes(text)",
            str(page_number - 1),
        )
        seen.until("() => document.querySelectorAll('.page rect').length === 0")
        page.get_by_role("button", name="文字" if language == "zh" else "Text", exact=True).click()
        page.wait_for_selector(".source mark")
        (folder / "care.pdf").write_bytes(b"%PDF-1.4 something else")
        page.get_by_role("button", name="原页" if language == "zh" else "Page", exact=True).click()
        page.wait_for_selector(
            ".source .warn, .page img"
        )  # the picture is still kept, or the text is shown and says why


def test_rows_of_a_table_are_cells_below_their_header_and_can_be_read_on(served: Serving, visit: Visiting) -> None:
    with opened(prices=PRICES) as library:
        seen = visit(served(library), language="zh")
        seen.ask("方案181 的价格是多少元？")
        page = seen.page
        page.locator(".citations button").filter(has_text="prices.md").first.click()
        page.wait_for_selector(".source .rows mark")
        assert page.locator(".rows thead th").all_inner_texts() == ["方案", "价格"]
        first = page.locator(".rows tbody .line-number").first.inner_text()
        assert int(first) > 5
        seen.shoot("ask-zh-table")
        page.locator(".more").first.click()
        seen.until("first => !document.querySelector('.rows tbody .line-number').textContent.includes(first)", first)  # fmt: skip
        while page.locator(".more").count():
            count = page.locator(".rows tbody tr").count()
            page.locator(".more").first.click()
            seen.until("count => document.querySelectorAll('.rows tbody tr').length > count", count)
        numbers = [int(text) for text in page.locator(".rows .line-number").all_inner_texts()]
        assert numbers == [3, *range(5, 95)]
        assert page.locator(".rows mark").count() >= 1


@pytest.mark.parametrize(
    ("language", "question"), [("en", "Who painted the ceiling of the chapel?"), ("zh", "谁画了教堂的天花板？")]
)
def test_a_refusal_names_the_nearest_passages(help_centre: str, visit: Visiting, language: str, question: str) -> None:
    seen = visit(help_centre, language=language)
    seen.ask(question)
    assert seen.page.locator("h3.refused").count() == 1
    seen.shoot(f"ask-{language}-refused")
    near = seen.page.locator(".nearest button")
    if near.count():
        near.first.click()
        seen.page.wait_for_selector(".source .line")


def paused(first: list[str], rest: list[str], go: threading.Event) -> Callable[[object], Iterator[str]]:
    def script(_messages: object) -> Iterator[str]:
        yield from first
        assert go.wait(20)
        yield from rest

    return script


def test_marks_are_seen_while_the_answer_is_written_and_it_can_be_stopped(served: Serving, visit: Visiting) -> None:
    go = threading.Event()
    with opened(paused(["年费方案每年 168 元 ", "[1]。在校生"], ["按七折结算 [2]。"], go)) as library:
        seen = visit(served(library), language="zh")
        page = seen.page
        seen.ask("年费方案每年多少元？", wait=False)
        page.wait_for_selector(".coming .mark")
        assert page.locator(".answer").get_attribute("aria-busy") == "true"
        assert page.get_by_role("button", name="提问").is_disabled()
        seen.shoot("ask-zh-coming")
        page.get_by_role("button", name="停止").click()
        page.wait_for_selector(".answer[aria-busy=false] .notice")
        assert "已停止" in page.inner_text(".notice")
        assert "168" in page.inner_text(".said")
        go.set()
        page.get_by_role("button", name="重新提问").click()
        page.wait_for_selector(".citations")
        assert page.locator(".notice").count() == 0


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_model_that_fails_is_said_and_the_passages_answer(served: Serving, visit: Visiting, language: str) -> None:
    failing = ModelError("the model is not there", "Start it.", code="llm-unreachable")
    with opened(failing, warranty="# Warranty\n\nThe battery is under warranty for six months.\n") as library:
        seen = visit(served(library), language=language)
        seen.ask("年费方案每年多少元？" if language == "zh" else "How long is the battery under warranty?")
        assert "the model is not there" in seen.page.inner_text(".notice")
        assert seen.page.locator(".mark").count() >= 1
        seen.shoot(f"ask-{language}-failure")


def test_an_error_is_said_and_the_question_can_be_asked_again(served: Serving, visit: Visiting) -> None:
    with opened() as library:
        seen = visit(served(library))
        seen.expected.append("Failed to load resource")
        seen.expected.append("net::ERR_FAILED")
        seen.page.route("**/api/ask", lambda route: route.abort())
        seen.ask("年费方案每年多少元？")
        assert seen.page.locator(".notice[role=alert]").count() == 1
        seen.page.unroute("**/api/ask")
        seen.page.get_by_role("button", name="Ask again").click()
        seen.page.wait_for_selector(".citations")
        assert seen.page.locator(".turn").count() == 1


def test_sentences_that_nothing_proves_are_underlined(served: Serving, visit: Visiting) -> None:
    with opened("年费方案每年 168 元 [1]。\n\n- **退款**需要三十天 [1]。\n- 在校生按七折结算 [2]。\n") as library:
        seen = visit(served(library), language="zh")
        seen.ask("年费方案每年多少元？在校生呢？")
        page = seen.page
        doubted = "".join(page.locator(".doubted").all_inner_texts())
        assert "退款" in doubted or "三十天" in doubted
        assert "168" not in doubted
        assert page.locator(".said li").count() == 2
        assert page.locator(".said strong").inner_text() == "退款"
        assert (
            page.locator(".doubted .mark.unsupported").count() == 1
        )  # the passage proves the first sentence, not this one
        assert page.locator(".said p .mark.verified").count() == 1
        seen.shoot("ask-zh-doubted")


@pytest.mark.parametrize(
    ("language", "question", "one", "other"),
    [
        ("en", "Within how many days of delivery can a recorder be returned?",
         "# Returns\n\nA recorder can be returned within 30 days of delivery.\n",
         "# Returns\n\nA recorder can be returned within 14 days of delivery.\n"),
        ("zh", "录音笔签收后多少天内可以退货？", "# 退货\n\n录音笔签收后 30 天内可以退货。\n", "# 退货\n\n录音笔签收后 14 天内可以退货。\n"),
    ],
)  # fmt: skip
def test_documents_that_disagree_are_both_quoted(
    served: Serving, visit: Visiting, language: str, question: str, one: str, other: str
) -> None:
    with opened(old=one, new=other) as library:
        seen = visit(served(library), language=language)
        seen.ask(question)
        assert seen.page.locator("h3.disagree").count() == 1
        cited = " ".join(seen.page.locator(".citations button").all_inner_texts())
        assert "old.md" in cited
        assert "new.md" in cited
        seen.shoot(f"ask-{language}-disagree")


def test_a_count_over_many_documents_folds_its_sources(served: Serving, visit: Visiting) -> None:
    many = {f"doc{n}": f"# 文档 {n}\n\n本产品防水，编号 {n}。\n" for n in range(12)}
    with opened(**many) as library:
        seen = visit(served(library), language="zh")
        seen.ask("有多少份文档提到了防水？")
        page = seen.page
        assert page.locator("details.folded").count() == 1
        assert page.locator(".citations:visible li").count() == 5
        page.click("details.folded summary")
        assert page.locator(".citations:visible li").count() == 12
        seen.shoot("ask-zh-count", whole=True)


def test_a_reload_keeps_the_conversation_of_this_tab_and_no_other(help_centre: str, visit: Visiting) -> None:
    seen = visit(help_centre)
    seen.ask(QUESTIONS["en"][0])
    said = seen.page.inner_text(".said")
    seen.page.reload()
    seen.page.wait_for_selector(".turn .mark")
    assert seen.page.inner_text(".said") == said
    other = seen.page.context.new_page()
    other.goto(f"{help_centre}/#ask")
    other.wait_for_selector(".welcome")
    seen.page.get_by_role("button", name="New conversation").click()
    seen.page.reload()
    seen.page.wait_for_selector(".welcome")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_conversation_is_copied_and_saved_with_its_citations(
    help_centre: str, visit: Visiting, language: str
) -> None:
    seen = visit(help_centre, language=language)
    page = seen.page
    seen.ask(QUESTIONS[language][0])
    page.get_by_role("button", name="复制（含出处）" if language == "zh" else "Copy with citations").click()
    page.wait_for_selector(".note")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert f"[1] {language}/" in copied
    with page.expect_download() as got:
        page.get_by_role("button", name="存为文本" if language == "zh" else "Save as text").click()
    assert got.value.suggested_filename == "yinju.txt"
    text = Path(got.value.path()).read_text("utf-8")
    assert QUESTIONS[language][0] in text
    assert f"[1] {language}/" in text


@pytest.mark.parametrize(("language", "wrong", "keep"), [("en", "Wrong", "Keep"), ("zh", "有错误", "保存")])
def test_a_wrong_answer_becomes_a_case_with_its_right_source(
    tmp_path: Path, served: Serving, visit: Visiting, language: str, wrong: str, keep: str
) -> None:
    with opened(folder=tmp_path / "kept") as library:
        seen = visit(served(library), language=language)
        page = seen.page
        seen.ask("年费方案每年多少元？")
        page.get_by_role("button", name=wrong).click()
        seen.shoot(f"ask-{language}-wrong")
        assert page.locator("datalist option").count() >= 0
        page.fill(".judging input[list]", "plans.md")
        page.get_by_role("button", name=keep, exact=True).click()
        page.wait_for_selector(".note")
        assert page.get_by_role("button", name=wrong).get_attribute("aria-pressed") == "true"
    kept = [json.loads(line) for line in (tmp_path / "kept" / "feedback.jsonl").read_text("utf-8").splitlines()]
    assert [one["question"] for one in kept] == ["年费方案每年多少元？"]


def test_everything_is_done_with_the_keyboard(help_centre: str, visit: Visiting) -> None:
    seen = visit(help_centre)
    page, keys = seen.page, seen.page.keyboard
    assert page.evaluate("document.activeElement.id") == "question"
    keys.type(QUESTIONS["en"][0])
    keys.press("Enter")
    page.wait_for_selector(".answer[aria-busy=false] .mark")
    page.evaluate("document.getElementById('view').focus()")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.className").startswith("mark")
    assert page.locator(".tip.shown").count() == 1
    keys.press("Escape")
    assert page.locator(".tip.shown").count() == 0
    keys.press("Enter")
    page.wait_for_selector(".source mark")
    assert "Close" in page.evaluate("document.activeElement.textContent")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.className") == "source-body"
    keys.press("Escape")
    assert page.locator("aside.source.hidden").count() == 1
    assert page.evaluate("document.activeElement.className").startswith("mark")


def test_a_source_that_covers_the_page_keeps_the_focus(help_centre: str, visit: Visiting) -> None:
    seen = visit(help_centre, language="zh", width=390, height=780)
    seen.ask(QUESTIONS["zh"][0])
    seen.page.locator(".mark").first.click()
    seen.page.wait_for_selector(".source mark")
    for _ in range(6):
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('.source')"
        )
    seen.page.keyboard.press("Escape")
    seen.page.locator(".source-title button").click() if seen.page.locator(".source-title").count() else None
    assert not seen.page.evaluate("document.querySelector('.talk').inert")


def test_motion_stops_where_people_ask_for_that(served: Serving, visit: Visiting) -> None:
    go = threading.Event()
    with opened(paused(["年费方案每年 168 元"], [" [1]。"], go)) as library:
        seen = visit(served(library), language="zh", calm=True)
        seen.ask("年费方案每年多少元？", wait=False)
        seen.page.wait_for_selector(".coming")
        moving = "getComputedStyle(document.querySelector('.coming > :last-child'), '::after').animationName"
        assert seen.page.evaluate(moving) == "none"
        go.set()
        seen.page.wait_for_selector(".citations")


def test_the_theme_and_the_language_are_chosen_and_kept(help_centre: str, visit: Visiting) -> None:
    seen = visit(help_centre, language="en")
    page = seen.page
    page.get_by_role("button", name="Theme: system").click()
    page.get_by_role("button", name="Theme: light").click()
    dark = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(dark) == "rgb(20, 25, 26)"
    page.get_by_role("button", name="Switch to Chinese").click()
    page.wait_for_selector("html[lang=zh-CN] .welcome")
    page.reload()
    page.wait_for_selector("html[lang=zh-CN] .welcome")
    assert page.evaluate(dark) == "rgb(20, 25, 26)"
