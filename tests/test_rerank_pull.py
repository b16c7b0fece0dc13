"""Models fetched from a hub: against a server on loopback that answers as Hugging Face and ModelScope do, and breaks off where it is told to."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import tiny_models as tiny
from yinju import models
from yinju.cli import run
from yinju.errors import ModelError, UsageError
from yinju.inference import hub, transfer
from yinju.rerank import OnnxReranker

pytestmark = pytest.mark.slow  # together well over two seconds: models and servers on loopback

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAME = "BAAI/bge-reranker-v2-m3"


class Hub:
    """`files` are served; a number in `broken` breaks the next download after so many bytes; `lies` replaces what is sent, not what is listed."""

    def __init__(self, files):
        self.files, self.broken, self.lies, self.requests, self.ranges, self.listing = (
            dict(files),
            [],
            {},
            [],
            True,
            None,
        )
        self.large = [path for path in files if path.endswith((".onnx", ".onnx_data"))]
        hub_ = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                hub_.requests.append((self.path, self.headers.get("range"), self.headers.get("authorization")))
                hub_.answer(self)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, handler):
        parts = urlsplit(handler.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if parts.path == f"/api/models/{NAME}/revision/main":
            return self.send(handler, 200, json.dumps({"sha": COMMIT}).encode())
        if parts.path == f"/api/models/{NAME}/tree/{COMMIT}":
            return self.send(handler, 200, json.dumps(self.listing or self.tree()).encode())
        if parts.path == f"/api/v1/models/{NAME}/repo/files":
            return self.send(handler, 200, json.dumps({"Code": 200, "Data": {"Files": self.modelscope()}}).encode())
        if parts.path == f"/api/v1/models/{NAME}/repo":
            return self.file(handler, query["FilePath"])
        start = f"/{NAME}/resolve/{COMMIT}/"
        if parts.path.startswith(start) and (path := unquote(parts.path.removeprefix(start))) in self.files:
            if path in self.large:  # they lie elsewhere
                return self.send(handler, 302, b"", {"location": f"{self.url}/storage/{path}?signature=secret"})
            return self.file(handler, path)
        if parts.path.startswith("/storage/"):
            return self.file(handler, parts.path.removeprefix("/storage/"))
        return self.send(handler, 404, b"{}")

    def file(self, handler, path):
        content = self.lies.get(path, self.files[path])
        start = int((handler.headers.get("range") or "bytes=0-")[6:-1]) if self.ranges else 0
        headers = {"content-range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if start else {}
        self.send(
            handler,
            206 if start else 200,
            content[start:],
            headers,
            self.broken.pop(0) if self.broken and path in self.large else None,
        )

    def send(self, handler, status, content, headers=None, stop=None):
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content if stop is None else content[:stop])
        if stop is not None:
            handler.close_connection = True

    def tree(self):
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": "onnx"}]
        for path, content in self.files.items():
            blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            entry = {"type": "file", "oid": blob, "size": len(content), "path": path}
            if path in self.large:
                entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 133}
            entries.append(entry)
        return entries

    def modelscope(self):
        files = [{"Type": "tree", "Path": "onnx", "Size": 0, "Sha256": ""}]
        return files + [
            {"Type": "blob", "Path": path, "Size": len(content), "Sha256": hashlib.sha256(content).hexdigest()}
            for path, content in self.files.items()
        ]


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer, "PAUSE", 0)
    folder = tiny.overlap_reranker(tmp_path / "origin", file="onnx/model.onnx")
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    files |= {
        "onnx/model.onnx_data": b"data" * 1000,
        "model.safetensors": b"no",
        "README.md": b"no",
        "modeling.py": b"no",
        ".gitattributes": b"no",
    }
    started = Hub(files)
    yield started
    started.http.shutdown()
    started.http.server_close()


def fetched(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


WANTED = ["config.json", "onnx/model.onnx", "onnx/model.onnx_data", "pulled.json", "tokenizer.json"]


@pytest.mark.parametrize("source", ["huggingface", "modelscope"])
def test_what_is_needed_is_fetched_and_works(server, tmp_path, source):
    folder = hub.pull(NAME, tmp_path / "models", source=source, endpoint=server.url)
    assert folder == tmp_path / "models/BAAI--bge-reranker-v2-m3"
    assert fetched(folder) == WANTED  # no code, no other weights
    assert OnnxReranker(folder).score("电池", ["年费", "电池"])[1] > 0.5
    assert not any(authorization for _path, _range, authorization in server.requests)
    assert [path.name for path in (tmp_path / "models").iterdir()] == [folder.name]


def test_what_broke_off_goes_on(server, tmp_path):
    server.broken = [10, 100, 0, 500]
    folder = hub.pull(NAME, tmp_path, endpoint=server.url)
    assert fetched(folder) == WANTED
    ranges = [asked for path, asked, _ in server.requests if path.startswith("/storage/onnx/model.onnx?") and asked]
    assert ranges[:2] == ["bytes=10-", "bytes=110-"]


def test_another_run_goes_on_too(server, tmp_path):
    server.broken = [1000, *[0] * 9]
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint=server.url)
    assert (caught.value.code, caught.value.retryable) == ("download", True)
    assert "signature" not in f"{caught.value.message} {caught.value.hint}"
    assert not (tmp_path / "BAAI--bge-reranker-v2-m3").exists()
    server.broken, server.requests = [], []
    assert fetched(hub.pull(NAME, tmp_path, endpoint=server.url)) == WANTED
    assert any(asked == "bytes=1000-" for _path, asked, _ in server.requests)
    assert not any("config.json" in path for path, _, _ in server.requests)  # was there already


def test_a_server_that_cannot_go_on_starts_again(server, tmp_path):
    server.broken, server.ranges = [1000], False
    assert fetched(hub.pull(NAME, tmp_path, endpoint=server.url)) == WANTED


@pytest.mark.parametrize(
    "change", [lambda content: content[:-1] + b"x", lambda content: content + b"x", lambda content: content[:-1]]
)
@pytest.mark.parametrize("path", ["onnx/model.onnx", "config.json"])
@pytest.mark.parametrize("source", ["huggingface", "modelscope"])
def test_what_is_not_as_listed_is_not_kept(server, tmp_path, source, path, change):
    server.lies[path] = change(server.files[path])
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, source=source, endpoint=server.url)
    assert caught.value.code == "download"
    assert not (tmp_path / "BAAI--bge-reranker-v2-m3").exists()
    server.lies.clear()
    assert fetched(hub.pull(NAME, tmp_path, source=source, endpoint=server.url)) == WANTED


def test_a_new_version_replaces_the_old_and_keeps_own_settings(server, tmp_path):
    folder = hub.pull(NAME, tmp_path, endpoint=server.url)
    (folder / "yinju.toml").write_text("batch = 4\n", encoding="utf-8")
    server.files["onnx/model.onnx_data"] = b"new"
    hub.pull(NAME, tmp_path, endpoint=server.url)
    assert (folder / "onnx/model.onnx_data").read_bytes() == b"new"
    assert (folder / "yinju.toml").exists()


@pytest.mark.parametrize(
    "path",
    [
        "../../evil/config.json",
        "/etc/config.json",
        "onnx/../../model.onnx",
        "C:\\x.onnx",
        "onnx/.hidden.onnx",
        "a/b/c/d/e/model.onnx",
        "配置.onnx",
    ],
)
def test_hostile_names_are_nothing_to_us(server, tmp_path, path):
    server.listing = [*server.tree(), {"type": "file", "oid": "0" * 40, "size": 5, "path": path}]
    assert fetched(hub.pull(NAME, tmp_path / "models", endpoint=server.url)) == WANTED


@pytest.mark.parametrize("listing", [{"error": "x"}, [1], [], [{"type": "file", "path": 7, "size": "x"}]])
def test_a_listing_of_another_kind(server, tmp_path, listing):
    server.listing = listing or [{}]
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint=server.url)
    assert caught.value.hint


def test_a_repository_without_an_export_says_where_to_look(server, tmp_path):
    del server.files["onnx/model.onnx"], server.files["onnx/model.onnx_data"]
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint=server.url)
    assert caught.value.code == "no-model"
    assert "ONNX" in caught.value.hint
    server.files |= {"a.onnx": b"1", "b.onnx": b"2"}
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint=server.url)
    assert "a.onnx, b.onnx" in caught.value.hint
    with pytest.raises(ModelError):
        hub.pull(NAME, tmp_path, endpoint=server.url, file="c.onnx")


@pytest.mark.parametrize("name", ["bge-m3", "a/b/c", "../x", "a/..", "a/b?x", "", "https://x/y", "所有者/模型"])
def test_names_that_are_none(tmp_path, name):
    with pytest.raises(UsageError):
        hub.pull(name, tmp_path, endpoint="http://127.0.0.1:9")


def test_no_such_model_and_nobody_there(server, tmp_path):
    with pytest.raises(ModelError) as caught:
        hub.pull("nobody/nothing", tmp_path, endpoint=server.url)
    assert "404" in caught.value.message
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint="http://127.0.0.1:9")
    assert "modelscope" in caught.value.hint


def test_a_full_disk_is_told_before(server, tmp_path, monkeypatch):
    import shutil

    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(hub.shutil, "disk_usage", lambda _path: usage._replace(free=1000))
    with pytest.raises(ModelError) as caught:
        hub.pull(NAME, tmp_path, endpoint=server.url)
    assert caught.value.code == "cannot-write"


def test_from_the_command_line_to_use(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("YINJU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    assert run(["model", "pull", NAME]) == 0
    assert f"model use {NAME}" in capsys.readouterr().out
    assert run(["model", "use", "bge-reranker-v2-m3"]) == 0
    assert run(["model", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    mine = next(model for model in told["models"] if model["name"] == NAME)
    assert (mine["kind"], mine["used"]) == ("reranker", True)
    assert (
        models.local_folder(NAME)
        == models.local_folder("bge-reranker-v2-m3")
        == models.models_directory() / "BAAI--bge-reranker-v2-m3"
    )
    assert run(["model", "pull", NAME, "--from", "modelscope", "--endpoint", server.url, "--json"]) == 0
    assert run(["model", "pull", NAME, "--from", "elsewhere"]) == 2
    assert run(["model", "pull", "nobody/nothing", "--json"]) == 70


def test_nothing_is_fetched_by_itself(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.setenv("YINJU_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("YINJU_RERANK_MODEL", NAME)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("电池", encoding="utf-8")
    assert run(["search", str(tmp_path / "docs"), "电池"]) == 0
    assert NAME in capsys.readouterr().err  # not here: told, not fetched
    assert not server.requests
