"""The official client of the Model Context Protocol, on stdio and over HTTP, by both ways to begin: every tool, and what goes wrong."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from yinju import Library
from yinju.calling import TABLE
from yinju.testing import FakeEmbedder
from yinju.types import Document
from yinju.web.app import create_app
from yinju.web.guard import GuardOptions
from yinju.web.serve import _listen

pytestmark = pytest.mark.slow
PLANS = "# 订阅方案\n\n## 年费\n\n年费方案每年 168 元。\n\n## 在校生\n\n在校生上传学生证后按七折结算。\n"
WARRANTY = "# Warranty\n\nThe battery is under warranty for six months.\n"
NAMES = ["plans.md", "指南/保修 说明 100%.md", "old/a.zip!/b.md"]
TOKEN = "a-token-of-twenty-four-c"
MODES = ["legacy", "auto", "2026-07-28"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("docs")
    root.chmod(0o755)
    (root / "指南").mkdir()
    (root / NAMES[0]).write_text(PLANS, encoding="utf-8")
    (root / NAMES[1]).write_text(WARRANTY, encoding="utf-8")
    (root / "old").mkdir()
    shutil.make_archive(str(root / "old" / "a"), "zip", _archive(tmp_path_factory))
    return root


def _archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    inside = tmp_path_factory.mktemp("inside")
    (inside / "b.md").write_text("# 旧版\n\n旧版年费每年 128 元。\n", encoding="utf-8")
    return inside


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with Library.open(embedder=FakeEmbedder()) as library, _listen("127.0.0.1", 0) as listener:
        texts = zip(NAMES, (PLANS, WARRANTY, "# 旧版\n\n旧版年费每年 128 元。\n"), strict=True)
        library.add([Document.from_text(text, source=source) for source, text in texts])
        server = uvicorn.Server(
            uvicorn.Config(
                create_app(library, GuardOptions(token=TOKEN, burst=10_000)), log_level="warning", timeout_graceful_shutdown=2
            )
        )  # fmt: skip
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join(10)


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "YINJU_EMBED_MODEL": "none", **more}


def _process(*arguments: str, **environment: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "yinju", "mcp", *arguments], env=_environment(**environment)
    )  # fmt: skip


@asynccontextmanager
async def _client(way: str, mode: str, folder: Path, address: str):
    if way == "stdio":
        async with Client(stdio_client(_process(str(folder))), mode=mode) as client:
            yield client
        return
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    async with (
        create_mcp_http_client(headers={"authorization": f"Bearer {TOKEN}"}) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


async def _text(client: Client, name: str, **arguments: object) -> tuple[str, bool]:
    result = await client.call_tool(name, arguments)
    assert len(result.content) == 1
    return result.content[0].text, bool(result.is_error)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_every_tool(way: str, mode: str, folder: Path, address: str) -> None:
    async def talk() -> None:
        async with _client(way, mode, folder, address) as client:
            assert mode == MODES[2] or "verify_quote" in (
                client.instructions or ""
            )  # a client that pins a version asks for nothing
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == list(TABLE)
            for tool in tools.values():
                assert tool.annotations.read_only_hint
                assert tool.annotations.destructive_hint is False
                assert tool.annotations.open_world_hint == (tool.name == "ask")
                assert len(tool.description) < 200
            found, failed = await _text(client, "search", query="年费方案每年多少元", limit=1)
            assert not failed
            assert "plans.md:" in found
            assert "168" in found
            assert (await _text(client, "search", query="年费方案每年多少元", limit=1))[0].split(" c_")[1][:16] == (
                found.split(" c_")[1][:16]
            )
            assert "168" in (await _text(client, "context", question="年费每年多少元"))[0]
            assert "5\t年费方案每年 168 元。" in (await _text(client, "read", source="plans.md", first=5, last=5))[0]
            assert "在校生" in (await _text(client, "outline", source="plans.md"))[0]
            assert "b.md:3: 旧版年费每年 128 元。" in (await _text(client, "grep", pattern="128"))[0]
            assert "b.md" in (await _text(client, "grep", pattern="1[0-9]8 元", regex=True, only="old/*"))[0]
            listed = (await _text(client, "list_sources"))[0]
            assert all(name in listed for name in NAMES)
            assert (await _text(client, "verify_quote", text="battery is under warranty for six months"))[0].startswith(
                "verified"
            )
            wrong = (await _text(client, "verify_quote", text="battery is under warranty for nine months"))[0]
            assert wrong.startswith("not there word for word")
            assert "documents: 3" in (await _text(client, "status"))[0]
            answer, failed = await _text(client, "ask", question="年费方案每年多少元？")
            assert not failed
            assert "168" in answer or answer.startswith("refused")

    asyncio.run(talk())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_sources_are_resources(way: str, mode: str, folder: Path, address: str) -> None:
    async def talk() -> None:
        async with _client(way, mode, folder, address) as client:
            await client.call_tool("status", {})
            listed = {one.name: one.uri for one in (await client.list_resources()).resources}
            assert set(listed) == set(NAMES)
            for name, uri in listed.items():
                assert str(uri).isascii()
                (content,) = (await client.read_resource(str(uri))).contents
                assert content.text.startswith("#"), name
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "yinju://source/{+name}"
            plain = await client.read_resource("yinju://source/" + NAMES[2])
            assert "128" in plain.contents[0].text
            for wrong in (
                "yinju://source/nothing.md",
                "yinju://source/",
                "file:///etc/passwd",
                "yinju://source/../../etc/passwd",
            ):
                with pytest.raises(MCPError):
                    await client.read_resource(wrong)

    asyncio.run(talk())


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_mistakes_are_told_in_words(way: str, folder: Path, address: str) -> None:
    async def talk() -> None:
        async with _client(way, "legacy", folder, address) as client:
            for name, arguments, words in (
                ("search", {}, "'query' is missing"),
                ("search", {"query": "x" * 2_001}, "1 to 2000 characters"),
                ("search", {"query": "x", "colour": "red"}, "takes no 'colour'"),
                ("read", {"source": "nothing.md"}, "nothing.md"),
                ("read", {"source": "../../etc/passwd"}, "passwd"),
                ("grep", {"pattern": "(", "regex": True}, "error:"),
            ):
                text, failed = await _text(client, name, **arguments)
                assert failed, name
                assert words in text
                assert "Traceback" not in text
            with pytest.raises(MCPError):
                await client.call_tool("delete_everything", {})

    asyncio.run(talk())


def _post(address: str, **headers: str | None) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    given = {
        "accept": "application/json, text/event-stream", "authorization": f"Bearer {TOKEN}", "mcp-protocol-version": "2025-06-18"
    } | {name.replace("_", "-"): value for name, value in headers.items()}  # fmt: skip
    return httpx.post(
        address, json=body, headers={name: value for name, value in given.items() if value is not None}
    ).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "evil.example:80"}, 403),  # S17: a name of somebody else for this machine
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"authorization": None}, 401),  # S18
        ({"authorization": "Bearer wrong"}, 401),
    ],
)
def test_s17_s18_fault_117_who_may_use_mcp(address: str, headers: dict[str, str | None], status: int) -> None:
    assert _post(address, **headers) == status


def test_s18_no_token_in_the_address_and_no_other_method(address: str) -> None:
    assert _post(f"{address}?token={TOKEN}", authorization=None) == 401
    assert httpx.get(address, headers={"authorization": f"Bearer {TOKEN}"}).status_code == 405
    too_long = httpx.post(address, content=b"x" * (1024 * 1024 + 1), headers={"authorization": f"Bearer {TOKEN}"})
    assert too_long.status_code == 413


def test_calls_at_once(folder: Path, address: str) -> None:
    async def talk() -> None:
        async with _client("stdio", "auto", folder, address) as client:
            found = await asyncio.gather(*(_text(client, "search", query=f"年费 {n}") for n in range(20)))
            assert all("plans.md" in text for text, _failed in found)

    asyncio.run(talk())
