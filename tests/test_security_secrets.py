"""S45, S46 and S48: keys are in no output, hostile text begins no line of ours, and what a library keeps is its owner's alone."""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import stat
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.asking_as import doors

from yinju import Library, logs, private, settings, tokens
from yinju.cli import render, run
from yinju.errors import UsageError, YinjuError
from yinju.testing import FakeEmbedder
from yinju.testing.chat_server import reply, serving
from yinju.types import Document
from yinju.web.guard import GuardOptions

# Twenty secrets, each where people put them. URL: user and password in an address.
NAMES = (
    "env-chat", "env-embed", "env-rerank", "env-judge", "env-token", "url-chat-user", "url-chat-password", "url-embed-password",
    "url-rerank-password",
    "url-judge-password", "file-chat", "file-embed", "file-rerank", "file-judge", "file-url-password", "flag-token", "owner-token", "alice-token",
    "wrong-kind", "bearer-sent",
)  # fmt: skip
SECRETS = {name: f"Q{number:02d}x{name.replace('-', '')}-8f3a" for number, name in enumerate(NAMES)}


def leaks(*texts: str) -> list[str]:
    """Return the names of the secrets that these texts show, also percent-encoded, as JSON, or in part."""
    shown = [text + _decoded(text) for text in texts]
    return [name for name, secret in SECRETS.items() if any(secret in text or secret[3:-5] in text for text in shown)]


def _decoded(text: str) -> str:
    """Return what stands in a text as base64, as `Authorization: Basic` does."""
    found = (base64.b64decode(one + "=" * (-len(one) % 4)) for one in re.findall(r"Basic ([A-Za-z0-9+/]{16,})", text))
    return " ".join(one.decode("latin-1") for one in found)


def test_there_are_twenty_of_them_and_they_would_be_seen() -> None:
    assert len(set(SECRETS.values())) == 20
    assert leaks(f"key {SECRETS['env-chat']}") == ["env-chat"]


@pytest.fixture
def own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config" / "settings.toml"
    file.parent.mkdir()
    monkeypatch.setattr(settings, "user_file", lambda: file)
    return file


# settings


def test_settings_show_no_key_whatever_is_wrong_with_them(own_file: Path) -> None:
    address = f"http://user:{SECRETS['file-url-password']}@127.0.0.1:9/v1"
    lines = [
        f'chat_key = "{SECRETS["file-chat"]}"', f'embed_key = "{SECRETS["file-embed"]}"', f'rerank_key = "{SECRETS["file-rerank"]}"',
        f'judge_key = "{SECRETS["file-judge"]}"', f'chat_url = "{address}"',
    ]  # fmt: skip
    own_file.write_text("\n".join(lines), encoding="utf-8")
    own_file.chmod(0o600)
    found = settings.load(environment={"YINJU_CHAT_KEY": SECRETS["env-chat"]})
    assert found.embed_key == SECRETS["file-embed"]
    assert leaks(repr(found), str(found), *found.notices) == []
    for wrong in (
        f'chat_key = ["{SECRETS["wrong-kind"]}"]',
        f'chat_key = {{a = "{SECRETS["wrong-kind"]}"}}',
        f'chat_key = "{SECRETS["wrong-kind"]}',
    ):
        own_file.write_text(wrong, encoding="utf-8")
        with pytest.raises(UsageError) as caught:
            settings.load(environment={})
        assert leaks(caught.value.message, caught.value.hint or "") == []


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize(
    ("line", "told"), [("chat_key = 'k'", True), ("chat_url = 'http://u:p@h/v1'", True), ("limit = 3", False)]
)
def test_keys_that_others_can_read_are_told(own_file: Path, line: str, told: bool) -> None:
    own_file.write_text(line, encoding="utf-8")
    for mode, expected in ((0o644, told), (0o640, told), (0o600, False)):
        own_file.chmod(mode)
        notices = settings.load(environment={}).notices
        assert bool(notices) is expected
        assert not notices or "chmod 600" in notices[0]


