"""`yinju mcp` as a process: what reaches its stdout, how soon it answers, and what happens when something is slow, noisy or missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from yinju.cli import run

pytestmark = pytest.mark.slow
NOISE = """
import os, sys, warnings, logging, ctypes
from yinju import models
quiet = models.open_embedder
def noisy(settings, **how):
    print("banner: loading the model")
    sys.stdout.write("progress 10 %\\r"); sys.stdout.flush()
    os.write(1, b"native words\\n")
    os.system("echo a child speaks")
    warnings.warn("a warning of a library")
    logging.getLogger("x").warning("a log line")
    return quiet(settings, **how)
models.open_embedder = noisy
"""
SLOW_MODEL = """
import time
from yinju import models
def slow(settings, **how):
    if settings.embed_model == "hashing":
        time.sleep(60)
models.open_embedder = slow
"""
SLOW_TOOL = """
import time
from yinju import tools
def slow(library, given, cancelled):
    until = time.monotonic() + 4
    while time.monotonic() < until and not cancelled():
        time.sleep(0.05)
    return "slow is done"
tools._RUNS["status"] = slow
"""
OFFLINE = """
import socket, sys
def refuse(self, address):
    sys.stderr.write(f"OUTBOUND {address}\\n")
    raise OSError("there is no network")
