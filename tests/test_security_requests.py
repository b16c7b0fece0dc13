"""S8, S29, S39 and S43: fields that nobody may set, text that looks like a filter, numbers and depths without measure, by every door."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from tests.asking_as import Door, doors, message, routes

from yinju import Library, calling
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.types import Document
from yinju.web import asking, documents, finding, inspecting, measuring, openai_api, syncing

pytestmark = pytest.mark.slow
SLOWEST_S = 3.0
WRONG = (
    "api_base", "base_url", "api_key", "model_path", "trust_remote_code", "endpoint", "proxy", "library", "extra_headers", "chat_url", "embed_url",
)  # fmt: skip
BODIES: dict[str, dict[str, Any]] = {
    "/api/search": {"query": "年费"}, "/api/context": {"question": "年费"}, "/api/ask": {"question": "年费"}, "/api/grep": {"pattern": "年费"},
    "/api/verify": {"text": "年费"}, "/api/why": {"question": "年费", "expect": "a.md"}, "/api/explain": {"query": "年费"},
    "/api/compare": {"query": "年费"}, "/api/sync": {"plan": True}, "/api/remove": {"sources": ["no.md"]}, "/api/undo": {"steps": 5},
    "/api/eval": {"file": "no.jsonl"}, "/api/feedback": {"question": "x", "verdict": "up", "source": "no.md"},
    "/v1/chat/completions": {"model": "yinju", "messages": [{"role": "user", "content": "年费"}]}, "/api/jobs/{id}/cancel": {},
}  # fmt: skip
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("door")
    with Library.open(embedder=FakeEmbedder(), chat_model=ScriptedChatModel("年费 168 元 [1]。")) as library:
        library.add([Document.from_text("# 年费\n\n年费 168 元。The fee is 168.", source="a.md")])
        with doors(library, folder, {"alice": ()}) as found:
            yield found


def ask(door: Door, path: str, **given: Any) -> Any:
    """Send a request and see that it is answered in time, and never by a fault."""
    began = time.perf_counter()
    response = door.ask(None, "POST", path.replace("{id}", "00"), headers=JSON, **given)
    assert time.perf_counter() - began < SLOWEST_S, path
    assert response.status_code < 500, (path, response.text[:200])
    return response


# S8


def test_s8_every_route_with_a_body_is_asked(door: Door) -> None:
    posts = {path for method, path in routes(door.app) if method == "POST"}
    assert posts - set(BODIES) == {"/mcp", "/api/upload"}


@pytest.mark.parametrize("path", BODIES)
def test_s8_no_request_chooses_an_endpoint_a_model_or_a_key(path: str, door: Door) -> None:
    for name in WRONG:
        assert ask(door, path, json=BODIES[path] | {name: "http://evil.example/v1"}).status_code == 422, name
        if "messages" not in BODIES[path]:
            continue
        assert ask(door, path, json=BODIES[path] | {name.upper(): {"a": 1}}).status_code == 422, name


def _is_model(one: object) -> bool:
    return isinstance(one, type) and issubclass(one, BaseModel) and one is not BaseModel


def test_s8_no_model_of_ours_takes_what_it_does_not_know() -> None:
    """But the shapes of OpenAI's API, whose clients send more than they need."""
    rooms = (asking, documents, finding, inspecting, measuring, syncing)
    models = {
        one for room in rooms for one in vars(room).values() if isinstance(one, type) and issubclass(one, BaseModel)
    } - {BaseModel}
    assert len(models) > 12
    assert {one.__name__ for one in models if one.model_config.get("extra") != "forbid"} == set()
    assert openai_api.ChatRequest.model_config["extra"] == "ignore"


def test_s8_no_tool_takes_one_either(door: Door) -> None:
    for name, tool in calling.TABLE.items():
        required = {key: "a.md" for key, one in tool.parameters.items() if one.required}
        for wrong in (*WRONG, "principal", "groups", "as", "path"):
            assert f"takes no '{wrong}'" in door.tool(None, name, **required, **{wrong: "x"})


# S29


SYNTAX = (
    "tenant:B OR 1=1", '" OR 1=1 --', "NEAR(年费 fee) AND \"", "年费*", "^年费", "{a b}:c", "a' ; DROP TABLE document;--", "source:../x", "\x00",
    "(" * 10_000,
    "(" * 9_000 + "年费" + ")" * 9_000, "a AND " * 3_000, '"' * 9_999, "-" * 20_000, "年费 " * 6_000, "\u0301" * 20_000, "%s%n{0}{}", "a:b:c:d",
    " ".join(f"t{number}" for number in range(3_500)), "*" * 400, "[" * 400, "[!" * 200, "**/" * 130,
)  # fmt: skip


