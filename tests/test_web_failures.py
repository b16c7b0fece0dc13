"""A language model that fails costs nobody the passages, and no program takes their text for the model's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from yinju import Library
from yinju.errors import ModelError
from yinju.settings import Settings
from yinju.testing import ScriptedChatModel
from yinju.types import Document
from yinju.web.app import create_app
from yinju.web.guard import GuardOptions

QUESTIONS = ["年费方案每年多少元？", "What does the annual plan cost?"]


@pytest.fixture(scope="module")
def library() -> Iterator[Library]:
    with Library.open(settings=Settings(embed_model="none")) as opened:
        opened.add(
            [
                Document.from_text("# 订阅方案\n\n年费方案每年 168 元。\n", source="plans.md"),
                Document.from_text("# Plans\n\nThe annual plan costs 168 yuan.\n", source="plans-en.md"),
            ],
            embed=False,
        )
        yield opened


@pytest.fixture
def client(library: Library) -> TestClient:
    return TestClient(create_app(library, GuardOptions(burst=10_000)), base_url="http://127.0.0.1:80")


def chat(question: str, *, stream: bool = False) -> dict[str, object]:
    return {"model": "yinju", "messages": [{"role": "user", "content": question}], "stream": stream}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("code", "status"),
    [("llm-unreachable", 503), ("llm-busy", 503), ("llm-paused", 503), ("llm-timeout", 504), ("llm-auth", 502)],
)
def test_a_model_that_fails_has_a_status_and_leaves_the_passages(
    library: Library, client: TestClient, question: str, code: str, status: int
) -> None:
    library.chat_model = ScriptedChatModel(ModelError("It fails.", "Mend it.", code=code))
    asked = client.post("/api/ask", json={"question": question, "refuse_below": 0})
    assert (asked.status_code, asked.json()["failure"]) == (200, code)
    assert "168" in asked.json()["text"]
    completed = client.post("/v1/chat/completions", json=chat(question))
    body = completed.json()
    assert (completed.status_code, body["error"]["code"], body["failure"]) == (status, code, code)
    assert "It fails" in body["error"]["message"]
    assert "168" in body["text"]
    assert body["citations"]
    assert ("retry-after" in completed.headers) is (status == 503)
    streamed = client.post("/v1/chat/completions", json=chat(question, stream=True))
    assert streamed.status_code == 200
    assert f'"failure":"{code}"' in streamed.text.replace('": ', '":')


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_breaks_off_is_an_answer_that_is_not_complete(library: Library, client: TestClient, question: str) -> None:
    library.chat_model = ScriptedChatModel("168 [1]。", finish_reason=None)
    completed = client.post("/v1/chat/completions", json=chat(question))
    assert completed.status_code == 200
    assert completed.json()["choices"][0]["finish_reason"] == "length"


def test_without_a_model_nothing_has_failed(library: Library, client: TestClient) -> None:
    library.chat_model = None
    completed = client.post("/v1/chat/completions", json=chat(QUESTIONS[0]))
    assert (completed.status_code, completed.json()["failure"]) == (200, None)
