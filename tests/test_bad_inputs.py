"""Files that mean harm or are broken: each ends indexed, or skipped with a code and a hint, and costs no other file anything."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.bad_binaries import ARCHIVES, write_special
from tests.bad_inputs import CASES, INDEXED, Case

from yinju.errors import DocumentError
from yinju.load import Limits, is_document_name, load
from yinju.load.archive import listing

CODES = frozenset(
    (
        "empty",
        "no-text",
        "binary",
        "unknown-type",
        "damaged",
        "encrypted",
        "limit",
        "too-deep",
        "unsafe-xml",
        "picture",
        "no-ocr",
    )
)
MOST_MEMORY = 1_500_000_000  # bytes, all processes of a sync together
LONGEST = 300.0  # seconds of a processor for the whole folder, all processes together
_PAGE = 4096
FAST = [case for case in CASES if not case.slow]


@pytest.mark.slow
@pytest.mark.parametrize("case", FAST, ids=lambda case: ascii(case.name))
def test_a_bad_file_ends_with_a_document_or_a_reason(case: Case) -> None:
    began = time.process_time()
    try:
        loaded = load(case.data(), case.name)
    except DocumentError as error:
        outcome = error.code
        assert bool(error.message and error.hint) and outcome in CODES  # noqa: PT017, PT018
    else:
        outcome = INDEXED
        assert case.words in loaded.document.text
        assert loaded.receipt.characters > 0
    assert not case.expected or outcome in case.expected.split("|")
    assert time.process_time() - began < 10  # each takes less than two seconds; what is not linear takes minutes


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_bad_archive_says_what_is_wrong_and_gives_what_is_good(name: str, tmp_path: Path) -> None:
    content, problem, members = ARCHIVES[name]
    (tmp_path / name).write_bytes(content)
    found = listing(str(tmp_path / name), Limits())
    assert (found.problem.reason.split(":")[0] if found.problem else "") == problem
    assert not found.problem or found.problem.hint
    assert tuple(member.name for member in found.members) == members
    assert [path.name for path in tmp_path.iterdir()] == [name]


@contextmanager
def sink() -> Iterator[list[str]]:
    """Listen where the bad files point to; yield who came. Where the port is taken nobody is seen."""
    came: list[str] = []
    with socket.socket() as server:
        try:
            server.bind(("127.0.0.1", 48923))
            server.listen()
        except OSError:
            yield came
            return

        def wait() -> None:
            try:
                while True:
                    came.append(str(server.accept()[1]))
            except OSError:
                return

        threading.Thread(target=wait, daemon=True).start()
        yield came
        server.shutdown(socket.SHUT_RDWR)


def resident(root: int) -> int:
    """The resident bytes of a process and all its descendants, shared pages counted for each."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
            except OSError:
                continue
            parents.setdefault(int(fields.split()[1]), []).append(int(entry))
    waiting, total = [root], 0
    while waiting:
        one = waiting.pop()
        waiting += parents.get(one, [])
        try:
            total += int(Path("/proc", str(one), "statm").read_text(encoding="utf-8").split()[1]) * _PAGE
        except (OSError, IndexError):
            continue
    return total


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change of every file below, the library left out."""
    found = {}
    for path in folder.rglob("*"):
        if ".yinju" not in path.parts and not path.is_symlink() and path.is_file():
            found[str(path)] = (path.stat().st_size, path.stat().st_mtime_ns)
    return found


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="watches the memory of processes in /proc")
def test_a_folder_of_bad_files_is_synced_within_memory_and_time(tmp_path: Path) -> None:
    import resource

    folder = tmp_path / "docs"
    folder.mkdir()
    expected = write_special(folder)
    for case in CASES:
        (folder / case.name).write_bytes(case.data())
        expected[case.name] = case.expected
    for name, (content, problem, members) in ARCHIVES.items():
        (folder / name).write_bytes(content)
        expected |= {f"{name}!/{member}": "" for member in members} | ({name: problem} if problem else {})
    before = snapshot(tmp_path)
    command = [sys.executable, "-m", "yinju", "sync", str(folder), "--no-embed", "--json"]
    environment = dict(os.environ, YINJU_CACHE=str(tmp_path / "cache"))
    said, told = tmp_path / "said.json", tmp_path / "told.txt"
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    before_use = used.ru_utime + used.ru_stime
    began, peak = time.monotonic(), 0
    with sink() as came, said.open("wb") as out, told.open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment, cwd=tmp_path)
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(0.05)
            if time.monotonic() - began > 4 * LONGEST:
                process.kill()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = used.ru_utime + used.ru_stime - before_use
    report = json.loads(said.read_bytes())
    found = {file["source"]: file for file in report["files"]}
    print(f"{len(found)} files, {took:.0f} s, {peak / 1e6:.0f} MB at most")
    wrong = {
        source: (file["outcome"], file["reason"])
        for source, file in found.items()
        if not _is_right(file, expected.get(source, ""))
    }
    assert not wrong
    documents = {source for source in expected if is_document_name(source, pictures=False)}
    assert documents <= set(found)  # pictures are passed over where nobody can read them
    assert process.returncode == 3
    assert "Traceback" not in said.read_text(encoding="utf-8") + told.read_text(encoding="utf-8")
    assert came == []
    assert {path: about for path, about in snapshot(tmp_path).items() if path in before} == before
    assert not list(tmp_path.rglob("evil*"))
    assert peak < MOST_MEMORY
    assert took < LONGEST


def _is_right(file: dict, expected: str) -> bool:
    """Whether the outcome is one of those expected; whatever it is, a file that is skipped has a known code and a hint."""
    if file["outcome"] == "indexed":
        return not expected or INDEXED in expected.split("|")
    code = (file["reason"] or "").split(":")[0]
    known = code in CODES | {
        "crashed",
        "outside root",
        "missing",
        "not-a-file",
        "permission",
        "unsafe name",
        "nested archive",
    }
    return known and bool(file["hint"]) and (not expected or code in expected.split("|"))
