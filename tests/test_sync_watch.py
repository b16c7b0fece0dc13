"""Watching tells that something changed, not what."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from yinju.sync import watch


@pytest.mark.slow
@pytest.mark.parametrize("polling", [False, True])
def test_visible_changes_are_told_and_hidden_ones_are_not(tmp_path: Path, polling: bool) -> None:
    (tmp_path / ".yinju").mkdir()
    stop, told = threading.Event(), threading.Semaphore(0)
    thread = threading.Thread(target=watch, args=(tmp_path, told.release, stop), kwargs={"force_polling": polling})
    thread.start()
    try:
        time.sleep(0.5)
        (tmp_path / ".yinju" / "library.db").write_text("x")
        (tmp_path / ".hidden.md").write_text("x")
        assert not told.acquire(timeout=2.0)
        (tmp_path / "订阅.md").write_text("年费 168 元")
        assert told.acquire(timeout=8.0)
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


@pytest.mark.slow
def test_a_file_can_be_watched_and_a_function_can_stop_it(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("one")
    told = threading.Event()
    thread = threading.Thread(target=watch, args=([file], told.set, told.is_set))
    thread.start()
    time.sleep(0.5)
    file.write_text("two")
    thread.join(10)
    assert told.is_set()
    assert not thread.is_alive()
