"""S1, S2, S33 and S6: no name that anybody sends becomes a path; nothing outside the roots is opened, whatever is asked for and by which door.

Every file that Python opens is heard by an audit hook while the requests are made.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.asking_as import Door, doors, message

from yinju import Library
from yinju.cli import run
from yinju.errors import DocumentError
from yinju.load import inside, load_file
from yinju.sync.scan import scan
from yinju.testing import FakeEmbedder
from yinju.types import Citation
from yinju.web import syncing

SECRET = "eleven-blue-lanterns"
_heard: list[str] = []
_hears: set[int] = set()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _hears and isinstance(arguments[0], (str, bytes)):
        _heard.append(os.fsdecode(arguments[0]))


@contextmanager
def opens() -> Iterator[list[str]]:
    """Yield the names of the files that are opened in this process."""
    if not getattr(sys, "_yinju_hears", False):
        sys.addaudithook(_hook)
        sys._yinju_hears = True  # type: ignore[attr-defined]  a hook stays as long as the process does
    _heard.clear()
    _hears.add(1)
    try:
        yield _heard
    finally:
        _hears.clear()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Path, Door]]:
    """A folder that is served, and beside it one whose name begins alike, with a secret in it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.md").write_text("# 年费\n\n年费 168 元。The fee is 168.\n", encoding="utf-8")
    (tmp_path / "data-evil").mkdir()
    for name in ("s.md", "s.jsonl", "s.records.jsonl"):
        (tmp_path / "data-evil" / name).write_text(SECRET, encoding="utf-8")
    with Library.open(tmp_path / "library", embedder=FakeEmbedder()) as library:
        library.sync(tmp_path / "data")
        with doors(library, tmp_path, {"alice": ()}) as door:
            yield tmp_path, door


def names(target: Path, root: Path) -> list[str]:
    """Return the ways to write the path of a file outside the root."""
    rel = os.path.relpath(target, root)
    return [
        rel, str(target), rel.replace("/", "%2f"), rel.replace(".", "%2e").replace("/", "%252f"), rel.replace("/", "\\"), f"\\\\?\\{target}",
        f"C:\\{target}", f"C:{target.name}", f"{target}\0.md", f"{rel}\0", "x/" * 1_500 + rel, f"a.md/../{rel}", f"file://{target}", f"{rel}/",
        f"./{rel}", f"~/{rel}", f"a.zip!/{rel}", "．．／" + target.name, "..;/" + rel, f"//localhost{target}", "/proc/self/root" + str(target),
    ]  # fmt: skip


def told(door: Door, name: str) -> Iterator[tuple[str, int, str]]:
    """Ask every door that takes the name of a source, a file, a run or a job, and yield what each says."""
    short = name[:255]
    params = {"source": name, "start": 0, "end": 1}
    for path in ("read", "view", "outline", "boxes", "page", "receipt"):
        for as_ in (None, "alice"):
            yield f"{path} {as_}", *_said(door.ask(as_, "GET", f"/api/{path}", params=params))
    bodies: dict[str, Any] = {
        "verify": {"text": "a b c", "source": name[:4_096]}, "remove": {"sources": [name[:4_096]]}, "eval": {"file": short},
        "feedback": {"question": "q", "verdict": "down", "source": name[:4_096]}, "sync": {"paths": [name[:4_096]]},
    }  # fmt: skip
    for path, body in bodies.items():
        yield path, *_said(door.ask(None, "POST", f"/api/{path}", json=body))
    yield "plan", *_said(door.ask(None, "POST", "/api/sync", json={"paths": [name[:4_096]], "plan": True}))
    yield "comparison", *_said(door.ask(None, "GET", "/api/comparison", params={"before": short, "after": short}))
    for path in ("/api/evaluations/", "/api/jobs/", "/page/"):
        yield path, *_said(door.ask(None, "GET", path + name.replace("\0", "%00")))
    for tool in ("read", "outline", "verify_quote"):
        arguments = {"source": name} if tool != "verify_quote" else {"text": "a b c", "source": name}
        yield f"tool {tool}", 404, door.tool(None, tool, **arguments)
    answer = message(door.mcp(None, "resources/read", {"uri": "yinju://source/" + name}))
    yield "resource", 404, answer["error"]["message"]


def _unnamed(text: str) -> str:
    """Return what is said without the name that was asked for."""
    return re.sub(r"[st](\.|%2e)md", "x.md", text)


def _said(response: Any) -> tuple[int, str]:
    return response.status_code, response.text