def test_s8_a_folder_names_no_endpoint_model_or_key(own_file: Path, tmp_path: Path) -> None:
    wrong = {
        "chat_url": "http://evil.example/v1", "chat_key": "x", "chat_model": "evil", "embed_url": "http://evil.example/v1", "embed_model": "/evil",
        "rerank_url": "http://evil.example/v1", "rerank_model": "/evil", "judge_url": "http://evil.example/v1", "library": "/evil",
        "trust_remote_code": "yes",
    }  # fmt: skip
    lines = [f'{key} = "{value}"' for key, value in wrong.items()]
    (tmp_path / "settings.toml").write_text("\n".join([*lines, "limit = 7"]), encoding="utf-8")
    found = settings.load(tmp_path, environment={})
    assert found.limit == 7
    assert (found.chat_url, found.embed_url, found.rerank_url, found.judge_url, found.library) == (None,) * 5
    assert (found.embed_model, found.rerank_model, found.chat_key) == ("e5", None, None)
    assert all(key in found.notices[0] for key in wrong)


# everything that is said


@pytest.fixture
def planted(own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder, and servers of models that say the key that they were sent in every error and in every answer."""

    def echo(handler: Any) -> None:
        key = handler.headers.get("authorization", "none")
        reply(401, json.dumps({"error": {"message": f"bad key {key} at {handler.path}"}, "detail": key}))(handler)

    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# 年费\n\n年费 168 元。The fee is 168 dollars.\n", encoding="utf-8")
    lines = [f'{name}_key = "{SECRETS[f"file-{name}"]}"' for name in ("chat", "embed", "rerank", "judge")]
    own_file.write_text("\n".join(lines), encoding="utf-8")
    own_file.chmod(0o600)
    with serving(echo) as server:
        port = server.url.split(":")[2]
        given = {"YINJU_TOKEN": SECRETS["env-token"] + "long-enough-for-one"}
        for name in ("chat", "embed", "rerank", "judge"):
            user = SECRETS["url-chat-user"] if name == "chat" else "user"
            given[f"YINJU_{name.upper()}_URL"] = f"http://{user}:{SECRETS[f'url-{name}-password']}@127.0.0.1:{port}"
            given[f"YINJU_{name.upper()}_KEY"] = SECRETS[f"env-{name}"]
            given[f"YINJU_{name.upper()}_MODEL"] = "small"
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(folder)
        yield folder, given


COMMANDS = (
    ["sync", "."], ["ask", "年费多少元？"], ["search", "年费"], ["status"], ["doctor"], ["sources"], ["ask", "What is the fee?", "--show-prompt"],
    ["why", "年费多少元？", "--expect", "a.md"], ["read", "a.md"], ["verify", "年费 168 元", "--source", "a.md"], ["backup", "../b.db"],
    ["model", "list"], ["eval", "../cases.jsonl"], ["ask", "x", "--model", "no-such"], ["no-such-command"], ["tune", "../cases.jsonl"],
)  # fmt: skip


@pytest.mark.slow
def test_s45_no_command_says_a_key(
    planted: tuple[Path, dict[str, str]],
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, _ = planted
    (folder.parent / "cases.jsonl").write_text('{"question": "年费多少元？", "source": "a.md"}\n', encoding="utf-8")
    caplog.set_level(logging.DEBUG)
    said = []
    for debug in ("", "1"):
        monkeypatch.setenv("YINJU_DEBUG", debug)
        for command in COMMANDS:
            for more in ([], ["--json"]):
                try:
                    run([*command, *more])
                except BaseException:  # noqa: BLE001  with YINJU_DEBUG a fault is shown as it is
                    said.append(traceback.format_exc())
                out = capfd.readouterr()
                assert leaks(out.out, out.err) == [], command
    assert leaks(*said) == []
    assert leaks(caplog.text) == []
    for path in folder.parent.rglob("*"):
        if path.is_file() and path.name != "settings.toml":
            assert leaks(path.read_bytes().decode("latin-1")) == [], path


@pytest.mark.slow
def test_s45_no_route_and_no_object_shows_a_key(
    planted: tuple[Path, dict[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    folder, _ = planted
    caplog.set_level(logging.DEBUG)
    chosen = settings.load()
    with Library.open(folder / ".yinju", settings=chosen) as library:
        library.sync(folder)
        shown = [repr(one) for one in (chosen, library, library.chat_model, library.embedder, library.options)]
        with doors(library, folder.parent, {"alice": ()}) as door:
            SECRETS["alice-token"] = door.known["alice"]
            cases = [{"question": "年费多少元？", "source": "a.md"}]
            asked = [
                door.ask(None, "GET", path)
                for path in ("/", "/api/status", "/openapi.json", "/api/jobs", "/api/roots", "/api/evaluations", "/api/steps", "/health")
            ]  # fmt: skip
            for body in (
                {"question": "年费多少元？"},
                {"question": "年费多少元？", "stream": True},
                {"question": "年费？", "agent": True},
            ):
                asked.append(door.ask("alice", "POST", "/api/ask", json=body))
            messages = [{"role": "user", "content": "年费多少元？"}]
            asked.append(
                door.ask("alice", "POST", "/v1/chat/completions", json={"model": "yinju", "messages": messages})
            )
            asked.append(door.mcp("alice", "tools/call", {"name": "ask", "arguments": {"question": "年费多少元？"}}))
            job = door.ask(None, "POST", "/api/eval", json={"cases": cases}).json()["job"]["id"]
            asked.append(door.ask(None, "GET", f"/api/jobs/{job}/events"))
            asked.append(door.ask(None, "GET", "/api/evaluations"))
            asked.append(door.client.get("/api/status", headers={"authorization": f"Bearer {SECRETS['bearer-sent']}"}))
            shown += [repr(door.app.state.yinju), repr(GuardOptions(token=SECRETS["owner-token"]))]
    assert {one.status_code for one in asked} <= {200, 401, 502, 503}
    assert leaks(*shown, *(one.text + str(one.headers) for one in asked), caplog.text) == []


def test_s45_what_a_model_is_told_holds_no_key(own_file: Path) -> None:
    with serving(reply(500, "no")) as server:
        chosen = settings.load(
            environment={
                "YINJU_CHAT_URL": server.url,
                "YINJU_CHAT_KEY": SECRETS["env-chat"],
                "YINJU_CHAT_MODEL": "small",
                "YINJU_EMBED_MODEL": "none",
            }
        )
        with Library.open(settings=chosen) as library:
            library.add([Document.from_text("# 年费\n\n年费 168 元。", source="a.md")])
            with suppress(YinjuError):
                library.ask("年费多少元？")
        assert server.requests
        assert leaks(json.dumps(server.requests)) == []


def test_s45_children_that_read_files_are_given_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("YINJU_CHAT_KEY", "YINJU_EMBED_URL", "YINJU_TOKEN"):
        monkeypatch.setenv(name, SECRETS["env-chat"])
    monkeypatch.setenv("YINJU_LANG", "zh")
    given = private.environment()
    assert leaks(json.dumps(given)) == []
    assert given["YINJU_LANG"] == "zh"
    assert given["PATH"] == os.environ["PATH"]


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes as Linux shows them")
def test_s45_neither_command_line_nor_environment_of_a_worker_holds_a_key(planted: tuple[Path, dict[str, str]]) -> None:
    from yinju.load import Pool
    from yinju.types import SourceFile

    folder, _ = planted
    seen: list[str] = []
    with Pool(1) as pool:
        pool.load_file(SourceFile("a.md", str(folder / "a.md"), 0, 0))
        for child in (one._process for one in (*pool._children, pool._eyes)):
            if child is not None:
                seen += [
                    Path(f"/proc/{child.pid}/{what}").read_text(encoding="latin-1") for what in ("cmdline", "environ")
                ]
    assert len(seen) == 2
    assert leaks(*seen) == []


# lines of the log, and of the terminal


HOSTILE = "a.md\nError: all is well\r\x1b[31m\x1b]8;;http://evil.example\x07 \u202egnp.exe\u2066\u2028\x9b2J\x00"


def test_s46_a_record_is_one_line_and_a_traceback_stands_behind_a_bar() -> None:
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        found = sys.exc_info()
    record = logging.LogRecord("yinju", logging.ERROR, "x.py", 1, "could not read %s", (HOSTILE,), found)
    lines = logs.Formatter().format(record).split("\n")
    assert lines[0].startswith("ERROR yinju: could not read a.md\\u000aError: all is well\\u000d\\u001b[31m")
    assert len(lines) > 3
    assert all(line.startswith(logs.BAR) for line in lines[1:])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028]", "\n".join(lines))


def test_s46_a_thread_that_ends_by_a_fault_is_told_in_that_form(capsys: pytest.CaptureFixture[str]) -> None:
    before, hook = logging.getLogger().handlers[:], threading.excepthook
    try:
        logs.install()

        def fail() -> None:
            raise ValueError(HOSTILE)

        thread = threading.Thread(target=fail, name="job\nERROR yinju: fine")
        thread.start()
        thread.join()
    finally:
        threading.excepthook = hook
        logging.getLogger().handlers[:] = before
    said = capsys.readouterr().err
    assert "\x1b" not in said
    assert [line for line in said.split("\n") if line.startswith("ERROR")] == [said.split("\n", maxsplit=1)[0]]


@pytest.mark.parametrize(
    "command", [["read", HOSTILE], ["ask", "--library", HOSTILE, "x"], ["verify", "x", "--source", HOSTILE], [HOSTILE]]
)
def test_s46_an_error_is_two_lines_whatever_it_names(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    assert run(command) != 0
    said = capsys.readouterr().err
    assert sum(line.startswith("Error") for line in said.split("\n")) <= 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has no such names")
def test_s46_names_titles_and_answers_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A document, its name, its title and a model that all try to speak to the terminal."""
    folder = tmp_path / "docs"
    folder.mkdir()
    esc = "\x1b[2J\x1b]0;owned\x07\u202e"
    (folder / f"年费{esc}\nError: x.md").write_text(f"# 年费{esc}\n\n年费 168 元{esc}。\n", encoding="utf-8")
    (folder / f"bad{esc}\n.pdf").write_bytes(b"%PDF-1.4 no")
    say = f"年费 168 元 [1]。{esc}\nError: x"
    message = {"choices": [{"message": {"role": "assistant", "content": say}, "finish_reason": "stop", "index": 0}]}
    monkeypatch.chdir(folder)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    with serving(reply(200, json.dumps(message))) as server:
        monkeypatch.setenv("YINJU_CHAT_URL", server.url)
        for command in (
            ["sync", "."], ["sync", ".", "--plan"], ["ask", "年费多少元？"], ["search", "年费", "--explain"], ["sources"], ["doctor"], ["status"],
            ["grep", "年费"], ["context", "年费"], ["undo", "--list"], ["why", "年费多少元？", "--expect", "x.md"],
        ):  # fmt: skip
            run(command)
            out = capsys.readouterr()
            for text in (out.out, out.err):
                assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), command
            assert not any(
                line.startswith("Error: x") for line in (out.err + "\n" + out.out).split("\n") if command[0] != "ask"
            ), command


