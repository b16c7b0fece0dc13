"""The data that the reading half of the local model was trained on is whole: passages, questions, and where the answers stand."""

from __future__ import annotations

import runpy
from collections import Counter
from pathlib import Path

CHECK = runpy.run_path(str(Path(__file__).resolve().parent.parent / "training" / "check.py"))


def test_every_answer_stands_in_its_sentence() -> None:
    counts: Counter[str] = Counter()
    for file in CHECK["files"]():
        for passage in CHECK["passages"](file):
            assert not list(CHECK["faults"](passage))
            counts[passage["lang"]] += len(passage["questions"])
    assert min(counts["zh"], counts["en"]) > 8_000  # both languages alike


def test_what_is_malformed_is_told() -> None:
    passage = {
        "title": "标题",
        "lang": "zh",
        "sentences": ["甲。"] * 6,
        "questions": [{"q": "问", "lang": "zh", "s": [0], "a": "乙"}],
    }
    assert len(list(CHECK["faults"](passage))) == 1
    passage["questions"] = [{"q": "问", "lang": "zh", "s": [6], "a": "甲"}]
    assert len(list(CHECK["faults"](passage))) == 1
    passage["questions"] = [{"q": "问", "lang": "zh", "s": []}]
    assert not list(CHECK["faults"](passage))
    assert len(list(CHECK["faults"]({**passage, "sentences": ["甲。"]}))) == 1