socket.socket.connect = socket.socket.connect_ex = refuse
"""


class Process:
    """A server and what it said."""

    def __init__(self, *arguments: str, before: str = "", **environment: str) -> None:
        program = f"{before}\nfrom yinju.cli import main\nmain(['mcp', *{list(arguments)!r}])"
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "YINJU_EMBED_MODEL": "none", **environment},
        )  # fmt: skip

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found = json.loads(self.process.stdout.readline().decode("utf-8"))
        assert found["jsonrpc"] == "2.0"
        return found

    def begin(self) -> dict[str, Any]:
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.send(id="hello", method="initialize", params=client)
        found = self.receive()
        self.send(method="notifications/initialized")
        return found["result"]

    def call(self, id: int, name: str, **arguments: Any) -> None:
        self.send(id=id, method="tools/call", params={"name": name, "arguments": arguments})

    def told(self, id: int, name: str, **arguments: Any) -> str:
        self.call(id, name, **arguments)
        found = self.receive()
        assert found["id"] == id
        return found["result"]["content"][0]["text"]

    def end(self) -> tuple[int, bytes, str]:
        """Close its stdin as a client does that goes; return exit code, the rest of stdout, and stderr."""
        out, errors = self.process.communicate(timeout=20)
        return self.process.returncode, out, errors.decode("utf-8")


@contextmanager
def server(*arguments: str, before: str = "", **environment: str) -> Iterator[Process]:
    started = Process(*arguments, before=before, **environment)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir(mode=0o755)
    (folder / "年费.md").write_text("# 年费\n\n年费方案每年 168 元。\n", encoding="utf-8")
    (folder / "battery.md").write_text("# Battery\n\nThe battery is covered for six months.\n", encoding="utf-8")
    return folder


def test_fault_111_nothing_but_the_protocol_on_stdout(docs: Path) -> None:
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7 no more")
    with server(str(docs), before=NOISE, YINJU_EMBED_MODEL="hashing", PYTHONIOENCODING="gbk") as process:
        process.begin()
        assert "168" in process.told(1, "search", query="年费每年多少元")
        assert "年费.md" in process.told(2, "list_sources")
        code, rest, errors = process.end()
    assert (code, rest) == (0, b"")
    for noise in ("banner", "native words", "a child speaks", "a warning"):
        assert noise in errors


def test_fault_113_the_model_is_loaded_after_the_handshake_and_words_answer_meanwhile(docs: Path) -> None:
    with server(str(docs)) as process:
        process.begin()
        process.told(1, "status")
        process.end()
    with server(str(docs), before=SLOW_MODEL, YINJU_EMBED_MODEL="hashing") as process:
        process.begin()
        process.send(id=1, method="tools/list")
        assert len(process.receive()["result"]["tools"]) == 9
        assert time.monotonic() - process.started < 2
        found = process.told(2, "search", query="年费每年多少元")
        assert "168" in found
        assert "still loading" in found
        assert time.monotonic() - process.started < 8
        assert process.end()[0] == 0


def test_fault_113_without_a_library_it_says_that_it_is_being_opened(docs: Path) -> None:
    with server(str(docs), before=SLOW_MODEL, YINJU_EMBED_MODEL="hashing") as process:
        process.begin()
        assert "Try again" in process.told(1, "search", query="年费")


def test_fault_115_nobody_outside_is_asked(docs: Path) -> None:
    with server(str(docs), before=OFFLINE, YINJU_EMBED_MODEL="hashing") as process:
        process.begin()
        assert "168" in process.told(1, "search", query="年费每年多少元")
        assert "six months" in process.told(2, "ask", question="For how long is the battery covered?")
        code, _rest, errors = process.end()
    assert code == 0
    assert "OUTBOUND" not in errors


def test_a_slow_tool_holds_nothing_up_and_can_be_cancelled(docs: Path) -> None:
    with server(str(docs), before=SLOW_TOOL) as process:
        process.begin()
        process.told(1, "search", query="年费")
        process.call(2, "status")
        process.send(id=3, method="ping")
        assert process.receive()["id"] == 3
        assert "168" in process.told(4, "search", query="年费每年多少元")
        process.send(method="notifications/cancelled", params={"requestId": 2})
        cancelled = time.monotonic()
        assert "six months" in process.told(5, "search", query="battery covered")
        code, rest, _errors = process.end()
        assert time.monotonic() - cancelled < 3
        assert code == 0
        assert b"slow is done" not in rest


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nothing/here"], 74, "nothing"),
        (["--colour"], 2, "--colour"),
        ([".", "and", "more"], 2, "Error"),
        ([".", "--json"], 2, "--json"),
    ],
)
def test_what_cannot_start_says_so_on_stderr(arguments: list[str], code: int, words: str) -> None:
    with server(*arguments) as process:
        found, out, errors = process.end()
    assert (found, out) == (code, b"")
    assert words in errors
    assert "→" in errors
    assert "Traceback" not in errors


def test_a_damaged_library_is_told_to_the_agent_and_by_the_exit_code(docs: Path) -> None:
    (docs / ".yinju").mkdir(mode=0o755)
    (docs / ".yinju" / "library.db").write_bytes(os.urandom(9_000))
    with server(str(docs)) as process:
        process.begin()
        process.call(1, "search", query="年费")
        result = process.receive()["result"]
        assert result["isError"]
        assert "yinju doctor" in result["content"][0]["text"]
        code, rest, errors = process.end()
    assert (code, rest) == (74, b"")
    assert "Traceback" not in errors


@pytest.mark.parametrize("line", [b"no json at all\n", b"[]\n", b'{"jsonrpc": "2.0"}\n', b"\xff\xfe\n", b"\n"])
def test_lines_that_are_no_messages_change_nothing(docs: Path, line: bytes) -> None:
    with server(str(docs)) as process:
        process.begin()
        assert process.process.stdin is not None
        process.process.stdin.write(line)
        process.send(id=1, method="ping")
        found = process.receive()
        while found.get("id") != 1:
            assert "error" in found
            found = process.receive()
        assert process.end()[0] == 0


def test_the_folder_is_brought_up_to_date(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    assert run(["sync", str(docs), "--quiet"]) == 0
    (docs / "new.md").write_text("# News\n\nThe lamp is green.\n", encoding="utf-8")
    with server(str(docs), YINJU_EMBED_MODEL="hashing") as process:
        process.begin()
        until = time.monotonic() + 15
        while "new.md" not in process.told(1, "list_sources") and time.monotonic() < until:
            time.sleep(0.05)
        assert "green" in process.told(2, "search", query="colour of the lamp")
        while "embedded: 3" not in process.told(3, "status") and time.monotonic() < until:
            time.sleep(0.05)
        assert "embedded: 3" in process.told(4, "status")
        assert process.process.stderr is not None
        assert "up to date" in process.process.stderr.readline().decode()
        assert process.end()[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of other systems differ")
def test_ctrl_c_ends_it_though_nobody_writes(docs: Path) -> None:
    with server(str(docs)) as process:
        process.begin()
        process.told(1, "status")
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(8) == 130
