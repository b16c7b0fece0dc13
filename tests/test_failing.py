"""Fail points: each is where its table says, each was tried, and none does anything unless it is armed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from yinju.failing import EXIT_CODE, POINTS, VARIABLE, reach

SOURCE = Path(__file__).resolve().parent.parent / "src" / "yinju"


def test_each_point_of_the_table_is_in_the_code_and_each_in_the_code_is_in_the_table():
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    found = Counter(re.findall(r'\breach\(\s*"([^"]+)"\s*\)', code))
    assert set(found) == set(POINTS)
    assert [name for name, count in found.items() if count > 1] == []
    assert (
        len(re.findall(r"\breach\(", code)) == len(POINTS) + 1
    )  # and its own definition: none takes a name that is made


def test_without_the_variable_nothing_happens():
    for name in POINTS:
        reach(name)


@pytest.mark.parametrize(
    ("armed", "lines", "code"),
    [("begin:2", ["1", "begin"], EXIT_CODE), ("begin", ["1"], EXIT_CODE), ("nowhere", ["1", "begin", "2"], 0)],
)
def test_it_ends_the_process_at_once_when_it_was_passed_often_enough(armed, lines, code):
    script = (
        "import sys; from yinju.failing import reach\n"
        "print(1, flush=True); reach('begin'); reach('delete'); print('begin', flush=True); reach('begin'); print(2)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, VARIABLE: armed},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout.split()) == (code, lines)
