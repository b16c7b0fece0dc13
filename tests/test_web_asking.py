"""Every way of asking that the library has is there over HTTP: an agent with its steps as they come, follow-ups, sentences without proof."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from web_client import served
from yinju import Library
from yinju.caring import LibraryOptions
from yinju.protocols import ChatPart, ToolCall
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Document

pytestmark = pytest.mark.slow
PLANS = "# 方案\n\n年费方案每年 168 元。\n\n# Plans\n\nThe annual plan costs 168 yuan a year.\n"
GUIDE = "# 取消\n\n随时可以取消。\n\n# Cancelling\n\nA plan may be cancelled at any time.\n"
ASKED = {
    "zh": ("年费方案每年多少元？", "随时可以取消"),
    "en": ("What does the annual plan cost a year?", "cancelled at any time"),
}
SAID = {
    "zh": "年费方案每年 168 元[1]。年费送一辆车[1]。",
    "en": "The annual plan costs 168 yuan a year [1]. It comes with a car [1].",
}


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as opened:
        opened.options = LibraryOptions(refuse_below=0)
        opened.add([Document.from_text(PLANS, source="plans.md"), Document.from_text(GUIDE, source="guide.md")])
        yield opened


def looks_further(pattern: str) -> list[ChatPart]:
    return [
        ChatPart(tool_calls=(ToolCall("c1", "grep", json.dumps({"pattern": pattern})),), finish_reason="tool_calls")
    ]


def told(text: str) -> list[tuple[str, dict]]:
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.parametrize("language", ["zh", "en"])
def test_steps_of_an_agent_come_before_its_text(library: Library, language: str) -> None:
    question, pattern = ASKED[language]
    library.chat_model = ScriptedChatModel(looks_further(pattern), SAID[language])
    with served(library) as client:
        assert client.get("/api/status").json()["agent"] is True
        events = told(client.post("/api/ask", json={"question": question, "agent": {"rounds": 3}, "stream": True}).text)
    names = [name for name, _ in events]
    assert names[0] == "step"
    assert names.index("step") < names.index("text") < names.index("citation") < names.index("answer")
    assert pattern in events[0][1]["arguments"]
    assert events[-1][1]["steps"] == [data for name, data in events if name == "step"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_sentences_without_proof_are_marked_or_removed(library: Library, language: str) -> None:
    question, _ = ASKED[language]
    library.chat_model = ScriptedChatModel(*[SAID[language]] * 3)
    with served(library) as client:
        marked = client.post("/api/ask", json={"question": question}).json()
        removed = client.post("/api/ask", json={"question": question, "unsupported": "remove"}).json()
        openai = client.post(
            "/v1/chat/completions",
            json={"model": "yinju", "messages": [{"role": "user", "content": question}], "unsupported": "remove"},
        ).json()
    assert [one["status"] for one in marked["sentences"]] == ["verified", "unsupported"]
    assert [one["status"] for one in removed["sentences"]] == ["verified"]
    assert openai["choices"][0]["message"]["content"] == removed["text"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_model_may_take_back_what_it_said_in_words_of_its_own(library: Library, language: str) -> None:
    question, _ = ASKED[language]
    claim = {"zh": "年费方案每年要付 168 元[1]。", "en": "A year of the annual plan costs 168 yuan [1]."}[language]
    verdict = '{"1": {"reason": "-", "verdict": "not stated"}}'
    with served(library) as client:

        def asked(route: str, **body: object) -> httpx.Response:
            library.chat_model = ScriptedChatModel(claim, verdict)
            return client.post(route, json=body)

        assert asked("/api/ask", question=question).json()["sentences"][0]["status"] == "verified"
        lowered = asked("/api/ask", question=question, check=True).json()
        assert [one["status"] for one in lowered["sentences"] + lowered["citations"]] == ["unsupported"] * 2
        assert "check" in lowered["took_ms"]
        events = told(asked("/api/ask", question=question, check=True, stream=True).text)
        assert [data["status"] for name, data in events if name == "citation"] == ["unsupported"]
        messages = [{"role": "user", "content": question}]
        openai = asked("/v1/chat/completions", model="yinju", messages=messages, check=True).json()
        assert [one["status"] for one in openai["citations"]] == ["unsupported"]
        assert openai["choices"][0]["message"]["content"] == lowered["text"]
        assert asked("/api/ask", question=question, check="yes").status_code == 422


@pytest.mark.parametrize(
    ("first", "then"),
    [("年费方案每年多少元？", "可以取消吗？"), ("What does the annual plan cost?", "May it be cancelled?")],
)
def test_a_follow_up_is_searched_after_its_conversation(library: Library, first: str, then: str) -> None:
    history = [{"role": "user", "content": first}, {"role": "assistant", "content": "168"}]
    with served(library) as client:

        def asked(route: str, **more: object) -> httpx.Response:
            return client.post(route, json={"history": history, **more})

        assert asked("/api/ask", question=then, rewrite="off").json()["searched_as"] == then
        assert asked("/api/ask", question=then, rewrite="rules").json()["searched_as"] != then
        assert asked("/api/search", query=then, rewrite="off").json()["query"] == then
        assert asked("/api/search", query=then, hops=False).json()["query"] != then
        why = asked("/api/why", question=then, expect="guide.md").json()
        assert why["expected"][0]["lost"] is None


def test_what_asking_cannot_mean_is_refused(library: Library) -> None:
    with served(library) as client:
        assert client.get("/api/status").json()["agent"] is False
        no_model = client.post("/api/ask", json={"question": "年费", "agent": True})
        assert (no_model.status_code, no_model.json()["error"]["code"]) == (422, "usage")
        for wrong in (
            {"prefer": "oldest"},
            {"rewrite": "magic"},
            {"unsupported": "hide"},
            {"agent": {"rounds": 0}},
            {"limit": True},
            {"limit": "5"},
        ):
            assert client.post("/api/ask", json={"question": "年费", **wrong}).status_code == 422, wrong


@pytest.mark.slow
@pytest.mark.parametrize(("language", "told"), [("en", "n has to be 1"), ("zh", "n 必须为 1")])
def test_more_answers_than_one_are_refused_and_tools_are_ignored(library: Library, language: str, told: str) -> None:
    question, _ = ASKED[language]
    body = {"model": "yinju", "messages": [{"role": "user", "content": question}]}
    with served(library) as client:

        def asked(**more: object) -> httpx.Response:
            return client.post("/v1/chat/completions", json={**body, **more}, headers={"Accept-Language": language})

        for wrong in (2, 0, -1):
            answer = asked(n=wrong)
            assert (answer.status_code, answer.json()["error"]["code"]) == (400, "one-answer")
            assert told in answer.json()["error"]["message"]
        assert asked(n=2, stream=True).status_code == 400
        assert (
            asked(n=1).status_code == asked(tools=[{"type": "function", "function": {"name": "x"}}]).status_code == 200
        )
