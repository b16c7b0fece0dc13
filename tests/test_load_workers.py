from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from tests.ocr_fakes import CHILD as OCR_CHILD

from yinju.errors import DocumentError
from yinju.load import Limits, Loaded, Pool, load_file, reading, workers
from yinju.load.pipe import LAST, LOADED, read_message, request, write_message
from yinju.types import SourceFile

CHILD = (sys.executable, "-P", "-m", "yinju.load.worker")


def source_file(path: Path, source: str | None = None) -> SourceFile:
    return SourceFile(source or path.name, str(path), 0, 0)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def reason(result: Loaded | DocumentError) -> str | None:
    return result.code if isinstance(result, DocumentError) else None


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1, Limits(seconds=20)) as opened:
        yield opened


def test_files_come_back_whole(pool: Pool, tmp_path: Path) -> None:
    files = [
        source_file(write(tmp_path / f"{name}.md", f"# 标题 {name}\n\n正文"), f"目录/{name}.md") for name in "abcdefgh"
    ]
    results = dict(pool.load_files(iter(files)))
    assert set(results) == set(files)
    for file, loaded in results.items():
        assert isinstance(loaded, Loaded)
        assert loaded == load_file(file.path, file.source)
        assert loaded.modified_ns == os.stat(file.path).st_mtime_ns


