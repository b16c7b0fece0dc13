"""`sync --watch` through a pipe: each report is there when it is made, not when a buffer is full."""

import json
import os
import subprocess
import sys
import threading

import pytest


@pytest.mark.slow
def test_reports_come_as_they_are_made(tmp_path):
    (tmp_path / "一.md").write_text("# 一\n\n第一页。\n", encoding="utf-8")
    environment = {**os.environ, "YINJU_EMBED_MODEL": "none"}
    command = [sys.executable, "-m", "yinju", "sync", str(tmp_path), "--watch", "--json"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    assert process.stdout is not None
    assert process.stderr is not None
    end = threading.Timer(30, process.kill)  # a report that never comes ends the reading
    end.start()
    try:
        assert json.loads(process.stdout.readline())["added"] == 1
        assert "Watching" in process.stderr.readline()
        (tmp_path / "two.md").write_text("# Two\n\nThe second page.\n", encoding="utf-8")
        assert json.loads(process.stdout.readline())["added"] == 1
    finally:
        end.cancel()
        process.kill()
        process.communicate()
