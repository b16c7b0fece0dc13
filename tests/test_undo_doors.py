"""Undo and purge on the command line and over HTTP: what a person reads, what a program gets, and that no door brings back what was undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from asking_as import doors
from web_client import over, served
from yinju import Library
from yinju.cli import run
from yinju.failing import EXIT_CODE, VARIABLE
from yinju.testing import FakeEmbedder

pytestmark = pytest.mark.slow  # each needs a library of its own


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    monkeypatch.setenv("YINJU_LANG", "en")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# 甲\n\n年费每年 168 元。\n", encoding="utf-8")
    run(["sync", "docs", "-q"])
    (docs / "b.md").write_text("# 乙\n\n蓝鲸四十二只有这里提到。\n", encoding="utf-8")
    run(["sync", "docs", "-q"])
    return docs


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = run(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def call_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code, out, _ = call(capsys, *arguments, "--json")
    return code, json.loads(out)


def names(capsys: pytest.CaptureFixture[str]) -> list[str]:
    found = call_json(capsys, "sources", "--library", "docs/.yinju")[1]["sources"]
    return [one["source"] for one in found]  # type: ignore[attr-defined]


def test_what_was_undone_stays_away_until_it_changes_or_is_released(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "undo", "docs", "--list")
    assert (code, out.count("sync")) == (0, 2)
    assert "1 added" in out
    code, out, err = call(capsys, "undo", "docs")
    assert (code, out.splitlines()[0]) == (0, "Undone:")
    assert "1 removed" in out
    assert "1 file is held back by undo; `yinju sync --release` takes it." in err
    assert names(capsys) == ["a.md"]
    code, out, err = call(capsys, "ask", "docs", "蓝鲸四十二只有哪里提到？")
    assert code == 4
    assert names(capsys) == ["a.md"]
    code, out, err = call(capsys, "sync", "docs")
    assert (code, "2 unchanged" in out, "held back" in err) == (0, True, True)
    code, out, err = call(capsys, "sync", "docs", "--plan")
    assert "b.md (held)" in out
    found = call_json(capsys, "doctor", "docs")[1]["findings"]
    assert [one["subject"] for one in found if one["kind"] == "held"] == ["b.md"]  # type: ignore[attr-defined]
    assert call_json(capsys, "undo", "docs", "--list")[1]["held"] == ["b.md"]
    assert call_json(capsys, "sync", "docs", "--release")[1]["added"] == 1
    assert names(capsys) == ["a.md", "b.md"]


def test_nothing_to_undo_is_a_wrong_use(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call_json(capsys, "undo", "docs", "--steps", "3")[1]["error"]["code"] == "nothing-to-undo"  # type: ignore[index]
    assert names(capsys) == ["a.md", "b.md"]
    assert call(capsys, "undo", "docs", "--steps", "2")[0] == 0
    assert names(capsys) == []
    code, _, err = call(capsys, "undo", "docs")
    assert (code, "There is nothing to undo." in err) == (2, True)
    assert call(capsys, "undo", "docs", "--list")[1].splitlines()[0] == "There is nothing to undo."
    assert call(capsys, "undo", "docs", "--steps", "0")[0] == 2


def test_purge_says_what_it_does_not_reach(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "remove", "b.md", "--purge", "--library", "docs/.yinju")
    assert (code, out.strip()) == (0, "Purged: 1. No byte of the text is left in the library.")
    assert f"unless they are deleted or named in .yinjuignore: {place / 'b.md'}" in err
    content = b"".join(path.read_bytes() for path in (place / ".yinju").iterdir())
    assert "蓝鲸四十二".encode() not in content
    code, found = call_json(capsys, "remove", "a.md", "--purge", "--library", "docs/.yinju")
    assert (code, found["sources"], found["left"]) == (0, ["a.md"], [])
    assert call(capsys, "remove", "a.md", "--purge", "--library", "docs/.yinju")[0] == 74
    (place / "b.md").unlink()
    call(capsys, "undo", "docs")
    assert names(capsys) == []


def test_a_watch_does_not_bring_back_what_was_undone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(capsys, "undo", "docs")
    with Library.open(place / ".yinju") as library:

        def once() -> None:
            library.sync(place)
            stopped.append(True)

        stopped: list[bool] = []
        library.watch(
            [place],
            once,
            lambda: bool(stopped),
            on_ready=lambda: (place / "c.md").write_text("# 丙\n\n丙。\n", encoding="utf-8"),
        )
    assert names(capsys) == ["a.md", "c.md"]


def test_over_http(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# 甲\n\n年费每年 168 元。\n", encoding="utf-8")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        with served(library) as client:
            assert [step["added"] for step in client.get("/api/steps").json()["steps"]] == [1]
            done = over(client, client.post("/api/undo", json={}).json()["job"])
            assert (done["kind"], done["state"], done["report"]["removed"], done["report"]["held"]) == (
                "undo", "done", 1, 1
            )  # fmt: skip
            assert client.get("/api/steps").json() == {"steps": [], "held": ["a.md"]}
            answer = client.post("/api/undo", json={"steps": 1})
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "nothing-to-undo")
            assert client.post("/api/undo", json={"steps": 0}).status_code == 422
            done = over(client, client.post("/api/sync", json={}).json()["job"])
            assert (done["report"]["added"], done["report"]["held"]) == (0, 1)
            done = over(client, client.post("/api/sync", json={"release": True}).json()["job"])
            assert done["report"]["added"] == 1


@pytest.mark.parametrize("point", ["undo", "before-commit", "after-commit"])
def test_a_crash_within_an_undo_leaves_the_old_state_or_the_new_one(tmp_path: Path, point: str) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.md").write_text(f"# {number}\n\n第一版 {number}\n", encoding="utf-8")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
        (folder / "0.md").rename(folder / "名.md")
        (folder / "1.md").write_text("# 1\n\n第二版，长一些\n", encoding="utf-8")
        library.sync(folder)
    script = "import sys; from yinju import Library\nwith Library.open(sys.argv[1]) as library: library.undo()"
    environment = {**os.environ, VARIABLE: point, "YINJU_EMBED_MODEL": "none"}
    assert (
        subprocess.run([sys.executable, "-c", script, str(folder / ".yinju")], env=environment, check=False).returncode
        == EXIT_CODE
    )
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        assert library.store.check() == []
        undone = point == "after-commit"
        assert [one.source for one in library.sources()] == (
            ["0.md", "1.md", "2.md"] if undone else ["1.md", "2.md", "名.md"]
        )
        assert ("第二版" in library.read("1.md").text) is not undone
        assert len(library.steps()) == (1 if undone else 2)
        if not undone:
            library.undo()
        assert [one.source for one in library.sources()] == ["0.md", "1.md", "2.md"]


def test_a_crash_within_a_purge_is_finished_by_the_next_writer(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# 甲\n\n蓝鲸四十二 canaryword42\n", encoding="utf-8")
    (folder / "b.md").write_text("# 乙\n\n别的。\n", encoding="utf-8")
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(folder)
    script = "import sys; from yinju import Library\nwith Library.open(sys.argv[1]) as library: library.purge('a.md')"
    environment = {**os.environ, VARIABLE: "purge", "YINJU_EMBED_MODEL": "none"}
    assert (
        subprocess.run([sys.executable, "-c", script, str(folder / ".yinju")], env=environment, check=False).returncode
        == EXIT_CODE
    )
    with Library.open(folder / ".yinju", embedder=FakeEmbedder()) as library:
        assert [one.source for one in library.sources()] == ["b.md"]
        library.remove("b.md")
    content = b"".join(path.read_bytes() for path in (folder / ".yinju").iterdir())
    assert "蓝鲸四十二".encode() not in content
    assert b"canaryword42" not in content


def where_it_stands(folder: Path, words: str) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and words.encode() in path.read_bytes()]


def test_over_http_a_purge_leaves_no_byte_and_says_what_it_does_not_reach(tmp_path: Path) -> None:
    """While the server has the library open; also of what an undo would bring back. Each language, each kind of file."""
    docs, words = tmp_path / "docs", {"en": "fortytwo blue whales", "zh": "蓝鲸四十二只"}
    docs.mkdir()
    for name, text in {"en.md": words["en"], "zh.md": words["zh"], "other.md": "another thing 另一件事"}.items():
        (docs / name).write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    with Library.open(docs / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(docs)
        library.remove("zh.md")
        with served(library) as client:
            stored = client.post("/api/upload", files=[("files", ("up.md", words["en"].encode()))]).json()
            over(client, stored["job"])
            upload = Path(docs / ".yinju" / stored["stored"][0]["stored_as"])
            up = next(one["source"] for one in client.get("/api/sources").json()["sources"] if "up.md" in one["source"])
            assert client.post("/api/search", json={"query": words["en"]}).json()["hits"]
            unknown = client.post("/api/remove", json={"sources": ["no.md"], "purge": True})
            assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "missing")
            asked = client.post("/api/remove", json={"sources": ["en.md", "zh.md", up], "purge": True})
            assert asked.status_code == 202
            job = over(client, asked.json()["job"])
            assert (job["kind"], job["state"]) == ("remove", "done"), job
            report = job["report"]
            assert report["sources"] == ["en.md", "zh.md", up]
            assert sorted(report["files"]) == [str(docs / "en.md"), str(docs / "zh.md")]
            assert [Path(path).name for path in report["deleted"]] == ["up.md"]
            assert report["left"] == []
            assert not upload.exists()
            assert "en.md" in report["notices"][0]
            for text in words.values():
                assert where_it_stands(docs / ".yinju", text) == []
                hits = client.post("/api/search", json={"query": text}).json()["hits"]
                assert {hit["source"] for hit in hits} <= {"other.md"}
            assert [one["source"] for one in client.get("/api/sources").json()["sources"]] == ["other.md"]
            for _ in client.get("/api/steps").json()["steps"]:
                over(client, client.post("/api/undo", json={}).json()["job"])
                assert {one["source"] for one in client.get("/api/sources").json()["sources"]} <= {"other.md"}


def test_nobody_but_the_owner_purges(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 年费\n\n168 元。\n", encoding="utf-8")
    with Library.open(tmp_path / ".yinju", embedder=FakeEmbedder()) as library:
        library.sync(tmp_path)
        with doors(library, tmp_path, {"alice": ()}) as door:
            for sources in (["a.md"], ["no.md"]):  # the same, whether it is there
                refused = door.ask("alice", "POST", "/api/remove", json={"sources": sources, "purge": True})
                assert (refused.status_code, refused.json()["error"]["code"]) == (403, "owner-only")
            assert door.ask(None, "GET", "/api/jobs").json()["jobs"] == []
        assert [summary.source for summary in library.sources()] == ["a.md"]
