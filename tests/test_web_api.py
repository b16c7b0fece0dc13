"""The HTTP doors over one small library: shapes, errors, streams, and OpenAI's own client."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn

from yinju import Library
from yinju.testing import FakeEmbedder
from yinju.types import Document
from yinju.web.app import create_app
from yinju.web.guard import GuardOptions
from yinju.web.serve import _listen

PLANS = "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n\n## 在校生\n\n在校生上传学生证后按七折结算。\n"
WARRANTY = "# Warranty\n\nThe battery is under warranty for six months.\n"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Library.open(embedder=FakeEmbedder()) as library, _listen("127.0.0.1", 0) as listener:
        library.add([Document.from_text(PLANS, source="plans.md"), Document.from_text(WARRANTY, source="warranty.md")])
        app = create_app(library, GuardOptions(burst=10_000))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=20) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "source"), [("年费每年多少元", "plans.md"), ("battery warranty months", "warranty.md")]
)
def test_search_has_the_documented_shape(client: httpx.Client, question: str, source: str) -> None:
    found = client.post("/api/search", json={"query": question, "limit": 1}).json()
    assert found["hits"][0]["source"] == source
    assert abs(sum(vote["share"] for vote in found["hits"][0]["votes"]) - found["hits"][0]["score"]) < 1e-6
    assert found["coverage"] == {"lexical": 1.0, "dense": 1.0}


def test_reading_and_quotations(client: httpx.Client) -> None:
    assert "168" in client.get("/api/read", params={"source": "plans.md"}).json()["text"]
    assert client.get("/api/read", params={"source": "plans.md", "first": 5, "last": 5}).json()["lines"] == [5, 5]
    headings = client.get("/api/outline", params={"source": "plans.md"}).json()["headings"]
    assert [heading["text"] for heading in headings] == ["订阅方案", "年费", "在校生"]
    assert client.post("/api/grep", json={"pattern": "学生证"}).json()["matches"][0]["source"] == "plans.md"
    assert client.post("/api/verify", json={"text": "年费方案每年 168 元"}).json()["status"] == "verified"
    assert client.post("/api/verify", json={"text": "年费方案每年 186 元"}).json()["status"] == "unsupported"
    assert {one["source"] for one in client.get("/api/sources").json()["sources"]} == {"plans.md", "warranty.md"}
    assert "plans.md" in client.post("/api/context", json={"question": "年费"}).json()["text"]
    assert client.get("/api/status").json()["documents"] == 2


def events(text: str) -> list[tuple[str, dict]]:
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


@pytest.mark.parametrize("question", ["年费方案每年多少元？", "For how many months is the battery under warranty?"])
def test_an_answer_as_events_is_the_answer_as_json(client: httpx.Client, question: str) -> None:
    asked = {"question": question, "refuse_below": 0}
    whole = client.post("/api/ask", json=asked).json()
    streamed = client.post("/api/ask", json=asked | {"stream": True})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    found = events(streamed.text)
    assert "".join(data["text"] for name, data in found if name == "text") == whole["text"]
    assert [data for name, data in found if name == "citation"] == whole["citations"] != []
    assert found[-1][0] == "answer"
    assert found[-1][1]["text"] == whole["text"]
    assert all(one["status"] == "verified" for one in whole["citations"])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/search", {"query": ""}, 422, "usage"),
        ("POST", "/api/search", {"query": "x", "colour": 1}, 422, "usage"),
        ("POST", "/api/search", {"query": "x", "where": {"source": "["}, "mode": "no"}, 422, "usage"),
        ("GET", "/api/read?source=nothing.md", None, 404, "no-source"),
        ("GET", "/api/read?source=../../etc/passwd", None, 404, "no-source"),
        ("GET", "/api/nothing", None, 404, "no-route"),
        ("DELETE", "/api/search", None, 405, "no-method"),
        ("POST", "/v1/chat/completions", {"model": "gpt", "messages": [{"role": "user", "content": "x"}]}, 404, "no-model"),
        ("POST", "/v1/chat/completions", {"model": "yinju", "messages": [{"role": "system", "content": "x"}]}, 422, "usage"),
    ],
)  # fmt: skip
def test_errors_have_one_shape(
    client: httpx.Client, method: str, path: str, body: dict | None, status: int, code: str
) -> None:
    response = client.request(method, path, json=body)
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (status, code)
    assert error["message"]
    assert error["hint"]


def test_messages_are_in_the_language_of_the_reader(client: httpx.Client) -> None:
    for language, words in (("zh-CN,zh;q=0.9", "没有"), ("en-GB", "There is no")):
        answer = client.get("/api/read", params={"source": "x"}, headers={"accept-language": language})
        assert words in answer.json()["error"]["message"]


def test_the_client_of_openai_asks_the_documents(address: str) -> None:
    openai = pytest.importorskip("openai")
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none") as client:
        assert [model.id for model in client.models.list()] == ["yinju"]
        messages = [{"role": "system", "content": "Short."}, {"role": "user", "content": "年费方案每年多少元？"}]
        whole = client.chat.completions.create(model="yinju", messages=messages)
        text = whole.choices[0].message.content
        assert whole.usage.total_tokens > 0
        pieces = list(
            client.chat.completions.create(
                model="yinju", messages=messages, stream=True, stream_options={"include_usage": True}
            )
        )
        assert "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices) == text
        assert pieces[-1].usage.total_tokens == whole.usage.total_tokens
        assert pieces[-2].choices[0].finish_reason == "stop"
        assert pieces[-2].model_extra["citations"] == whole.model_extra["citations"]
        with pytest.raises(openai.NotFoundError):
            client.chat.completions.create(model="other", messages=messages)
