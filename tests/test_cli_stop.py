"""Ctrl-C during a sync says that it stopped and how far it got; what was done is kept and the next run goes on there."""

import os
import signal
import subprocess
import sys
import time

import pytest

from sync_fakes import Embedder
from yinju import sync
from yinju.cli import run
from yinju.library import Library
from yinju.store import Store
from yinju.sync import vectors
from yinju.types import Document


@pytest.mark.parametrize(("lang", "words"), [("en", ("Stopped", "So far")), ("zh", ("已停止", "目前"))])
def test_an_interrupted_sync_says_so(tmp_path, without_model, monkeypatch, capsys, lang, words):
    monkeypatch.setenv("YINJU_LANG", lang)
    (tmp_path / "a.md").write_text("# A\n\ntext\n", encoding="utf-8")

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Library, "sync", interrupted)
    assert run(["sync", str(tmp_path)]) == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    for word in words:
        assert captured.err.count(word) == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_real_interrupt_in_a_pipe_says_so(tmp_path):
    for number in range(400):
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\n" + "Some words. " * 400, encoding="utf-8")
    start = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from yinju.cli import main; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", start, "sync", str(tmp_path), "--library", str(tmp_path / "lib")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "YINJU_EMBED_MODEL": "none"},
        start_new_session=True,
    )
    until = time.monotonic() + 20
    while not (tmp_path / "lib" / "library.db").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    # Python ends by the signal itself where that came while a class was being made
    assert process.returncode in (130, -signal.SIGINT), err
    assert b"Stopped" in err
    assert b"Traceback" not in err


@pytest.mark.slow
def test_vectors_are_kept_every_moment_however_slow_the_model_is(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(vectors.time, "monotonic", lambda: now[0])
    sizes = []

    class Slow(Embedder):
        def embed_passages(self, texts):
            texts = list(texts)
            sizes.append(len(texts))
            now[0] += 0.125 * len(texts)
            return super().embed_passages(texts)

    with Store.open(None) as store:
        sync.add(store, [Document.from_text(f"number {n}", source=f"{n}.md") for n in range(100)])
        seen = []
        sync.embed(store, Slow(), progress=seen.append)
    assert sum(sizes) == 100
    assert sizes[0] == vectors.BATCH_FIRST
    assert max(sizes) * 0.125 <= 2.0
    assert (seen[0].done, seen[0].total) == (0, 100)
    assert seen[1].seconds_left == pytest.approx(92 * 0.125)


def test_a_fast_model_gets_full_batches():
    assert vectors._next_size(8, 1e-6, 8, vectors.BATCH) == 8
    assert vectors._next_size(8, 1e-6, 16, vectors.BATCH) == 16
    assert vectors._next_size(32, 0.01, 640, vectors.BATCH) == vectors.BATCH
    assert vectors._next_size(1, 30.0, 640, vectors.BATCH) == 1