def test_s46_what_is_safe_shows_no_control() -> None:
    assert render.flat("a\nb\x1b\u2028\u202e") == "a\\nb\\u001b\\u2028\\u202e"


# modes


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_s48_everything_that_a_library_keeps_is_its_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)  # the most careless one that there is
    try:
        _fill(tmp_path)
    finally:
        os.umask(before)
    wide = {
        str(path.relative_to(tmp_path)): oct(stat.S_IMODE(path.lstat().st_mode))
        for top in ("library", "tokens", "config", "b.db", "restored") for path in (tmp_path / top, *(tmp_path / top).rglob("*"))
        if path.exists() and stat.S_IMODE(path.lstat().st_mode) & 0o077
    }  # fmt: skip
    assert wide == {}
    kinds = {path.name.split("-")[0] for path in (tmp_path / "library").rglob("*")}
    assert {"library.db", "uploads", "evaluations", "feedback.jsonl", "feedback"} <= kinds, kinds


def _fill(folder: Path) -> None:
    for name in ("docs", "door"):
        (folder / name).mkdir()
    (folder / "docs" / "a.md").write_text("# 年费\n\n年费 168 元。\n", encoding="utf-8")
    place = folder / "library"
    tokens.add(folder / "tokens" / "tokens.json", "alice")
    settings._write_setting(folder / "config" / "settings.toml", "chat_key", "k")
    with Library.open(place, embedder=FakeEmbedder()) as library:
        library.sync(folder / "docs")
        library.search("年费")
        with doors(library, folder / "door", {"alice": ()}) as door:
            door.ask(None, "POST", "/api/upload", files=[("files", ("x.md", "# 月费\n\n月费 10 元。".encode()))])
            cases = [{"question": "年费多少元？", "source": "a.md"}]
            job = door.ask(None, "POST", "/api/eval", json={"cases": cases}).json()["job"]["id"]
            door.ask(None, "GET", f"/api/jobs/{job}/events")
            for more in ({"source": "a.md"}, {}):
                answer = door.ask(
                    None, "POST", "/api/feedback", json={"question": "年费多少元？", "verdict": "down", **more}
                )
                assert answer.status_code == 200, answer.text
            for job in door.ask(None, "GET", "/api/jobs").json()["jobs"]:
                door.ask(None, "GET", f"/api/jobs/{job['id']}/events")
        library.backup(folder / "b.db")
    Library.restore(folder / "b.db", folder / "restored")
    Library.restore(folder / "b.db", place)
