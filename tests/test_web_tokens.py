"""Who may ask a server and what for: the file of tokens, the guard that reads it, and for every route whether it is the owner's alone."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.asking_as import OWNER, Door, doors, message, routes

from yinju import Library, tokens
from yinju.cli import run
from yinju.errors import StoreBusy, UsageError
from yinju.principal import Principal
from yinju.store.faults import damaged
from yinju.testing import FakeEmbedder, ScriptedChatModel
from yinju.tokens import SCOPE, Asker, Tokens
from yinju.types import Document
from yinju.web.app import create_app
from yinju.web.guard import Guard, GuardOptions
from yinju.web.serve import guard_options

SECRET = "# 密约\n\n秘密价格是 42 元。The hidden price is 42.\n"
OPEN = "# 公开\n\n公开价格是 7 元。The open price is 7.\n"

# Every route, and whose it is: `page` and its like hold no content; `asker`: whoever has a token, each what it may see; `owner`: 403 for the others.
WHO = {
    ("GET", "/"): "page", ("GET", "/page/{name}"): "page", ("GET", "/health"): "page", ("GET", "/openapi.json"): "page",
    ("GET", "/api/status"): "asker", ("POST", "/api/search"): "asker", ("POST", "/api/context"): "asker", ("GET", "/api/sources"): "asker",
    ("GET", "/api/receipt"): "asker", ("GET", "/api/read"): "asker", ("GET", "/api/view"): "asker", ("GET", "/api/outline"): "asker",
    ("POST", "/api/grep"): "asker", ("POST", "/api/verify"): "asker", ("POST", "/api/ask"): "asker", ("GET", "/api/boxes"): "asker",
    ("GET", "/api/page"): "asker", ("POST", "/api/why"): "asker", ("POST", "/api/explain"): "asker", ("POST", "/api/compare"): "asker",
    ("GET", "/v1/models"): "asker", ("POST", "/v1/chat/completions"): "asker", ("POST", "/mcp"): "asker",
    ("GET", "/api/roots"): "owner", ("POST", "/api/sync"): "owner", ("POST", "/api/upload"): "owner", ("POST", "/api/remove"): "owner",
    ("GET", "/api/steps"): "owner", ("POST", "/api/undo"): "owner",
    ("GET", "/api/jobs"): "owner", ("GET", "/api/jobs/{id}"): "owner", ("GET", "/api/jobs/{id}/events"): "owner",
    ("POST", "/api/jobs/{id}/cancel"): "owner", ("POST", "/api/eval"): "owner", ("GET", "/api/cases"): "owner",
    ("GET", "/api/evaluations"): "owner", ("GET", "/api/evaluations/{id}"): "owner", ("GET", "/api/comparison"): "owner",
    ("POST", "/api/feedback"): "owner", ("GET", "/api/feedback"): "owner",
}  # fmt: skip
BODIES: dict[str, Any] = {
    "/api/sync": {"plan": True}, "/api/remove": {"sources": ["open.md"]}, "/api/jobs/{id}/cancel": {}, "/api/undo": {},
    "/api/eval": {"cases": [{"question": "x"}]}, "/api/feedback": {"question": "x", "verdict": "up", "source": "open.md"},
}  # fmt: skip


# the file


@pytest.mark.parametrize(("name", "groups"), [("alice", ("hr", "legal")), ("王小明", ("人事部",)), ("e\u0301va", ())])
def test_what_is_written_is_read_and_holds_no_token(tmp_path: Path, name: str, groups: tuple[str, ...]) -> None:
    file = tmp_path / "config" / "tokens.json"
    token = tokens.add(file, name, groups)
    other = tokens.add(file, "other")
    known = Tokens(file)
    assert known.principal_of(token) == Principal(tokens.checked_name(name), groups)
    assert known.principal_of(other) == Principal("other")
    assert known.principal_of(token[:-1]) is known.principal_of("") is known.principal_of("\udc80中") is None
    text = file.read_text(encoding="utf-8")
    assert token not in text
    assert token.removeprefix(tokens.PREFIX) not in text
    assert token not in repr(known)
    assert len(token.removeprefix(tokens.PREFIX)) == 43  # 32 bytes
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        assert tokens.warnings(file) == []
        file.chmod(0o640)
        assert "600" in tokens.warnings(file)[0]
    assert [path.name for path in file.parent.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("name", ["", "  ", "*", "a,b", "a\nb", "a\u202eb", "x" * 201, "#a", "甲、乙", "a；b"])
def test_what_cannot_stand_on_a_list_is_no_name(tmp_path: Path, name: str) -> None:
    for arguments in ((name,), ("fine", [name])):
        with pytest.raises(UsageError):
            tokens.add(tmp_path / "tokens.json", *arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "tokens.json").exists()


ROW = {"name": "a", "groups": [], "sha256": "0" * 64, "created": "2026-11-30T00:00:00Z"}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"\xff\xfe", b'{"version": 2, "tokens": []}', b'{"version": true, "tokens": []}', b'{"version": 1}',
        b'{"version": 1, "tokens": {}}', b"[" * 100_000, b'{"version": 1, "tokens": [NaN]}', b" " * (tokens.MOST_BYTES + 1),
        *(
            json.dumps({"version": 1, "tokens": rows}).encode()
            for rows in (
                [ROW | {"sha256": "0" * 63}], [ROW | {"sha256": "G" * 64}], [ROW | {"name": "*"}], [ROW | {"name": 7}], [ROW | {"groups": "hr"}],
                [ROW | {"groups": [1]}], [ROW | {"owner": True}], [ROW, ROW | {"sha256": "1" * 64}], [ROW, ROW | {"name": "b"}], ["a"],
            )
        ),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_and_never_guessed_at(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "tokens.json"
    file.write_bytes(content)
    for wrong in (Tokens, tokens.entries, lambda path: tokens.add(path, "x"), lambda path: tokens.remove(path, "x")):
        with pytest.raises(UsageError) as caught:
            wrong(file)
        assert caught.value.code == "damaged-tokens"
        assert str(file) in caught.value.message
    assert file.read_bytes() == content


def test_a_change_on_disk_holds_from_the_next_request(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "tokens.json"
    token, second = tokens.add(file, "a", ["x"]), tokens.add(file, "b")
    known = Tokens(file)
    tokens.set_groups(file, "a", ["y", "z"])
    assert known.principal_of(token) == Principal("a", ("y", "z"))
    tokens.remove(file, "a")
    assert known.principal_of(token) is None
    assert known.principal_of(second) == Principal("b")
    kept = file.read_bytes()
    file.write_bytes(kept[:-9])  # somebody's editor
    assert known.principal_of(second) is None
    assert known.principal_of(second) is None
    assert [record.name for record in caplog.records] == ["yinju.tokens"]
    assert second not in caplog.text
    file.write_bytes(kept)
    assert known.principal_of(second) == Principal("b")
    file.unlink()
    assert known.principal_of(second) is None
    with pytest.raises(UsageError) as caught:
        Tokens(file)
    assert caught.value.code == "no-tokens"


@pytest.mark.slow
def test_many_who_change_it_at_once_lose_nothing(tmp_path: Path) -> None:
    file, done = tmp_path / "tokens.json", []

    def work(name: str) -> None:
        for number in range(10):
            while True:
                try:
                    done.append(tokens.add(file, f"{name}{number}"))
                    break
                except StoreBusy:
                    continue

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    known = Tokens(file)
    assert len(tokens.entries(file)) == len(done) == 40
    assert all(known.principal_of(token) is not None for token in done)


def test_one_who_was_killed_while_writing_does_not_keep_others_out(tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    tokens.add(file, "a")
    left = tmp_path / "tokens.json.new"
    left.write_bytes(b"half")
    with pytest.raises(StoreBusy):
        tokens.add(file, "b")
    os.utime(left, (1, 1))
    tokens.add(file, "b")
    assert [one.name for one in tokens.entries(file)] == ["a", "b"]
    assert not left.exists()


@pytest.mark.slow
@pytest.mark.parametrize(("language", "words"), [("en", "has a token already"), ("zh", "已有令牌")])
def test_the_commands(
    tmp_path: Path, language: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("YINJU_LANG", language)
    file = ["--tokens", str(tmp_path / "t.json")]
    assert run(["token", "list", *file]) == 2
    assert run(["token", "add", "王", "--group", "人事", *file]) == 0
    token = capsys.readouterr().out.strip()
    assert Tokens(tmp_path / "t.json").principal_of(token) == Principal("王", ("人事",))
    assert run(["token", "add", "王", *file]) == 2
    assert words in capsys.readouterr().err
    assert run(["token", "groups", "王", "--group", "b", "--group", "a", *file]) == 0
    assert run(["token", "list", "--json", *file]) == 0
    told = capsys.readouterr().out
    assert json.loads(told)["tokens"][0]["groups"] == ["a", "b"]
    assert token not in told
    assert run(["token", "list", *file]) == 0
    assert "a, b" in capsys.readouterr().out
    assert run(["token", "remove", "王", *file]) == 0
    assert run(["token", "remove", "王", *file]) == 2
    assert "no-token" not in capsys.readouterr().out


def test_a_server_does_not_start_on_a_file_that_is_not_there_or_broken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["serve", "--tokens", str(tmp_path / "none.json"), "--library", str(tmp_path / "lib")]) == 2
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    assert run(["serve", "--tokens", str(tmp_path / "broken.json"), "--library", str(tmp_path / "lib")]) == 2
    said = capsys.readouterr().err
    assert "none.json" in said
    assert "broken.json" in said
    assert not (tmp_path / "lib").exists()


def test_beyond_this_machine_tokens_of_principals_are_enough(tmp_path: Path) -> None:
    tokens.add(tmp_path / "t.json", "a")
    known = Tokens(tmp_path / "t.json")
    options = guard_options("0.0.0.0", None, tokens=known)
    assert (options.token, options.tokens) == (None, known)


# the guard


def told(guard: Guard, *headers: tuple[str, str], path: str = "/api/status", **more: Any) -> tuple[int, bytes, Any]:
    """Return status and body of one request, and the asker that the application behind the guard was told."""
    given = [("host", "127.0.0.1"), *headers]
    scope = {
        "type": "http", "path": path, "method": "GET", "client": ("192.0.2.1", 1), "query_string": b"token=x",
        "headers": [(name.encode(), value.encode("utf-8")) for name, value in given], **more,
    }  # fmt: skip
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(guard(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], sent[1]["body"], sent[0].get("asker")


async def _behind(scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [], "asker": scope.get(SCOPE, "nobody")})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def test_s18_the_guard_alone_says_who_asks(file: Path) -> None:
    alice, bob = tokens.add(file, "alice", ["hr"]), tokens.add(file, "bob")
    guard = Guard(_behind, GuardOptions(token=OWNER, tokens=Tokens(file)))
    bearer = "authorization"
    assert told(guard, (bearer, f"Bearer {alice}"))[2] == Asker(Principal("alice", ("hr",)))
    assert told(guard, (bearer, f"bearer  {bob} "))[2] == Asker(Principal("bob"))
    assert told(guard, (bearer, f"Bearer {OWNER}"))[2] == Asker(None)
    forged = {SCOPE: Asker(None), "state": {SCOPE: Asker(None)}}
    for name in (SCOPE, "x-yinju-asker", "x-principal", "x-forwarded-user", "cookie"):
        assert told(guard, (bearer, f"Bearer {bob}"), (name, "alice"), **forged)[2] == Asker(Principal("bob"))
    assert told(guard, path="/page/app.js", **forged)[2] == "nobody"
    wrong = [
        (), ((bearer, ""),), ((bearer, "Bearer "),), ((bearer, f"Bearer {alice}x"),), ((bearer, f"Basic {alice}"),), ((bearer, alice),),
        ((bearer, f"Bearer {alice}"), (bearer, f"Bearer {OWNER}")), ((bearer, "Bearer 令牌"),), (("cookie", f"token={alice}"),),
        ((bearer, "Bearer " + "x" * 60_000),),
    ]  # fmt: skip
    assert {told(guard, *headers, **forged)[:2] for headers in wrong} == {told(guard)[:2]}
    assert told(guard)[0] == 401


def test_with_no_owners_token_nobody_is_the_owner(file: Path) -> None:
    tokens.add(file, "a")
    guard = Guard(_behind, GuardOptions(tokens=Tokens(file)))
    for given in ("Bearer ", "Bearer None", "Bearer"):
        assert told(guard, ("authorization", given))[0] == 401
    assert told(Guard(_behind, GuardOptions()))[2] == Asker(None)  # no tokens at all: this machine's user


def test_guessing_is_slowed_like_any_other_request(file: Path) -> None:
    token = tokens.add(file, "a")
    guard = Guard(_behind, GuardOptions(tokens=Tokens(file), burst=3, requests_per_second=0.001))
    assert [told(guard, ("authorization", "Bearer no"))[0] for _ in range(5)] == [401, 401, 401, 429, 429]
    assert told(guard, ("authorization", f"Bearer {token}"))[0] == 429
    assert told(guard, ("authorization", f"Bearer {token}"), client=("192.0.2.2", 1))[0] == 200


# the routes


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("served")
    with Library.open(folder / "library", embedder=FakeEmbedder()) as library:
        secret = Document.from_text(SECRET, source="人事/secret.md", metadata={"access": ["hr"]})
        library.add([secret, Document.from_text(OPEN, source="open.md")])
        people = {"alice": ("hr",), "bob": (), "carol": ("hr",)}
        with doors(library, folder, people) as door:
            yield door


def test_every_route_is_somebodys() -> None:
    with Library.open(embedder=FakeEmbedder()) as library:
        found = routes(create_app(library))
    assert found == set(WHO), "a new route has to be listed: whose is it, and which test asks it for canaries?"


@pytest.mark.slow
def test_what_is_the_owners_is_refused_to_everybody_else(door: Door) -> None:
    for (method, path), whose in WHO.items():
        if whose != "owner":
            continue
        address = path.replace("{id}", "0" * 16)
        for body in ({"json": BODIES.get(path, {})}, {"json": {"nonsense": 1}}) if method == "POST" else ({},):
            if path == "/api/upload":
                body = {"files": [("files", ("a.md", b"# A\n", "text/markdown"))]}  # noqa: PLW2901
            response = door.ask("alice", method, address, **body)
            assert (response.status_code, response.json()["error"]["code"]) == (403, "owner-only"), path
            assert response.json()["error"]["hint"]
        assert door.client.request(method, address, **body).status_code == 401
    assert door.ask(None, "GET", "/api/jobs").json() == {"jobs": []}  # nothing was begun
    assert door.ask(None, "GET", "/api/feedback").json() == {"cases": 0, "open": []}
    chinese = door.ask("bob", "GET", "/api/jobs", headers={"accept-language": "zh"}).json()["error"]
    assert "所有者" in chinese["message"]


@pytest.mark.slow
def test_status_says_what_the_asker_may_do_and_tells_nobody_else_where_the_library_lies(door: Door) -> None:
    owner, bob = (door.ask(name, "GET", "/api/status").json() for name in (None, "bob"))
    assert owner["asker"] == {"name": None, "groups": [], "owner": True, "may_change": True}
    assert bob["asker"] == {"name": "bob", "groups": [], "owner": False, "may_change": False}
    assert (owner["documents"], bob["documents"]) == (2, 1)
    assert owner["library"]
    assert (bob["library"], bob["roots"], bob["size_bytes"]) == (None, [], None)


@pytest.mark.slow
def test_s31_s37_what_is_taken_away_is_gone_with_the_next_request(door: Door) -> None:
    whole: Library = door.app.state.yinju.library

    def sees(name: str) -> bool:
        return door.ask(name, "GET", "/api/read", params={"source": "人事/secret.md"}).status_code == 200

    def found(name: str) -> set[str]:
        hits = door.ask(name, "POST", "/api/search", json={"query": "秘密价格 hidden price"}).json()["hits"]
        return {hit["source"] for hit in hits}

    assert [sees("alice"), sees("bob"), sees("carol")] == [True, False, True]
    assert found("alice") == {"人事/secret.md", "open.md"}
    assert found("bob") == {"open.md"}
    tokens.set_groups(door.file, "carol", ["sales"])
    assert not sees("carol")
    tokens.set_groups(door.file, "carol", ["hr"])
    assert sees("carol")
    whole.restrict("人事/secret.md", ["carol"])  # on every list: hr by the document, carol by the owner
    try:
        assert [sees("alice"), sees("carol")] == [False, True]
        assert found("alice") == {"open.md"}
    finally:
        whole.restrict("人事/secret.md", None)
    assert sees("alice")
    tokens.remove(door.file, "carol")
    response = door.ask("carol", "GET", "/api/status")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "token")
    door.known["carol"] = tokens.add(door.file, "carol", ["hr"])
    assert sees("carol")


@pytest.mark.slow
@pytest.mark.parametrize("question", ["hidden price", "秘密价格是多少"])
def test_an_answer_under_way_when_the_permission_goes_ends_and_the_next_has_nothing(
    tmp_path: Path, question: str
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(_messages: Any) -> list[str]:
        begun.set()
        assert go_on.wait(20)
        return ["秘密价格是 42 元 [1]。", "The hidden price is 42 [1]."]

    model = ScriptedChatModel(slowly)
    with Library.open(tmp_path / "library", embedder=FakeEmbedder(), chat_model=model) as library:
        library.add([Document.from_text(SECRET, source="secret.md", metadata={"access": "hr"})])
        with doors(library, tmp_path, {"alice": ("hr",)}) as door:
            asked = {"question": question, "stream": True, "refuse_below": 0}
            got: list[str] = []
            thread = threading.Thread(target=lambda: got.append(door.ask("alice", "POST", "/api/ask", json=asked).text))
            thread.start()
            assert begun.wait(20)
            tokens.remove(door.file, "alice")
            library.restrict("secret.md", [])
            go_on.set()
            thread.join(30)
            assert got, "the stream did not end"
            assert got[0].rstrip().rsplit("\n\n", 1)[-1].startswith(("event: answer", "event: error"))
            assert door.ask("alice", "POST", "/api/ask", json=asked).status_code == 401
            door.known["alice"] = tokens.add(door.file, "alice", ["hr"])
            after = door.ask("alice", "POST", "/api/ask", json={"question": question, "refuse_below": 0})
            assert after.status_code == 200
            assert "42" not in after.text
            assert "secret.md" not in after.text


@pytest.mark.slow
def test_a_route_behind_no_guard_shows_nothing(tmp_path: Path) -> None:
    with Library.open() as library:
        library.add([Document.from_text(SECRET, source="secret.md")], embed=False)
        app = create_app(library, GuardOptions())
        app.user_middleware.clear()
        from starlette.testclient import TestClient

        with TestClient(app, raise_server_exceptions=False) as client:
            response = client.get("/api/read", params={"source": "secret.md"})
            assert response.status_code == 500
            assert "42" not in response.text
            tool = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "grep", "arguments": {"pattern": "42"}},
            }
            given = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
            assert "hidden" not in client.post("/mcp", json=tool, headers=given).text


@pytest.mark.slow
@pytest.mark.parametrize(("language", "words"), [("en", "Your own token"), ("zh", "您自己的令牌")])
def test_the_owner_of_a_server_with_tokens_gets_one_too(
    tmp_path: Path, language: str, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[dict[str, Any]] = []

    def serve(_library: Library, *, ready: Any, **options: Any) -> None:
        given.append(options)
        ready("http://127.0.0.1:1")

    monkeypatch.setattr("yinju.web.serve.serve", serve)
    monkeypatch.setenv("YINJU_LANG", language)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.delenv("YINJU_TOKEN", raising=False)
    tokens.add(tmp_path / "t.json", "a")
    command = ["serve", "--tokens", str(tmp_path / "t.json"), "--library", str(tmp_path / "library")]
    assert run(command) == 0
    said = capsys.readouterr()
    assert words in said.err
    assert given[0]["token"] in said.err
    assert given[0]["token"] not in said.out
    assert given[0]["tokens"].path == tmp_path / "t.json"
    assert len(given[0]["token"]) > 40
    assert run([*command, "-q"]) == 0  # quiet, and yet not locked out
    assert given[1]["token"] in capsys.readouterr().err
    monkeypatch.setenv("YINJU_TOKEN", OWNER)
    assert run(command) == 0
    assert given[2]["token"] == OWNER
    assert OWNER not in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("language", "words"), [("en", "cannot be read now"), ("zh", "无法读取")])
def test_a_fault_of_the_file_does_not_say_where_it_lies(
    door: Door, language: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: Library = door.app.state.yinju.library

    def broken(*_given: object) -> None:
        raise damaged(whole.store.path, "page 7")

    monkeypatch.setattr("yinju.store.seen.settle", broken)
    place = str(whole.store.path)
    headers = {"accept-language": language}
    asked = {"question": "price", "stream": True}
    tool = {"name": "grep", "arguments": {"pattern": "x"}}
    told = [
        door.ask("alice", "GET", "/api/read", params={"source": "open.md"}, headers=headers).text,
        door.ask("alice", "POST", "/api/ask", json=asked, headers=headers).text,
        message(door.mcp("alice", "tools/call", tool, **headers))["result"]["content"][0]["text"],
        message(door.mcp("alice", "resources/list", **headers))["error"]["message"],
    ]
    for text in told:
        assert words in text
        assert place not in text
    monkeypatch.undo()
    assert door.ask("alice", "GET", "/api/read", params={"source": "open.md"}).status_code == 200