@pytest.mark.parametrize("text", SYNTAX, ids=lambda text: ascii(text[:12]))
def test_s29_what_looks_like_syntax_is_text(text: str, door: Door) -> None:
    for path, name in (
        ("/api/search", "query"),
        ("/api/ask", "question"),
        ("/api/context", "question"),
        ("/api/explain", "query"),
    ):
        assert ask(door, path, json={name: text}).status_code == 200, path
    ask(door, "/api/search", json={"query": "年费", "where": {"source": text[:400], text[:50]: "*"}})
    for regex in (True, False):
        ask(door, "/api/grep", json={"pattern": text[:1_000], "regex": regex})
    ask(door, "/v1/chat/completions", json={"model": "yinju", "messages": [{"role": "user", "content": text}]})
    ask(door, "/api/verify", json={"text": text})
    door.tool(None, "search", query=text[:2_000], only=text[:400])
    assert door.ask(None, "GET", "/api/sources").json()["sources"][0]["source"] == "a.md"


# S39 and S43


@pytest.mark.parametrize(
    "number",
    ["1e400", "NaN", "-1", "-Infinity", "1000000000", "1e9", "true", '"5"', "[5]", "0.5", "9" * 5_000, "null", "{}"],
)
def test_s43_numbers_without_measure(number: str, door: Door) -> None:
    fields = {
        "/api/search": ("limit", "per_document", "min_score"), "/api/context": ("tokens", "limit"),
        "/api/ask": ("refuse_below", "tokens", "agent"),
        "/api/grep": ("limit",), "/api/explain": ("depth",), "/api/undo": ("steps",),
    }  # fmt: skip
    for path, names in fields.items():
        given = ", ".join(f'"{key}": "年费"' for key in BODIES[path] if key != "steps")
        for name in names:
            body = f'{{{given}{", " if given else ""}"{name}": {number}}}'
            status = ask(door, path, content=body.encode()).status_code
            fine = (
                number == "null"
                or (number == "0.5" and name in ("min_score", "refuse_below"))
                or (name == "agent" and number in ("true", "{}"))
            )
            assert status in ((200, 422) if fine else (400, 422)), (path, name)
    call = f'{{"name": "search", "arguments": {{"query": "年费", "limit": {number}}}}}'
    body = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {call}}}'
    ask(door, "/mcp", content=body.encode())
    for name in ("start", "first", "last", "around", "page", "width"):
        for path in ("read", "view", "boxes", "page"):
            answer = door.ask(
                None, "GET", f"/api/{path}", params={"source": "a.md", "start": 0, "end": 1, name: number.strip('"')}
            )
            assert answer.status_code < 500, (path, name)


@pytest.mark.parametrize("path", [*BODIES, "/mcp"])
def test_s43_depth_length_and_bytes_that_are_no_text(path: str, door: Door) -> None:
    bodies = (
        b"[" * 100_000, b'{"query":' * 50_000, b'{"a":' * 20_000 + b"1" + b"}" * 20_000, b'{"query": "\xff\xfe"}', b'{"query": "\\ud800"}', b"",
        b"null", b"[]", b'"x"', b"\x00", b'{"query": 1, "query": 2}', b"\xef\xbb\xbf{}",
    )  # fmt: skip
    for body in bodies:
        assert ask(door, path, content=body).status_code in (200, 202, 400, 404, 409, 422), body[:20]
    assert ask(door, path, content=b'{"query": "' + b"a" * 1_100_000 + b'"}').status_code == 413
    name = next((key for key in ("query", "question", "pattern", "text") if key in BODIES.get(path, {})), None)
    if name is not None:
        for text in ("a" * 900_000, "年" * 300_000, "t " * 100_000):
            assert ask(door, path, json=BODIES[path] | {name: text}).status_code == 422


def test_s39_arguments_of_ten_megabytes_and_of_other_kinds(door: Door) -> None:
    assert ask(door, "/mcp", content=b'{"jsonrpc": "2.0", "params": "' + b"a" * 10_000_000 + b'"}').status_code == 413
    for name, tool in calling.TABLE.items():
        for key, parameter in tool.parameters.items():
            required = {other: "a.md" for other, one in tool.parameters.items() if one.required}
            for value in ("a" * 500_000, ["x"], {"x": 1}, 1.5, True, None, 10**30, "../../etc/passwd"):
                answer = door.mcp("alice", "tools/call", {"name": name, "arguments": required | {key: value}})
                assert answer.status_code == 200, (name, key, parameter.kind)
                assert "result" in message(answer)
                assert len(answer.text) < 200_000
