"""Library, Inspect and Quality in a real Chromium, in both languages: what people do there, also by keyboard, and what never happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser import copy_of_examples
from yinju import Library
from yinju.testing import FakeEmbedder

if TYPE_CHECKING:
    from browser import Visit

pytestmark = [pytest.mark.slow, pytest.mark.browser]
Visiting = Callable[..., "Visit"]
EXAMPLES = Path(__file__).parent.parent / "examples" / "questions.jsonl"

# What the page says, English and Chinese: a test asks in the words that a person sees.
SAID = {
    "en": {
        "plan": "Look for changes", "sync": "Sync now", "done": "1 added, 1 updated", "removed": "Removed: 1", "added": "Added: 1", "was": "was ",
        "remove": "Remove 1 …", "gone": "1 removed.", "balances": "The account balances", "look": "Look", "lost": "Lost at: Ranked",
        "new": "New run", "run": "Run", "compare": "Compare with other settings", "differs": "What differs", "upload": "1 added", "cancel": "Cancel",
    },
    "zh": {
        "plan": "检查变化", "sync": "开始同步", "done": "新增 1，更新 1", "removed": "删除: 1", "added": "新增: 1", "was": "原名 ",
        "remove": "移除 1 个……", "gone": "已移除 1 个。", "balances": "收支相符", "look": "查看", "lost": "丢失于：排序",
        "new": "新的评测", "run": "开始评测", "compare": "与另一组设置比较", "differs": "差异", "upload": "新增 1", "cancel": "取消",
    },
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("YINJU_DATA", str(tmp_path / "data"))
    return copy_of_examples(tmp_path / "help-centre")


@pytest.fixture
def address(folder: Path, served: Callable[..., str]) -> Iterator[str]:
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        yield served(library)


def click(page: Any, name: str, exact: bool = True) -> None:
    page.get_by_role("button", name=name, exact=exact).click()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_plan_tells_what_a_sync_then_does(address: str, folder: Path, visit: Visiting, language: str) -> None:
    said = SAID[language]
    (folder / "en" / "travel.md").unlink()
    (folder / "en" / "new.md").write_text("# New\n\nThe new one costs 12 yuan.\n", encoding="utf-8")
    with (folder / "zh" / "plans.md").open("a", encoding="utf-8") as file:
        file.write("\n企业方案另议。\n")
    (folder / "zh" / "export.md").rename(folder / "zh" / "exporting.md")
    opened = visit(address, "library", language=language)
    page = opened.page
    click(page, said["plan"])
    page.get_by_text(said["removed"]).wait_for()
    assert page.locator(".card").get_by_text("en/travel.md").is_visible()
    assert page.locator(".card").get_by_text(f"{said['was']}zh/export.md").is_visible()
    assert page.evaluate("document.activeElement.textContent") == said["sync"]  # Enter goes on
    assert page.locator(".files").get_by_text("en/travel.md").is_visible()  # nothing has changed yet
    opened.shoot(f"library-plan-{language}")
    page.keyboard.press("Enter")
    page.get_by_text(said["done"]).wait_for()
    page.locator(".files").get_by_text("en/new.md").wait_for()
    assert page.locator(".files").get_by_text("en/travel.md").count() == 0
    assert page.locator(".files").get_by_text("zh/exporting.md").is_visible()
    opened.shoot(f"library-synced-{language}")


@pytest.mark.parametrize(("language", "width", "theme"), [("en", 1280, "light"), ("zh", 390, "dark")])
def test_a_receipt_adds_up_and_opens_the_file(
    address: str, visit: Visiting, language: str, width: int, theme: str
) -> None:
    opened = visit(address, "library", language=language, width=width, theme=theme)
    page = opened.page
    page.fill("#find", "care")
    assert page.locator(".files tbody tr").count() == 1
    page.locator(".files").get_by_role("button", name="files/care.pdf").press("Enter")
    page.get_by_text(SAID[language]["balances"]).wait_for()
    counts = [int(cell.replace(",", "").replace("-", "-")) for cell in page.locator(".sums td").all_inner_texts()]
    assert counts[0] + sum(counts[1:-2]) == counts[-2] == counts[-1]
    opened.shoot(f"library-receipt-{language}-{width}")
    page.locator(".source-head .row button").first.click()
    page.locator(".lines").get_by_text("Care of the case").wait_for()
    page.locator('.source-head button[aria-pressed="false"]').click()
    page.wait_for_selector(".page img")
    page.keyboard.press("Escape")
    assert page.locator(".source").is_hidden()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_uploads_and_removal(address: str, folder: Path, visit: Visiting, language: str) -> None:
    said = SAID[language]
    opened = visit(address, "library", language=language)
    page = opened.page
    hostile = "<img src=x onerror=alert(1)>.md"
    text = "# <script>alert(1)</script>\n\n电池可用 <b>九</b> 小时。\n".encode()
    page.set_input_files("#add", [{"name": hostile, "mimeType": "text/markdown", "buffer": text}])
    page.locator(".work").get_by_text(said["upload"], exact=False).first.wait_for()
    box = page.locator(".files tr", has_text="uploads/").locator("input")
    box.check()
    opened.shoot(f"library-upload-{language}")
    click(page, said["remove"])
    page.get_by_role("dialog").wait_for()
    opened.shoot(f"library-remove-{language}")
    page.keyboard.press("Escape")  # the way out changes nothing
    assert page.locator(".files tr", has_text="uploads/").count() == 1
    click(page, said["remove"])
    page.locator("dialog button.danger").click()
    page.get_by_text(said["gone"]).wait_for()
    page.locator(".files tr", has_text="uploads/").wait_for(state="detached")
    assert page.locator("img, script:not([src]), b").count() == 0


def test_dropped_files_are_uploaded(address: str, visit: Visiting) -> None:
    opened = visit(address, "library")
    page = opened.page
    page.wait_for_selector(".drop")
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File(['# Dropped\\n\\nIt was dropped here.\\n'], 'dropped.md'));
          document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
        }"""
    )
    page.locator(".files").get_by_text("uploads/dropped.md").wait_for()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_deleting_much_has_to_be_meant(address: str, folder: Path, visit: Visiting, language: str) -> None:
    for path in sorted((folder / "en").glob("*.md")):
        path.unlink()
    opened = visit(address, "library", language=language)
    page = opened.page
    click(page, SAID[language]["plan"])
    page.locator(".card [role=alert]").wait_for()
    assert page.get_by_role("button", name=SAID[language]["sync"]).count() == 0
    opened.shoot(f"library-mass-delete-{language}")
    page.locator(".card button.danger").click()
    page.locator(".files tr", has_text="en/plans.md").wait_for(state="detached")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_server_that_only_reads_offers_no_change(
    folder: Path, served: Callable[..., str], visit: Visiting, language: str
) -> None:
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        opened = visit(served(library, read_only=True), "library", language=language)
        page = opened.page
        page.wait_for_selector(".files table")
        assert page.locator("input[type=file], .drop, td input").count() == 0
        assert page.get_by_role("button", name=SAID[language]["plan"]).count() == 0
        opened.shoot(f"library-read-only-{language}")


