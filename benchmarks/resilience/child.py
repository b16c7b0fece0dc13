"""The process that is killed. `python -m benchmarks.resilience.child` reads orders as JSON lines and forks a process for each.

A fresh interpreter takes longer to start than a small sync takes to run; a fork of one that has imported everything starts in milliseconds and
dies as truly. It opens the library itself, so that nothing of it is shared with a process that lives on. `... child once ORDER` is the same in
a process of its own, for what is armed by the environment.

Answers are JSON lines: `pid` when it starts, `source` and `outcome` of each file once it is on disk, `done` with the hashes of the texts that
were embedded, and from the parent `ended` with the exit status.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from yinju import failing, sync
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import DocumentError, YinjuError
from yinju.library import Library
from yinju.load import Loaded
from yinju.load.reading import load_file
from yinju.store import Store
from yinju.sync.documents import hash_of
from yinju.text import words
from yinju.types import Document, FileReport, SourceFile, SyncReport

FINGERPRINTS = (HashingEmbedder.fingerprint, "hashing/other")


class Embedder(HashingEmbedder):
    """Hashed words, under any name, so that a library can change its model without computing much. Notes what it was asked for."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        self.hashes: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> Any:
        """Return one row for each text."""
        self.hashes += [hash_of(text) for text in texts]
        return super().embed_passages(texts)


class Reader:
    """Reads files in this process, so that no others have to be started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def load_files(self, files: Iterable[SourceFile]) -> Iterator[tuple[SourceFile, Loaded | DocumentError]]:
        """Yield each file with what was read, or why it could not be."""
        for file in files:
            try:
                yield file, load_file(file.path, file.source)
            except DocumentError as error:
                yield file, error


def tell(**line: Any) -> None:
    """Write one line at once, in one piece."""
    os.write(1, (json.dumps(line) + "\n").encode())


def _tell_file(report: FileReport) -> None:
    tell(source=report.source, outcome=report.outcome)


def _sync(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    options = sync.SyncOptions(allow_mass_delete=True)
    return sync.run(store, [order["root"]], pool=Reader, embedder=embedder, options=options, on_file=_tell_file)


def _remove(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    return _told(sync.remove(store, order["sources"]))


def _add(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    made = [Document.from_text(text, source=source) for source, text in order["documents"]]
    return _told(sync.add(store, made, embedder=embedder))


def _grow(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    """Add document after document, each in a transaction of its own, for about `seconds`."""
    for source, text in order["documents"]:
        _told(sync.add(store, [Document.from_text(text, source=source)], embedder=embedder))
        time.sleep(order["seconds"] / len(order["documents"]))
    return SyncReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, ())


def _read(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    """Ask for so many seconds while others write; each question has to see one state (I7). Tells what it saw and how long it waited."""
    rng, waits, wrong = random.Random(order["seed"]), [], []
    library, ends = Library(store, embedder=embedder), time.monotonic() + order["seconds"]
    query = embedder.embed_queries(["pumps 水泵"])[0]
    while time.monotonic() < ends and not wrong:
        began = time.perf_counter()
        with store.snapshot() as generation:
            texts = {one.source: document.text for one in store.sources() if (document := store.document(one.source))}
            found = [
                *store.word_candidates(["pump"], ["水泵"], 50),
                *(row for row, _ in store.nearest(embedder.fingerprint, query, 50)),
            ]
            hits = store.chunks(found)
            if len(hits) != len(found):
                wrong.append("a leg leads to a passage that is not there")
            wrong += [
                f"{hit.source}: a passage of another version"
                for hit in hits
                if hit.chunk.text not in texts.get(hit.source, "")
            ]
            for source in rng.sample(sorted(texts), min(3, len(texts))):
                end, pieces = 0, ""
                for span in (one.chunk.span for one in store.chunks_of(source)):
                    pieces += "".join(texts[source][max(span.start, end) : span.end].split())
                    end = max(end, span.end)
                if pieces != "".join(texts[source].split()):
                    wrong.append(f"{source}: its passages are not its text")
            if store.generation != generation:
                wrong.append("the generation moved within a snapshot")
        waits.append(time.perf_counter() - began)
        for hit in library.search("水泵 pumps", limit=5):
            if not hit.text:
                wrong.append("a hit without text")
    waits.sort()
    tell(questions=len(waits), wrong=wrong, slow_ms=round(1000 * waits[int(0.95 * len(waits))], 1) if waits else None)
    return SyncReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, ())


def _search(store: Store, embedder: Embedder, order: dict[str, Any]) -> SyncReport:
    """Ask, so that a view is written; with `twice` sync in between, so that a newer one takes its place."""
    matrix = import_module("yinju.store.matrix")
    matrix.MINIMUM_TAIL = order.get("tail", matrix.MINIMUM_TAIL)
    query = HashingEmbedder().embed_queries(["pumps"])[0]
    store.nearest(embedder.fingerprint, query, 5)
    if order.get("twice"):
        _sync(store, embedder, order)
        store.nearest(embedder.fingerprint, query, 5)
    return SyncReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, ())


def _told(report: SyncReport) -> SyncReport:
    for file in report.files:
        _tell_file(file)
    return report


ACTIONS: dict[str, Callable[[Store, Embedder, dict[str, Any]], SyncReport]] = {
    "sync": _sync,
    "remove": _remove,
    "add": _add,
    "grow": _grow,
    "read": _read,
    "search": _search,
}


def _weaken(order: dict[str, Any]) -> None:
    """Take rights or room from this process: `user` is a number, `file_limit` the bytes that a file may have."""
    if "file_limit" in order:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_limit"],) * 2)
    if "user" in order:
        with Store.open(None) as warm:  # loads what another user may not be able to read
            _search(warm, Embedder(FINGERPRINTS[0]), order | {"twice": True})
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])


def carry_out(order: dict[str, Any]) -> int:
    """Do what is ordered and return the exit code."""
    _weaken(order)
    apply, vectors = (import_module(f"yinju.sync.{name}") for name in ("apply", "vectors"))
    apply.TOGETHER_DOCUMENTS = order.get("together", apply.TOGETHER_DOCUMENTS)
    vectors.BATCH = vectors.BATCH_FIRST = order.get("batch", vectors.BATCH)
    embedder = Embedder(order.get("fingerprint", FINGERPRINTS[0]))
    passed: Counter[str] = Counter()
    if order.get("note"):  # which points are passed, and how often
        failing._point, failing._count = "", lambda name: passed.update([name])
    try:
        with Store.open(Path(order["library"])) as store:
            report = ACTIONS[order["action"]](store, embedder, order)
    except YinjuError as error:
        tell(error=error.code, message=error.message, hint=error.hint)
        return error.exit_code
    tell(done=order["action"], embedded=embedder.hashes, notices=list(report.notices), passed=passed)
    return 0


def _fork(order: dict[str, Any]) -> int:
    """Carry the order out in a child, wait for it and return its status as `os.waitstatus_to_exitcode` gives it."""
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.setsid()
            failing._point, failing._left = failing._armed(order.get("fail_at", ""))
            tell(pid=os.getpid())
            code = carry_out(order)
        except BaseException:  # noqa: BLE001  a fork must never go on as its parent
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> int:
    """Serve orders until stdin ends."""
    if sys.argv[1:2] == ["once"]:
        tell(pid=os.getpid())
        return carry_out(json.loads(sys.argv[2]))
    words.index_terms("水泵")  # the dictionary is loaded once, for all children
    for line in sys.stdin:
        tell(ended=_fork(json.loads(line)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