@pytest.mark.slow
def test_s1_s2_s33_no_name_opens_a_file_outside(place: tuple[Path, Door]) -> None:
    folder, door = place
    there, absent = folder / "data-evil" / "s.md", folder / "data-evil" / "t.md"
    inside_of = (str(folder / "data") + "/", str(folder / "library"), str(folder / "tokens.json"))
    with opens() as heard:
        for one, other in zip(names(there, folder / "data"), names(absent, folder / "data"), strict=True):
            for (asked, status, text), (_, status_too, text_too) in zip(
                told(door, one), told(door, other), strict=True
            ):
                assert status in (400, 403, 404, 422), (asked, one, status, text[:200])
                assert SECRET not in text
                assert status == status_too
                assert _unnamed(text) == _unnamed(text_too), (asked, one)  # the same, whether the file is there
    mine = [path for path in heard if path.startswith(str(folder)) and not path.startswith(inside_of)]
    assert mine == []
    assert not any("passwd" in path or "/proc/self/root" in path for path in heard)


@pytest.mark.slow
def test_fault_121_what_the_file_system_holds_is_no_document(place: tuple[Path, Door]) -> None:
    """Nor does a sync read it, whatever says where it is; and no source file is ever deleted by being read or removed."""
    folder, door = place
    for path in (
        "/etc/passwd",
        str(folder / "data" / ".." / "data-evil"),
        str(folder / "data-evil" / "s.md"),
        str(folder),
    ):
        response = door.ask(None, "POST", "/api/sync", json={"paths": [path]})
        assert response.status_code == 403, response.text
        assert response.json()["error"]["code"] == "outside"
        assert "root:" not in door.tool(None, "read", source=path)
    job = door.ask(None, "POST", "/api/remove", json={"sources": ["a.md"]}).json()["job"]
    for _ in range(200):
        if door.ask(None, "GET", f"/api/jobs/{job['id']}").json()["state"] in ("done", "failed"):
            break
        threading.Event().wait(0.02)
    assert (folder / "data" / "a.md").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["data-evil/s.md", "../data-evil/s.md", "nothing.md"])
def test_s1_on_the_command_line_a_name_is_a_source_or_a_file_of_a_library(
    name: str, place: tuple[Path, Door], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _door = place
    monkeypatch.chdir(folder / "data")
    monkeypatch.setenv("YINJU_EMBED_MODEL", "none")
    for command in (["read", name], ["outline", name], ["verify", "a b c", "--source", name]):
        assert run([*command, "--library", str(folder / "library")]) != 0
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err


# between the scan and the read


def _posix_links() -> bool:
    return os.name == "posix"


needs_links = pytest.mark.skipif(not _posix_links(), reason="links need rights on Windows")


@needs_links
@pytest.mark.parametrize("what", ["the file", "its folder", "a folder above", "an archive"])
def test_s1_a_link_that_takes_the_place_of_a_file_is_not_followed_out(what: str, tmp_path: Path) -> None:
    import zipfile

    root, evil = tmp_path / "root", tmp_path / "root-evil"
    for base, word in ((root, "open"), (evil, SECRET)):
        (base / "b" / "c").mkdir(parents=True)
        (base / "b" / "c" / "x.md").write_text(f"# {word}\n", encoding="utf-8")
        with zipfile.ZipFile(base / "b" / "z.zip", "w") as archive:
            archive.writestr("m.md", f"# {word}\n")
    path = root / "b" / "z.zip!/m.md" if what == "an archive" else root / "b" / "c" / "x.md"
    assert "open" in load_file(str(path), "x.md", folder=str(root)).document.text
    place = {"the file": "b/c/x.md", "its folder": "b/c", "a folder above": "b", "an archive": "b/z.zip"}[what]
    (root / place).rename(tmp_path / "old")
    (root / place).symlink_to(evil / place)
    with opens() as heard, pytest.raises(DocumentError) as caught:
        load_file(str(path), "x.md", folder=str(root))
    assert caught.value.code == "changed-during-read"
    assert not [name for name in heard if "root-evil" in name]


@needs_links
def test_s1_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "x.md").write_text("# open\n", encoding="utf-8")
    (tmp_path / "y.md").symlink_to(tmp_path / "b" / "x.md")
    assert load_file(str(tmp_path / "y.md"), "y.md", folder=str(tmp_path)).document.text
    with pytest.raises(DocumentError):
        load_file(str(tmp_path / "b" / ".." / ".." / "x.md"), "y.md", folder=str(tmp_path))


