"""Purge: no byte of a text, of its words or of its vectors is left in any file of a library (case S50), whatever it has been through before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest

from sync_fakes import Embedder, Reader, contents
from yinju import sync
from yinju.errors import SourceMissing, StoreReadOnly
from yinju.store import Store
from yinju.store.backup import save
from yinju.sync import PurgeReport, SyncOptions
from yinju.types import Document

pytestmark = pytest.mark.slow  # what has to be on disk takes its time

OLD = 1_600_000_000 * 10**9
WORDS = ("蓝鲸四十二", "鲸四十", "canaryword42", "canaryheading", "紫色灯塔")
SECRET = "# canaryheading 紫色灯塔\n\n蓝鲸四十二 keeps the canaryword42 in a box.\n"
LATER = "# canaryheading 紫色灯塔\n\n蓝鲸四十二 moved the canaryword42 elsewhere.\n"


def write(root: Path, name: str, text: str, modified_ns: int = OLD) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(modified_ns, modified_ns))


def run(store: Store, root: Path, embedder: Embedder, **options: object) -> None:
    sync.run(store, [root], pool=Reader(), embedder=embedder, options=SyncOptions(**options))  # type: ignore[arg-type]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    for number in range(4):
        write(
            folder,
            f"普通{number}.md",
            f"# 普通文件 {number}\n\n没有什么特别的内容 {number}。 Nothing special {number}.\n",
        )
    write(folder, "secret.md", SECRET)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "library") as opened:
        yield opened
        assert opened.check() == []


def traces(folder: Path, vectors: list[bytes] = []) -> list[str]:  # noqa: B006  never changed
    content = b"\0".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    return [word for word in WORDS if word.encode() in content] + ["vector" for one in vectors if one in content]


def vectors_of(embedder: Embedder) -> list[bytes]:
    return [
        np.asarray(row, "<f4").tobytes()
        for text, row in zip(embedder.texts, Embedder().embed_passages(embedder.texts), strict=True)
        if any(word in text for word in WORDS)
    ]


def purge(store: Store, *sources: str, wait_s: float = 5.0) -> PurgeReport:
    return sync.purge(store, sources, wait_s=wait_s)


HISTORIES = ("as it is", "replaced", "renamed", "removed", "undone", "undone edit", "added", "skipped", "swapped")


@pytest.mark.parametrize("history", HISTORIES)
def test_s50_no_byte_is_left(store: Store, root: Path, history: str) -> None:
    embedder = Embedder()
    run(store, root, embedder)
    name = "secret.md"
    if history in ("replaced", "undone edit"):
        write(root, name, LATER, OLD + 10**9)
        run(store, root, embedder)
    if history == "renamed":
        (root / name).rename(root / "新名.md")
        name = "新名.md"
        run(store, root, embedder)
    if history == "removed":
        sync.remove(store, [name])
    if history.startswith("undone"):
        sync.undo(store)
    if history == "added":
        sync.add(store, [Document.from_text(SECRET + "again", source=name)], embedder=embedder)
    if history == "skipped":
        write(root, name, "", OLD + 10**9)
        run(store, root, embedder)
    if history == "swapped":
        files = store.files(str(root))
        with store.writer() as writer:
            writer.begin("sync")
            writer.rename([(name, "普通1.md", files["普通1.md"]), ("普通1.md", name, files[name])])
        name = "普通1.md"
    vectors = vectors_of(embedder)
    assert vectors
    if history != "undone":
        assert "vector" in traces(store.folder or root, vectors)
    report = purge(store, name)
    assert traces(store.folder or root, vectors) == []
    assert report.left == ()
    assert name not in contents(store)
    while store.steps():
        sync.undo(store)
        assert not any(word in text for text, _ in contents(store).values() for word in WORDS), (
            "a purge is never undone"
        )


def test_what_a_purge_does_not_reach_is_named(store: Store, root: Path, tmp_path: Path) -> None:
    embedder = Embedder()
    write(root, "copy.txt", "蓝鲸四十二 keeps the canaryword42 in a box.")
    run(store, root, embedder)
    folder = store.folder
    assert folder is not None
    (folder / "cases").mkdir()
    (folder / "cases" / "mine.jsonl").write_text(json.dumps({"answer": "蓝鲸四十二 keeps the canaryword42"}))
    (folder / "cases" / "other.jsonl").write_text(json.dumps({"answer": "没有什么特别的内容"}))
    (folder / "damaged-1").write_bytes(b"SQLite format 3\0 and more")
    backup, later = tmp_path / "backup.yinju", tmp_path / "later.yinju"
    with store.writer() as writer:
        writer.log("backup", {"path": str(tmp_path / "gone.db"), "generation": 1})
        writer.log("note", {"source": "secret.md"})
    save(store, backup)
    report = purge(store, "secret.md")
    assert report.sources == ("secret.md",)
    assert report.shared == ("copy.txt",)
    assert report.files == (str(root / "secret.md"),)
    assert report.backups == (str(backup),)
    assert [Path(path).name for path in report.quoted] == ["mine.jsonl"]
    assert [Path(path).name for path in report.copies] == ["damaged-1"]
    assert [entry.kind for entry in store.log()] == ["backup", "backup"]
    assert (folder / "backups.jsonl").exists()
    save(store, later)
    assert len(report.notices) == 5
    assert "copy.txt" in contents(store)
    run(store, root, embedder)  # which reads the file that is still there
    assert purge(store, "secret.md").backups == (str(backup),), "one that was made after the first purge is clean"
    assert store.counts().embedded("test:1") == store.counts().chunks, "the vector of the text that stays has stayed"


def test_an_upload_goes_with_its_source(store: Store, root: Path) -> None:
    uploads = (store.folder or root) / "uploads"
    write(uploads, "secret.md", SECRET)
    embedder = Embedder()
    run(store, root, embedder)
    run(store, uploads, embedder)
    report = purge(store, "uploads/secret.md", "secret.md")
    assert [Path(path).name for path in report.deleted] == ["secret.md"]
    assert report.files == (str(root / "secret.md"),)
    assert traces(store.folder or root, vectors_of(embedder)) == []


def test_only_what_is_known_can_be_purged(store: Store, root: Path) -> None:
    run(store, root, Embedder())
    before = contents(store)
    with pytest.raises(SourceMissing):
        purge(store, "secret.md", "nothing.md")
    assert contents(store) == before
    with Store.open(store.folder, read_only=True) as reader, pytest.raises(StoreReadOnly):
        purge(reader, "secret.md")


def test_a_document_that_took_another_name_is_not_lost_with_its_old_one(store: Store, root: Path) -> None:
    run(store, root, Embedder())
    (root / "普通1.md").rename(root / "新.md")
    run(store, root, Embedder())
    write(root, "普通1.md", "# 别的\n\n另一篇文档。\n", OLD + 10**9)
    run(store, root, Embedder())
    (root / "普通1.md").unlink()
    run(store, root, Embedder())
    purge(store, "普通1.md")
    assert [step.renamed for step in store.steps()] == [1, 0]
    sync.undo(store)
    assert [name for name, (text, _) in contents(store).items() if "特别的内容 1" in text] == ["普通1.md"]


def test_with_a_reader_open_the_log_is_waited_for(store: Store, root: Path) -> None:
    embedder = Embedder()
    run(store, root, embedder)
    script = (
        "import sys\nfrom pathlib import Path\nfrom yinju.store import Store\n"
        "store = Store.open(Path(sys.argv[1]), read_only=True)\n"
        "print(len(store.sources()), flush=True); sys.stdin.readline()\n"
        "with store.snapshot():\n"
        "    print(len(store.sources()), flush=True); sys.stdin.readline()\n"
        "print('free', flush=True); sys.stdin.readline()\n"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", script, str(store.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    try:
        assert reader.stdout.readline().strip() == "5"
        assert purge(store, "secret.md").left == (), "a reader that is only open is in nobody's way"
        assert traces(store.folder or root, vectors_of(embedder)) == []
        (root / "secret.md").rename(root / "secret2.md")
        run(store, root, embedder)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline()
        report = purge(store, "secret2.md", wait_s=0.2)
        assert [Path(path).name for path in report.left] == ["library.db-wal"]
        assert "another process is reading" in " ".join(report.notices)
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline().strip() == "free"
        with store.writer() as writer:
            writer.log("note", 1)
        assert traces(store.folder or root, vectors_of(embedder)) == []
    finally:
        reader.stdin.close()
        reader.wait(10)
        reader.stdout.close()


def test_views_lose_the_rows_and_find_the_others(store: Store, root: Path) -> None:
    embedder = Embedder()
    for number in range(600):
        write(root, f"many/{number}.txt", f"Something about number {number} 号。")
    run(store, root, embedder)
    folder = store.folder
    assert folder is not None
    query = embedder.embed_queries(["Something about number 7 号。"])[0]
    found = store.nearest("test:1", query, 3)
    assert list(folder.glob("*.view"))
    vectors = vectors_of(embedder)
    view = next(folder.glob("*.view")).read_bytes()
    assert any(one in view for one in vectors)
    purge(store, "secret.md")
    assert traces(folder, vectors) == []
    assert store.nearest("test:1", query, 3) == found
    assert traces(folder, vectors) == []
    assert list(folder.glob("*.view"))


class _Author:
    """Writes documents whose words stand in no other, in all lengths, so that their rows move between the pages of the file."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.random = Random(seed)
        self.clock = OLD
        self.canaries: dict[int, set[tuple[str, str]]] = {}
        self.names: dict[int, str] = {}

    def write(self, number: int, version: int) -> None:
        name = self.names.setdefault(number, f"{number}.md")
        word = f"canary{number}x{version}zq"
        chinese = "".join(chr(0x4E00 + Random(number * 100 + version + at).randrange(20_000)) for at in range(9))
        self.canaries.setdefault(number, set()).add((word, chinese))
        filler = " ".join(
            self.random.choice(("普通", "文字", "plain", "words")) for _ in range(self.random.choice((3, 40, 900)))
        )
        self.clock += 10**9
        text = f"---\nauthor: {word}meta\n---\n# {word} {chinese}\n\n{filler} {chinese} {word}text\n\n## {chinese}节\n\n{filler}\n"
        write(self.root, name, text, self.clock)

    def change(self, number: int, turn: int) -> None:
        path = self.root / self.names[number]
        if not path.exists():
            return
        chance = self.random.random()
        if chance < 0.5:
            self.write(number, turn)
        elif chance < 0.8:
            self.names[number] = f"r{turn}-{number}.md"
            path.rename(self.root / self.names[number])
        else:
            path.unlink()


@pytest.mark.parametrize("seed", [2])  # without writing the file anew a term is left
def test_rows_that_moved_between_pages_leave_nothing_behind(store: Store, tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "many"
    author, embedder = _Author(folder, seed), Embedder()
    for number in range(120):
        author.write(number, 0)
    run(store, folder, embedder)
    for turn in range(1, 6):
        for number in author.random.sample(range(120), 30):
            author.change(number, turn)
        run(store, folder, embedder, allow_mass_delete=True)
    gone = author.random.sample(range(120), 50)
    known = store.former_sources() | set(contents(store))
    wanted = [name for name in sorted(known) if int(name.split("-")[-1].removesuffix(".md")) in gone]
    assert purge(store, *wanted).left == ()
    assert store.folder is not None
    content = b"\0".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file())
    left = [word for number in gone for words in author.canaries[number] for word in words if word.encode() in content]
    assert left == []
    stays = [words for number in range(120) if number not in gone for words in author.canaries[number]]
    assert any(word.encode() in content for words in stays for word in words), "nothing else went"
    header = (store.folder / "library.db").read_bytes()[:100]
    assert header[20] == 8, "each page has room for its checksum still"