def test_a_bad_file_is_an_error_and_the_others_go_on(pool: Pool, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_bytes(b"")
    good = write(tmp_path / "good.md", "正文")
    names = ["empty.md", "gone.md", "good.md", "."]
    results = {file.source: result for file, result in pool.load_files(source_file(tmp_path / n, n) for n in names)}
    assert {name: reason(result) for name, result in results.items()} == {
        "empty.md": "empty", "gone.md": "missing", "good.md": None, ".": "not-a-file"
    }  # fmt: skip
    assert all(result.hint for result in results.values() if isinstance(result, DocumentError))
    assert pool.load_file(source_file(good)).document.text == "正文"


@pytest.mark.skipif(sys.platform == "win32", reason="names that are no Unicode exist on POSIX only")
def test_strange_names_survive(pool: Pool, tmp_path: Path) -> None:
    for name in ("line\nbreak.md", "\u202egpj.md", "bad\udcff.md", "é 空 格.md"):
        path = Path(os.fsdecode(os.fsencode(tmp_path / name)))
        write(path, "x")
        assert pool.load_file(source_file(path, name)).document.source == name


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_no_file_and_nobody_waits(pool: Pool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(DocumentError) as caught:
        pool.load_file(source_file(tmp_path / "pipe.md"))
    assert caught.value.code == "not-a-file"


def test_a_file_over_the_size_limit_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        load_file(write(tmp_path / "a.md", "x" * 100), "a.md", limits=Limits(file_bytes=99))
    assert caught.value.code == "limit"


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.md", "old")
    changes = iter(["new, longer"])
    real_read = os.read

    def read(handle: int, size: int) -> bytes:
        data = real_read(handle, size)
        if (text := next(changes, None)) is not None:
            write(path, text)
        return data

    monkeypatch.setattr(reading.os, "read", read)
    assert load_file(path, "a.md").document.text == "new, longer"
    changes = iter(["a" * length for length in range(20, 30)])
    with pytest.raises(DocumentError) as caught:
        load_file(path, "a.md")
    assert caught.value.code == "changed-during-read"


def test_a_permission_error_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reading.os, "open", refuse)
    with pytest.raises(DocumentError) as caught:
        load_file(tmp_path / "a.md", "a.md")
    assert (caught.value.code, bool(caught.value.hint)) == ("permission", True)


@pytest.fixture
def ocr_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start `ocr_child.py` instead of the real worker."""
    monkeypatch.setattr(workers, "_COMMAND", OCR_CHILD)


def colours(path: Path, *names: str) -> SourceFile:
    """Write pages of these colours."""
    pages = [Image.new("RGB", (40, 40), name) for name in names]
    pages[0].save(path, format="TIFF", save_all=True, append_images=pages[1:])
    return source_file(path)


def outcomes(pool: Pool, files: list[SourceFile]) -> dict[str, str | None]:
    return {file.source: reason(result) for file, result in pool.load_files(files)}


@pytest.mark.slow
def test_a_child_that_hangs_costs_its_file_only(ocr_child: None, tmp_path: Path) -> None:
    files = [
        colours(tmp_path / "hangs.tif", "white", "black"),
        source_file(write(tmp_path / "fast.md", "正文")),
        colours(tmp_path / "good.tif", "white"),
    ]
    with Pool(1, Limits(seconds=2)) as pool:  # a busy machine takes a second for the good ones
        begin = time.monotonic()
        assert outcomes(pool, files) == {"hangs.tif": "limit", "fast.md": None, "good.tif": None}
        assert time.monotonic() - begin < 30, "the picture hangs for 60 s"


def test_a_child_that_crashes_or_needs_too_much_memory_costs_its_file_only(ocr_child: None, tmp_path: Path) -> None:
    files = [
        colours(tmp_path / "crash.tif", "white", "red"),
        colours(tmp_path / "large.tif", "lime"),
        colours(tmp_path / "good.tif", "white"),
    ]
    with Pool(2, Limits(seconds=20)) as pool:
        assert outcomes(pool, files) == {"crash.tif": "crashed", "large.tif": "limit", "good.tif": None}


@pytest.mark.slow
def test_pictures_are_read_by_one_child_and_each_page_has_the_whole_time(ocr_child: None, tmp_path: Path) -> None:
    files = [
        colours(tmp_path / "long.tif", *["blue"] * 5),
        *[colours(tmp_path / f"{number}.tif", "white") for number in range(4)],
    ]
    pages = []
    with Pool(2, Limits(seconds=1.5), on_page=lambda file, *page: pages.append((file.source, *page))) as pool:
        texts = [result.document.text for _, result in pool.load_files(files) if isinstance(result, Loaded)]
    assert len(texts) == 5, "the long one took 2 s, but none of its pages did"
    assert len({text.split("read by process ")[1].strip() for text in texts}) == 1
    assert [page for page in pages if page[0] == "long.tif"][-1] == ("long.tif", 5, 5)


@pytest.mark.slow
def test_text_goes_on_while_pictures_are_read(ocr_child: None, tmp_path: Path) -> None:
    pictures = [colours(tmp_path / f"{number}.tif", "blue") for number in range(3)]
    texts = [source_file(write(tmp_path / f"{number}.md", "正文")) for number in range(30)]
    with Pool(1) as pool:
        order = [file.source for file, _ in pool.load_files([*pictures, *texts])]
    assert sorted(order[-3:]) == ["0.tif", "1.tif", "2.tif"]


@pytest.mark.slow
def test_pictures_are_given_up_when_the_time_is_over(ocr_child: None, tmp_path: Path) -> None:
    files = [
        colours(tmp_path / "hangs.tif", "black"),
        colours(tmp_path / "waits.tif", "white"),
        source_file(write(tmp_path / "text.md", "正文")),
    ]
    begin = time.monotonic()
    with Pool(1, stop=lambda: time.monotonic() > begin + 1.5) as pool:
        assert outcomes(pool, files) == {"text.md": None}
        assert time.monotonic() - begin < 5
        assert reason(pool.load_file(colours(tmp_path / "later.tif", "white"))) is None
        with pytest.raises(DocumentError, match="crashed"):
            pool.load_file(colours(tmp_path / "crash.tif", "red"))


def test_a_pool_that_is_closed_while_pictures_are_read_ends_at_once(ocr_child: None, tmp_path: Path) -> None:
    pool = Pool(1)
    results = pool.load_files([source_file(write(tmp_path / "a.md", "正文")), colours(tmp_path / "hangs.tif", "black")])
    assert next(results)[0].source == "a.md"
    begin = time.monotonic()
    pool.close()
    assert time.monotonic() - begin < 5
    assert pool._eyes._process is None


def test_a_child_that_dies_costs_its_file_only(tmp_path: Path) -> None:
    files = [source_file(write(tmp_path / f"{n}.md", "正文")) for n in range(3)]
    with Pool(1) as pool:
        assert isinstance(pool.load_file(files[0]), Loaded)
        process = pool._children[0]._process
        assert process is not None
        process.kill()
        process.wait()
        assert [reason(result) for _, result in pool.load_files(files)] == [None, None, None]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the address space cannot be limited")
def test_a_file_that_takes_too_much_memory_is_over_the_limit(tmp_path: Path) -> None:
    large = write(tmp_path / "large.txt", "words " * 10_000_000)
    small = write(tmp_path / "small.md", "正文")
    with Pool(1, Limits(memory_bytes=120 << 20)) as pool:
        results = {
            file.source: reason(result) for file, result in pool.load_files([source_file(large), source_file(small)])
        }
    assert results == {"large.txt": "limit", "small.md": None}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says how much memory it holds")
def test_a_child_that_has_grown_says_so_and_ends_after_its_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "正文")
    with subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for large, words in ((1 << 30, [LOADED]), (1 << 20, [LAST, LOADED])):
            write_message(child.stdin, request(str(path), "a.md", Limits(memory_bytes=large), "zh", memory=1 << 30))
            assert [(read_message(child.stdout) or "")[:1] for _ in words] == words
        assert child.wait(5) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the address space cannot be limited")
def test_files_that_need_more_memory_get_it_one_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []
    at_once: list[int] = []
    load = workers._Child.load

    def watched(self: workers._Child, file: SourceFile, limits: Limits, speak: str, memory: int) -> object:
        given.append(memory)
        try:
            at_once.append(given.count(limits.memory_bytes))
            return load(self, file, limits, speak, memory)
        finally:
            given.remove(memory)

    monkeypatch.setattr(workers._Child, "load", watched)
    files = [source_file(write(tmp_path / f"{name}.txt", f"{name} 词语 " * 1_500_000)) for name in "abc"]
    with Pool(3, Limits(usual_memory_bytes=120 << 20)) as pool:
        results = {file.source: reason(result) for file, result in pool.load_files(files)}
    assert results == dict.fromkeys(("a.txt", "b.txt", "c.txt"))
    assert max(at_once) == 1


def test_files_are_taken_a_few_ahead_and_leaving_early_is_fine(tmp_path: Path) -> None:
    taken = 0

    def endless() -> Iterator[SourceFile]:
        nonlocal taken
        while True:
            taken += 1
            yield source_file(path)

    path = write(tmp_path / "a.md", "x")
    with Pool(1) as pool:
        results = pool.load_files(endless())
        assert isinstance(next(results)[1], Loaded)
        results.close()  # type: ignore[attr-defined]
        assert taken <= 8
        assert isinstance(pool.load_file(source_file(path)), Loaded)


def test_a_child_ends_with_its_parent_and_keeps_stdout_for_answers(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "正文")
    with subprocess.Popen(
        CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        write_message(child.stdin, request(str(path), "a.md", Limits(), "zh", memory=1 << 30))
        write_message(child.stdin, request(str(tmp_path / "gone.md"), "gone.md", Limits(), "zh", memory=1 << 30))
        answers = [read_message(child.stdout), read_message(child.stdout)]
        child.stdin.close()
        assert child.wait(5) == 0
        assert child.stdout.read() == b""
    assert "正文" in str(answers[0])
    assert "文件不存在" in str(answers[1])


ORPHANING = """
import os, sys
from yinju.load import Pool
from yinju.types import SourceFile
pool = Pool(1)
pool.load_file(SourceFile("a.md", sys.argv[1], 0, 0))
print(pool._children[0]._process.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_child_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.md", "正文")
    told = subprocess.run([sys.executable, "-c", ORPHANING, str(path)], capture_output=True, check=False)
    command = Path(f"/proc/{int(told.stdout)}/cmdline")
    for _ in range(100):
        if not command.exists() or b"yinju.load.worker" not in command.read_bytes():
            return
        time.sleep(0.05)
    pytest.fail("the child outlives its parent")


def test_a_child_never_imports_from_the_folder_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "yaml.py", "raise SystemExit('hostile')")
    path = write(tmp_path / "a.md", "---\na: 1\n---\n正文")
    monkeypatch.chdir(tmp_path)
    with Pool(1) as pool:
        assert pool.load_file(source_file(path)).document.metadata["a"] == 1


def test_a_closed_pool_has_no_children() -> None:
    pool = Pool(2)
    pool.close()
    assert all(child._process is None for child in pool._children)
    with pytest.raises(ValueError, match="worker"):
        Pool(0)