@pytest.mark.parametrize("width", [360, 1280])
def test_filters_and_order_by_the_keyboard(address: str, visit: Visiting, width: int) -> None:
    opened = visit(address, "library", width=width)
    page = opened.page
    page.wait_for_selector(".files table")
    page.locator("select").last.select_option("docx")
    assert page.locator(".files tbody tr").count() == 1
    page.locator("select").last.select_option("")
    page.locator("[data-by=chunks]").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    counts = [int(cell) for cell in page.locator(".files tbody td:nth-child(5)").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    assert page.evaluate("document.activeElement.dataset.by") == "chunks"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")  # only the table scrolls sideways
    page.fill("#find", "nothing is named like that")
    assert page.locator(".files table").count() == 0


@pytest.mark.parametrize(
    ("language", "query", "expect", "width", "theme"),
    [
        ("en", "What does the annual plan cost a year?", "en/plans.md:9", 1280, "dark"),
        ("zh", "年费方案每年多少元？", "zh/plans.md:9", 390, "light"),
    ],
)
def test_a_query_is_followed_through_every_leg(
    address: str, visit: Visiting, language: str, query: str, expect: str, width: int, theme: str
) -> None:
    opened = visit(address, "inspect", language=language, width=width, theme=theme)
    page = opened.page
    page.fill("#query", query)
    page.fill("#expect", expect)
    page.keyboard.press("Enter")
    page.wait_for_selector(".ranked")
    page.locator(".step:last-child:not(.unknown)").wait_for()  # the answer was tried, after the rest was shown
    assert page.locator(".steps .step").count() == 6
    assert page.locator(".is-expected").count() >= 1
    assert page.locator(".legs .leg").count() >= 2
    opened.shoot(f"inspect-{language}", whole=True)
    rows = page.locator(".ranked").first.locator("tbody tr").all()
    best = float(rows[0].locator("td:last-child").inner_text())
    for row in rows[:5]:  # the bar is as long as the score
        drawn = sum(float(part.get_attribute("width") or 0) for part in row.locator(".strip .part").all())
        assert drawn * best == pytest.approx(float(row.locator("td:last-child").inner_text()), abs=0.02)
    page.locator(".ranked .link").first.press("Enter")
    page.wait_for_selector(".source mark")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(
    ("language", "query", "hint"),
    [("en", "What does the annual plan cost a year?", "KEY="), ("zh", "年费方案每年多少元？", "键=")],
)
def test_two_settings_beside_each_other(address: str, visit: Visiting, language: str, query: str, hint: str) -> None:
    opened = visit(address, "inspect", language=language)
    page = opened.page
    page.fill("#query", query)
    page.get_by_label(SAID[language]["compare"]).check()
    page.fill("#second-where", f"source={language}/w*")
    click(page, SAID[language]["look"])
    page.get_by_role("heading", name=SAID[language]["differs"]).wait_for()
    assert page.locator(".two > section").count() == 2
    assert page.locator(".badge.new").count() >= 1
    sources = page.locator(".two > section").last.locator(".ranked .link").all_inner_texts()
    assert sources
    assert all(source.startswith(f"{language}/w") for source in sources)
    opened.shoot(f"inspect-two-{language}", whole=True)
    page.fill("#second-where", "nofilter")
    click(page, SAID[language]["look"])
    page.locator(".result [role=alert]").get_by_text(hint).wait_for()


def test_what_is_wrong_with_a_query_is_said(address: str, visit: Visiting) -> None:
    opened = visit(address, "inspect")
    opened.expected.append("422")  # the browser notes the refused request
    opened.page.fill("#query", "battery")
    opened.page.fill("#expect", "en/plans.md:9-3")
    opened.page.keyboard.press("Enter")
    opened.page.locator(".result [role=alert]").get_by_text("runs backwards").wait_for()


@pytest.mark.parametrize(("language", "width", "theme"), [("en", 1280, "light"), ("zh", 390, "dark")])
def test_runs_are_drawn_and_compared(address: str, visit: Visiting, language: str, width: int, theme: str) -> None:
    said = SAID[language]
    opened = visit(address, "quality", language=language, width=width, theme=theme)
    page = opened.page
    page.fill("#cases", "\n".join(EXAMPLES.read_text(encoding="utf-8").splitlines()[::4]))
    page.fill("#label", "<b>words</b>")
    page.select_option("#mode", "lexical")
    click(page, said["run"])
    page.wait_for_selector(".plots svg")
    assert page.locator(".figure svg[role=img]").count() == 4
    page.fill("#label", "both")
    page.select_option("#mode", "hybrid")
    click(page, said["run"])
    page.locator(".is-shown", has_text="both").wait_for()
    page.locator("[data-run^=before]").press("Enter")
    page.wait_for_selector(".compared svg .dot.series-1")
    assert page.locator(".runs b").count() == 0
    first = page.locator(".figure").first
    first.locator("summary").press("Enter")  # the numbers of every plot stand in a table
    rows = first.locator("tbody tr").all()
    assert first.locator(".plot .label").count() == len(rows)
    values = [cell for row in rows for cell in row.locator("td").all_inner_texts()[::3]]
    assert first.locator(".plot .dot").count() == sum(value != "–" for value in values)
    opened.shoot(f"quality-{language}-{width}", whole=True)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize(("language", "text"), [("en", "Line 2 is no JSON object."), ("zh", "第 2 行不是 JSON 对象。")])
def test_a_line_that_is_no_case_is_named(address: str, visit: Visiting, language: str, text: str) -> None:
    opened = visit(address, "quality", language=language)
    opened.page.fill("#cases", '{"question": "a", "answerable": false}\n[1]\n')
    click(opened.page, SAID[language]["run"])
    opened.page.get_by_text(text).wait_for()


@pytest.mark.parametrize(("language", "stopped"), [("en", "Stopped."), ("zh", "已停止")])
def test_an_evaluation_can_be_stopped(address: str, visit: Visiting, language: str, stopped: str) -> None:
    opened = visit(address, "quality", language=language)
    page = opened.page
    lines = EXAMPLES.read_text(encoding="utf-8").splitlines()
    page.fill("#cases", "\n".join(line.replace('"id": "', f'"id": "{turn}-') for turn in range(8) for line in lines))
    click(page, SAID[language]["run"])
    click(page, SAID[language]["cancel"])
    page.get_by_text(stopped).wait_for()
    assert page.locator(".runs").count() == 0
