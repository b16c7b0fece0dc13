"""What was changed is taken back on the page, and an agent is seen at work: in a real Chromium, in both languages, by keyboard."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from yinju import Library
from yinju.caring import LibraryOptions
from yinju.protocols import ChatPart, ToolCall
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Document

if TYPE_CHECKING:
    from browser import Visit

pytestmark = [pytest.mark.slow, pytest.mark.browser]
Visiting = Callable[..., "Visit"]
SAID = {
    "en": {
        "changes": "Last changes (2)", "undo": "Undo …", "title": "Undo the last change?", "done": "1 updated", "held": "held back",
        "release": "Take what the files say", "further": "Look further (agent)", "looking": "Looking further …", "steps": "1 steps",
        "proof": "not proved",
    },
    "zh": {
        "changes": "最近的更改（2）", "undo": "撤销……", "title": "撤销最近一次更改？", "done": "更新 1", "held": "已搁置",
        "release": "以文件内容为准", "further": "深入查找（智能体）", "looking": "正在深入查找……", "steps": "1 步", "proof": "未得证实",
    },
}  # fmt: skip
PLANS = "# 方案\n\n年费方案每年 168 元。\n\n# Plans\n\nThe annual plan costs 168 yuan a year.\n"


@pytest.mark.parametrize(("language", "width"), [("en", 1280), ("zh", 360)])
def test_the_last_change_is_taken_back(
    tmp_path: Path, served: Callable[..., str], visit: Visiting, language: str, width: int
) -> None:
    said = SAID[language]
    (tmp_path / "plans.md").write_text(PLANS, "utf-8")
    (tmp_path / "guide.md").write_text("# Guide\n\nRead it first.\n", "utf-8")
    with Library.open(tmp_path / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(tmp_path)
        (tmp_path / "plans.md").write_text(PLANS.replace("168", "199"), "utf-8")
        library.sync(tmp_path)
        opened = visit(served(library), "library", language=language, width=width)
        page = opened.page
        summary = page.locator(".changes summary")
        summary.wait_for()
        assert said["changes"] in summary.inner_text()
        summary.press("Enter")
        undo = page.locator(".changes button").first
        assert undo.inner_text() == said["undo"]
        undo.press("Enter")
        page.get_by_role("dialog", name=said["title"]).wait_for()
        assert page.evaluate("document.activeElement.value") == ""  # the way out is under the finger
        opened.shoot(f"undo-dialog-{language}-{width}")
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        assert page.evaluate("document.activeElement.textContent") == said["undo"]
        assert "199" in library.document("plans.md").text
        page.keyboard.press("Enter")
        page.locator("dialog .danger").press("Enter")
        page.locator(".work").get_by_text(said["done"]).wait_for()
        row = page.locator(".files tr", has_text="plans.md")
        row.get_by_text(said["held"]).wait_for()
        assert "168" in library.document("plans.md").text
        opened.shoot(f"undo-done-{language}-{width}", whole=True)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name=said["release"]).press("Enter")
        row.get_by_text(said["held"]).wait_for(state="detached")
        assert "199" in library.document("plans.md").text


@pytest.mark.parametrize(("language", "pattern"), [("en", "168 yuan"), ("zh", "168 元")])
def test_an_agent_is_seen_at_work(served: Callable[..., str], visit: Visiting, language: str, pattern: str) -> None:
    said, go_on = SAID[language], threading.Event()

    def answer(_messages: Any) -> str:
        assert go_on.wait(20)
        zh = "年费方案每年 168 元[1]。年费送一辆车[1]。"
        return zh if language == "zh" else "The annual plan costs 168 yuan a year [1]. It comes with a car [1]."

    look = [
        ChatPart(tool_calls=(ToolCall("c1", "grep", json.dumps({"pattern": pattern})),), finish_reason="tool_calls")
    ]
    with Library.open(embedder=FakeEmbedder(), chat_model=ScriptedChatModel(look, answer)) as library:
        library.options = LibraryOptions(refuse_below=0)
        library.add([Document.from_text(PLANS, source="plans.md")])
        opened = visit(served(library), language=language)
        page = opened.page
        page.get_by_label(said["further"]).check()
        opened.ask("年费方案每年多少元？" if language == "zh" else "What does the annual plan cost a year?", wait=False)
        page.get_by_text(said["looking"]).wait_for()
        assert pattern in page.inner_text(".looking code")
        opened.shoot(f"agent-{language}")
        go_on.set()
        page.wait_for_selector(".answer[aria-busy=false]")
        assert said["steps"] in page.inner_text(".folded summary >> nth=-1")
        doubted = page.locator(".status.unsupported").first
        assert doubted.text_content() == f"? {said['proof']}"
        page.reload()
        page.wait_for_selector(".answer")
        assert page.get_by_label(said["further"]).is_checked()  # it stays as it was chosen
        opened.shoot(f"agent-done-{language}", whole=True)


@pytest.mark.parametrize(("language", "gone_on"), [("en", "1 added"), ("zh", "新增 1")])
def test_a_sync_that_runs_already_is_seen(
    tmp_path: Path, served: Callable[..., str], visit: Visiting, language: str, gone_on: str
) -> None:
    go_on = threading.Event()

    class Waiting(FakeEmbedder):
        def embed_passages(self, texts: Any) -> Any:
            assert go_on.wait(20)
            return super().embed_passages(texts)

    (tmp_path / "plans.md").write_text(PLANS, "utf-8")
    with Library.open(tmp_path / ".yinju", embedder=Waiting()) as library:
        opened = visit(served(library, folders=(str(tmp_path),)), "library", language=language)
        opened.page.wait_for_selector(".work .progress")
        opened.shoot(f"library-running-{language}")
        go_on.set()
        opened.page.locator(".work").get_by_text(gone_on, exact=False).wait_for()
        opened.page.locator(".files").get_by_text("plans.md").wait_for()


def test_without_a_model_no_agent_is_offered(help_centre: str, visit: Visiting) -> None:
    opened = visit(help_centre)
    opened.ask("How long is the battery under warranty?")
    assert not opened.page.locator("#further").is_visible()
