"""A large library on one machine: how long its server takes to start and to answer first, and how fast several clients can search it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from benchmarks.load import corpus
from benchmarks.load.clients import Client, Tally, looping, search
from benchmarks.load.report import quantiles
from benchmarks.load.served import FOLDED, Server


def build(library: Path, passages: int) -> None:
    """Make the library, unless it is there."""
    from yinju import Library

    with Library.open(library, embedder=corpus.FoldedHashing()) as opened:
        have = opened.store.counts()
        if have.chunks >= passages * 0.99 and have.embedded(corpus.FoldedHashing.fingerprint) == have.chunks:
            print(f"{have.chunks} passages are there", flush=True)
            return
        began = time.monotonic()
        known = {summary.source for summary in opened.sources()}  # of a building that was interrupted
        opened.add((one for one in corpus.documents(passages) if one.source not in known), embed=False)
        words_s = time.monotonic() - began
        opened.embed_missing()
        made = opened.store.counts()
        took = time.monotonic() - began
        size = opened.store.size_bytes / 1e6
        print(
            f"{made.chunks} passages made: words {words_s:.0f} s, with vectors {took:.0f} s, {size:.0f} MB", flush=True
        )


def large(library: Path, passages: int, clients: int, seconds: float, folder: Path) -> int:
    """Print what was measured; return 0 where every search was answered."""
    build(library, passages)
    server = Server(library, None, FOLDED, {"YINJU_EMBED_MODEL": "none"}, folder / "server.log")
    try:
        for name in ("first", "second"):
            began = time.monotonic()
            status, *_ = Client(server.address, 99).ask("POST", "/api/search", {"query": corpus.Words(99).question()})
            print(
                f"server up in {server.started_s:.2f} s; {name} search {time.monotonic() - began:.3f} s (HTTP {status})",
                flush=True,
            )
        faults = 0
        for count in (1, clients):
            tally, stop = Tally(), threading.Event()
            threads = [
                threading.Thread(
                    target=looping,
                    args=(Client(server.address, number), tally, stop, "search", search(corpus.Words(100 + number))),
                )
                for number in range(count)
            ]
            began = time.monotonic()
            for thread in threads:
                thread.start()
            stop.wait(seconds)
            stop.set()
            for thread in threads:
                thread.join()
            done = tally.seconds["search"]
            rate = len(done) / (time.monotonic() - began)
            look = server.sample()
            print(
                f"{count} clients: {rate:.1f} searches/s, {quantiles(done)}, {look.resident / 1e6:.0f} MB resident",
                flush=True,
            )
            faults += tally.faults() + sum(tally.broken.values())
        return 0 if not faults else 1
    finally:
        server.stop()
