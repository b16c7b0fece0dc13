"""Count the training data and tell what is malformed: `python training/check.py`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FEWEST, MOST = 5, 16  # sentences of a passage


def passages(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the passages of a file."""
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line:
            yield json.loads(line)


def files() -> list[Path]:
    """Return the files of all data."""
    return sorted([*HERE.glob("questions/*.jsonl"), *HERE.glob("claims/*.jsonl")])


def faults(passage: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a passage and its questions."""
    sentences = passage["sentences"]
    if not FEWEST <= len(sentences) <= MOST or not all(sentence.strip() for sentence in sentences):
        yield f"{passage['title']}: {len(sentences)} sentences"
    if passage["lang"] not in ("zh", "en") or not passage["title"]:
        yield f"{passage['title']}: no language or title"
    for asked in passage["questions"]:
        right = asked["s"]
        if any(not 0 <= place < len(sentences) for place in right):
            yield f"{asked['q']}: no such sentence"
        elif right and (not asked["a"] or asked["a"] not in sentences[right[0]]):
            yield f"{asked['q']}: {asked.get('a')!r} is not in its sentence"


def main() -> int:
    bad = 0
    for file in files():
        counts: Counter[str] = Counter()
        for passage in passages(file):
            counts["passages"] += 1
            for asked in passage["questions"]:
                counts["asked"] += 1
                counts["without an answer"] += not asked["s"]
                counts["in the other language"] += asked["lang"] != passage["lang"]
            for fault in faults(passage):
                bad += 1
                print(f"{file.name}: {fault}", file=sys.stderr)
        print(f"{file.parent.name}/{file.name}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