@needs_links
@pytest.mark.slow
@pytest.mark.parametrize("walks", [True, False])
def test_s1_whoever_swaps_a_file_and_a_link_all_the_time_gets_nothing(
    walks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`walks` False: as on a system that cannot open a file relative to a folder."""
    monkeypatch.setattr(inside, "_CAN_WALK", walks and inside._CAN_WALK)
    root, evil = tmp_path / "root", tmp_path / "evil"
    root.mkdir(), evil.mkdir()
    (evil / "x.md").write_text(SECRET, encoding="utf-8")
    (root / "good").write_text("good", encoding="utf-8")
    (root / "bad").symlink_to(evil / "x.md")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for name in ("good", "bad"):
                os.link(root / name, root / "next", follow_symlinks=False)
                os.replace(root / "next", root / "x.md")

    thread = threading.Thread(target=swap)
    (root / "x.md").write_text("good", encoding="utf-8")
    thread.start()
    found = {"good": 0, "refused": 0}
    try:
        for _ in range(3_000):
            try:
                handle = inside.opened(root / "x.md", str(root))
            except (DocumentError, OSError):
                found["refused"] += 1
                continue
            with os.fdopen(handle, "rb") as file:
                assert file.read() == b"good"
            found["good"] += 1
    finally:
        stop.set()
        thread.join()
    assert min(found.values()) > 10, found  # both were met, or nothing was tried


@pytest.mark.slow
@needs_links
@pytest.mark.parametrize("plan", [False, True])
@pytest.mark.parametrize("what", ["a folder", "a hidden folder", "a file", "the root"])
def test_s1_what_is_swapped_for_a_link_behind_the_check_of_a_sync_is_not_taken_in(
    what: str, plan: bool, place: tuple[Path, Door], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worst moment: the request was looked at and found right, the sync has not begun."""
    folder, door = place
    for name in ("b", ".c"):
        (folder / "data" / name).mkdir()
        (folder / "data" / name / "s.md").write_text("# open\n", encoding="utf-8")
    asked = folder / "data" / {"a folder": "b", "a hidden folder": ".c", "a file": "b/s.md", "the root": ""}[what]
    wanted = syncing.wanted

    def swapped(*arguments: Any) -> list[str]:
        found = wanted(*arguments)
        asked.rename(folder / "old")
        asked.symlink_to(folder / "data-evil" / ("s.md" if what == "a file" else ""))
        return found

    monkeypatch.setattr(syncing, "wanted", swapped)
    with opens() as heard:
        job = door.ask(None, "POST", "/api/sync", json={"paths": [str(asked)], "plan": plan}).json()["job"]
        told = door.ask(None, "GET", f"/api/jobs/{job['id']}/events").text
    assert '"outside"' in told, told
    assert not [name for name in heard if "data-evil" in name]
    assert [one["path"] for one in door.ask(None, "GET", "/api/roots").json()["roots"]] == [str(folder / "data")]
    assert [one["source"] for one in door.ask(None, "GET", "/api/sources").json()["sources"]] == ["a.md"]


@pytest.mark.slow
@needs_links
def test_s1_a_part_that_became_a_link_since_it_was_named_is_not_looked_into(tmp_path: Path) -> None:
    """The moment after that: it was resolved, and is not listed yet."""
    (tmp_path / "root").mkdir()
    (tmp_path / "evil").mkdir()
    for name in ("x.md", "folder"):
        (tmp_path / "root" / name).symlink_to(tmp_path / "evil" / name)
    (tmp_path / "evil" / "x.md").write_text(SECRET, encoding="utf-8")
    (tmp_path / "evil" / "folder").mkdir()
    (tmp_path / "evil" / "folder" / "y.md").write_text(SECRET, encoding="utf-8")
    for part in ("x.md", "folder", "folder/y.md"):
        found = scan(str(tmp_path / "root"), part=part)
        assert not found.files
        assert [(one.source, one.reason) for one in found.problems] == [(part, "outside root")]
    named = scan(str(tmp_path / "root" / "x.md"))  # a root of its own, which is what its owner named
    assert [file.source for file in named.files] == ["x.md"]


@pytest.mark.slow
@needs_links
def test_s4_what_is_written_goes_through_no_link(place: tuple[Path, Door]) -> None:
    """A folder that came from somebody else may hold a library whose files are links."""
    folder, door = place
    for name in ("feedback.jsonl", "feedback-open.jsonl"):
        (folder / "library" / name).symlink_to(folder / "data-evil" / "s.md")
    for more in ({"source": "a.md"}, {}):
        response = door.ask(None, "POST", "/api/feedback", json={"question": "费用？", "verdict": "down", **more})
        assert response.status_code in (403, 422), response.text
    (folder / "library" / "uploads").symlink_to(folder / "data-evil")
    response = door.ask(None, "POST", "/api/upload", files=[("files", ("x.md", b"# x"))])
    assert response.status_code == 403, response.text
    assert sorted(path.name for path in (folder / "data-evil").iterdir()) == ["s.jsonl", "s.md", "s.records.jsonl"]
    assert (folder / "data-evil" / "s.md").read_text(encoding="utf-8") == SECRET


@pytest.mark.slow
def test_s14_citations_are_names_and_never_paths(place: tuple[Path, Door]) -> None:
    _folder, door = place
    for answer in (door.ask("alice", "POST", "/api/ask", json={"question": "年费多少元？"}).json(),):
        assert answer["citations"]
        for one in answer["citations"]:
            assert one["source"] == "a.md"
            assert set(one) == set(Citation.__dataclass_fields__)
