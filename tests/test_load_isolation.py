"""What a loader may do to its process: hang, crash, end it, print, take memory. It costs its own file and no other, several at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from yinju.errors import DocumentError
from yinju.load import Limits, Pool
from yinju.types import SourceFile

# Runs in each child before its first file: the names of the files say what their loader does.
CHILD = """
import sys
if "yinju.load.worker" in " ".join(sys.orig_argv):
    import ctypes, os, time
    import yinju.load.reading as reading
    load_file = reading.load_file
    def misbehave(path, source, **more):
        what = source.split("-")[0]
        if what == "sleep": time.sleep(60)
        if what == "spin":
            while True: pass
        if what == "fault": ctypes.string_at(0)
        if what == "end": os._exit(7)
        if what == "leave": sys.exit(3)
        if what == "noise":
            print("noise" * 1_000)
            os.write(1, b"x" * 100_000)
            os.write(2, b"y" * 1_000_000)
        if what == "memory": bytearray(3 << 30)
        if what == "recursion": misbehave(path, source)
        return load_file(path, source, **more)
    reading.load_file = misbehave
"""
EXPECTED = {
    "sleep": "limit",
    "spin": "limit",
    "fault": "crashed",
    "end": "crashed",
    "leave": "crashed",
    "noise": "loaded",
    "recursion": "too-deep",
    "good": "loaded",
} | ({"memory": "limit"} if sys.platform == "linux" else {})


@pytest.mark.slow
def test_loaders_that_misbehave_at_once_cost_their_own_files_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(CHILD, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    files = []
    for number in range(2):
        for what in EXPECTED:
            path = tmp_path / f"{what}-{number}.md"
            path.write_text(f"# 题\n{what}", encoding="utf-8")
            files.append(SourceFile(path.name, str(path), path.stat().st_size, path.stat().st_mtime_ns))
    with Pool(3, Limits(seconds=3)) as pool:
        found = {file.source: result for file, result in pool.load_files(files)}
    assert len(found) == len(files)
    for source, result in found.items():
        outcome = result.code if isinstance(result, DocumentError) else "loaded"
        assert (source, outcome) == (source, EXPECTED[source.split("-")[0]])
        assert not isinstance(result, DocumentError) or result.hint


def test_the_runtime_of_models_reports_to_nobody() -> None:
    asked = "import yinju, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    plain = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    said = subprocess.run([sys.executable, "-c", asked], env=plain, capture_output=True, encoding="utf-8", check=True)
    assert said.stdout.strip() == "1"  # before anything of ours can load it, and for every child
