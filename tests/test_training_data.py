"""The data that the reading half of the local model was trained on is whole: passages, questions, and where the answers stand."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from pathlib import Path

import pytest

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


def test_a_question_of_a_group_is_asked_of_each_of_its_passages(tmp_path: Path) -> None:
    passages = [
        {"title": "1 号表", "lang": "zh", "sentences": ["宽 3 米。", "重 5 千克。", "产于旧厂。"]},
        {"title": "2 号表", "lang": "zh", "sentences": ["宽 4 米。", "重 6 千克。", "它仍是三米宽。"]},
        {"title": "3 号表", "lang": "zh", "sentences": ["宽 7 米。", "重 8 千克。", "产于新厂。"]},
    ]
    asked = [
        {"q": "1 号表多宽", "lang": "zh", "s": [[0, 0], [1, 2]], "a": "3 米"},
        {"q": "谁造的", "lang": "zh", "s": []},
    ]
    file = tmp_path / "g.jsonl"
    file.write_text(json.dumps({"passages": passages, "questions": asked}, ensure_ascii=False) + "\n", encoding="utf-8")
    (group,) = CHECK["groups"](file)
    assert [[question["s"] for question in passage["questions"]] for passage in group] == [
        [[0], []], [[2], []], [[], []],
    ]  # fmt: skip
    assert not [fault for passage in group for fault in CHECK["faults"](passage)]

    asked[0]["s"] = [[3, 0]]
    file.write_text(json.dumps({"passages": passages, "questions": asked}) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="1 号表多宽"):
        list(CHECK["groups"](file))
