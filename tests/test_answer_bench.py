"""On real passages: what stands there is verified, what stands elsewhere is moved, a changed number never passes."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest

from answer_hits import hit, passages
from yinju.answer.verify import verify_answer
from yinju.text import sentences

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"


@pytest.mark.bench
@pytest.mark.parametrize("name", ["xquad-zh", "xquad-en"])
def test_quoted_sentences(name: str) -> None:
    path = BENCH / name / "corpus.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    texts = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").split("\n") if line]
    rng = random.Random(1)
    rng.shuffle(texts)
    tally: Counter[str] = Counter()
    for own, other in zip(texts[:80:2], texts[1:80:2], strict=True):
        candidates = [span.of(own) for span in sentences.split(own) if 12 < span.end - span.start < 200]
        if not candidates:
            continue
        claim = " ".join(rng.choice(candidates).split())
        here, there = hit(own, source="own.md"), hit(other, source="other.md")
        tally["asked"] += 1
        tally["verified"] += verify_answer(f"{claim} [1]", passages(here, there)).sentences[-1].status == "verified"
        tally["moved"] += verify_answer(f"{claim} [1]", passages(there, here)).sentences[-1].status == "moved"
        tally["trusted wrongly"] += verify_answer(f"{claim} [1]", passages(there)).sentences[-1].status != "unsupported"
        changed = re.sub(r"\d+", lambda match: str(int(match.group()) + 7), claim)
        if changed != claim:
            tally["trusted wrongly"] += (
                verify_answer(f"{changed} [1]", passages(here)).sentences[-1].status == "verified"
            )
    assert tally["trusted wrongly"] == 0
    assert tally["verified"] >= 0.98 * tally["asked"]
    assert tally["moved"] >= 0.98 * tally["asked"]
